/**
 * Websocket version 2, public channels `book` and `ticker`: snapshot, then updates with Kraken's
 * CRC32 over the best ten levels. An update names what changed within the subscribed depth. It does
 * not name what is pushed out at the far
 * end: the client cuts that off.
 */
import type { Exchange } from '../exchange.ts'
import { changesOf, crossBook, openSockets, topOf } from '../sockets.ts'
import type { SocketClient, Sockets, Top } from '../sockets.ts'
import { bookMessage, statusMessage, tickerMessage } from './messages.ts'
import { PAIRS } from './pairs.ts'
import type { Pair } from './pairs.ts'

const DEPTHS = [10, 25, 100, 500, 1000]
const USUAL_DEPTH = 10
const HEARTBEAT_MILLISECONDS = 1_000

/** What a client has subscribed to, by pair: the depth of books, the trigger of tickers. */
type Subscriptions = { books: Map<string, number>; tickers: Map<string, 'bbo' | 'trades'> }
type Client = SocketClient<Subscriptions>

type Feed = {
  exchange: Exchange
  sockets: Sockets<Subscriptions>
  /** What was last published, by pair and depth. */
  published: Map<string, Top>
  /** The best levels last sent to tickers, by pair. */
  best: Map<string, string>
  /** Pairs that traded since the last tick. */
  printed: Set<string>
}

type Request = {
  method?: string
  req_id?: number
  params?: {
    channel?: string
    symbol?: string[]
    depth?: number
    event_trigger?: string
    snapshot?: boolean
  }
}

/** A request for one of the channels, with the fields that every reply repeats. */
type Subscription = {
  method: 'subscribe' | 'unsubscribe'
  channel: 'book' | 'ticker'
  depth: number
  trigger: string | undefined
  reply: { request: object; times: object }
}

export type Stream = Pick<Sockets<Subscriptions>, 'upgrade' | 'close'> & { announce(): void }

export function openStream(exchange: Exchange): Stream {
  const { world, rules, matching } = exchange
  const feed: Feed = {
    exchange,
    published: new Map(),
    best: new Map(),
    printed: new Set(),
    sockets: openSockets<Subscriptions>(
      world,
      rules.part,
      () => ({ books: new Map(), tickers: new Map() }),
      {
        greet: (client) => {
          feed.sockets.say(client, statusMessage(exchange))
        },
        hear: (client, text) => {
          hear(feed, client, text)
        },
      },
    ),
  }
  const { clients, say, upgrade, close } = feed.sockets
  matching.onPrint((pair) => {
    feed.printed.add(pair.id)
  })
  world.onTick(() => {
    publish(feed)
  })
  return {
    upgrade,
    close,
    announce: () => {
      for (const client of clients) say(client, statusMessage(exchange))
    },
  }
}

function hear(feed: Feed, client: Client, text: string): void {
  const { say } = feed.sockets
  let message: Request
  try {
    message = JSON.parse(text) as Request
  } catch {
    say(client, JSON.stringify({ error: 'Malformed request', success: false }))
    return
  }
  const now = new Date(feed.exchange.world.now()).toISOString()
  const times = { time_in: now, time_out: now }
  const request = message.req_id === undefined ? {} : { req_id: message.req_id }
  const { method, params } = message
  if (method === 'ping') {
    say(client, JSON.stringify({ method: 'pong', ...request, ...times }))
    return
  }
  const refuse = (error: string) => {
    say(client, JSON.stringify({ error, method, ...request, success: false, ...times }))
  }
  if (method !== 'subscribe' && method !== 'unsubscribe') return refuse('Unsupported method')
  const channel = params?.channel
  if (channel !== 'book' && channel !== 'ticker') return refuse('Subscription name invalid')
  const subscription: Subscription = {
    method,
    channel,
    depth: params?.depth ?? USUAL_DEPTH,
    trigger: params?.event_trigger,
    reply: { request, times },
  }
  for (const symbol of params?.symbol ?? []) change(feed, client, subscription, symbol)
}

/** Adds or removes one symbol, and answers. */
function change(feed: Feed, client: Client, subscription: Subscription, symbol: string): void {
  const { method, channel, depth, trigger, reply } = subscription
  const { say } = feed.sockets
  const pair = PAIRS.find((listed) => listed.symbol === symbol)
  const error = objectionTo(client, subscription, pair, symbol)
  if (error !== undefined || pair === undefined) {
    const refusal = { error, method, ...reply.request, success: false, symbol, ...reply.times }
    say(client, JSON.stringify(refusal))
    return
  }
  if (method === 'unsubscribe') chosenOf(client, channel).delete(pair.id)
  const detail = channel === 'book' ? { depth } : { event_trigger: trigger ?? 'trades' }
  const result = { channel, ...detail, snapshot: true, symbol }
  say(client, JSON.stringify({ method, result, success: true, ...reply.request, ...reply.times }))
  if (method === 'unsubscribe') return
  if (channel === 'book') startBook(feed, client, pair, depth)
  else {
    client.chosen.tickers.set(pair.id, trigger === 'bbo' ? 'bbo' : 'trades')
    say(client, tickerMessage(feed.exchange, pair, 'snapshot'))
  }
}

function chosenOf({ chosen }: Client, channel: Subscription['channel']): Map<string, unknown> {
  return channel === 'book' ? chosen.books : chosen.tickers
}

function objectionTo(
  client: Client,
  { method, channel, depth }: Subscription,
  pair: Pair | undefined,
  symbol: string,
): string | undefined {
  if (pair === undefined) return `Currency pair not supported ${symbol}`
  if (channel === 'book' && !DEPTHS.includes(depth)) return 'Subscription depth not supported'
  const subscribed = chosenOf(client, channel).has(pair.id)
  if (method === 'unsubscribe') return subscribed ? undefined : 'Subscription Not Found'
  return subscribed ? 'Already subscribed' : undefined
}

/** Other clients of this depth first get what is due, so that all continue from the same state. */
function startBook(feed: Feed, client: Client, pair: Pair, depth: number): void {
  const { world, matching } = feed.exchange
  client.chosen.books.set(pair.id, depth)
  publishBook(feed, pair, depth, client)
  const top = feed.published.get(keyOf(pair, depth)) ?? topOf(matching, pair, depth)
  feed.published.set(keyOf(pair, depth), top)
  const text = bookMessage(pair, top, top, { type: 'snapshot', now: world.now() })
  feed.sockets.say(client, text)
}

function keyOf(pair: Pair, depth: number): string {
  return `${pair.id} ${depth}`
}

/** Sends what changed to the clients of this depth. */
function publishBook(feed: Feed, pair: Pair, depth: number, except?: Client): void {
  const { published, sockets } = feed
  const { world, rules, matching } = feed.exchange
  const before = published.get(keyOf(pair, depth))
  if (before === undefined) return
  const isCrossed = world.faults.takeNamed(rules.part, 'crossed') !== undefined
  const whole = isCrossed ? crossBook(matching.book(pair)) : matching.book(pair)
  const after = { bids: whole.bids.slice(0, depth), asks: whole.asks.slice(0, depth) }
  const changes = changesOf(before, after, whole)
  published.set(keyOf(pair, depth), after)
  if (changes.bids.length + changes.asks.length === 0) return
  const fault = sockets.faultOf('book')
  // The update is lost: the next checksum shows it.
  if (fault?.kind === 'REFUSE') return
  const text = bookMessage(pair, changes, after, { type: 'update', now: world.now() })
  for (const client of sockets.clients) {
    if (client === except || client.chosen.books.get(pair.id) !== depth) continue
    sockets.say(client, text)
    if (fault?.kind === 'TWICE') sockets.say(client, text)
  }
}

function publish(feed: Feed): void {
  const { matching, status } = feed.exchange
  const { clients, suffer } = feed.sockets
  const changed = matching.changed()
  if (clients.size === 0) {
    feed.published.clear()
    feed.printed.clear()
    return
  }
  suffer()
  for (const pair of PAIRS) {
    if (status() === 'maintenance') break
    if (changed.has(pair.id)) publishBooks(feed, pair)
    publishTicker(feed, pair)
  }
  sendHeartbeats(feed)
}

function publishBooks(feed: Feed, pair: Pair): void {
  const wanted = new Set([...feed.sockets.clients].map(({ chosen }) => chosen.books.get(pair.id)))
  for (const depth of DEPTHS) if (wanted.has(depth)) publishBook(feed, pair, depth)
}

/**
 * To clients with the trigger `bbo` when the best levels moved or somebody traded, to others only
 * at trades.
 */
function publishTicker({ exchange, sockets, best, printed }: Feed, pair: Pair): void {
  const { bids, asks } = topOf(exchange.matching, pair, 1)
  const now = `${bids[0]?.price} ${bids[0]?.quantity} ${asks[0]?.price} ${asks[0]?.quantity}`
  const moved = best.get(pair.id) !== now
  best.set(pair.id, now)
  const traded = printed.delete(pair.id)
  if (!moved && !traded) return
  for (const client of sockets.clients) {
    const trigger = client.chosen.tickers.get(pair.id)
    if (trigger === 'bbo' || (trigger === 'trades' && traded))
      sockets.say(client, tickerMessage(exchange, pair, 'update'))
  }
}

function sendHeartbeats({ sockets }: Feed): void {
  for (const client of sockets.clients) {
    const { books, tickers } = client.chosen
    const isDue = Date.now() - client.spokenAt >= HEARTBEAT_MILLISECONDS
    if (books.size + tickers.size > 0 && isDue) sockets.say(client, '{"channel":"heartbeat"}')
  }
}
