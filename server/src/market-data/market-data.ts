import { format, multiply, ONE, round, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { Clock } from '../core/clock.ts'
import { assetByCode, assetsOf } from '../ledger/index.ts'
import type { Asset } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'
import type { VenueRecord } from '../venues/index.ts'
import { convert } from './conversion.ts'
import type { Conversion, Rate } from './conversion.ts'
import type { PriceDetails, Prices } from './market-data.schema.ts'
import { priceOf } from './price-book.ts'
import type { PriceBook } from './price-book.ts'

export type MarketDataApp = {
  db: Db
  clock: Clock
  prices: PriceBook
  venues: { list(workspace: string): Promise<VenueRecord[]> }
}

const PRICE_DIGITS = 12

/** The fresh rates of all venues of the workspace. */
async function ratesOf(app: MarketDataApp, workspace: string): Promise<Rate[]> {
  const venues = await app.venues.list(workspace)
  return ratesAt(app, venues.map((venue) => venue.id))
}

function ratesAt({ prices, clock }: Pick<MarketDataApp, 'prices' | 'clock'>, venue_ids: readonly string[]): Rate[] {
  const now = clock.now()
  return prices.markets(venue_ids).flatMap((market): Rate[] => {
    const seen = priceOf(market, now)
    if (seen === undefined || seen.price <= 0n) return []
    return [{ ...market.pair, price: seen.price, at: seen.at, volume: market.ticker?.volume_24h ?? 0n, change: market.ticker?.change_24h ?? null }]
  })
}

/** The market-data reference by these venues: quote units per base unit; undefined when no fresh price leads from one to the other. */
export function referencePrice(app: Pick<MarketDataApp, 'prices' | 'clock'>, venue_ids: readonly string[], base_asset: string, quote_asset: string): Decimal | undefined {
  return convert(ratesAt(app, venue_ids), base_asset, quote_asset)?.price
}

type Converted = { target: Asset; assets: Asset[]; rates: Rate[]; found: Map<string, Conversion>; answer: Prices }

/** Throws 3001 UNKNOWN_ASSET for the target or a listed asset that is not configured. Without a list: all assets. */
async function convertAll(app: MarketDataApp, workspace: string, target_code: string, codes: readonly string[] | undefined): Promise<Converted> {
  const target = await assetByCode(app.db, workspace, target_code)
  const assets = codes === undefined
    ? [...(await assetsOf(app.db, workspace)).values()]
    : await Promise.all([...new Set(codes)].map((code) => assetByCode(app.db, workspace, code, 'assets')))
  const rates = await ratesOf(app, workspace)
  const now = app.clock.now()
  const found = new Map(assets.flatMap(({ code }) => {
    const conversion = convert(rates, code, target.code)
    return conversion === undefined ? [] : [[code, conversion] as const]
  }))
  const answer: Prices = {
    prices: mapped(found, ({ price }) => format(round(price, PRICE_DIGITS, 'half_even'))),
    ages: mapped(found, ({ at }) => Math.max(0, now - Math.min(at, now))),
    stale: assets.map(({ code }) => code).filter((code) => !found.has(code)),
    timestamp: now,
  }
  return { target, assets, rates, found, answer }
}

function mapped<T, U>(found: Map<string, T>, value: (each: T, key: string) => U | undefined): Record<string, U> {
  return Object.fromEntries([...found].flatMap(([key, each]) => {
    const result = value(each, key)
    return result === undefined ? [] : [[key, result]]
  }))
}

export async function pricesIn(app: MarketDataApp, workspace: string, target: string, assets: readonly string[] | undefined): Promise<Prices> {
  return (await convertAll(app, workspace, target, assets)).answer
}

/** Volume and market cap are in the target asset; what the venues do not say is left out. */
export async function detailsIn(app: MarketDataApp, workspace: string, target_code: string, codes: readonly string[] | undefined): Promise<PriceDetails> {
  const { target, assets, rates, found, answer } = await convertAll(app, workspace, target_code, codes)
  const supplies = new Map(assets.map((asset) => [asset.code, asset.circulating_supply]))
  const inTarget = (price: Decimal, quantity: Decimal) => format(multiply(quantity, price, target.scale, 'half_even'))
  return {
    ...answer,
    market_cap: mapped(found, ({ price }, code) => {
      const supply = supplies.get(code) ?? null
      return supply === null ? undefined : inTarget(price, BigInt(supply) * ONE)
    }),
    '24h_volume': mapped(found, ({ price }, code) => {
      const traded = rates.filter((rate) => rate.base_asset === code || rate.quote_asset === code)
      return traded.length === 0 ? undefined : inTarget(price, sum(traded.map((rate) => (rate.base_asset === code ? rate.volume : multiply(rate.volume, rate.price, 18, 'half_even')))))
    }),
    '24h_change': mapped(found, ({ change }) => (change === null ? undefined : format(round(change, PRICE_DIGITS, 'half_even')))),
  }
}
