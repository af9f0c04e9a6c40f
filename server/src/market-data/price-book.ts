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

export type Pair = { base_asset: string; quote_asset: string }

export type Market = {
  venue_id: string
  pair: MarketPair
  book: OrderBook | undefined
  ticker: Ticker | undefined
  /** Why the feed is broken, until the next book. */
  lost: string | undefined
}

export const MARKET_STATES = ['UP', 'STALE', 'DOWN'] as const
export type MarketState = (typeof MARKET_STATES)[number]

/** No order is priced by a book older than this. */
export const BOOK_FRESH_MILLISECONDS = 5_000
/** No price older than this is shown. */
export const PRICE_FRESH_MILLISECONDS = 60_000

const PAIRS_FRESH_MILLISECONDS = 3_600_000

export type PriceBook = {
  /**
   * Follows exactly these pairs of the venue from now on. Throws what the venue throws when it does
   * not tell its pairs.
   */
  follow(venue_id: string, prices: Prices, pairs: readonly Pair[]): Promise<void>
  /** The venues followed now. */
  followed(): string[]
  forget(venue_id: string): Promise<void>
  market(venue_id: VenueId, pair: Pair): Market | undefined
  /** Everything that is known of these venues. */
  markets(venue_ids: readonly string[]): Market[]
  /**
   * Grows with everything that is told of these venues and may show in a price, or is forgotten.
   */
  revision(venue_ids: readonly string[]): number
  /**
   * The relative moves of the mid between neighbouring 10 s buckets of the last two hours, each ≥
   * 0, as factors; the same array until there is another.
   */
  moves(venue_id: VenueId, pair: Pair): readonly Decimal[]
  close(): Promise<void>
}

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
export function openPriceBook({
  elapsed = () => performance.now(),
  memory,
}: { elapsed?: () => number; memory?: MidStore } = {}): PriceBook {
  const entries = new Map<string, Entry>()
  const following = new Map<string, FollowedVenue>()
  const told = new Map<string, number>()
  const tell = (venue_id: string) => {
    told.set(venue_id, (told.get(venue_id) ?? 0) + 1)
  }

  const feedOf = (venue_id: string): PriceFeed => ({
    book(book) {
      const entry = entries.get(keyOf(venue_id, book))
      if (entry === undefined) return undefined
      if (!showsTicker(entry, book.received_at)) tell(venue_id)
      entry.lost = faultOf(book)
      if (entry.lost !== undefined) return entry.lost
      entry.book = book
      const ended = noteMid(entry.history, book)
      if (ended !== undefined)
        memory?.keep({
          venue_id,
          base_asset: book.base_asset,
          quote_asset: book.quote_asset,
          ...ended,
        })
      return undefined
    },
    ticker(ticker) {
      const entry = entries.get(keyOf(venue_id, ticker))
      if (entry === undefined) return
      tell(venue_id)
      entry.ticker = ticker
    },
    lost(base_asset, quote_asset, reason) {
      const entry = entries.get(keyOf(venue_id, { base_asset, quote_asset }))
      if (entry === undefined) return
      tell(venue_id)
      entry.lost = reason
    },
  })

  const forget = async (venue_id: string): Promise<void> => {
    const known = following.get(venue_id)
    following.delete(venue_id)
    tell(venue_id)
    for (const [key, entry] of entries) if (entry.venue_id === venue_id) entries.delete(key)
    await known?.stop()
  }

  return {
    async follow(venue_id, prices, pairs) {
      const wanted = pairs.map(nameOf).toSorted().join()
      const known = following.get(venue_id)
      const same = known !== undefined && known.prices === prices && known.wanted === wanted
      if (same && elapsed() - known.pairs_at < PAIRS_FRESH_MILLISECONDS) return
      const offered = new Map((await prices.pairs()).map((pair) => [nameOf(pair), pair]))
      const pairs_at = elapsed()
      if (same) {
        known.pairs_at = pairs_at
        tell(venue_id)
        for (const entry of entries.values())
          entry.pair =
            entry.venue_id === venue_id
              ? (offered.get(nameOf(entry.pair)) ?? entry.pair)
              : entry.pair
        return
      }
      await forget(venue_id)
      // A pair the venue does not trade stays unknown here: its routes are DOWN.
      const traded = pairs.flatMap((pair) => offered.get(nameOf(pair)) ?? [])
      const remembered = Map.groupBy((await memory?.load(venue_id)) ?? [], nameOf)
      for (const pair of traded)
        entries.set(keyOf(venue_id, pair), {
          venue_id,
          pair,
          book: undefined,
          ticker: undefined,
          lost: undefined,
          history: openHistory(remembered.get(nameOf(pair))),
        })
      tell(venue_id)
      const stop =
        traded.length === 0 ? async () => undefined : prices.watch(traded, feedOf(venue_id))
      following.set(venue_id, { prices, wanted, pairs_at, stop })
    },
    followed: () => [...following.keys()],
    forget,
    market: (venue_id, pair) => entries.get(keyOf(venue_id, pair)),
    markets: (venue_ids) =>
      [...entries.values()].filter((entry) => venue_ids.includes(entry.venue_id)),
    revision: (venue_ids) =>
      venue_ids.reduce((sum, venue_id) => sum + (told.get(venue_id) ?? 0), 0),
    moves: (venue_id, pair) => entries.get(keyOf(venue_id, pair))?.history.moves() ?? NO_MOVES,
    async close() {
      await Promise.all([...following.keys()].map(forget))
    },
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

/** Why nobody may trade by this book: an exchange that is sound never tells such a one. */
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
