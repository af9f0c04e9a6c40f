/**
 * The price book: what each followed pair of each venue costs now, in memory of this process.
 * Adapters stream books and tickers into it; a book that cannot be right makes the market DOWN
 * until the next good one; nothing here waits for a venue when it is read. Every entry tells its
 * age, and nobody may use one that is older than the limit of the purpose: BOOK_FRESH for trading,
 * PRICE_FRESH for showing.
 */
import type { VenueId } from '../core/ids.ts'
import type { Decimal } from '../core/decimal.ts'
import type { MarketPair, OrderBook, PriceFeed, Prices, Ticker } from '../venues/index.ts'
import { openHistory } from './history.ts'
import type { History } from './history.ts'
import type { MidStore } from './mid-store.ts'

type Pair = { base_asset: string; quote_asset: string }

export type Market = {
  venue_id: VenueId
  pair: MarketPair
  book: OrderBook | undefined
  ticker: Ticker | undefined
  /** Why the feed is broken, until the next book. */
  lost: string | undefined
}

export const MARKET_STATES = ['UP', 'STALE', 'DOWN'] as const
export type MarketState = (typeof MARKET_STATES)[number]

/** No order is priced by a book older than this. */
const BOOK_FRESH_MILLISECONDS = 5_000
/** No price older than this is shown. */
export const PRICE_FRESH_MILLISECONDS = 60_000

const PAIRS_FRESH_MILLISECONDS = 3_600_000

type Entry = Market & { history: History }
type FollowedVenue = { prices: Prices; wanted: string; pairs_at: number; stop: () => Promise<void> }

const keyOf = (venue_id: VenueId, { base_asset, quote_asset }: Pair) =>
  `${venue_id} ${base_asset}/${quote_asset}`
const nameOf = ({ base_asset, quote_asset }: Pair) => `${base_asset}/${quote_asset}`

const NO_MOVES: readonly Decimal[] = []

/**
 * `elapsed` is a monotonic time in milliseconds, by which the venue's list of pairs grows old;
 * without `memory` the history starts anew.
 */
export function openPriceBook(
  options: { elapsed?: () => number; memory?: MidStore } = {},
): PriceBook {
  return new PriceBook(options)
}

export class PriceBook {
  readonly #elapsed: () => number
  readonly #memory: MidStore | undefined
  readonly #entries = new Map<string, Entry>()
  readonly #venues = new Map<VenueId, FollowedVenue>()
  readonly #revisions = new Map<VenueId, number>()

  constructor({
    elapsed = () => performance.now(),
    memory,
  }: {
    elapsed?: () => number
    memory?: MidStore
  }) {
    this.#elapsed = elapsed
    this.#memory = memory
  }

  /**
   * Follows exactly these pairs of the venue from now on. Throws what the venue throws when it does
   * not name its pairs.
   */
  async follow(venue_id: VenueId, prices: Prices, pairs: readonly Pair[]): Promise<void> {
    const wanted = pairs.map(nameOf).toSorted().join()
    const before = this.#venues.get(venue_id)
    const same = before !== undefined && before.prices === prices && before.wanted === wanted
    if (same && this.#elapsed() - before.pairs_at < PAIRS_FRESH_MILLISECONDS) return
    const offered = new Map((await prices.pairs()).map((pair) => [nameOf(pair), pair]))
    const pairs_at = this.#elapsed()
    if (same) {
      before.pairs_at = pairs_at
      this.#replacePairs(venue_id, offered)
      return
    }
    await this.forget(venue_id)
    // A pair the venue does not trade stays unknown here: its routes are DOWN.
    const traded = pairs.flatMap((pair) => offered.get(nameOf(pair)) ?? [])
    await this.#addEntries(venue_id, traded)
    const stop =
      traded.length === 0 ? async () => undefined : prices.watch(traded, this.#feedOf(venue_id))
    this.#venues.set(venue_id, { prices, wanted, pairs_at, stop })
  }

  /** The venues followed now. */
  followed(): VenueId[] {
    return [...this.#venues.keys()]
  }

  async forget(venue_id: VenueId): Promise<void> {
    const before = this.#venues.get(venue_id)
    this.#venues.delete(venue_id)
    this.#revise(venue_id)
    for (const [key, entry] of this.#entries)
      if (entry.venue_id === venue_id) this.#entries.delete(key)
    await before?.stop()
  }

  market(venue_id: VenueId, pair: Pair): Market | undefined {
    return this.#entries.get(keyOf(venue_id, pair))
  }

  /** Everything that is known of these venues. */
  markets(venue_ids: readonly VenueId[]): Market[] {
    return [...this.#entries.values()].filter((entry) => venue_ids.includes(entry.venue_id))
  }

  /**
   * Grows with every report of these venues that may show in a price, and when one is forgotten.
   */
  revision(venue_ids: readonly VenueId[]): number {
    return venue_ids.reduce((sum, venue_id) => sum + (this.#revisions.get(venue_id) ?? 0), 0)
  }

  /**
   * The relative moves of the mid between neighbouring 10 s buckets of the last two hours, each ≥
   * 0, as factors; the same array until there is another.
   */
  moves(venue_id: VenueId, pair: Pair): readonly Decimal[] {
    return this.#entries.get(keyOf(venue_id, pair))?.history.moves() ?? NO_MOVES
  }

  async close(): Promise<void> {
    await Promise.all(this.followed().map((venue_id) => this.forget(venue_id)))
  }

  #revise(venue_id: VenueId): void {
    this.#revisions.set(venue_id, (this.#revisions.get(venue_id) ?? 0) + 1)
  }

  #replacePairs(venue_id: VenueId, offered: ReadonlyMap<string, MarketPair>): void {
    this.#revise(venue_id)
    for (const entry of this.#entries.values())
      if (entry.venue_id === venue_id) entry.pair = offered.get(nameOf(entry.pair)) ?? entry.pair
  }

  async #addEntries(venue_id: VenueId, pairs: readonly MarketPair[]): Promise<void> {
    const mids = Map.groupBy((await this.#memory?.load(venue_id)) ?? [], nameOf)
    for (const pair of pairs)
      this.#entries.set(keyOf(venue_id, pair), {
        venue_id,
        pair,
        book: undefined,
        ticker: undefined,
        lost: undefined,
        history: openHistory(mids.get(nameOf(pair))),
      })
    this.#revise(venue_id)
  }

  #feedOf(venue_id: VenueId): PriceFeed {
    return {
      book: (book) => this.#takeBook(venue_id, book),
      ticker: (ticker) => {
        const entry = this.#entries.get(keyOf(venue_id, ticker))
        if (entry === undefined) return
        this.#revise(venue_id)
        entry.ticker = ticker
      },
      lost: (base_asset, quote_asset, reason) => {
        const entry = this.#entries.get(keyOf(venue_id, { base_asset, quote_asset }))
        if (entry === undefined) return
        this.#revise(venue_id)
        entry.lost = reason
      },
    }
  }

  /** Answers why the book is refused, if it is. */
  #takeBook(venue_id: VenueId, book: OrderBook): string | undefined {
    const entry = this.#entries.get(keyOf(venue_id, book))
    if (entry === undefined) return undefined
    if (!showsTicker(entry, book.received_at)) this.#revise(venue_id)
    entry.lost = faultOf(book)
    if (entry.lost !== undefined) return entry.lost
    entry.book = book
    const mid = noteMid(entry.history, book)
    const { base_asset, quote_asset } = book
    if (mid !== undefined) this.#memory?.keep({ venue_id, base_asset, quote_asset, ...mid })
    return undefined
  }
}

/**
 * UP: both sides stand and are fresh. STALE: what stood is too old. DOWN: nothing is known, or the
 * feed is broken.
 */
export function marketState(market: Market | undefined, now: number): MarketState {
  if (market?.book === undefined || market.lost !== undefined) return 'DOWN'
  if (market.book.bids.length === 0 || market.book.asks.length === 0) return 'DOWN'
  return now - market.book.received_at <= BOOK_FRESH_MILLISECONDS ? 'UP' : 'STALE'
}

function midOf(bid: Decimal, ask: Decimal): Decimal {
  return (bid + ask) / 2n
}

/** Exchanges write an empty side as 0. */
const isComplete = ({ bid, ask }: Ticker): boolean => bid > 0n && ask >= bid

function showsTicker(market: Market, now: number): market is Market & { ticker: Ticker } {
  return (
    market.ticker !== undefined &&
    now - market.ticker.received_at <= PRICE_FRESH_MILLISECONDS &&
    isComplete(market.ticker)
  )
}

/**
 * The middle of bid and ask and when it was seen, by the ticker, or by the book where that is the
 * only fresh one.
 */
export function priceOf(market: Market, now: number): { price: Decimal; at: number } | undefined {
  if (showsTicker(market, now))
    return { price: midOf(market.ticker.bid, market.ticker.ask), at: market.ticker.received_at }
  const { book } = market
  const [bid, ask] = [book?.bids[0], book?.asks[0]]
  if (
    book === undefined ||
    bid === undefined ||
    ask === undefined ||
    market.lost !== undefined ||
    now - book.received_at > PRICE_FRESH_MILLISECONDS
  )
    return undefined
  return { price: midOf(bid.price, ask.price), at: book.received_at }
}

function noteMid(
  history: History,
  { bids: [bid], asks: [ask], received_at }: OrderBook,
): ReturnType<History['note']> {
  return bid === undefined || ask === undefined
    ? undefined
    : history.note(received_at, midOf(bid.price, ask.price))
}

/** Why nobody may trade by this book. A sound exchange never sends such a one. */
function faultOf({ bids, asks }: OrderBook): string | undefined {
  const [bid, ask] = [bids[0], asks[0]]
  if (bid !== undefined && ask !== undefined && bid.price > ask.price)
    return 'the order book is crossed'
  const falls = (prices: Decimal[]) =>
    prices.every((price, index) => index === 0 || price < (prices[index - 1] ?? price))
  const sorted = falls(bids.map((level) => level.price)) && falls(asks.map((level) => -level.price))
  return sorted && [...bids, ...asks].every((level) => level.price > 0n && level.quantity > 0n)
    ? undefined
    : 'the order book is out of order'
}
