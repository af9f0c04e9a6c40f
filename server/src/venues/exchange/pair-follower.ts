/**
 * Order books and tickers over an exchange's websocket. A book that is broken, a closed or a silent
 * connection is `lost` at once and built anew. A quiet market stays current: while the connection
 * lives, its book is reported again every second with the time of the last message.
 */
import type { PriceFeed } from '../contract.ts'
import { BrokenBook } from './book-source.ts'
import type { BookSource, Listener, Sides } from './book-source.ts'
import type { Books } from './ccxt.ts'
import type { Failures } from './wire.ts'

const AGAIN_MILLISECONDS = 1_000
const RECONNECT_MILLISECONDS = 300
const DRAIN_MILLISECONDS = 50

type Pair = { base_asset: string; quote_asset: string }

/** Follows pairs from its making until it is stopped, over one connection after the other. */
export class PairFollower<Source extends Books> {
  readonly #books: BookSource<Source>
  readonly #pairs: readonly Pair[]
  readonly #feed: PriceFeed
  readonly #failures: Failures
  readonly #running: Promise<void>
  #stopped = false
  #source: Source | undefined
  #wake = () => {}
  #end = () => {}

  constructor(
    books: BookSource<Source>,
    pairs: readonly Pair[],
    feed: PriceFeed,
    failures: Failures,
  ) {
    this.#books = books
    this.#pairs = pairs
    this.#feed = feed
    this.#failures = failures
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#wake()
    this.#end()
    if (this.#source !== undefined) disconnect(this.#source)
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        this.#source ??= await this.#books.open()
        if (!this.#stopped) await this.#listen(this.#source)
      } catch (error) {
        if (this.#stopped) return
        this.#reportLost(error)
      }
      if (this.#stopped) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        setTimeout(resolve, RECONNECT_MILLISECONDS).unref()
      })
    }
  }

  #reportLost(error: unknown): void {
    const reason =
      error instanceof BrokenBook ? error.message : this.#failures.failureOf(error).reason
    for (const pair of this.#pairs) this.#feed.lost(pair.base_asset, pair.quote_asset, reason)
  }

  /** Ends when the connection does. */
  async #listen(source: Source): Promise<void> {
    const followed = new FollowedBooks(this.#tradedPairs(source), this.#feed)
    if (followed.symbols.length === 0) throw new Error('nothing to follow')
    const stopListening = this.#books.listen(source, followed)
    const again = setInterval(() => {
      followed.reportAgain()
    }, AGAIN_MILLISECONDS)
    const ended = new AbortController()
    this.#end = () => {
      ended.abort()
    }
    const loops = this.#books
      .watchers(source, followed.symbols, followed, ended.signal)
      .map(async (watch) => {
        while (followed.live) await watch()
      })
    try {
      await Promise.all(loops)
    } finally {
      followed.live = false
      clearInterval(again)
      ended.abort()
      await drain(source, loops)
      stopListening()
    }
  }

  /** By symbol; a pair that the exchange does not trade is lost. */
  #tradedPairs(source: Source): Map<string, Pair> {
    const traded = new Map<string, Pair>()
    for (const pair of this.#pairs) {
      const symbol = `${pair.base_asset}/${pair.quote_asset}`
      if (source.markets?.[symbol] === undefined)
        this.#feed.lost(
          pair.base_asset,
          pair.quote_asset,
          `${this.#books.name} does not trade ${symbol}`,
        )
      else traded.set(symbol, pair)
    }
    return traded
  }
}

/** The books of one connection, from its messages to the feed. */
class FollowedBooks implements Listener {
  live = true
  readonly #feed: PriceFeed
  readonly #books: ReadonlyMap<string, { pair: Pair; sides: Sides | undefined; reportedAt: number }>
  #aliveAt = 0

  constructor(pairs: ReadonlyMap<string, Pair>, feed: PriceFeed) {
    this.#feed = feed
    this.#books = new Map(
      [...pairs].map(([symbol, pair]) => [symbol, { pair, sides: undefined, reportedAt: 0 }]),
    )
  }

  get symbols(): string[] {
    return [...this.#books.keys()]
  }

  noteAlive(): void {
    this.#aliveAt = Date.now()
  }

  book(symbol: string, sides: Sides): void {
    const followed = this.#books.get(symbol)
    if (followed === undefined) return
    followed.sides = sides
    const fault = this.#report(symbol)
    if (fault !== undefined) throw new BrokenBook(fault)
  }

  ticker(symbol: string, figures: Parameters<Listener['ticker']>[1]): void {
    const followed = this.#books.get(symbol)
    if (this.live && followed !== undefined)
      this.#feed.ticker({ ...followed.pair, ...figures, received_at: this.#aliveAt })
  }

  /** The books of quiet markets, when a message came since. */
  reportAgain(): void {
    for (const [symbol, { reportedAt }] of this.#books)
      if (reportedAt > 0 && this.#aliveAt > reportedAt) this.#report(symbol)
  }

  #report(symbol: string): string | undefined {
    const followed = this.#books.get(symbol)
    if (!this.live || followed?.sides === undefined) return undefined
    followed.reportedAt = this.#aliveAt
    return this.#feed.book({ ...followed.pair, ...followed.sides, received_at: this.#aliveAt })
  }
}

/**
 * A watcher that was between two messages dials again after the cut, so it is cut until all have
 * ended. A connection that opened and let the last one end is cut too: ccxt would go on using it,
 * and its messages would go to the listener of before.
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
