/** For tests: the adapter over the SFTP server of the sandbox's bank. */
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TransferOrder, Venue } from '../../contract.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { openBank } from '../bank.ts'
import { bankConfig } from '../config.ts'
import { OPEN_EVERY_DAY } from '../sandbox-bank.testing.ts'
import { killSender } from '../sender.testing.ts'

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
    ...OPEN_EVERY_DAY,
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

/** A process of its own hands the payment over, and is killed at the point. */
export async function killAt(
  sandbox: SandboxProcess,
  folders: Record<string, string>,
  point: string,
  order: TransferOrder,
): Promise<void> {
  await killSender({ ...(await sftpValues(sandbox)), ...folders }, point, [order])
}

/** A way to the server that can be cut, with all that goes over it. */
export async function openCable(to: number) {
  const sockets = new Set<Socket>()
  let server: Server
  let port = 0
  let taken = 0
  let open = 0
  const mend = async () => {
    server = createServer((near) => {
      const far = connect(to, '127.0.0.1')
      taken += 1
      open += 1
      near.on('close', () => {
        open -= 1
      })
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
      }
      near.pipe(far).pipe(near)
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address === 'object') port = address?.port ?? port
  }
  await mend()
  return {
    port,
    mend,
    /** How often it was taken, and by how many now. */
    counts: () => ({ taken, open }),
    cut: async () => {
      if (!server.listening) return
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
