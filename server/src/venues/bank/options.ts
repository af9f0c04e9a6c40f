/** The options of a configuration, as named texts. */
import { scaleOf, tryDecimal, ZERO, type Decimal } from '../../core/decimal.ts'
import { decimalsOf } from './currency.ts'

/** Throws RangeError naming what is missing. */
export function mustHaveText(values: Record<string, string>, name: string): string {
  const value = values[name]
  if (value === undefined || value === '')
    throw new RangeError(`the bank's configuration lacks ${name}`)
  return value
}

/** An amount of the currency, not below 0; undefined where it is not given. Throws RangeError. */
export function amountOf(
  values: Record<string, string>,
  name: string,
  currency: string,
): Decimal | undefined {
  const text = values[name]
  if (!text) return undefined
  const amount = tryDecimal(text)
  const decimals = decimalsOf(currency)
  if (amount === undefined || amount < ZERO || scaleOf(amount) > decimals)
    throw new RangeError(
      `the bank's ${name} must be an amount of ${currency} with at most ${decimals} decimals`,
    )
  return amount
}
