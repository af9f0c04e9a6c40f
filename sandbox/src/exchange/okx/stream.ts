/**
 * Websocket at /okx/ws/v5/public: the channels `books` (a snapshot, then what changed; `prevSeqId`
 * is the `seqId` of the message before) and `tickers`. A client's text `ping` gets `pong` ("Order
 * book channel", "Tickers channel", "Connect").
 */
import { randomBytes } from 'node:crypto'
import type { Exchange } from '../exchange.ts'
import { plain } from '../figures.ts'
import type { Pair } from '../rules.ts'
import { changesOf, crossBook, openSockets, topOf } from '../sockets.ts'
import type { SocketClient, Sockets, Top } from '../sockets.ts'
import { findPair } from './listing.ts'
import { tickerView } from './public-operations.ts'

const DEPTH = 400

/** Of each book that a client follows, what it was last told. */
type Followed = { top: Top; seqId: number }
type Chosen = { books: Map<string, Followed>; tickers: Set<string>; connId: string }
type Client = SocketClient<Chosen>
type Stream = Pick<Sockets<Chosen>, 'upgrade' | 'close'>
type Argument = { channel?: string; instId?: string }

export function openStream(exchange: Exchange): Stream {
  const { world, rules, matching, status } = exchange
  const begin = (): Chosen => ({
    books: new Map(),
    tickers: new Set(),
    connId: randomBytes(4).toString('hex'),
  })
  const sockets: Sockets<Chosen> = openSockets<Chosen>(world, rules.part, begin, {
    hear: (client, text) => {
      for (const reply of repliesTo(exchange, client, text)) sockets.say(client, reply)
    },
  })
  world.onTick(() => {
    const changed = matching.changed()
    if (sockets.clients.size === 0) return
    sockets.suffer()
    if (status() === 'maintenance') return
    for (const pair of rules.pairs) if (changed.has(pair.id)) publish(exchange, sockets, pair)
  })
  return { upgrade: sockets.upgrade, close: sockets.close }
}

/** Follows a client's request and answers what is sent back. */
function repliesTo(exchange: Exchange, { chosen }: Client, text: string): string[] {
  if (text === 'ping') return ['pong']
  let request: { op?: string; args?: Argument[] }
  try {
    request = JSON.parse(text) as typeof request
  } catch {
    return [errorMessage('60012', `Illegal request: ${text}`)]
  }
  const { op, args } = request
  if ((op !== 'subscribe' && op !== 'unsubscribe') || !Array.isArray(args))
    return [errorMessage('60012', `Illegal request: ${text}`)]
  return args.flatMap((arg) => {
    const pair = findPair(arg.instId ?? '')
    if (pair === undefined || (arg.channel !== 'books' && arg.channel !== 'tickers'))
      return [errorMessage('60018', `${arg.channel},instId:${arg.instId} doesn't exist`)]
    const done = JSON.stringify({ event: op, arg, connId: chosen.connId })
    if (op === 'unsubscribe') {
      if (arg.channel === 'books') chosen.books.delete(pair.id)
      else chosen.tickers.delete(pair.id)
      return [done]
    }
    if (arg.channel === 'tickers') {
      chosen.tickers.add(pair.id)
      return [done, tickerMessage(exchange, pair)]
    }
    const followed = { top: topOf(exchange.matching, pair, DEPTH), seqId: 1 }
    chosen.books.set(pair.id, followed)
    return [done, bookMessage(exchange, pair, 'snapshot', { ...followed, prevSeqId: -1 })]
  })
}

function errorMessage(code: string, msg: string): string {
  return JSON.stringify({ event: 'error', code, msg })
}

/** Tells each client what changed since it was last told. */
function publish(exchange: Exchange, sockets: Sockets<Chosen>, pair: Pair): void {
  const { world, rules, matching } = exchange
  const book = topOf(matching, pair, DEPTH)
  const listeners = [...sockets.clients].filter(
    ({ chosen }) => chosen.books.has(pair.id) || chosen.tickers.has(pair.id),
  )
  if (listeners.length === 0) return
  const isChanged = listeners.some(({ chosen }) => {
    const changes = changesOf(chosen.books.get(pair.id)?.top ?? book, book, book)
    return changes.bids.length + changes.asks.length > 0
  })
  const fault = isChanged ? sockets.faultOf('book') : undefined
  const isCrossed = world.faults.takeNamed(rules.part, 'crossed') !== undefined
  const after = isCrossed ? crossBook(book) : book
  for (const client of listeners) {
    if (client.chosen.tickers.has(pair.id)) sockets.say(client, tickerMessage(exchange, pair))
    const followed = client.chosen.books.get(pair.id)
    if (followed === undefined) continue
    const changes = changesOf(followed.top, after, after)
    if (changes.bids.length + changes.asks.length === 0) continue
    const { seqId: prevSeqId } = followed
    client.chosen.books.set(pair.id, { top: after, seqId: prevSeqId + 1 })
    const figures = { top: changes, seqId: prevSeqId + 1, prevSeqId }
    const times = { REFUSE: 0, TWICE: 2 }[String(fault?.kind)] ?? 1
    for (let time = 0; time < times; time += 1)
      sockets.say(client, bookMessage(exchange, pair, 'update', figures))
  }
}

/** A level is price, quantity, a deprecated figure, and the number of orders. */
function bookMessage(
  { world }: Exchange,
  pair: Pair,
  action: 'snapshot' | 'update',
  { top, seqId, prevSeqId }: { top: Top; seqId: number; prevSeqId: number },
): string {
  const side = (levels: Top['bids']) =>
    levels.map(({ price, quantity }) => [
      plain(price),
      plain(quantity),
      '0',
      quantity === 0n ? '0' : '1',
    ])
  const arg = { channel: 'books', instId: pair.id }
  const ts = String(world.now())
  const data = [{ asks: side(top.asks), bids: side(top.bids), ts, seqId, prevSeqId }]
  return JSON.stringify({ arg, action, data })
}

function tickerMessage(exchange: Exchange, pair: Pair): string {
  const arg = { channel: 'tickers', instId: pair.id }
  return JSON.stringify({ arg, data: [tickerView(exchange, pair, exchange.world.now())] })
}
