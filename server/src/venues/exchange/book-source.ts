/** Where order books and tickers of an exchange come from, and who listens to them. */
import type { Level, Ticker } from '../contract.ts'
import type { Books } from './ccxt.ts'

export type Sides = { bids: Level[]; asks: Level[] }
type Figures = Pick<Ticker, 'bid' | 'ask' | 'last' | 'volume_24h' | 'change_24h'>

export type Listener = {
  /** The connection lives. */
  noteAlive(): void
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

/** The order book is not what the exchange has: its message says why. */
export class BrokenBook extends Error {}
