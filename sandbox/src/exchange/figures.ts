/**
 * Exact figures: bigint × 10^18, read from and written in the fixed-width notation of exchanges.
 */
import { UNIT as ONE, amount, cut, plain, tryAmount } from '../amount.ts'
import type { Amount } from '../amount.ts'

export type Figure = Amount

export { plain, amount as figure, cut as floored }

/** An unsigned plain decimal; undefined for anything else. */
export function tryFigure(text: string): Figure | undefined {
  return text.startsWith('-') ? undefined : tryAmount(text)
}

/** With exactly `digits` fraction digits, the rest cut off. */
export function fixed(value: Figure, digits: number): string {
  const sign = value < 0n ? '-' : ''
  const size = value < 0n ? -value : value
  const whole = size / ONE
  if (digits === 0) return `${sign}${whole}`
  return `${sign}${whole}.${(size % ONE).toString().padStart(18, '0').slice(0, digits)}`
}

export function stepOf(digits: number): Figure {
  return 10n ** BigInt(18 - digits)
}

/** a × b, the rest below `digits` cut off as exchanges do with costs; both not negative. */
export function product(a: Figure, b: Figure, digits: number): Figure {
  return cut((a * b) / ONE, digits)
}

/** a × b, rounded up to `digits`: what a hold must cover. */
export function productUp(a: Figure, b: Figure, digits: number): Figure {
  const divisor = ONE * stepOf(digits)
  return ((a * b + divisor - 1n) / divisor) * stepOf(digits)
}

/** a ÷ b, half up to `digits`; both positive. */
export function quotient(a: Figure, b: Figure, digits: number): Figure {
  const divisor = b * stepOf(digits)
  return ((a * ONE + divisor / 2n) / divisor) * stepOf(digits)
}

export function smaller(a: Figure, b: Figure): Figure {
  return a < b ? a : b
}
