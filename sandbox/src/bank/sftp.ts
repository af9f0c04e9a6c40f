/**
 * The bank's file exchange over SFTP: `/outbox` takes payment files, `/inbox` holds messages. It is
 * the same exchange as the folders of gateway.ts, so a file is gone from `/outbox` as soon as the
 * bank has taken it, as on servers that move files away when they are written (Mapp's documentation
 * of SFTP transfers calls them write-once). A name that exists is not overwritten by a rename
 * (draft-ietf-secsh-filexfer-02, section 6.5). The port is kept for the world's whole life
 * (SANDBOX_SFTP_PORT sets it).
 *
 * Faults, venue `bank-sftp`:
 *   connect   DOWN  the connection ends at once
 *   host-key  REFUSE  the server shows another key
 *   upload    DOWN  the connection ends in the middle of a file
 *   rename    REFUSE  the server says no; DOWN  the connection ends before it is done;
 *             CUT  it ends afterwards; TIMEOUT_AFTER_ACCEPT  it is done and never answered
 *   remove    CUT  the connection ends afterwards
 *   close     TIMEOUT_AFTER_ACCEPT  a payment file is taken as soon as it is written, before it is
 *             renamed, as on Mapp's write-once servers
 *   download  DOWN  the connection ends in the middle of a file
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Server as TcpServer, Socket } from 'node:net'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import type { Authentication, ServerClient } from 'ssh2'
import { credential } from '../credentials.ts'
import type { Part } from '../part.ts'
import type { World } from '../world.ts'
import { serveFiles } from './sftp-files.ts'

const { Server, utils } = ssh2

const USER = 'kontor'

/** What Kontor is told of the server, and the server's own keys. */
type Keys = {
  user: string
  password: string
  private_key: string
  host_key: string
  client_public_key: string
  server_key: string
  other_server_key: string
}

export async function openSftpServer(world: World): Promise<Part & { port: number; user: string }> {
  const keys = keysOf(world)
  const directory = join(world.dir, 'bank', 'kontor')
  for (const name of ['outbox', 'inbox']) mkdirSync(join(directory, name), { recursive: true })
  const sockets = new Set<Socket>()
  const serverWith = (key: string, socket: Socket) =>
    new Server({ hostKeys: [key] }, (client) => {
      greet(client, keys, (session) => {
        serveFiles(session, { world, directory, cut: () => socket.destroy() })
      })
    })
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    if (world.faults.takeNamed('bank-sftp', 'connect')?.kind === 'DOWN') {
      socket.destroy()
      return
    }
    const isOther = world.faults.takeNamed('bank-sftp', 'host-key')?.kind === 'REFUSE'
    serverWith(isOther ? keys.other_server_key : keys.server_key, socket).injectSocket(socket)
  })
  const port = await listen(tcp, join(world.dir, 'sftp-port'))
  return {
    name: 'bank-sftp',
    port,
    user: USER,
    mount: () => undefined,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      tcp.close()
      await once(tcp, 'close')
    },
  }
}

function keysOf(world: World): Keys {
  const text = credential(world.dir, 'bank-sftp.json', () => {
    const [server, other, client] = [1, 2, 3].map(() => utils.generateKeyPairSync('ed25519'))
    return `${JSON.stringify(
      {
        user: USER,
        password: createHash('sha256')
          .update(server?.private ?? '')
          .digest('hex')
          .slice(0, 24),
        private_key: client?.private,
        host_key: fingerprintOf(server?.public ?? ''),
        client_public_key: client?.public,
        server_key: server?.private,
        other_server_key: other?.private,
      },
      null,
      2,
    )}\n`
  })
  return JSON.parse(text) as Keys
}

/** As `ssh-keygen -lf` prints it. */
function fingerprintOf(public_key: string): string {
  const blob = Buffer.from(public_key.split(' ')[1] ?? '', 'base64')
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}

function greet(
  client: ServerClient,
  keys: Keys,
  serve: (session: Parameters<typeof serveFiles>[0]) => void,
): void {
  client
    .on('authentication', (context) => {
      if (isAuthentic(context, keys)) context.accept()
      else context.reject(['publickey', 'password'])
    })
    .on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => {
        serve(acceptSftp())
      })
    })
    // An error of one connection concerns only that connection.
    .on('error', () => undefined)
}

function isAuthentic(context: Authentication, keys: Keys): boolean {
  if (context.username !== keys.user) return false
  if (context.method === 'password') return context.password === keys.password
  if (context.method !== 'publickey') return false
  const known = utils.parseKey(keys.client_public_key)
  if (known instanceof Error) throw known
  if (context.key.algo !== known.type || !context.key.data.equals(known.getPublicSSH()))
    return false
  // Without a signature the client only asks whether this key would do.
  if (context.blob === undefined || context.signature === undefined) return true
  return known.verify(context.blob, context.signature)
}

/** The port that is set, else the one before, else any free one. */
async function listen(server: TcpServer, file: string): Promise<number> {
  const set = process.env['SANDBOX_SFTP_PORT']
  const before = set ?? (existsSync(file) ? readFileSync(file, 'utf8') : '0')
  try {
    server.listen(Number(before), '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || set !== undefined) throw error
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const { port } = server.address() as AddressInfo
  writeFileSync(file, String(port))
  return port
}
