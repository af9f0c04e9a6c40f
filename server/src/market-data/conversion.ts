/**
 * What one unit of an asset is worth in another, pure: over a direct pair, else its inverse, else
 * across up to three pairs on the path whose weakest pair has the largest 24 h volume. Among
 * several venues of one pair the volume decides too.
 */
import { divide, least, multiply, ONE } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'

/**
 * One pair at one venue: `price` quote units per base unit, `volume` in base units, `change` the
 * factor of 24 h; null: unknown.
 */
export type Rate = {
  base_asset: string
  quote_asset: string
  price: Decimal
  volume: Decimal | null
  change: Decimal | null
  at: number
}

/** `at` is the oldest price on the path; `change` null when one pair on it does not say. */
export type Conversion = {
  price: Decimal
  at: number
  change: Decimal | null
  volume: Decimal
  path: string[]
}

/** Rates by asset and by the asset at the other end. */
type Rates = ReadonlyMap<string, ReadonlyMap<string, readonly Rate[]>>

export const LONGEST_PATH = 3
const DIGITS = 18

/** A price carried over one more pair; `inverse`: against its direction. Rounded half-even. */
export const over = (before: Decimal, price: Decimal, inverse: boolean): Decimal =>
  inverse
    ? divide(before, price, DIGITS, 'half_even')
    : multiply(before, price, DIGITS, 'half_even')

export function indexRates(rates: readonly Rate[]): Rates {
  const index = new Map<string, Map<string, Rate[]>>()
  const add = (from: string, to: string, rate: Rate) => {
    const ends = index.get(from) ?? new Map<string, Rate[]>()
    index.set(from, ends)
    const known = ends.get(to)
    if (known === undefined) ends.set(to, [rate])
    else known.push(rate)
  }
  for (const rate of rates) {
    add(rate.base_asset, rate.quote_asset, rate)
    add(rate.quote_asset, rate.base_asset, rate)
  }
  return index
}

export function convert(rates: Rates, from: string, to: string): Conversion | undefined {
  const start: Conversion = {
    price: ONE,
    at: Number.MAX_SAFE_INTEGER,
    change: 0n,
    volume: 0n,
    path: [from],
  }
  if (from === to) return start
  const between = rates.get(from)?.get(to) ?? []
  const direct = between.filter((rate) => rate.base_asset === from)
  const one = best((direct.length > 0 ? direct : between).map((rate) => step(start, from, rate)))
  return one ?? best(extend({ rates, to }, start, LONGEST_PATH))
}

/** Every way to the goal that goes on from this conversion, over at most `pairs_left` pairs. */
function extend(
  goal: { rates: Rates; to: string },
  start: Conversion,
  pairs_left: number,
): Conversion[] {
  const { rates, to } = goal
  const here = start.path.at(-1) ?? to
  return [...(rates.get(here) ?? [])].flatMap(([next, between]) => {
    if (start.path.includes(next) || (next !== to && !reaches(rates, next, to, pairs_left - 1)))
      return []
    // A price too small for its digits leads nowhere.
    const steps = between
      .map((rate) => step(start, here, rate))
      .filter((conversion) => conversion.price > 0n)
    return next === to ? steps : steps.flatMap((longer) => extend(goal, longer, pairs_left - 1))
  })
}

/** False where the pairs that are left surely do not lead there. */
function reaches(rates: Rates, from: string, to: string, pairs_left: number): boolean {
  return pairs_left > 1 || (pairs_left === 1 && rates.get(from)?.has(to) === true)
}

/** Volumes along a path are compared in units of the asset it starts from. */
function step(before: Conversion, here: string, rate: Rate): Conversion {
  const inverse = rate.quote_asset === here
  const traded = rate.volume ?? 0n
  const volume = divide(
    inverse ? multiply(traded, rate.price, DIGITS, 'half_even') : traded,
    before.price,
    DIGITS,
    'half_even',
  )
  return {
    price: over(before.price, rate.price, inverse),
    at: Math.min(before.at, rate.at),
    change: changeAlong(before.change, rate.change, inverse),
    volume: before.path.length === 1 ? volume : least(before.volume, volume),
    path: [...before.path, inverse ? rate.base_asset : rate.quote_asset],
  }
}

/** Null for a change that no price can have made: down by everything or more. */
function changeAlong(
  before: Decimal | null,
  change: Decimal | null,
  inverse: boolean,
): Decimal | null {
  if (before === null || change === null || change <= -ONE) return null
  const factor = inverse ? divide(ONE, ONE + change, DIGITS, 'half_even') : ONE + change
  return multiply(ONE + before, factor, DIGITS, 'half_even') - ONE
}

function best(conversions: readonly Conversion[]): Conversion | undefined {
  return conversions
    .filter((conversion) => conversion.price > 0n)
    .reduce<Conversion | undefined>(
      (chosen, conversion) =>
        chosen === undefined || conversion.volume > chosen.volume ? conversion : chosen,
      undefined,
    )
}
