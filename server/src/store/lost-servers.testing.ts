/** For tests: what stands between the service and its database, and what looks like a standby. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'

type Between = {
  port: number
  /** From now on nothing gets through, in both directions; nobody is told. */
  swallow(): void
  /** What comes from now on gets through. Connections that were swallowed stay silent. */
  letThrough(): void
  close(): Promise<void>
}

/** The address of a test's database, with other servers in it. */
export function addressWith(url: string, servers: readonly string[], parameters = ''): string {
  const { username, password, pathname } = new URL(url)
  return `postgres://${username}:${password}@${servers.join()}${pathname}${parameters}`
}

/** A way over TCP to the server of `url`. */
export async function between(url: string, port = 0): Promise<Between> {
  const parsed = new URL(url)
  const folder = parsed.searchParams.get('host')
  const real = folder === null ? Number(parsed.port) : `${folder}/.s.PGSQL.${parsed.port}`
  let swallows = false
  return listen(port, (socket, opened) => {
    const server = typeof real === 'number' ? connect(real, '127.0.0.1') : connect(real)
    opened(server)
    let silent = swallows
    const pass = (from: Socket, to: Socket): void => {
      from.on('data', (data) => {
        silent ||= swallows
        if (!silent) to.write(data)
      })
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
    }
    pass(socket, server)
    pass(server, socket)
  }).then((made) => ({
    ...made,
    swallow() {
      swallows = true
    },
    letThrough() {
      swallows = false
    },
  }))
}

/** A server that lets everybody in and says of itself that it is read-only. */
export function standby(port = 0): Promise<Pick<Between, 'port' | 'close'>> {
  const message = (type: string, ...parts: (string | Buffer)[]): Buffer => {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const ready = message('Z', 'I')
  const column = Buffer.from([0, 1, ...Buffer.from('read_only\0'), ...Buffer.alloc(6)])
  const type = Buffer.from([0, 0, 0, 25, 255, 255, 255, 255, 255, 255, 0, 0])
  const answer = Buffer.concat([
    message('T', column, type),
    message('D', Buffer.from([0, 1, 0, 0, 0, 2]), 'on'),
    message('C', 'SELECT 1\0'),
    ready,
  ])
  return listen(port, (socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]))
      socket.on('data', () => socket.write(answer))
    })
  })
}

async function listen(
  port: number,
  onSocket: (socket: Socket, opened: (other: Socket) => void) => void,
): Promise<{ port: number; close(): Promise<void> }> {
  const open = new Set<Socket>()
  const keep = (socket: Socket): void => {
    open.add(socket)
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
  }
  const server: Server = createServer((socket) => {
    keep(socket)
    onSocket(socket, keep)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
