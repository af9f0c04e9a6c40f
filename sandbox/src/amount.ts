/**
 * Exact amounts of coins and money: in memory a bigint scaled by 10^18, in SQLite and on the wire
 * a plain decimal text.
 */

export type Amount = bigint

export const UNIT: Amount = 10n ** 18n

const PLAIN = /^-?[0-9]{1,20}(\.[0-9]{1,18})?$/

/** Reads plain notation. Undefined for exponents, `+`, blanks or more than 18 fraction digits. */
export function tryAmount(text: string): Amount | undefined {
  if (!PLAIN.test(text)) return undefined
  const negative = text.startsWith('-')
  const [whole = '0', fraction = ''] = (negative ? text.slice(1) : text).split('.')
  const scaled = BigInt(whole) * UNIT + BigInt(fraction.padEnd(18, '0'))
  return negative ? -scaled : scaled
}

/** Like `tryAmount`, for text that must be an amount. Throws RangeError. */
export function amount(text: string): Amount {
  const value = tryAmount(text)
  if (value === undefined) throw new RangeError(`not a plain decimal: ${text.slice(0, 60)}`)
  return value
}

/**
 * Plain notation. With `scale` it has exactly that many fraction digits; more are an error.
 */
export function plain(value: Amount, scale?: number): string {
  const magnitude = value < 0n ? -value : value
  const sign = value < 0n ? '-' : ''
  const fraction = (magnitude % UNIT).toString().padStart(18, '0').replace(/0+$/, '')
  if (scale !== undefined && fraction.length > scale)
    throw new RangeError(`${sign}${magnitude} has more than ${scale} fraction digits`)
  const shown = scale === undefined ? fraction : fraction.padEnd(scale, '0')
  return `${sign}${magnitude / UNIT}${shown === '' ? '' : `.${shown}`}`
}

/** The value cut (toward zero) to `scale` fraction digits. */
export function cut(value: Amount, scale: number): Amount {
  const step = 10n ** BigInt(18 - scale)
  return value - (value % step)
}

/** The value raised (away from zero) to `scale` fraction digits. */
export function raise(value: Amount, scale: number): Amount {
  const below = cut(value, scale)
  if (below === value) return value
  const step = 10n ** BigInt(18 - scale)
  return value > 0n ? below + step : below - step
}

/** Whether the value needs no more than `scale` fraction digits. */
export function fits(value: Amount, scale: number): boolean {
  return cut(value, scale) === value
}

/** a × b, cut to 18 fraction digits. */
export function times(a: Amount, b: Amount): Amount {
  return (a * b) / UNIT
}

/** a ÷ b, cut to 18 fraction digits; b must not be 0. */
export function over(a: Amount, b: Amount): Amount {
  return (a * UNIT) / b
}
