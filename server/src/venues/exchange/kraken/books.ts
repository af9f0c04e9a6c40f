/**
 * Kraken's websocket, version 2. Each book is checked against Kraken's checksum after every
 * message; figures are JSON numbers, of which the shortest decimal with the pair's digits is the
 * one that was written.
 */
import { crc32 } from 'node:zlib'
import { decimal } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type { Level } from '../../contract.ts'
import { row } from '../answers.ts'
import { loadBooks } from '../ccxt.ts'
import type { Books, ExchangeConfig, Message, Socket } from '../ccxt.ts'
import { BrokenBook } from '../book-source.ts'
import type { BookSource } from '../book-source.ts'

const DEPTH = 25
const CHECKSUM_LEVELS = 10
const KEEP_ALIVE_MILLISECONDS = 5_000

/** One side of ccxt's book: rows of price and quantity, best first. */
type BookSide = [number, number][]
type CcxtBook = { bids: BookSide; asks: BookSide }
type Digits = { price: number; quantity: number }

type KrakenBooks = Books & {
  orderbooks: Record<string, CcxtBook | undefined>
  tickers: Record<
    string,
    | { bid?: number; ask?: number; last?: number; baseVolume?: number; percentage?: number }
    | undefined
  >
  watchOrderBook(symbol: string, limit: number): Promise<unknown>
  watchTicker(symbol: string, parameters: Record<string, string>): Promise<unknown>
  handleOrderBook(client: Socket, message: Message): void
  handleTicker(client: Socket, message: Message): void
  orderBook(snapshot: unknown, depth: number): unknown
}

export function krakenBooks(config: ExchangeConfig): BookSource<KrakenBooks> {
  return {
    name: 'kraken',
    open: () =>
      loadBooks<KrakenBooks>(config, KEEP_ALIVE_MILLISECONDS, (url) => ({ ws: { publicV2: url } })),
    listen(source, to) {
      const own = {
        message: source.handleMessage,
        book: source.handleOrderBook,
        ticker: source.handleTicker,
        orderBook: source.orderBook,
      }
      const first = (message: Message) => row((message['data'] as unknown[] | undefined)?.[0])
      const digitsOf = (symbol: string): Digits => {
        const { pair_decimals, lot_decimals } = row(source.markets?.[symbol]?.info)
        return { price: Number(pair_decimals), quantity: Number(lot_decimals) }
      }
      source.handleMessage = (client, message) => {
        to.noteAlive()
        own.message.call(source, client, message)
      }
      // ccxt takes the number of asks in the snapshot for the depth of both sides.
      source.orderBook = (snapshot) => own.orderBook.call(source, snapshot, DEPTH)
      source.handleOrderBook = (client, message) => {
        own.book.call(source, client, message)
        const { symbol: named, checksum } = first(message)
        const symbol = String(named)
        const book = source.orderbooks[symbol]
        if (book === undefined) return
        const digits = digitsOf(symbol)
        if (typeof checksum === 'number' && checksum !== checksumOf(book, digits))
          throw new BrokenBook('the order book differs from the exchange’s')
        to.book(symbol, { bids: levels(book.bids, digits), asks: levels(book.asks, digits) })
      }
      source.handleTicker = (client, message) => {
        own.ticker.call(source, client, message)
        const symbol = String(first(message)['symbol'])
        const ticker = source.tickers[symbol]
        if (ticker?.bid === undefined || ticker.ask === undefined || ticker.last === undefined)
          return
        const { price, quantity } = digitsOf(symbol)
        to.ticker(symbol, {
          bid: fromNumber(ticker.bid, price),
          ask: fromNumber(ticker.ask, price),
          last: fromNumber(ticker.last, price),
          volume_24h: fromNumber(ticker.baseVolume ?? 0, quantity),
          change_24h:
            ticker.percentage === undefined ? null : fromNumber(ticker.percentage, 6) / 100n,
        })
      }
      return () => {
        source.handleMessage = own.message
        source.handleOrderBook = own.book
        source.handleTicker = own.ticker
        source.orderBook = own.orderBook
      }
    },
    watchers: (source, symbols) =>
      symbols.flatMap((symbol) => [
        () => source.watchOrderBook(symbol, DEPTH),
        () => source.watchTicker(symbol, { event_trigger: 'bbo' }),
      ]),
  }
}

function levels(side: BookSide, digits: Digits): Level[] {
  return side.map(([price, quantity]) => ({
    price: fromNumber(price, digits.price),
    quantity: fromNumber(quantity, digits.quantity),
  }))
}

/** The shortest decimal of a JSON number that was written with at most `digits` fraction digits. */
function fromNumber(value: number, digits: number): Decimal {
  return decimal(value.toFixed(digits).replace(/^-(0(?:\.0*)?)$/, '$1'))
}

/** Kraken's CRC32 over the best ten asks, then bids: digits without point and leading zeros. */
function checksumOf(book: CcxtBook, digits: Digits): number {
  const written = (value: number, scale: number) =>
    value.toFixed(scale).replace('.', '').replace(/^0+/, '')
  const side = (bookSide: BookSide) =>
    bookSide
      .slice(0, CHECKSUM_LEVELS)
      .map(([price, quantity]) => written(price, digits.price) + written(quantity, digits.quantity))
      .join('')
  return crc32(side(book.asks) + side(book.bids))
}
