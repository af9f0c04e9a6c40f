/**
 * Instant credit transfers in euros (EPC, SEPA Instant Credit Transfer rulebook): executed or
 * refused within seconds, at any hour of any day. Since 5 October 2025 the scheme has no greatest
 * amount; a bank may agree on one with its customer.
 */
import { ZERO, type Decimal } from '../../core/decimal.ts'
import { paymentLimits } from './currency.ts'
import { SEPA_INSTANT } from './fields.ts'
import { amountOf } from './options.ts'

export type InstantTerms = {
  /** What the bank charges for one by agreement: the estimate. */
  fee: Decimal
  /** The most that the bank sends at once. */
  maximum: Decimal
}

/**
 * From the options `instant`, `instant_fee` and `instant_maximum`; undefined where the bank has no
 * instant payments. Throws RangeError naming what is wrong.
 */
export function instantTerms(
  values: Record<string, string>,
  currency: string,
): InstantTerms | undefined {
  const instant = values['instant'] || 'false'
  if (instant !== 'true' && instant !== 'false')
    throw new RangeError(`the bank's instant must be true or false, not ${instant}`)
  if (instant === 'false') {
    const idle = ['instant_fee', 'instant_maximum'].find((name) => values[name])
    if (idle !== undefined) throw new RangeError(`the bank's ${idle} needs instant to be true`)
    return undefined
  }
  if (currency !== 'EUR')
    throw new RangeError(`instant payments are in EUR, and the bank account is in ${currency}`)
  const { minimum, maximum } = paymentLimits(currency)
  const limit = amountOf(values, 'instant_maximum', currency) ?? maximum
  if (limit < minimum || limit > maximum)
    throw new RangeError("the bank's instant_maximum is not an amount of a payment")
  return { fee: amountOf(values, 'instant_fee', currency) ?? ZERO, maximum: limit }
}

/** The least and the most that one payment by this protocol can be. */
export function limitsOf(
  { currency, instant }: { currency: string; instant: InstantTerms | null },
  protocol: string,
): ReturnType<typeof paymentLimits> {
  const limits = paymentLimits(currency)
  return protocol === SEPA_INSTANT && instant !== null
    ? { ...limits, maximum: instant.maximum }
    : limits
}
