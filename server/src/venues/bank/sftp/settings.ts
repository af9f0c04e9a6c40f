/** How the bank's SFTP server is reached, from named texts. */
import { mustHaveText } from '../options.ts'

const DEFAULT_PORT = 22
const DEFAULT_POLL_MILLISECONDS = 30_000
const DEFAULT_TIMEOUT_MILLISECONDS = 10_000
const DEFAULT_PART_SUFFIX = '.part'

export type SftpSettings = {
  host: string
  port: number
  user: string
  /** Of the server's key, as `ssh-keygen -lf` prints it; several while the bank changes its key. */
  host_keys: readonly string[]
  private_key?: string
  passphrase?: string
  password?: string
  /** At the bank: payment files are put here. */
  outbox_dir: string
  /** At the bank: its messages appear here. */
  inbox_dir: string
  /** Of a file that is not whole yet; the bank must not take it. */
  part_suffix: string
  poll_ms: number
  timeout_ms: number
}

/** Undefined without `sftp_host`. Throws RangeError naming what is missing or wrong. */
export function sftpSettings(values: Record<string, string>): SftpSettings | undefined {
  if (values['sftp_host'] === undefined || values['sftp_host'] === '') return undefined
  const text = (name: string) => mustHaveText(values, name)
  const number = (name: string, fallback: number, maximum: number) => {
    const value = Number(values[name] ?? fallback)
    if (!Number.isSafeInteger(value) || value <= 0 || value > maximum)
      throw new RangeError(`the bank's ${name} must be a whole number from 1 to ${maximum}`)
    return value
  }
  return {
    host: text('sftp_host'),
    port: number('sftp_port', DEFAULT_PORT, 65_535),
    user: text('sftp_user'),
    host_keys: hostKeys(text('sftp_host_key')),
    ...credentials(values),
    outbox_dir: withoutEndingSlash(text('sftp_outbox_dir')),
    inbox_dir: withoutEndingSlash(text('sftp_inbox_dir')),
    part_suffix: partSuffix(values['sftp_part_suffix'] ?? DEFAULT_PART_SUFFIX),
    poll_ms: number('sftp_poll_ms', DEFAULT_POLL_MILLISECONDS, 3_600_000),
    timeout_ms: number('sftp_timeout_ms', DEFAULT_TIMEOUT_MILLISECONDS, 120_000),
  }
}

function hostKeys(text: string): string[] {
  const keys = text.split(',').map((key) => key.trim().replace(/=+$/, ''))
  if (!keys.every((key) => /^SHA256:[A-Za-z0-9+/]{43}$/.test(key)))
    throw new RangeError(
      "the bank's sftp_host_key must be a fingerprint like SHA256:… of 43 characters, or several",
    )
  return keys
}

function credentials(values: Record<string, string>) {
  const {
    sftp_private_key: private_key,
    sftp_passphrase: passphrase,
    sftp_password: password,
  } = values
  if (!private_key && !password)
    throw new RangeError("the bank's configuration lacks sftp_private_key or sftp_password")
  return {
    ...(private_key ? { private_key } : {}),
    ...(passphrase ? { passphrase } : {}),
    ...(password ? { password } : {}),
  }
}

const withoutEndingSlash = (path: string) => (path === '/' ? '' : path.replace(/\/+$/, ''))

function partSuffix(suffix: string): string {
  if (!/^\.[A-Za-z0-9]{1,20}$/.test(suffix) || suffix.toLowerCase() === '.xml')
    throw new RangeError("the bank's sftp_part_suffix must be like .part, and not .xml")
  return suffix
}
