/**
 * Bitstamp's websocket by ccxt's connection. ccxt itself follows only differences, whose loss
 * nobody could notice; the channel `order_book` sends the best hundred levels whole, so each
 * message heals what was before; its time must not go back. Figures are texts and stay exact.
 * Tickers do not stream: all of them are asked for together.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Level } from '../../contract.ts'
import { exact, row, rows, text, unreadableAnswer } from '../answers.ts'
import { loadBooks } from '../ccxt.ts'
import type { Books, ExchangeConfig } from '../ccxt.ts'
import { tryDecimal } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import { BrokenBook } from '../book-source.ts'
import type { BookSource } from '../book-source.ts'
import { FAILURES } from './vocabulary.ts'

const DEPTH = 25
/** In a quiet market only the answers to these come. */
const KEEP_ALIVE_MILLISECONDS = 2_000
const TICKER_MILLISECONDS = 2_000
const CHANNEL = 'order_book_'

type BitstampBooks = Books & {
  urls: { api: { ws: string } }
  ping?: () => object
  watch(url: string, hash: string, request: object, subscription: string): Promise<unknown>
  publicGetTicker(parameters: Record<string, string>): Promise<unknown>
}

export function bitstampBooks(config: ExchangeConfig): BookSource<BitstampBooks> {
  return {
    name: 'bitstamp',
    open: () => loadBooks<BitstampBooks>(config, KEEP_ALIVE_MILLISECONDS, (url) => ({ ws: url })),
    listen(source, to) {
      const own = source.handleMessage
      const symbolOf = (id: string) =>
        Object.entries(source.markets ?? {}).find(([, market]) => market.id === id)?.[0]
      const newest = new Map<string, Decimal>()
      source.ping = () => ({ event: 'bts:heartbeat' })
      source.handleMessage = (client, message) => {
        client.lastPong = Date.now()
        to.noteAlive()
        const { event, channel } = message
        if (event === 'bts:request_reconnect')
          throw new BrokenBook('the exchange asks for a new connection')
        if (event === 'bts:error') throw new BrokenBook('the exchange refuses the subscription')
        if (event !== 'data' || typeof channel !== 'string' || !channel.startsWith(CHANNEL)) {
          own.call(source, client, message)
          return
        }
        const symbol = symbolOf(channel.slice(CHANNEL.length))
        if (symbol === undefined) return
        const book = row(message['data'])
        const time = exact(book, 'microtimestamp')
        if (time < (newest.get(symbol) ?? 0n))
          throw new BrokenBook('the exchange tells an older book after a newer one')
        newest.set(symbol, time)
        to.book(symbol, { bids: levels(book['bids']), asks: levels(book['asks']) })
        client.resolve(symbol, channel)
      }
      return () => {
        source.handleMessage = own
      }
    },
    watchers(source, symbols, to, signal) {
      const books = symbols.map((symbol) => {
        const channel = `${CHANNEL}${source.markets?.[symbol]?.id}`
        return () =>
          source.watch(
            source.urls.api.ws,
            channel,
            { event: 'bts:subscribe', data: { channel } },
            channel,
          )
      })
      const tickers = async () => {
        for (const row of rows(await FAILURES.reading(() => source.publicGetTicker({})))) {
          const symbol = text(row, 'pair')
          if (!symbols.includes(symbol)) continue
          const change = row['percent_change_24']
          to.ticker(symbol, {
            bid: exact(row, 'bid'),
            ask: exact(row, 'ask'),
            last: exact(row, 'last'),
            volume_24h: exact(row, 'volume'),
            change_24h:
              change === undefined || change === null
                ? null
                : exact(row, 'percent_change_24') / 100n,
          })
        }
        await pause(TICKER_MILLISECONDS, undefined, { signal })
      }
      return [...books, tickers]
    },
  }
}

function levels(side: unknown): Level[] {
  if (!Array.isArray(side)) throw unreadableAnswer('a side of the book')
  return side.slice(0, DEPTH).map((level): Level => {
    const [price, quantity] = [level].flat().map((figure) => tryDecimal(String(figure)))
    if (price === undefined || quantity === undefined) throw unreadableAnswer('a level of the book')
    return { price, quantity }
  })
}
