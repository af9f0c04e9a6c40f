/**
 * For tests: OpenSSH's own server, where this machine has one, on the folders of the sandbox's
 * bank. It has keys of its own and runs as whoever runs the test.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import ssh2 from 'ssh2'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { fingerprintOf } from './host-keys.ts'

/** sshd(8) must be started by its whole path. */
export const SSHD = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  .map((directory) => join(directory, 'sshd'))
  .find((path) => path.startsWith('/') && existsSync(path))

/** What a server lets its clients do (sftp-server(8)), by the key with which they come. */
const SERVERS = {
  whole: 'internal-sftp',
  withoutExtension: 'internal-sftp -P posix-rename',
  withoutRename: 'internal-sftp -P rename,posix-rename',
  readOnly: 'internal-sftp -R',
} as const
export type ServerKind = keyof typeof SERVERS

/** Ends a write with an error beyond so many blocks, as a full disk or a quota does. */
const LIMITED = ['sh', '-c', `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`] as const

type Key = { private_key: string; public_blob: Buffer }

export type OpenSsh = {
  /** Options and secrets of a venue whose key is allowed this. */
  values(kind: ServerKind): Record<string, string>
  /** Of its keys, by their kinds. */
  fingerprints: { ed25519: string; rsa: string }
  close(): Promise<void>
}

export async function openOpenSsh(sandbox: SandboxProcess, isFull = false): Promise<OpenSsh> {
  const directory = await mkdtemp(join(tmpdir(), 'kontor-openssh-'))
  const [ed25519, rsa] = [ed25519Key(), rsaKey()]
  const clients = Object.fromEntries(
    Object.keys(SERVERS).map((kind) => [kind, ed25519Key()]),
  ) as Record<ServerKind, Key>
  const port = await freePort()
  await writeSettings(directory, port, { ed25519, rsa, clients })
  const sshd = await start([...(isFull ? LIMITED : []), SSHD ?? '', '-D', '-e'], directory)
  const folder = join(sandbox.dir, 'bank', 'kontor')
  const fingerprints = {
    ed25519: fingerprintOf(ed25519.public_blob),
    rsa: fingerprintOf(rsa.public_blob),
  }
  return {
    fingerprints,
    values: (kind) => ({
      sftp_port: String(port),
      sftp_user: userInfo().username,
      sftp_host_key: fingerprints.ed25519,
      sftp_private_key: clients[kind].private_key,
      sftp_outbox_dir: join(folder, 'outbox'),
      sftp_inbox_dir: join(folder, 'inbox'),
    }),
    close: async () => {
      await stop(sshd)
      await rm(directory, { recursive: true })
    },
  }
}

const keyOf = (private_key: string): Key => {
  const parsed = ssh2.utils.parseKey(private_key)
  if (parsed instanceof Error) throw parsed
  return { private_key, public_blob: parsed.getPublicSSH() }
}

const ed25519Key = (): Key => keyOf(ssh2.utils.generateKeyPairSync('ed25519').private)

const rsaKey = (): Key =>
  keyOf(
    generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    }).privateKey,
  )

type Keys = { ed25519: Key; rsa: Key; clients: Record<ServerKind, Key> }

async function writeSettings(directory: string, port: number, keys: Keys): Promise<void> {
  const write = (name: string, text: string) =>
    writeFile(join(directory, name), text, { mode: 0o600 })
  await write('ed25519', keys.ed25519.private_key)
  await write('rsa', keys.rsa.private_key)
  const allowed = Object.entries(keys.clients).map(
    ([kind, { public_blob }]) =>
      `command="${SERVERS[kind as ServerKind]}" ssh-ed25519 ${public_blob.toString('base64')}`,
  )
  await write('authorized_keys', `${allowed.join('\n')}\n`)
  const settings = [
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${join(directory, 'ed25519')}`,
    `HostKey ${join(directory, 'rsa')}`,
    `AuthorizedKeysFile ${join(directory, 'authorized_keys')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'Subsystem sftp internal-sftp',
  ]
  await write('sshd_config', `${settings.join('\n')}\n`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function start(command: readonly string[], directory: string): Promise<ChildProcess> {
  const [program = '', ...more] = [...command, '-f', join(directory, 'sshd_config')]
  const sshd = spawn(program, more, { stdio: ['ignore', 'ignore', 'pipe'] })
  process.once('exit', () => sshd.kill())
  const told: string[] = []
  for await (const line of createInterface({ input: sshd.stderr })) {
    told.push(line)
    if (line.includes('Server listening')) {
      sshd.stderr.resume()
      return sshd
    }
  }
  return assert.fail(`sshd did not start: ${told.join('; ')}`)
}

async function stop(sshd: ChildProcess): Promise<void> {
  const ended = once(sshd, 'exit')
  sshd.kill()
  await ended
}
