/** For tests: the adapter over the SFTP server of the sandbox's bank. */
import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Venue } from '../../contract.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { openBank } from '../bank.ts'
import { bankConfig } from '../config.ts'

/** Folders of ours, with what stays there. */
export async function makeFolders(): Promise<{ outbox_dir: string; inbox_dir: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-sftp-'))
  const [outbox_dir, inbox_dir] = [join(directory, 'outbox'), join(directory, 'inbox')]
  await mkdir(join(outbox_dir, 'done'), { recursive: true })
  await mkdir(inbox_dir)
  return { outbox_dir, inbox_dir }
}

/** The options and secrets of the configuration. */
export async function sftpValues(sandbox: SandboxProcess): Promise<Record<string, string>> {
  const [account, server] = await Promise.all(
    ['bank.json', 'bank-sftp.json'].map(
      async (name) => JSON.parse(await sandbox.credential(name)) as Record<string, string>,
    ),
  )
  return {
    ...account,
    sftp_host: '127.0.0.1',
    sftp_port: await readFile(join(sandbox.dir, 'sftp-port'), 'utf8'),
    sftp_user: server?.['user'] ?? '',
    sftp_host_key: server?.['host_key'] ?? '',
    sftp_private_key: server?.['private_key'] ?? '',
    sftp_outbox_dir: '/outbox',
    sftp_inbox_dir: '/inbox',
    sftp_poll_ms: '100',
    sftp_timeout_ms: '2000',
  }
}

export async function openBankOverSftp(
  sandbox: SandboxProcess,
  problems: string[],
  change: Record<string, string>,
): Promise<Venue> {
  return openBank(bankConfig({ ...(await sftpValues(sandbox)), ...change }), (problem) => {
    problems.push(problem)
  })
}
