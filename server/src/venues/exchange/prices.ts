/**
 * Order books and tickers over Kraken's websocket. Each book is checked against Kraken's checksum after every message; a book that
 * differs, a closed or a silent connection is `lost` at once and built anew from a snapshot. A quiet market stays current: while the
 * connection lives, its book is reported again every second with the time of the last message.
 */
import { crc32 } from 'node:zlib'
import { decimal } from '../../core/decimal.ts'
import type { Level, MarketPair, PriceFeed, Prices } from '../contract.ts'
import { loadBooks } from './ccxt.ts'
import type { Books, BookSide, ExchangeConfig, Message, Money } from './ccxt.ts'
import { exact, fromNumber, row } from './kraken.ts'
import { failureOf, reading } from './wire.ts'

const DEPTH = 25
const CHECKSUM_LEVELS = 10
const AGAIN_MILLISECONDS = 1_000
const RECONNECT_MILLISECONDS = 300
const DRAIN_MILLISECONDS = 50

type Pair = { base_asset: string; quote_asset: string }
type Digits = { price: number; quantity: number }

export function openPrices(config: ExchangeConfig, money: Money): Prices & { close(): Promise<void> } {
  const stops = new Set<() => Promise<void>>()
  return {
    async pairs() {
      const markets = await reading(() => money.loadMarkets(true))
      return Object.values(markets).filter((each) => each.active && each.limits.amount.min !== undefined).map((each): MarketPair => ({
        base_asset: each.base, quote_asset: each.quote, price_step: exact(row(each.precision), 'price'), amount_step: exact(row(each.precision), 'amount'),
        min_amount: exact(row(each.limits.amount), 'min'), taker_fee: decimal(String(each.taker)),
      }))
    },
    watch(pairs, feed) {
      const stop = follow(config, [...pairs], feed)
      const ending = async () => { stops.delete(ending); await stop() }
      stops.add(ending)
      return ending
    },
    close: async () => { await Promise.all([...stops].map((stop) => stop())) },
  }
}

function follow(config: ExchangeConfig, pairs: Pair[], feed: PriceFeed): () => Promise<void> {
  let stopped = false
  let books: Books | undefined
  let wake = () => {}
  const running = run()

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        books ??= await prepare()
        if (!stopped) await listen(books)
      } catch (error) {
        if (stopped) return
        const reason = error instanceof ChecksumMismatch ? error.message : failureOf(error).reason
        for (const pair of pairs) feed.lost(pair.base_asset, pair.quote_asset, reason)
      }
      if (stopped) return
      await new Promise<void>((resolve) => { wake = resolve; setTimeout(resolve, RECONNECT_MILLISECONDS).unref() })
    }
  }

  async function prepare(): Promise<Books> {
    const made = await loadBooks(config)
    await made.loadMarkets(true)
    return made
  }

  async function listen(source: Books): Promise<void> {
    const followed = new Map<string, { pair: Pair; digits: Digits; reportedAt: number }>()
    for (const pair of pairs) {
      const symbol = `${pair.base_asset}/${pair.quote_asset}`
      const market = source.markets?.[symbol]
      if (market === undefined) feed.lost(pair.base_asset, pair.quote_asset, `kraken does not trade ${symbol}`)
      else followed.set(symbol, { pair, digits: { price: Number(market.info.pair_decimals), quantity: Number(market.info.lot_decimals) }, reportedAt: 0 })
    }
    if (followed.size === 0) throw new Error('nothing to follow')
    let heardAt = 0
    let live = true
    const report = (symbol: string) => {
      const one = followed.get(symbol)
      const book = source.orderbooks[symbol]
      if (!live || one === undefined || book === undefined) return
      one.reportedAt = heardAt
      feed.book({ ...one.pair, bids: levels(book.bids, one.digits), asks: levels(book.asks, one.digits), received_at: heardAt })
    }
    const restore = hook(source, {
      heard: () => { heardAt = Date.now() },
      book: (symbol, checksum) => {
        const one = followed.get(symbol)
        const book = source.orderbooks[symbol]
        if (one === undefined || book === undefined) return
        if (checksum !== undefined && checksum !== checksumOf(book, one.digits)) throw new ChecksumMismatch()
        report(symbol)
      },
      ticker: (symbol) => {
        const one = followed.get(symbol)
        const ticker = source.tickers[symbol]
        if (!live || one === undefined || ticker?.bid === undefined || ticker.ask === undefined || ticker.last === undefined) return
        const { price, quantity } = one.digits
        feed.ticker({
          ...one.pair, bid: fromNumber(ticker.bid, price), ask: fromNumber(ticker.ask, price), last: fromNumber(ticker.last, price),
          volume_24h: fromNumber(ticker.baseVolume ?? 0, quantity), change_24h: ticker.percentage === undefined ? null : fromNumber(ticker.percentage, 6) / 100n, received_at: heardAt,
        })
      },
    })
    const again = setInterval(() => {
      for (const [symbol, one] of followed) if (one.reportedAt > 0 && heardAt > one.reportedAt) report(symbol)
    }, AGAIN_MILLISECONDS)
    const endless = async (watch: () => Promise<unknown>): Promise<void> => { while (live) await watch() }
    const loops = [...followed.keys()].flatMap((symbol) => [
      endless(() => source.watchOrderBook(symbol, DEPTH)), endless(() => source.watchTicker(symbol, { event_trigger: 'bbo' })),
    ])
    try {
      await Promise.all(loops)
    } finally {
      live = false
      clearInterval(again)
      await drain(source, loops)
      restore()
    }
  }

  return async () => {
    stopped = true
    wake()
    if (books !== undefined) disconnect(books)
    await running
  }
}

class ChecksumMismatch extends Error {
  constructor() {
    super('the order book differs from the exchange’s')
    this.name = 'ChecksumMismatch'
  }
}

/** Listens to ccxt's own handlers, where each message is seen once and in order; a thrown error ends all waiting watchers. */
function hook(source: Books, on: { heard(): void; book(symbol: string, checksum: number | undefined): void; ticker(symbol: string): void }): () => void {
  const own = { message: source.handleMessage, book: source.handleOrderBook, ticker: source.handleTicker, orderBook: source.orderBook }
  const first = (message: Message) => row((message['data'] as unknown[] | undefined)?.[0])
  source.handleMessage = (client, message) => { on.heard(); own.message.call(source, client, message) }
  // ccxt takes the number of asks in the snapshot for the depth of both sides.
  source.orderBook = (snapshot) => own.orderBook.call(source, snapshot, DEPTH)
  source.handleOrderBook = (client, message) => {
    own.book.call(source, client, message)
    const { symbol, checksum } = first(message)
    on.book(String(symbol), typeof checksum === 'number' ? checksum : undefined)
  }
  source.handleTicker = (client, message) => {
    own.ticker.call(source, client, message)
    on.ticker(String(first(message)['symbol']))
  }
  return () => { source.handleMessage = own.message; source.handleOrderBook = own.book; source.handleTicker = own.ticker; source.orderBook = own.orderBook }
}

/** A watcher that was between two messages dials again after the cut, so it is cut until all have ended. */
async function drain(source: Books, loops: Promise<void>[]): Promise<void> {
  let ended = false
  const all = Promise.allSettled(loops).then(() => { ended = true })
  while (!ended) {
    disconnect(source)
    await Promise.race([all, new Promise((resolve) => { setTimeout(resolve, DRAIN_MILLISECONDS) })])
  }
}

/** ccxt's `close` waits for the other side, which may be dead. */
function disconnect(source: Books): void {
  for (const [url, client] of Object.entries(source.clients ?? {})) {
    if (client.connection?.terminate === undefined) continue
    client.connection.terminate()
    delete source.clients?.[url]
  }
  source.orderbooks = {}
}

function levels(side: BookSide, digits: Digits): Level[] {
  return side.map(([price, quantity]) => ({ price: fromNumber(price, digits.price), quantity: fromNumber(quantity, digits.quantity) }))
}

/** Kraken's CRC32 over the best ten asks, then bids: digits without point and leading zeros. */
function checksumOf(book: { bids: BookSide; asks: BookSide }, digits: Digits): number {
  const written = (value: number, scale: number) => value.toFixed(scale).replace('.', '').replace(/^0+/, '')
  const side = (each: BookSide) => each.slice(0, CHECKSUM_LEVELS).map(([price, quantity]) => written(price, digits.price) + written(quantity, digits.quantity)).join('')
  return crc32(side(book.asks) + side(book.bids))
}

