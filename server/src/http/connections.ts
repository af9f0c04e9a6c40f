/**
 * How many connections there are, in all and of each network, and when one that takes nothing is
 * cut. A connection beyond a limit gets an answer and is closed; nothing it sends is read.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { assert, mustExist } from '../core/assert.ts'
import { addressBlockOf } from '../core/networks.ts'
import { refuseSocket } from './error-answers.ts'
import type { AnsweringSocket } from './error-answers.ts'
import type { Limits, OnReached } from './limits.ts'

/** Connections that were refused and are not closed yet are not more than these. */
const REFUSED_AT_ONCE = 100
const RETRY_SECONDS = 5

type Parts = {
  limits: Pick<Limits, 'connections' | 'connections_per_address'>
  onReached: OnReached
  /** Whose connections carry those of others: only the limit of all holds for them. */
  isProxy?: ((address: string) => boolean) | undefined
  /** Who begins with TLS could not read a word. */
  speaksTls: boolean
}

export class Connections {
  readonly #parts: Parts
  readonly #ofNetwork = new Map<string, number>()
  #open = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get open(): number {
    return this.#open
  }

  /** Has the server see only the connections that are within the limits. */
  guard(server: Server): void {
    const listeners = server.listeners('connection')
    assert(listeners.length === 1, 'the runtime alone takes connections')
    const serve = mustExist(listeners[0], 'what takes connections')
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      if (this.#mayEnter(socket)) serve.call(server, socket)
    })
    server.maxConnections = this.#parts.limits.connections + REFUSED_AT_ONCE
  }

  #mayEnter(socket: Socket): boolean {
    const { limits, isProxy } = this.#parts
    const address = socket.remoteAddress ?? ''
    if (this.#open >= limits.connections)
      return this.#refuse(socket, 'connections', 'Busy', 'there are too many connections')
    if (isProxy?.(address) === true) return this.#enter(socket, undefined)
    const network = addressBlockOf(address)
    if ((this.#ofNetwork.get(network) ?? 0) >= limits.connections_per_address) {
      const reason = `at most ${limits.connections_per_address} connections from one address`
      return this.#refuse(socket, 'connections_per_address', 'RateLimited', reason)
    }
    return this.#enter(socket, network)
  }

  #enter(socket: Socket, network: string | undefined): true {
    this.#open += 1
    if (network !== undefined) this.#ofNetwork.set(network, (this.#ofNetwork.get(network) ?? 0) + 1)
    socket.once('close', () => {
      this.#open -= 1
      if (network === undefined) return
      const left = (this.#ofNetwork.get(network) ?? 1) - 1
      if (left === 0) this.#ofNetwork.delete(network)
      else this.#ofNetwork.set(network, left)
    })
    return true
  }

  #refuse(
    socket: Socket,
    limit: 'connections' | 'connections_per_address',
    kind: 'Busy' | 'RateLimited',
    reason: string,
  ): false {
    this.#parts.onReached(limit)
    socket.on('error', () => undefined)
    if (this.#parts.speaksTls) {
      socket.destroy()
      return false
    }
    // What is not read would make the close a reset, and the answer would be lost.
    socket.resume()
    refuseSocket(socket, { kind, reason, retry_after: RETRY_SECONDS })
    return false
  }
}

/**
 * Cuts connections on which nothing has moved for a while: those whose other side takes nothing of
 * an answer, and idle ones. A request that is being worked on is left alone.
 */
export function cutStalled(
  server: Server,
  { stalled_ms }: Pick<Limits, 'stalled_ms'>,
  onReached: OnReached,
): void {
  server.setTimeout(stalled_ms)
  server.on('timeout', (socket: AnsweringSocket) => {
    const isIdle = (socket._httpMessage ?? null) === null
    const isStalled = socket.writableLength > 0
    if (isStalled) onReached('stalled_ms')
    if (isIdle || isStalled) socket.destroy()
  })
}
