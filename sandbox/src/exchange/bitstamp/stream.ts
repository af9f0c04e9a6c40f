/**
 * Websocket at /bitstamp/ws. `order_book_<pair>` sends the best hundred levels of each side after
 * the subscription and whenever they changed; `diff_order_book_<pair>` sends what changed, without
 * a snapshot. Figures are texts. What concerns the account is in account-channels.ts. The fault
 * `reconnect` makes Bitstamp ask for another connection (`bts:request_reconnect`).
 */
import type { Exchange } from '../exchange.ts'
import { fixed } from '../figures.ts'
import type { Pair } from '../rules.ts'
import { changesOf, crossBook, openSockets, topOf } from '../sockets.ts'
import type { SocketClient, Sockets, Top } from '../sockets.ts'
import { openAccountChannels } from './account-channels.ts'
import { bookView } from './views.ts'

const WHOLE = 100_000
const RECONNECT = JSON.stringify({ event: 'bts:request_reconnect', channel: '', data: '' })

/** The channels that a client has subscribed to. */
type Channels = Set<string>
type Client = SocketClient<Channels>
type AccountChannels = ReturnType<typeof openAccountChannels>
type Stream = Pick<Sockets<Channels>, 'upgrade' | 'close'> & Pick<AccountChannels, 'operations'>

export function openStream(exchange: Exchange): Stream {
  const { world, rules, matching, status } = exchange
  /** What was last seen of each pair's book. */
  const published = new Map<string, Top>(
    rules.pairs.map((pair) => [pair.id, topOf(matching, pair, WHOLE)]),
  )
  const account = openAccountChannels(exchange)
  const sockets: Sockets<Channels> = openSockets<Channels>(world, rules.part, () => new Set(), {
    hear: (client, text) => {
      for (const reply of repliesTo(exchange, account, client, text)) sockets.say(client, reply)
    },
  })
  world.onTick(() => {
    const changed = matching.changed()
    const news = account.news()
    if (sockets.clients.size === 0) return
    sockets.suffer()
    if (world.faults.takeNamed(rules.part, 'reconnect') !== undefined)
      for (const client of sockets.clients) sockets.say(client, RECONNECT)
    for (const { channel, event, data } of news)
      for (const client of sockets.clients)
        if (client.chosen.has(channel))
          sockets.say(client, JSON.stringify({ data, channel, event }))
    if (status() === 'maintenance') return
    for (const pair of rules.pairs) {
      if (!changed.has(pair.id)) continue
      const before = published.get(pair.id) ?? { bids: [], asks: [] }
      const after = topOf(matching, pair, WHOLE)
      published.set(pair.id, after)
      publish(exchange, sockets, pair, { before, after })
    }
  })
  return { upgrade: sockets.upgrade, close: sockets.close, operations: account.operations }
}

function channelsOf(pair: Pair): { whole: string; changes: string } {
  return { whole: `order_book_${pair.id}`, changes: `diff_order_book_${pair.id}` }
}

function dataMessage(channel: string, data: object): string {
  return JSON.stringify({ data, channel, event: 'data' })
}

/** Follows a client's request and answers what is sent back. */
function repliesTo(
  { world, rules, matching }: Exchange,
  account: AccountChannels,
  { chosen }: Client,
  text: string,
): string[] {
  let request: { event?: string; data?: { channel?: string; auth?: string } }
  try {
    request = JSON.parse(text) as typeof request
  } catch {
    return [errorMessage('Incorrect JSON format.')]
  }
  if (request.event === 'bts:heartbeat') {
    const data = { status: 'success' }
    return [JSON.stringify({ event: 'bts:heartbeat', channel: '', data })]
  }
  const channel = request.data?.channel ?? ''
  const pair = rules.pairs.find((listed) => Object.values(channelsOf(listed)).includes(channel))
  const admitted = account.admits(channel, request.data?.auth ?? '')
  if (admitted === 'NOT_PRIVATE' && pair === undefined)
    return [errorMessage('Bad subscription string.')]
  if (admitted === 'NO' && request.event === 'bts:subscribe')
    return [errorMessage('Connection is unauthorized.', 4009)]
  if (request.event === 'bts:unsubscribe') {
    chosen.delete(channel)
    return [JSON.stringify({ event: 'bts:unsubscription_succeeded', channel, data: {} })]
  }
  if (request.event !== 'bts:subscribe') return [errorMessage('Unknown event.')]
  chosen.add(channel)
  const done = JSON.stringify({ event: 'bts:subscription_succeeded', channel, data: {} })
  if (pair === undefined || channel !== channelsOf(pair).whole) return [done]
  return [done, dataMessage(channel, bookView(pair, matching.book(pair), world.now()))]
}

function errorMessage(message: string, code: number | null = null): string {
  return JSON.stringify({ event: 'bts:error', channel: '', data: { code, message } })
}

/** Sends a changed book, and what changed in it, to the clients of these channels. */
function publish(
  { world, rules }: Exchange,
  sockets: Sockets<Channels>,
  pair: Pair,
  { before, after }: { before: Top; after: Top },
): void {
  const changes = changesOf(before, after, after)
  if (changes.bids.length + changes.asks.length === 0) return
  const channels = channelsOf(pair)
  const listeners = [...sockets.clients].filter(
    ({ chosen }) => chosen.has(channels.whole) || chosen.has(channels.changes),
  )
  if (listeners.length === 0) return
  const fault = sockets.faultOf('book')
  if (fault?.kind === 'REFUSE') return
  const isCrossed = world.faults.takeNamed(rules.part, 'crossed') !== undefined
  const book = isCrossed ? crossBook(after) : after
  for (const client of listeners) {
    for (let times = fault?.kind === 'TWICE' ? 2 : 1; times > 0; times -= 1) {
      if (client.chosen.has(channels.whole))
        sockets.say(client, dataMessage(channels.whole, bookView(pair, book, world.now())))
      if (client.chosen.has(channels.changes))
        sockets.say(client, dataMessage(channels.changes, changesView(pair, changes, world.now())))
    }
  }
}

function changesView(pair: Pair, changes: Top, now: number): object {
  const rows = (levels: Top['bids']) =>
    levels.map((level) => [
      fixed(level.price, pair.pair_decimals),
      fixed(level.quantity, pair.lot_decimals),
    ])
  return {
    timestamp: String(Math.floor(now / 1000)),
    microtimestamp: String(now * 1000),
    bids: rows(changes.bids),
    asks: rows(changes.asks),
  }
}
