/**
 * What one unit of an asset was worth in another at the end of a day: over the pair, else its
 * inverse, else over the fewest pairs, three at most. Nothing stands in for a price that is
 * missing. Products and quotients are rounded half-even to 18 decimals.
 *
 *     const price = await dailyPrice(reader, workspace, { asset: 'BTC', currency: 'EUR', day })
 */
import { decimal, divide, multiply, ONE } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import { columnsOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { PricePart, PRICE_TIMINGS } from './daily-prices.schema.ts'

const DIGITS = 18
const MOST_PAIRS = 3

type DayPrice = {
  price: Decimal
  /** The oldest price that it is made of; null: a person has entered one without a time. */
  priced_at: number | null
  /** The last word of PRICE_TIMINGS among those it is made of; null: the asset is the currency. */
  timing: PricePart['timing'] | null
  /** In the order of the path. */
  parts: PricePart[]
}

/** Undefined where no prices of the day lead from one to the other. */
type DayPrices = { of(asset: string, currency: string): DayPrice | undefined }

export async function dailyPrice(
  reader: Reader,
  workspace: WorkspaceId,
  { asset, currency, day }: { asset: string; currency: string; day: string },
): Promise<DayPrice | undefined> {
  return (await dailyPrices(reader, workspace, day)).of(asset, currency)
}

/** All of a day (UTC), for who values much by it. */
export async function dailyPrices(
  reader: Reader,
  workspace: WorkspaceId,
  day: string,
): Promise<DayPrices> {
  const pairs = neighbours(await partsOf(reader, workspace, day))
  const known = new Map<string, DayPrice | undefined>()
  return {
    of(asset, currency) {
      const key = `${asset} ${currency}`
      if (!known.has(key)) known.set(key, shortest(pairs, asset, currency))
      return known.get(key)
    },
  }
}

/** One price a pair: what was entered last, else the newest of venues, of the first venue. */
function partsOf(reader: Reader, workspace: WorkspaceId, day: string): Promise<PricePart[]> {
  return reader.query<PricePart>(sql`
    select distinct on (base_asset, quote_asset) ${columnsOf(PricePart)}
    from daily_prices
    where workspace = ${workspace}
      and day = ${day}
    order by base_asset, quote_asset, venue_id is not null,
      priced_at desc, case when venue_id is null then id end desc, venue_id`)
}

type Step = { to: string; factor: Decimal; part: PricePart }

function neighbours(parts: readonly PricePart[]): Map<string, Step[]> {
  const steps = new Map<string, Step[]>()
  const add = (from: string, step: Step) => {
    const others = steps.get(from) ?? []
    if (!others.some(({ to }) => to === step.to)) steps.set(from, [...others, step])
  }
  // What a person entered counts before any venue, whichever way round.
  for (const entered of [true, false]) {
    const some = parts.filter(({ venue_id }) => (venue_id === null) === entered)
    for (const part of some)
      add(part.base_asset, { to: part.quote_asset, factor: decimal(part.price), part })
    for (const part of some) {
      const factor = divide(ONE, decimal(part.price), DIGITS, 'half_even')
      add(part.quote_asset, { to: part.base_asset, factor, part })
    }
  }
  return steps
}

type Way = { at: string; price: Decimal; parts: PricePart[] }

/** Level by level, so that the first way found is one with the fewest pairs. */
function shortest(
  steps: ReadonlyMap<string, readonly Step[]>,
  asset: string,
  currency: string,
): DayPrice | undefined {
  let ways: Way[] = [{ at: asset, price: ONE, parts: [] }]
  const seen = new Set([asset])
  for (let pairs = 0; pairs <= MOST_PAIRS; pairs += 1) {
    const found = ways.find(({ at }) => at === currency)
    if (found !== undefined) return dayPrice(found)
    ways = ways.flatMap((way) => extend(way, steps.get(way.at) ?? [], seen))
  }
  return undefined
}

function extend(way: Way, steps: readonly Step[], seen: Set<string>): Way[] {
  return steps.flatMap(({ to, factor, part }) => {
    if (seen.has(to)) return []
    const price = multiply(way.price, factor, DIGITS, 'half_even')
    // A price too small for its digits leads nowhere.
    if (price === 0n) return []
    seen.add(to)
    return [{ at: to, price, parts: [...way.parts, part] }]
  })
}

/** Not known where one of them is not known. */
function oldestOf(times: readonly (number | null)[]): number | null {
  const known = times.filter((at) => at !== null)
  return known.length === 0 || known.length < times.length ? null : Math.min(...known)
}

function dayPrice({ price, parts }: Way): DayPrice {
  const ranks = parts.map(({ timing }) => PRICE_TIMINGS.indexOf(timing))
  return {
    price,
    priced_at: oldestOf(parts.map(({ priced_at }) => priced_at)),
    timing: PRICE_TIMINGS[Math.max(...ranks)] ?? null,
    parts,
  }
}
