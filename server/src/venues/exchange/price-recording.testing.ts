/** For tests of prices: what a venue reports while its pairs against EUR are watched. */
import { setTimeout as pause } from 'node:timers/promises'
import assert from 'node:assert/strict'
import { until } from '../../core/testing.ts'
import type { OrderBook, Ticker, Venue } from '../contract.ts'

export class PriceRecording {
  readonly books: OrderBook[] = []
  readonly tickers: Ticker[] = []
  /** Base assets of the pairs that were lost, in order. */
  readonly lost: string[] = []
  readonly #stop: () => Promise<void>

  constructor({ prices }: Venue, base_assets: readonly string[]) {
    assert.ok(prices)
    this.#stop = prices.watch(
      base_assets.map((base_asset) => ({ base_asset, quote_asset: 'EUR' })),
      {
        book: (book) => {
          this.books.push(book)
        },
        ticker: (ticker) => {
          this.tickers.push(ticker)
        },
        lost: (base_asset) => {
          this.lost.push(base_asset)
        },
      },
    )
  }

  get bitcoin(): OrderBook[] {
    return this.books.filter((book) => book.base_asset === 'BTC')
  }

  async moreBitcoin(what: string, count: number): Promise<void> {
    const known = this.bitcoin.length
    await until(what, () => this.bitcoin.length > known + count)
  }

  /**
   * Of BTC, whose market moves, come books of 25 levels and tickers, bids below asks. DOGE is
   * watched too; nobody trades it, so it is lost.
   */
  async assertWhole(): Promise<void> {
    await until('books and tickers', () => this.bitcoin.length > 5 && this.tickers.length > 2)
    assert.ok(this.lost.includes('DOGE') && !this.lost.includes('BTC'))
    const last = this.bitcoin.at(-1)
    assert.deepEqual({ bids: last?.bids.length, asks: last?.asks.length }, { bids: 25, asks: 25 })
    assert.ok(
      this.bitcoin.every(({ bids, asks }) => (bids[0]?.price ?? 0n) < (asks[0]?.price ?? 0n)),
    )
    assert.ok(this.tickers.every((ticker) => ticker.bid < ticker.ask))
  }

  /** The market of the exchange stands still; its books are reported all the same. */
  async assertQuietIsCurrent(): Promise<void> {
    await pause(700)
    const quiet = this.books.length
    const frozenAt = Date.now()
    await until('a quiet book is reported as current', () =>
      this.books.slice(quiet).some((book) => book.received_at > frozenAt),
    )
  }

  async stop(): Promise<void> {
    await this.#stop()
    const ended = this.books.length
    await pause(200)
    assert.equal(this.books.length, ended)
  }
}
