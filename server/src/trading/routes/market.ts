/**
 * What a route trades at now: the books of its hops as one market, and the guards that prices and
 * amounts of it must pass.
 */
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import {
  absolute,
  decimal,
  divide,
  format,
  greatest,
  multiply,
  ONE,
  sum,
} from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { marketState, referencePrice } from '../../market-data/index.ts'
import type { Market, PriceBook } from '../../market-data/index.ts'
import type { MarketPair, OrderBook } from '../../venues/index.ts'
import { composeBook, levelsWithin, toStep, worstPrice } from '../pricing/pricing.ts'
import type { Level, Side } from '../pricing/pricing.ts'
import { hopsOf } from './routes.ts'
import type { PricingBasis, Grid, RouteRow } from './routes.ts'

export type PricesNow = { prices: PriceBook; clock: Clock }

type FreshMarket = Market & { book: OrderBook }

/**
 * The markets of a route's hops as they are now, in the hops' order. Throws 3001 STALE_PRICE when
 * one's prices are missing or too old.
 */
function marketsOf({ prices, clock }: PricesNow, route: RouteRow): FreshMarket[] {
  return hopsOf(route).map((hop) => {
    const market = prices.market(hop.venue_id, hop)
    const state = marketState(market, clock.now())
    if (market?.book === undefined || state !== 'UP') {
      const over = route.hops.length > 1 ? ` for ${hop.base_asset}/${hop.quote_asset}` : ''
      const why = market?.lost === undefined ? '' : ` (${market.lost})`
      throw refuse(
        'STALE_PRICE',
        'route_id',
        `route ${route.label} has no fresh price${over}: it is ${state}${why}`,
      )
    }
    return { ...market, book: market.book }
  })
}

/** A route's hops seen as one market of its base and quote asset. */
export type RouteMarket = {
  pair: MarketPair
  book: { bids: Level[]; asks: Level[] }
  hops: FreshMarket[]
}

/** Throws 3001 STALE_PRICE. */
export function freshMarket(app: PricesNow, route: RouteRow): RouteMarket {
  const hops = marketsOf(app, route)
  const [first, ...more] = hops
  const { pair, book } = mustExist(first, `price-stream route ${route.label} has a hop`)
  if (more.length === 0) return { pair, book, hops }
  const { base_asset, quote_asset } = route
  return {
    hops,
    book: compositeBook(hops.map((hop) => hop.book)),
    // A price over several hops has no step of a venue; the route's holds.
    pair: {
      base_asset,
      quote_asset,
      price_step: 1n,
      amount_step: pair.amount_step,
      min_amount: leastThrough(hops),
      taker_fee: sum(hops.map((hop) => hop.pair.taker_fee)),
    },
  }
}

type CompositeBook = { books: readonly OrderBook[]; book: RouteMarket['book'] }
/** By the first hop's book: composed once until one of the books has changed. */
const composedBooks = new WeakMap<OrderBook, CompositeBook>()

function compositeBook(books: readonly OrderBook[]): RouteMarket['book'] {
  const first = mustExist(books[0], 'a route has a hop')
  const known = composedBooks.get(first)
  if (
    known !== undefined &&
    known.books.length === books.length &&
    known.books.every((book, index) => book === books[index])
  )
    return known.book
  const book = {
    bids: composeBook(
      'SELL',
      books.map((book) => book.bids),
    ),
    asks: composeBook(
      'BUY',
      books.map((book) => book.asks),
    ),
  }
  composedBooks.set(first, { books, book })
  return book
}

/**
 * A later hop still gets its least amount when the price before it falls by this before its order
 * goes out.
 */
const FALL = decimal('1.05')

/** The least amount of the base asset that is enough at every hop. */
function leastThrough(hops: readonly FreshMarket[]): Decimal {
  return hops.reduceRight((needed, { pair, book }, index) => {
    const bid = book.bids[0]?.price ?? ONE
    return index === hops.length - 1
      ? pair.min_amount
      : greatest(
          pair.min_amount,
          toStep(divide(multiply(needed, FALL, 18, 'up'), bid, 18, 'up'), pair.amount_step, 'up'),
        )
  }, 0n)
}

/**
 * Throws 3001 STALE_PRICE for prices of a route far from the reference; without a fresh price from
 * base to quote there is none.
 */
export function assertNearReference(
  app: PricesNow,
  { priced, settings }: Pick<PricingBasis, 'priced' | 'settings'>,
  route: RouteRow,
  prices: readonly Decimal[],
): void {
  const reference = referencePrice(app, priced, route.base_asset, route.quote_asset)
  if (reference === undefined) return
  const allowed = decimal(settings.reference_deviation)
  const far = multiply(reference, allowed, 18, 'down')
  const price = prices.find((price) => absolute(price - reference) > far)
  if (price !== undefined)
    throw refuse(
      'STALE_PRICE',
      'route_id',
      `the route's price ${format(price)} lies more than ${format(allowed)} ` +
        `from the reference ${format(reference)}`,
    )
}

export type Reach = { top: Decimal; worst: Decimal; levels: Level[] }

/** The levels of one side that the slippage guard allows; undefined when the side is empty. */
export function reachOf(
  side: Side,
  market: { book: { bids: Level[]; asks: Level[] } },
  slippage: Decimal,
  price_step: Decimal,
): Reach | undefined {
  const levels = side === 'BUY' ? market.book.asks : market.book.bids
  const top = levels[0]?.price
  if (top === undefined) return undefined
  const worst = worstPrice(side, top, slippage, price_step)
  return { top, worst, levels: levelsWithin(side, levels, worst) }
}

/** Throws SCALE, naming the step, for an amount off the grid, and BELOW_MINIMUM. */
export function assertOnGrid(amount: Decimal, grid: Grid, asset: string, path: string): void {
  const step = grid.amount_step
  if (toStep(amount, step, 'down') !== amount)
    throw refuse(
      'SCALE',
      path,
      `${path} ${format(amount)} is not a multiple of the step ${format(step)} ${asset}`,
    )
  if (amount < grid.min_amount)
    throw refuse(
      'BELOW_MINIMUM',
      path,
      `${path} ${format(amount)} is below the minimum ${format(grid.min_amount)} ${asset}`,
    )
}

/** Throws SCALE, naming the step. */
export function assertPriceOnStep(price: Decimal, grid: Grid): void {
  if (toStep(price, grid.price_step, 'down') !== price)
    throw refuse(
      'SCALE',
      'price',
      `price ${format(price)} is not a multiple of the step ${format(grid.price_step)}`,
    )
}
