/**
 * Exact decimals on bigint, scaled by 10^18: `1.5` is `1_500_000_000_000_000_000n`.
 * Add, subtract and compare with the plain operators; multiply and divide only with the
 * functions here, which name the scale and the direction of rounding.
 */
export type Decimal = bigint

export type Rounding = 'up' | 'down' | 'half_even'

export const FRACTION_DIGITS = 18
export const INTEGER_DIGITS = 20
export const ONE: Decimal = 10n ** 18n
export const ZERO: Decimal = 0n

const PLAIN = /^-?(0|[1-9][0-9]{0,19})(\.[0-9]{1,18})?$/
export const DECIMAL_PATTERN = PLAIN.source
const UNSIGNED = DECIMAL_PATTERN.replace('^-?', '')
export const NOT_NEGATIVE_PATTERN = `^${UNSIGNED}`
export const POSITIVE_PATTERN = `^(?!0(\\.0+)?$)${UNSIGNED}`

const POWERS: readonly bigint[] = Array.from(
  { length: FRACTION_DIGITS + 1 },
  (_, n) => 10n ** BigInt(n),
)

/**
 * Reads plain notation: no exponent, no `+`, at most 20 integer and 18 fraction digits. Undefined
 * for any other text.
 */
export function tryDecimal(text: string): Decimal | undefined {
  if (!PLAIN.test(text)) return undefined
  const negative = text.charCodeAt(0) === 45
  const digits = negative ? text.slice(1) : text
  const point = digits.indexOf('.')
  const scaled =
    point < 0
      ? BigInt(digits) * ONE
      : BigInt(digits.slice(0, point) + digits.slice(point + 1).padEnd(FRACTION_DIGITS, '0'))
  return negative ? -scaled : scaled
}

/**
 * Like `tryDecimal`, for text that must be a decimal: from our own database, or a validated
 * request. Throws RangeError.
 */
export function decimal(text: string): Decimal {
  const value = tryDecimal(text)
  if (value === undefined) throw new RangeError(`not a plain decimal: ${text.slice(0, 60)}`)
  return value
}

/** Plain notation without padding zeros. */
export function format(value: Decimal): string {
  const negative = value < 0n
  const magnitude = negative ? -value : value
  const whole = magnitude / ONE
  const fraction = magnitude % ONE
  const sign = negative ? '-' : ''
  if (fraction === 0n) return `${sign}${whole}`
  return `${sign}${whole}.${fraction.toString().padStart(FRACTION_DIGITS, '0').replace(/0+$/, '')}`
}

/**
 * Integer division with the named rounding; `up` is away from zero, `down` toward zero. The divisor
 * must not be 0.
 */
export function divideInteger(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const quotient = dividend / divisor
  const remainder = dividend % divisor
  if (remainder === 0n || rounding === 'down') return quotient
  const away = dividend < 0n === divisor < 0n ? 1n : -1n
  if (rounding === 'up') return quotient + away
  const twice = 2n * (remainder < 0n ? -remainder : remainder)
  const size = divisor < 0n ? -divisor : divisor
  if (twice > size || (twice === size && quotient % 2n !== 0n)) return quotient + away
  return quotient
}

/** The value rounded to `scale` fraction digits. */
export function round(value: Decimal, scale: number, rounding: Rounding): Decimal {
  const unit = unitOf(scale)
  return divideInteger(value, unit, rounding) * unit
}

/** a × b rounded to `scale` fraction digits in one step. */
export function multiply(a: Decimal, b: Decimal, scale: number, rounding: Rounding): Decimal {
  const unit = unitOf(scale)
  return divideInteger(a * b, ONE * unit, rounding) * unit
}

/** a ÷ b rounded to `scale` fraction digits in one step; b must not be 0. */
export function divide(a: Decimal, b: Decimal, scale: number, rounding: Rounding): Decimal {
  const unit = unitOf(scale)
  return divideInteger(a * ONE, b * unit, rounding) * unit
}

/** The smallest step at `scale` fraction digits: 0.01 for 2. */
export function unitOf(scale: number): Decimal {
  const unit = POWERS[FRACTION_DIGITS - scale]
  if (unit === undefined) throw new RangeError(`scale out of range: ${scale}`)
  return unit
}

/** How many fraction digits the value needs. */
export function scaleOf(value: Decimal): number {
  let scale = FRACTION_DIGITS
  while (scale > 0 && value % (POWERS[FRACTION_DIGITS - scale + 1] ?? ONE) === 0n) scale -= 1
  return scale
}

export function absolute(value: Decimal): Decimal {
  return value < 0n ? -value : value
}

export function least(a: Decimal, b: Decimal): Decimal {
  return a < b ? a : b
}

export function greatest(a: Decimal, b: Decimal): Decimal {
  return a > b ? a : b
}

export function sum(values: Iterable<Decimal>): Decimal {
  let total = 0n
  for (const value of values) total += value
  return total
}
