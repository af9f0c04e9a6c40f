/**
 * Websocket version 2, public channels `book` and `ticker`: snapshot, then updates with Kraken's CRC32 over the best ten levels.
 * Numbers are JSON numbers written with the pair's decimals. An update names what changed among the subscribed depth;
 * what is pushed out at the far end is not named: the client cuts it off.
 */
import { crc32 } from 'node:zlib'
import { fixed } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Exchange } from '../exchange.ts'
import type { Level } from '../matching.ts'
import { changesOf, crossed, openSockets, topOf } from '../sockets.ts'
import type { SocketClient, Sockets, Top } from '../sockets.ts'
import { PAIRS } from './listing.ts'
import type { Pair } from './listing.ts'

const DEPTHS = [10, 25, 100, 500, 1000]
const HEARTBEAT_MILLISECONDS = 1_000
const CHECKSUM_LEVELS = 10

type Chosen = { books: Map<string, number>; tickers: Map<string, 'bbo' | 'trades'> }
type Client = SocketClient<Chosen>

export type Stream = Pick<Sockets<Chosen>, 'upgrade' | 'close'> & { announce(): void }

export function openStream({ world, rules, matching, market, status }: Exchange): Stream {
  /** What was last published, by pair and depth, and the best prices last told to tickers. */
  const published = new Map<string, Top>()
  const best = new Map<string, string>()
  const printed = new Set<string>()
  matching.onPrint((pair) => {
    printed.add(pair.id)
  })

  const statusMessage = () =>
    JSON.stringify({
      channel: 'status',
      type: 'update',
      data: [
        {
          version: '2.0.10',
          system: status(),
          api_version: 'v2',
          connection_id: 13834774380200032000,
        },
      ],
    })

  const sockets = openSockets<Chosen>(
    world,
    rules.part,
    () => ({ books: new Map(), tickers: new Map() }),
    {
      greet: (client) => {
        sockets.say(client, statusMessage())
      },
      hear,
    },
  )
  const { clients, say } = sockets

  function hear(client: Client, text: string) {
    let message: {
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
    try {
      message = JSON.parse(text) as typeof message
    } catch {
      say(client, JSON.stringify({ error: 'Malformed request', success: false }))
      return
    }
    const times = {
      time_in: new Date(world.now()).toISOString(),
      time_out: new Date(world.now()).toISOString(),
    }
    const request = message.req_id === undefined ? {} : { req_id: message.req_id }
    if (message.method === 'ping') {
      say(client, JSON.stringify({ method: 'pong', ...request, ...times }))
      return
    }
    const { method, params } = message
    const refuse = (error: string, symbol?: string) => {
      say(
        client,
        JSON.stringify({
          error,
          method,
          ...request,
          success: false,
          ...(symbol === undefined ? {} : { symbol }),
          ...times,
        }),
      )
    }
    if (method !== 'subscribe' && method !== 'unsubscribe') return refuse('Unsupported method')
    const channel = params?.channel
    if (channel !== 'book' && channel !== 'ticker') return refuse('Subscription name invalid')
    for (const symbol of params?.symbol ?? []) {
      const pair = PAIRS.find((pair) => pair.symbol === symbol)
      if (pair === undefined) {
        refuse(`Currency pair not supported ${symbol}`, symbol)
        continue
      }
      const chosen: Map<string, unknown> =
        channel === 'book' ? client.chosen.books : client.chosen.tickers
      const depth = params?.depth ?? 10
      if (channel === 'book' && !DEPTHS.includes(depth)) {
        refuse('Subscription depth not supported', symbol)
        continue
      }
      if (method === 'unsubscribe') {
        if (!chosen.delete(pair.id)) {
          refuse('Subscription Not Found', symbol)
          continue
        }
      } else if (chosen.has(pair.id)) {
        refuse('Already subscribed', symbol)
        continue
      }
      const detail =
        channel === 'book' ? { depth } : { event_trigger: params?.event_trigger ?? 'trades' }
      say(
        client,
        JSON.stringify({
          method,
          result: { channel, ...detail, snapshot: true, symbol },
          success: true,
          ...request,
          ...times,
        }),
      )
      if (method === 'unsubscribe') continue
      if (channel === 'book') {
        client.chosen.books.set(pair.id, depth)
        const key = `${pair.id} ${depth}`
        // Others of this depth get what is due first, so that all continue from the same state.
        publishBook(pair, depth, client)
        const top = published.get(key) ?? topOf(matching, pair, depth)
        published.set(key, top)
        say(client, bookMessage(pair, 'snapshot', top, top))
      } else {
        client.chosen.tickers.set(pair.id, params?.event_trigger === 'bbo' ? 'bbo' : 'trades')
        say(client, tickerMessage(pair, 'snapshot'))
      }
    }
  }

  const level = (pair: Pair, { price, quantity }: Level) =>
    `{"price":${fixed(price, pair.pair_decimals)},"qty":${fixed(quantity, pair.lot_decimals)}}`
  const bookMessage = (pair: Pair, type: 'snapshot' | 'update', levels: Top, top: Top) => {
    const side = (each: Level[]) => `[${each.map((one) => level(pair, one)).join(',')}]`
    const time = type === 'update' ? `,"timestamp":"${new Date(world.now()).toISOString()}"` : ''
    return `{"channel":"book","type":"${type}","data":[{"symbol":"${pair.symbol}","bids":${side(levels.bids)},"asks":${side(levels.asks)},"checksum":${checksum(pair, top)}${time}}]}`
  }
  const tickerMessage = (pair: Pair, type: 'snapshot' | 'update') => {
    const { bids, asks } = matching.book(pair)
    const day = market.statistics(pair)
    const price = (value: Figure) => fixed(value, pair.pair_decimals)
    const quantity = (value: Figure) => fixed(value, pair.lot_decimals)
    const change = day.last - day.open
    const percent = day.open === 0n ? 0n : (change * 100n * 10n ** 18n) / day.open
    return (
      `{"channel":"ticker","type":"${type}","data":[{"symbol":"${pair.symbol}","bid":${price(bids[0]?.price ?? 0n)},"bid_qty":${quantity(bids[0]?.quantity ?? 0n)},` +
      `"ask":${price(asks[0]?.price ?? 0n)},"ask_qty":${quantity(asks[0]?.quantity ?? 0n)},"last":${price(day.last)},"volume":${quantity(day.volume)},"vwap":${price(day.vwap)},` +
      `"low":${price(day.low)},"high":${price(day.high)},"change":${price(change)},"change_pct":${fixed(percent, 2)}}]}`
    )
  }

  function publishBook(pair: Pair, depth: number, except?: Client) {
    const key = `${pair.id} ${depth}`
    const before = published.get(key)
    if (before === undefined) return
    const whole =
      world.faults.takeNamed(rules.part, 'crossed') === undefined
        ? matching.book(pair)
        : crossed(matching.book(pair))
    const after = { bids: whole.bids.slice(0, depth), asks: whole.asks.slice(0, depth) }
    const changes = changesOf(before, after, whole)
    published.set(key, after)
    if (changes.bids.length + changes.asks.length === 0) return
    const fault = sockets.faultOf('book')
    if (fault?.kind === 'REFUSE') return // An update that gets lost: the next checksum shows it.
    const text = bookMessage(pair, 'update', changes, after)
    for (const client of clients) {
      if (client === except || client.chosen.books.get(pair.id) !== depth) continue
      say(client, text)
      if (fault?.kind === 'TWICE') say(client, text)
    }
  }

  world.onTick(() => {
    const changed = matching.changed()
    if (clients.size === 0) {
      published.clear()
      printed.clear()
      return
    }
    sockets.suffer()
    for (const pair of PAIRS) {
      if (status() === 'maintenance') break
      if (changed.has(pair.id)) {
        for (const depth of DEPTHS)
          if ([...clients].some((client) => client.chosen.books.get(pair.id) === depth))
            publishBook(pair, depth)
      }
      const top = topOf(matching, pair, 1)
      const now = `${top.bids[0]?.price} ${top.bids[0]?.quantity} ${top.asks[0]?.price} ${top.asks[0]?.quantity}`
      const moved = best.get(pair.id) !== now
      best.set(pair.id, now)
      const traded = printed.delete(pair.id)
      if (!moved && !traded) continue
      for (const client of clients) {
        const trigger = client.chosen.tickers.get(pair.id)
        if (trigger === 'bbo' || (trigger === 'trades' && traded))
          say(client, tickerMessage(pair, 'update'))
      }
    }
    for (const client of clients) {
      const listens = client.chosen.books.size + client.chosen.tickers.size > 0
      if (listens && Date.now() - client.spokenAt >= HEARTBEAT_MILLISECONDS)
        say(client, '{"channel":"heartbeat"}')
    }
  })

  return {
    upgrade: sockets.upgrade,
    announce: () => {
      for (const client of clients) say(client, statusMessage())
    },
    close: sockets.close,
  }
}

/** Kraken's: the best ten asks, then bids, each price and quantity without point and leading zeros, as one text. */
function checksum(pair: Pair, top: Top): number {
  const digits = (value: Figure, decimals: number) =>
    fixed(value, decimals).replace('.', '').replace(/^0+/, '')
  const side = (levels: Level[]) =>
    levels
      .slice(0, CHECKSUM_LEVELS)
      .map(
        (level) =>
          digits(level.price, pair.pair_decimals) + digits(level.quantity, pair.lot_decimals),
      )
      .join('')
  return crc32(side(top.asks) + side(top.bids))
}
