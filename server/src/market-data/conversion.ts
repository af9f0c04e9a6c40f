/**
 * What one unit of an asset is worth in another, pure: over a direct pair, else its inverse, else across up to three
 * pairs on the path whose weakest pair has the largest 24 h volume. Among several venues of one pair the volume decides too.
 */
import { absolute, divide, least, multiply, ONE } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'

/** One pair at one venue: `price` quote units per base unit, `volume` in base units, `change` the factor of 24 h. */
export type Rate = { base_asset: string; quote_asset: string; price: Decimal; volume: Decimal; change: Decimal | null; at: number }

/** `at` is the oldest price on the path; `change` null when one pair on it does not say. */
export type Conversion = { price: Decimal; at: number; change: Decimal | null; volume: Decimal; path: string[] }

const LONGEST_PATH = 3
const DIGITS = 18

export function convert(rates: readonly Rate[], from: string, to: string): Conversion | undefined {
  const start: Conversion = { price: ONE, at: Number.MAX_SAFE_INTEGER, change: 0n, volume: 0n, path: [from] }
  if (from === to) return start
  const direct = best(rates.filter((rate) => rate.base_asset === from && rate.quote_asset === to).map((rate) => step(start, rate, false)))
  if (direct !== undefined) return direct
  const inverse = best(rates.filter((rate) => rate.quote_asset === from && rate.base_asset === to).map((rate) => step(start, rate, true)))
  if (inverse !== undefined) return inverse
  return best(paths(rates, start, to))
}

function paths(rates: readonly Rate[], so_far: Conversion, to: string): Conversion[] {
  const here = so_far.path.at(-1)
  if (here === to) return [so_far]
  if (so_far.path.length > LONGEST_PATH) return []
  return rates.flatMap((rate) => {
    const inverse = rate.quote_asset === here
    if (!inverse && rate.base_asset !== here) return []
    const next = inverse ? rate.base_asset : rate.quote_asset
    return so_far.path.includes(next) ? [] : paths(rates, step(so_far, rate, inverse), to)
  })
}

/** Volumes along a path are compared in units of the asset it starts from. */
function step(so_far: Conversion, rate: Rate, inverse: boolean): Conversion {
  const volume = divide(inverse ? multiply(rate.volume, rate.price, DIGITS, 'half_even') : rate.volume, so_far.price, DIGITS, 'half_even')
  return {
    price: inverse ? divide(so_far.price, rate.price, DIGITS, 'half_even') : multiply(so_far.price, rate.price, DIGITS, 'half_even'),
    at: Math.min(so_far.at, rate.at),
    change: changeAlong(so_far.change, rate.change, inverse),
    volume: so_far.path.length === 1 ? volume : least(so_far.volume, volume),
    path: [...so_far.path, inverse ? rate.base_asset : rate.quote_asset],
  }
}

function changeAlong(before: Decimal | null, change: Decimal | null, inverse: boolean): Decimal | null {
  if (before === null || change === null || absolute(change) >= ONE) return null
  const factor = inverse ? divide(ONE, ONE + change, DIGITS, 'half_even') : ONE + change
  return multiply(ONE + before, factor, DIGITS, 'half_even') - ONE
}

function best(conversions: readonly Conversion[]): Conversion | undefined {
  return conversions.filter((each) => each.price > 0n).reduce<Conversion | undefined>((chosen, each) => (chosen === undefined || each.volume > chosen.volume ? each : chosen), undefined)
}
