/**
 * Order books and tickers over an exchange's websocket. A book that is broken, a closed or a silent
 * connection is `lost` at once and built anew. A quiet market stays current: while the connection
 * lives, its book is reported again every second with the time of the last message.
 */
import { decimal } from '../../core/decimal.ts'
import type { Level, MarketPair, PriceFeed, Prices, Ticker } from '../contract.ts'
import { exact, row } from './answers.ts'
import type { Books, Market, Money } from './ccxt.ts'
import type { Failures } from './wire.ts'

const AGAIN_MILLISECONDS = 1_000
const RECONNECT_MILLISECONDS = 300
const DRAIN_MILLISECONDS = 50

type Pair = { base_asset: string; quote_asset: string }
export type Sides = { bids: Level[]; asks: Level[] }
export type Figures = Pick<Ticker, 'bid' | 'ask' | 'last' | 'volume_24h' | 'change_24h'>

export type Listener = {
  /** The connection lives. */
  heard(): void
  book(symbol: string, sides: Sides): void
  ticker(symbol: string, figures: Figures): void
}

/** What an exchange's stream has of its own. */
export type BookSource<Source extends Books = Books> = {
  name: string
  /** With the markets loaded. */
  open(): Promise<Source>
  /**
   * Listens at ccxt's own handlers, where each message is seen once and in order; an error thrown
   * there ends all waiting watchers. Answers how to stop.
   */
  listen(source: Source, to: Listener): () => void
  /**
   * What keeps the symbols coming; each is called again and again, and throws when the connection
   * or the signal ends.
   */
  watchers(
    source: Source,
    symbols: readonly string[],
    to: Listener,
    signal: AbortSignal,
  ): (() => Promise<unknown>)[]
}

/** The order book is not what the exchange has: its message is the reason that is told. */
export class BrokenBook extends Error {}

/** `takerFee` tells a market's fee as a factor. */
export function openPrices<Source extends Books>(
  money: Money,
  books: BookSource<Source>,
  failures: Failures,
  takerFee: (market: Market) => Promise<string>,
): Prices & { close(): Promise<void> } {
  const stops = new Set<() => Promise<void>>()
  return {
    async pairs() {
      const markets = Object.values(await failures.reading(() => money.loadMarkets(true))).filter(
        (market) => market.active,
      )
      return Promise.all(
        markets.map(async (market): Promise<MarketPair> => {
          const { min } = row(market.limits.amount)
          return {
            base_asset: market.base,
            quote_asset: market.quote,
            price_step: exact(row(market.precision), 'price'),
            amount_step: exact(row(market.precision), 'amount'),
            // Where only the value has a minimum, one step is the least amount.
            min_amount:
              min === undefined
                ? exact(row(market.precision), 'amount')
                : exact(row(market.limits.amount), 'min'),
            taker_fee: decimal(String(await failures.reading(() => takerFee(market)))),
          }
        }),
      )
    },
    watch(pairs, feed) {
      const stop = followPairs(books, [...pairs], feed, failures)
      const ending = async () => {
        stops.delete(ending)
        await stop()
      }
      stops.add(ending)
      return ending
    },
    close: async () => {
      await Promise.all([...stops].map((stop) => stop()))
    },
  }
}

function followPairs<Source extends Books>(
  books: BookSource<Source>,
  pairs: Pair[],
  feed: PriceFeed,
  failures: Failures,
): () => Promise<void> {
  let stopped = false
  let source: Source | undefined
  let wake = () => {}
  let end = () => {}
  const running = run()

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        source ??= await books.open()
        if (!stopped) await listen(source)
      } catch (error) {
        if (stopped) return
        const reason =
          error instanceof BrokenBook ? error.message : failures.failureOf(error).reason
        for (const pair of pairs) feed.lost(pair.base_asset, pair.quote_asset, reason)
      }
      if (stopped) return
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, RECONNECT_MILLISECONDS).unref()
      })
    }
  }

  async function listen(from: Source): Promise<void> {
    const followed = new Map<string, { pair: Pair; sides: Sides | undefined; reportedAt: number }>()
    for (const pair of pairs) {
      const symbol = `${pair.base_asset}/${pair.quote_asset}`
      if (from.markets?.[symbol] === undefined)
        feed.lost(pair.base_asset, pair.quote_asset, `${books.name} does not trade ${symbol}`)
      else followed.set(symbol, { pair, sides: undefined, reportedAt: 0 })
    }
    if (followed.size === 0) throw new Error('nothing to follow')
    let heardAt = 0
    let live = true
    const report = (symbol: string): string | undefined => {
      const one = followed.get(symbol)
      if (!live || one?.sides === undefined) return undefined
      one.reportedAt = heardAt
      return feed.book({ ...one.pair, ...one.sides, received_at: heardAt })
    }
    const listener: Listener = {
      heard: () => {
        heardAt = Date.now()
      },
      book(symbol, sides) {
        const one = followed.get(symbol)
        if (one === undefined) return
        one.sides = sides
        const fault = report(symbol)
        if (fault !== undefined) throw new BrokenBook(fault)
      },
      ticker(symbol, figures) {
        const one = followed.get(symbol)
        if (live && one !== undefined)
          feed.ticker({ ...one.pair, ...figures, received_at: heardAt })
      },
    }
    const stopListening = books.listen(from, listener)
    const again = setInterval(() => {
      for (const [symbol, one] of followed)
        if (one.reportedAt > 0 && heardAt > one.reportedAt) report(symbol)
    }, AGAIN_MILLISECONDS)
    const ended = new AbortController()
    end = () => {
      ended.abort()
    }
    const endless = async (watch: () => Promise<unknown>): Promise<void> => {
      while (live) await watch()
    }
    const loops = books.watchers(from, [...followed.keys()], listener, ended.signal).map(endless)
    try {
      await Promise.all(loops)
    } finally {
      live = false
      clearInterval(again)
      ended.abort()
      await drain(from, loops)
      stopListening()
    }
  }

  return async () => {
    stopped = true
    wake()
    end()
    if (source !== undefined) disconnect(source)
    await running
  }
}

/**
 * A watcher that was between two messages dials again after the cut, so it is cut until all have
 * ended. A connection that opened and let the last one end is cut too: ccxt would go on using it,
 * and it tells its messages to the listener of before.
 */
async function drain(source: Books, loops: Promise<void>[]): Promise<void> {
  let ended = false
  const all = Promise.allSettled(loops).then(() => {
    ended = true
  })
  while (!ended) {
    disconnect(source)
    await Promise.race([
      all,
      new Promise((resolve) => {
        setTimeout(resolve, DRAIN_MILLISECONDS)
      }),
    ])
  }
  disconnect(source)
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
