/**
 * The keys by which the bank's server is known. A server has keys of several kinds (sshd_config(5),
 * HostKey), and shows the one of the kind that its client asks for first. The bank names the
 * fingerprint of one of them: the other kinds are left out, one after the other.
 */
import { createHash } from 'node:crypto'

/** As ssh2 asks for them. */
export const HOST_KEY_ALGORITHMS: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
]
const RSA = 'ssh-rsa'
const NONE_IS_LEFT = /no matching host key/

/** The server has shown a key that is not configured, and was told nothing. */
export class OtherHostKey extends Error {
  readonly kind: string
  readonly fingerprint: string
  constructor(key: Buffer, cause: unknown) {
    super('the host key is not the configured one', { cause })
    this.kind = kindOf(key)
    this.fingerprint = fingerprintOf(key)
  }
}

/** As `ssh-keygen -lf` prints it. */
export const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** RFC 4253, section 6.6: a key begins with the name of its kind. */
const kindOf = (key: Buffer): string => key.subarray(4, 4 + key.readUInt32BE(0)).toString('latin1')

/** RFC 8332: one RSA key signs in three ways. */
const isOfKind = (algorithm: string, kind: string): boolean =>
  algorithm === kind || (kind === RSA && algorithm.startsWith('rsa-sha2-'))

/** Attempts it with ever fewer algorithms, until the server shows a configured key. */
export async function withHostKey<Result>(
  algorithms: readonly string[],
  attempt: (algorithms: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const shown: string[] = []
  let left = algorithms
  for (;;) {
    try {
      return await attempt(left)
    } catch (error) {
      const isOther = error instanceof OtherHostKey
      if (isOther) {
        shown.push(error.fingerprint)
        left = left.filter((algorithm) => !isOfKind(algorithm, error.kind))
        if (left.length > 0) continue
      }
      const isLast = shown.length > 0 && (isOther || NONE_IS_LEFT.test(String(error)))
      throw isLast ? otherKeys(shown, error) : error
    }
  }
}

function otherKeys(shown: readonly string[], cause: unknown): Error {
  const keys = shown.join(' and ')
  return new Error(`it shows the host key ${keys}, which is not the configured one; ask the bank`, {
    cause,
  })
}
