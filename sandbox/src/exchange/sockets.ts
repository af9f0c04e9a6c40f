/**
 * The websocket side that all exchanges share: who is connected, what a fault does to them, and
 * what changed in a book. Faults that name the stream are `upgrade`, `websocket`, `book` and
 * `crossed`; one for any operation counts only when it stays, so that a single one is left for
 * the next request.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { Fault } from '../faults.ts'
import type { World } from '../world.ts'
import type { Matching } from './matching.ts'
import type { Level } from './order-book.ts'
import type { Pair } from './rules.ts'

export type SocketClient<Chosen> = {
  chosen: Chosen
  socket: WebSocket
  spokenAt: number
  silent: boolean
}
export type Top = { bids: Level[]; asks: Level[] }

export type Sockets<Chosen> = {
  clients: ReadonlySet<SocketClient<Chosen>>
  say(client: SocketClient<Chosen>, text: string): void
  faultOf(operation: string): Fault | undefined
  /** Does to everybody what a fault for the whole stream says: cut, or silent for ever. */
  suffer(): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
}

export function openSockets<Chosen>(
  world: World,
  part: string,
  begin: () => Chosen,
  on: {
    greet?(client: SocketClient<Chosen>): void
    hear(client: SocketClient<Chosen>, text: string): void
  },
): Sockets<Chosen> {
  const server = new WebSocketServer({ noServer: true })
  const clients = new Set<SocketClient<Chosen>>()
  const faultOf = (operation: string) => {
    const meant = world.faults
      .list()
      .some(
        (fault) =>
          fault.venue === part &&
          (fault.operation === operation || (fault.operation === '*' && fault.remaining < 0)),
      )
    return meant ? world.faults.take(part, operation) : undefined
  }
  server.on('connection', (socket: WebSocket) => {
    const client: SocketClient<Chosen> = {
      chosen: begin(),
      socket,
      spokenAt: Date.now(),
      silent: false,
    }
    clients.add(client)
    socket.on('close', () => {
      clients.delete(client)
    })
    socket.on('error', () => {
      socket.terminate()
    })
    socket.on('message', (data) => {
      on.hear(client, String(data))
    })
    on.greet?.(client)
  })
  return {
    clients,
    faultOf,
    say(client, text) {
      client.spokenAt = Date.now()
      if (!client.silent) client.socket.send(text)
    },
    suffer() {
      const fault = faultOf('websocket')
      if (fault?.kind === 'DOWN') for (const client of clients) client.socket.terminate()
      if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') for (const client of clients) client.silent = true
    },
    upgrade(request, socket, head) {
      const fault = faultOf('upgrade')
      if (fault?.kind === 'DOWN' || fault?.kind === 'REFUSE') {
        socket.destroy()
        return
      }
      server.handleUpgrade(request, socket, head, (client) => {
        server.emit('connection', client, request)
      })
    },
    close: () => {
      for (const client of clients) client.socket.terminate()
      server.close()
    },
  }
}

export function topOf(matching: Matching, pair: Pair, depth: number): Top {
  const { bids, asks } = matching.book(pair)
  return { bids: bids.slice(0, depth), asks: asks.slice(0, depth) }
}

/** As a confused exchange would tell it: somebody bids more than is asked. */
export function crossBook({ bids, asks }: Top): Top {
  const [bid, ask] = [bids[0], asks[0]]
  return bid === undefined || ask === undefined
    ? { bids, asks }
    : {
        bids: [{ price: ask.price + ask.price - bid.price, quantity: bid.quantity }, ...bids],
        asks,
      }
}

/**
 * Levels that are gone (quantity 0), new or of another quantity; what `whole` still holds further
 * out is not gone.
 */
export function changesOf(before: Top, after: Top, whole: Top): Top {
  const difference = (old: Level[], now: Level[], all: Level[]): Level[] => {
    const was = new Map(old.map((level) => [level.price, level.quantity]))
    const is = new Set(all.map((level) => level.price))
    const gone = old
      .filter((level) => !is.has(level.price))
      .map((level) => ({ price: level.price, quantity: 0n }))
    return [...gone, ...now.filter((level) => was.get(level.price) !== level.quantity)]
  }
  return {
    bids: difference(before.bids, after.bids, whole.bids),
    asks: difference(before.asks, after.asks, whole.asks),
  }
}
