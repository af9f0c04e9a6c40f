/**
 * What one unit of an asset was worth in another at the end of a day: over the pair, else its
 * inverse, else over the fewest pairs, three at most; of equally short paths the first by the codes
 * of its assets. No other day's price is used. Each step is rounded half-even to 18 decimals.
 *
 *     const price = (await dailyPrices(reader, workspace, day)).of('BTC', 'EUR')
 */
import { decimal, ONE } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import { columnsOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { LONGEST_PATH, over } from './conversion.ts'
import { PricePart, PRICE_TIMINGS } from './daily-prices.schema.ts'

type DayPrice = {
  price: Decimal
  /** The oldest price that it is made of; null: it is the currency, or a person entered one. */
  priced_at: number | null
  /** The last word of PRICE_TIMINGS among those it is made of; null: the asset is the currency. */
  timing: PricePart['timing'] | null
  /** In the order of the path. */
  parts: PricePart[]
}

/** Undefined where no prices of the day lead from one to the other. */
type DayPrices = { of(asset: string, currency: string): DayPrice | undefined }

/** All of a day (UTC). */
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

type Step = { to: string; inverse: boolean; part: PricePart }

function neighbours(parts: readonly PricePart[]): Map<string, Step[]> {
  const steps = new Map<string, Step[]>()
  const add = (from: string, step: Step) => {
    const others = steps.get(from) ?? []
    if (!others.some(({ to }) => to === step.to)) steps.set(from, [...others, step])
  }
  const along = (part: PricePart) =>
    add(part.base_asset, { to: part.quote_asset, inverse: false, part })
  const against = (part: PricePart) =>
    add(part.quote_asset, { to: part.base_asset, inverse: true, part })
  // What a person entered last counts first, in both directions; then venues, inverses last.
  for (const part of parts.filter(isEntered).toSorted(newestFirst)) {
    along(part)
    against(part)
  }
  const seen = parts.filter((part) => !isEntered(part))
  seen.forEach(along)
  seen.forEach(against)
  return steps
}

const isEntered = ({ venue_id }: PricePart): boolean => venue_id === null
/** Ids begin with their time. */
const newestFirst = (one: PricePart, other: PricePart): number => (one.id < other.id ? 1 : -1)

type Way = { at: string; price: Decimal; parts: PricePart[] }

/** Level by level, so that the first way found is one with the fewest pairs. */
function shortest(
  steps: ReadonlyMap<string, readonly Step[]>,
  asset: string,
  currency: string,
): DayPrice | undefined {
  let ways: Way[] = [{ at: asset, price: ONE, parts: [] }]
  const seen = new Set([asset])
  for (let pairs = 0; pairs <= LONGEST_PATH; pairs += 1) {
    const found = ways.find(({ at }) => at === currency)
    if (found !== undefined) return dayPrice(found)
    ways = ways.flatMap((way) => extend(way, steps.get(way.at) ?? [], seen))
  }
  return undefined
}

function extend(way: Way, steps: readonly Step[], seen: Set<string>): Way[] {
  return steps.flatMap(({ to, inverse, part }) => {
    if (seen.has(to)) return []
    const price = over(way.price, decimal(part.price), inverse)
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
