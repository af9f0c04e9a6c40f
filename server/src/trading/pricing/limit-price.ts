/**
 * The price at which a LIMIT order stands at its venue: the customer's price has everything inside,
 * the venue's has no fee, risk or margin in it.
 */
import { divide, greatest, INTEGER_DIGITS, multiply, ONE, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { priceNotional, toStep } from './pricing.ts'
import type { Side, Terms } from './pricing.ts'

/**
 * At most this many cents are looked at one by one. What the parts leave beyond, where they take
 * nearly all, costs no more than two of them.
 */
const MOST_CENTS = 1_000
/** No price has more integer digits. */
const PRICE_LIMIT: Decimal = 10n ** BigInt(INTEGER_DIGITS) * ONE

/**
 * The worst price at the venue, on its step, at which a LIMIT order of this amount keeps the
 * customer's all-in price: filled there or better, its total is at most (BUY), at least (SELL)
 * `customer_price` × amount. undefined: the parts leave no room for one.
 */
export function venueLimitPrice(
  side: Side,
  customer_price: Decimal,
  terms: Terms,
  order: { price_step: Decimal; amount: Decimal; scale: number },
): Decimal | undefined {
  const { price_step, amount, scale } = order
  const toward = side === 'BUY' ? 'down' : 'up'
  const target = multiply(customer_price, amount, scale, toward)
  const notional = farthestNotional(side, target, terms, { amount, scale })
  if (notional === undefined) return undefined
  const price = toStep(divide(notional, amount, 18, toward), price_step, toward)
  return price > 0n && price < PRICE_LIMIT ? price : undefined
}

/**
 * From the notional at which even the worst rounding of every part keeps the target, cent by cent
 * to the last that does.
 */
function farthestNotional(
  side: Side,
  target: Decimal,
  terms: Terms,
  { amount, scale }: { amount: Decimal; scale: number },
): Decimal | undefined {
  const unit = unitOf(scale)
  const total = (notional: Decimal) => priceNotional(side, amount, notional, { terms, scale }).total
  const parts = ONE + (side === 'BUY' ? terms.risk + terms.margin : -terms.risk - terms.margin)
  if (parts <= 0n) return undefined
  if (side === 'BUY') {
    const basis = divide(target - 2n * unit, parts, 18, 'down') - unit
    let notional = greatest(0n, divide(basis, ONE + terms.taker_fee, scale, 'down') - unit)
    for (let cents = 0; cents < MOST_CENTS && total(notional + unit) <= target; cents += 1)
      notional += unit
    return notional
  }
  const basis = divide(target + 2n * unit, parts, 18, 'up') + unit
  let notional = divide(basis, ONE - terms.taker_fee, scale, 'up') + unit
  for (
    let cents = 0;
    cents < MOST_CENTS && notional > 0n && total(notional - unit) >= target;
    cents += 1
  )
    notional -= unit
  return notional
}
