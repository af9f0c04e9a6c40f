/**
 * The connection of one process to the database: it can be cut, and it can fall silent, so that
 * nothing passes and nobody is told.
 */
import { createConnection, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

export class Line {
  readonly port: number
  readonly #server: Server
  readonly #sockets: Set<Socket>
  readonly #state: { silent: boolean }

  private constructor(server: Server, sockets: Set<Socket>, state: { silent: boolean }) {
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('the line has no port')
    this.port = address.port
    this.#server = server
    this.#sockets = sockets
    this.#state = state
  }

  /** `target` says at which port the database listens now. */
  static async open(target: () => number): Promise<Line> {
    const sockets = new Set<Socket>()
    const state = { silent: false }
    const server = createServer((client) => {
      const backend = createConnection({ host: '127.0.0.1', port: target() })
      join(client, backend, sockets)
      join(backend, client, sockets)
      if (state.silent) for (const socket of [client, backend]) socket.pause()
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    return new Line(server, sockets, state)
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  silence(): void {
    this.#state.silent = true
    for (const socket of this.#sockets) socket.pause()
  }

  speak(): void {
    this.#state.silent = false
    for (const socket of this.#sockets) socket.resume()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve()
      })
    })
  }
}

function join(from: Socket, to: Socket, sockets: Set<Socket>): void {
  sockets.add(from)
  from.setNoDelay(true)
  from.on('data', (chunk) => {
    to.write(chunk)
  })
  from.on('close', () => {
    sockets.delete(from)
    to.destroy()
  })
  // The other side learns of it by the close.
  from.on('error', () => undefined)
}
