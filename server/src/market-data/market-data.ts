import { format, multiply, ONE, round, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { Clock } from '../core/clock.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { shortCache } from '../core/short-cache.ts'
import type { ShortCache } from '../core/short-cache.ts'
import { assetIn, assetsOf } from '../ledger/index.ts'
import type { Asset, Assets } from '../ledger/index.ts'
import type { Caller } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import type { VenueRecord } from '../venues/index.ts'
import type { Conversion, Rate } from './conversion.ts'
import type { PriceDetails, Prices } from './market-data.schema.ts'
import type { PriceBook } from './price-book.ts'
import { ratesOf } from './rates.ts'
import { suppliesOf } from './supplies.ts'
import type { KnownSupply } from './supplies.ts'

export type MarketDataApp = {
  db: Db
  clock: Clock
  prices: PriceBook
  venues: { list(workspace: WorkspaceId): Promise<VenueRecord[]> }
}

const PRICE_DIGITS = 12
const VENUES_FRESH_MILLISECONDS = 2_000

/** The venues of a workspace change rarely and every price asks for them. */
const venuesCache = new WeakMap<PriceBook, ShortCache<string[]>>()

function venueIds(
  { prices, venues }: MarketDataApp,
  workspace: WorkspaceId,
): string[] | Promise<string[]> {
  const cached = venuesCache.get(prices)
  if (cached !== undefined) return cached.get(workspace)
  const cache = shortCache(VENUES_FRESH_MILLISECONDS, async (workspace: WorkspaceId) =>
    (await venues.list(workspace)).map((venue) => venue.id),
  )
  venuesCache.set(prices, cache)
  return cache.get(workspace)
}

/** What an answer is made of: the assets, the venues, the state of the markets, and the time. */
type PricesKey = { allAssets: Assets; venue_ids: readonly string[]; revision: number; now: number }

/** At once when assets and venues are known. */
function pricesKey(app: MarketDataApp, workspace: WorkspaceId): PricesKey | Promise<PricesKey> {
  const [allAssets, venue_ids] = [assetsOf(app.db, workspace), venueIds(app, workspace)]
  const keyOf = (assets: Assets, venues: string[]): PricesKey => ({
    allAssets: assets,
    venue_ids: venues,
    revision: app.prices.revision(venues),
    now: app.clock.now(),
  })
  if (allAssets instanceof Promise || venue_ids instanceof Promise)
    return Promise.all([allAssets, venue_ids]).then(([assets, venues]) => keyOf(assets, venues))
  return keyOf(allAssets, venue_ids)
}

type ConvertedPrices = {
  target: Asset
  assets: Asset[]
  rates: readonly Rate[]
  conversions: Map<string, Conversion>
  answer: Prices
}

/**
 * Throws 3001 UNKNOWN_ASSET for the target or a listed asset that is not configured. Without a
 * list: all assets.
 */
function convertAll(
  app: MarketDataApp,
  { allAssets, venue_ids, now }: PricesKey,
  target_code: string,
  codes: readonly string[] | undefined,
): ConvertedPrices {
  const target = assetIn(allAssets, target_code)
  const assets =
    codes === undefined
      ? [...allAssets.values()]
      : [...new Set(codes)].map((code) => assetIn(allAssets, code, 'assets'))
  const { rates, conversion: conversionOf } = ratesOf(app, venue_ids)
  const conversions = new Map(
    assets.flatMap(({ code }) => {
      const one = conversionOf(code, target.code)
      return one === undefined ? [] : [[code, one] as const]
    }),
  )
  const answer: Prices = {
    prices: mapValues(conversions, priceText),
    ages: mapValues(conversions, ({ at }) => ageOf(now, at)),
    stale: assets.map(({ code }) => code).filter((code) => !conversions.has(code)),
    timestamp: now,
  }
  return { target, assets, rates, conversions, answer }
}

const texts = new WeakMap<Conversion, string>()

/** Rates stay for many answers, which differ in their ages. */
function priceText(conversion: Conversion): string {
  const cached = texts.get(conversion)
  if (cached !== undefined) return cached
  const text = format(round(conversion.price, PRICE_DIGITS, 'half_even'))
  texts.set(conversion, text)
  return text
}

const ageOf = (now: number, at: number): number => Math.max(0, now - Math.min(at, now))

function mapValues<T, U>(
  items: ReadonlyMap<string, T>,
  valueOf: (item: T, key: string) => U | undefined,
): Record<string, U> {
  return Object.fromEntries(
    [...items].flatMap(([key, item]) => {
      const result = valueOf(item, key)
      return result === undefined ? [] : [[key, result]]
    }),
  )
}

/**
 * By workspace, what was answered at its last moment; when anything that answers are made of
 * differs, they are made anew.
 */
const answerCache = new WeakMap<
  PriceBook,
  Map<string, PricesKey & { answers: Map<string, Prices> }>
>()

/** Prices of these assets in the target; without codes those of all assets. */
type PricesRequest = { target: string; codes: readonly string[] | undefined }

/**
 * Callers who ask for the same at the same moment get the same answer, which is frozen; at once
 * when nothing has to be read.
 */
export function pricesIn(
  { workspace }: Caller,
  app: MarketDataApp,
  target: string,
  codes: readonly string[] | undefined,
): Prices | Promise<Prices> {
  const key = pricesKey(app, workspace)
  return key instanceof Promise
    ? key.then((resolved) => pricesAt(app, workspace, resolved, { target, codes }))
    : pricesAt(app, workspace, key, { target, codes })
}

function pricesAt(
  app: MarketDataApp,
  workspace: WorkspaceId,
  now: PricesKey,
  { target, codes }: PricesRequest,
): Prices {
  let byWorkspace = answerCache.get(app.prices)
  if (byWorkspace === undefined) answerCache.set(app.prices, (byWorkspace = new Map()))
  let last = byWorkspace.get(workspace)
  if (last === undefined || !isSameKey(last, now))
    byWorkspace.set(workspace, (last = { ...now, answers: new Map() }))
  const key = codes === undefined ? target : `${target} ${codes.join()}`
  const before = last.answers.get(key)
  if (before !== undefined) return before
  const { answer } = convertAll(app, now, target, codes)
  last.answers.set(key, Object.freeze(answer))
  return answer
}

function isSameKey(one: PricesKey, other: PricesKey): boolean {
  return (
    one.now === other.now &&
    one.revision === other.revision &&
    one.allAssets === other.allAssets &&
    one.venue_ids === other.venue_ids
  )
}

/**
 * Volume and market cap are in the target asset; what the venues and the aggregator do not say is
 * left out.
 */
export async function detailsIn(
  { workspace }: Caller,
  app: MarketDataApp,
  target_code: string,
  codes: readonly string[] | undefined,
): Promise<PriceDetails> {
  const { target, assets, rates, conversions, answer } = convertAll(
    app,
    await pricesKey(app, workspace),
    target_code,
    codes,
  )
  const stored = await suppliesOf(app.db, workspace, answer.timestamp)
  const supplies = new Map(assets.map((asset) => [asset.code, supplyOf(asset, stored)]))
  const inTarget = (price: Decimal, quantity: Decimal) =>
    format(multiply(quantity, price, target.scale, 'half_even'))
  const market_cap = mapValues(conversions, ({ price }, code) => {
    const supply = supplies.get(code)
    return supply === undefined ? undefined : inTarget(price, supply.quantity)
  })
  return {
    ...answer,
    market_cap,
    market_cap_ages: mapValues(supplies, (supply, code) =>
      supply?.told_at === undefined || market_cap[code] === undefined
        ? undefined
        : ageOf(answer.timestamp, supply.told_at),
    ),
    market_cap_stale: assets
      .filter(({ code, kind }) => kind === 'CRYPTO' && market_cap[code] === undefined)
      .map(({ code }) => code),
    '24h_volume': mapValues(conversions, ({ price }, code) => {
      const traded = rates.flatMap((rate) => volumeIn(rate, code))
      return traded.length === 0 ? undefined : inTarget(price, sum(traded))
    }),
    '24h_change': mapValues(conversions, ({ change }) =>
      change === null ? undefined : format(round(change, PRICE_DIGITS, 'half_even')),
    ),
  }
}

/** The traded quantity of the asset on this pair, in its own units. */
function volumeIn({ base_asset, quote_asset, volume, price }: Rate, code: string): Decimal[] {
  if (volume === null || (base_asset !== code && quote_asset !== code)) return []
  return [base_asset === code ? volume : multiply(volume, price, 18, 'half_even')]
}

/**
 * What the aggregator reported where it is asked for the asset, else what the configuration
 * declares, which has no age.
 */
function supplyOf(
  { code, circulating_supply }: Asset,
  reports: ReadonlyMap<string, KnownSupply>,
): { quantity: Decimal; told_at: number | undefined } | undefined {
  if (reports.has(code)) return reports.get(code)
  return circulating_supply === null
    ? undefined
    : { quantity: BigInt(circulating_supply) * ONE, told_at: undefined }
}
