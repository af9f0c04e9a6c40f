/**
 * The rates of venues as they are now and what follows from them, computed again only when a market
 * has changed or a price has grown old.
 */
import type { Clock } from '../core/clock.ts'
import type { Decimal } from '../core/decimal.ts'
import { convert, indexRates } from './conversion.ts'
import type { Conversion, Rate } from './conversion.ts'
import { PRICE_FRESH_MILLISECONDS, priceOf } from './price-book.ts'
import type { Market, PriceBook } from './price-book.ts'

type CurrentRates = {
  rates: readonly Rate[]
  /** Undefined where no fresh price leads from one to the other. */
  conversion(from: string, to: string): Conversion | undefined
}

/** A day's volume and change may be this old. */
const DAY_FIGURES_FRESH_MILLISECONDS = 900_000
const MAXIMUM_KNOWN = 1_000

type CachedRates = CurrentRates & { revision: number; from: number; until: number }
const ratesCache = new WeakMap<PriceBook, Map<string, CachedRates>>()

export function ratesOf(
  { prices, clock }: { prices: PriceBook; clock: Clock },
  venue_ids: readonly string[],
): CurrentRates {
  const now = clock.now()
  const revision = prices.revision(venue_ids)
  const byVenues = ratesCache.get(prices) ?? new Map<string, CachedRates>()
  ratesCache.set(prices, byVenues)
  const key = venue_ids.join()
  const before = byVenues.get(key)
  if (before?.revision === revision && now >= before.from && now < before.until) return before
  const made = buildRates(prices.markets(venue_ids), now, revision)
  if (byVenues.size >= MAXIMUM_KNOWN) byVenues.clear()
  byVenues.set(key, made)
  return made
}

function buildRates(markets: readonly Market[], now: number, revision: number): CachedRates {
  const rates = markets.flatMap((market): Rate[] => {
    const price = priceOf(market, now)
    if (price === undefined || price.price <= 0n) return []
    const day =
      market.ticker !== undefined &&
      now - market.ticker.received_at <= DAY_FIGURES_FRESH_MILLISECONDS
        ? market.ticker
        : undefined
    return [
      {
        ...market.pair,
        ...price,
        volume: day?.volume_24h ?? null,
        change: day?.change_24h ?? null,
      },
    ]
  })
  const index = indexRates(rates)
  const conversions = new Map<string, Conversion | undefined>()
  return {
    rates,
    revision,
    from: now,
    until: Math.min(
      ...markets
        .flatMap(({ book, ticker }) => expiriesOf(book?.received_at, ticker?.received_at))
        .filter((end) => end > now),
      Number.MAX_SAFE_INTEGER,
    ),
    conversion(from, to) {
      const pair = `${from} ${to}`
      if (!conversions.has(pair)) conversions.set(pair, convert(index, from, to))
      return conversions.get(pair)
    },
  }
}

/** The first moments at which a price of then may no longer be used. */
function expiriesOf(book_at: number | undefined, ticker_at: number | undefined): number[] {
  const after = (at: number | undefined, milliseconds: number) =>
    at === undefined ? [] : [at + milliseconds + 1]
  return [
    ...after(book_at, PRICE_FRESH_MILLISECONDS),
    ...after(ticker_at, PRICE_FRESH_MILLISECONDS),
    ...after(ticker_at, DAY_FIGURES_FRESH_MILLISECONDS),
  ]
}

/**
 * The market-data reference by these venues: quote units per base unit; undefined when no fresh
 * price leads from one to the other.
 */
export function referencePrice(
  app: { prices: PriceBook; clock: Clock },
  venue_ids: readonly string[],
  base_asset: string,
  quote_asset: string,
): Decimal | undefined {
  return ratesOf(app, venue_ids).conversion(base_asset, quote_asset)?.price
}
