/**
 * What a customer pays or gets for an amount, pure. The depth of the book is walked (BUY the asks,
 * SELL the bids), then fee, risk and margin are taken of what was walked:
 *
 *   BUY   total = notional + fee + risk + margin, risk and margin of notional + fee
 *   SELL  total = notional − fee − risk − margin, risk and margin of notional − fee
 *
 * Rounded to the quote asset's scale: notional up for BUY and down for SELL, the other parts up,
 * each from the rounded parts before it; the total is their sum. So no rounding favours the
 * customer, and a reader can add it up again. Quantities are in the base asset, prices, parts and
 * totals in the quote asset, taker_fee, risk and margin factors.
 */
import {
  divide,
  divideInteger,
  greatest,
  least,
  multiply,
  ONE,
  round,
  unitOf,
} from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'

export type Side = 'BUY' | 'SELL'
export type Level = { price: Decimal; quantity: Decimal }
export type Terms = { taker_fee: Decimal; risk: Decimal; margin: Decimal }
/** Parts and totals are rounded to the scale of the quote asset. */
type ScaledTerms = { terms: Terms; scale: number }

export type PriceParts = {
  amount: Decimal
  notional: Decimal
  fee: Decimal
  risk: Decimal
  margin: Decimal
  total: Decimal
}

/** What a side of the book can do within the guards. `complete`: all that was asked. */
type SidePrice = { priced: PriceParts; complete: boolean }

export const NOTHING: PriceParts = {
  amount: 0n,
  notional: 0n,
  fee: 0n,
  risk: 0n,
  margin: 0n,
  total: 0n,
}

/** Prices for display only: total or notional ÷ amount. */
const PRICE_DIGITS = 8

/**
 * The worst price a factor of slippage from the top allows, on the price step, rounded to the
 * house's side.
 */
export function worstPrice(
  side: Side,
  top: Decimal,
  slippage: Decimal,
  price_step: Decimal,
): Decimal {
  return side === 'BUY'
    ? greatest(top, toStep(multiply(top, ONE + slippage, 18, 'down'), price_step, 'down'))
    : least(top, toStep(multiply(top, ONE - slippage, 18, 'up'), price_step, 'up'))
}

/**
 * The books of a route's hops seen as one, in the route's base and quote asset, best first: hop 1's
 * base against the last hop's quote asset, each hop's quote being the next one's base. Prices are
 * rounded against the customer, quantities down.
 */
export function composeBook(side: Side, books: readonly (readonly Level[])[]): Level[] {
  const [first = [], ...more] = books
  return more.reduce<Level[]>((composed, next) => chain(side, composed, next), [...first])
}

function chain(side: Side, outer: readonly Level[], inner: readonly Level[]): Level[] {
  const levels: Level[] = []
  let [at, within] = [0, 0]
  let [base, shared] = [outer[0]?.quantity ?? 0n, inner[0]?.quantity ?? 0n]
  for (;;) {
    const [one, two] = [outer[at], inner[within]]
    if (one === undefined || two === undefined) return levels
    const needed = multiply(base, one.price, 18, 'up')
    const quantity = needed <= shared ? base : divide(shared, one.price, 18, 'down')
    if (quantity > 0n)
      levels.push({ price: multiply(one.price, two.price, 18, roundingOf(side)), quantity })
    // What rounding leaves of the level that bound is not offered.
    if (needed <= shared)
      [shared, at, base] = [shared - needed, at + 1, outer[at + 1]?.quantity ?? 0n]
    else [base, within, shared] = [base - quantity, within + 1, inner[within + 1]?.quantity ?? 0n]
  }
}

export function toStep(value: Decimal, step: Decimal, rounding: 'up' | 'down'): Decimal {
  return divideInteger(value, step, rounding) * step
}

/** The levels, best first, that are not worse than this price. */
export function levelsWithin(side: Side, levels: readonly Level[], worst: Decimal): Level[] {
  const end = levels.findIndex((level) =>
    side === 'BUY' ? level.price > worst : level.price < worst,
  )
  return end < 0 ? [...levels] : levels.slice(0, end)
}

export function depthOf(levels: readonly Level[]): Decimal {
  return levels.reduce((depth, level) => depth + level.quantity, 0n)
}

/**
 * Σ price × quantity of the best levels that make up the amount, rounded; undefined when they do
 * not hold it.
 */
export function walk(
  side: Side,
  levels: readonly Level[],
  amount: Decimal,
  scale: number,
): Decimal | undefined {
  let left = amount
  let product = 0n
  for (const level of levels) {
    if (left === 0n) break
    const taken = least(left, level.quantity)
    product += level.price * taken
    left -= taken
  }
  if (left > 0n) return undefined
  const unit = unitOf(scale)
  return divideInteger(product, ONE * unit, roundingOf(side)) * unit
}

const roundingOf = (side: Side) => (side === 'BUY' ? 'up' : 'down')

/** The parts and the total of a notional that is already rounded to the scale. */
export function priceNotional(
  side: Side,
  amount: Decimal,
  notional: Decimal,
  { terms, scale }: ScaledTerms,
): PriceParts {
  const fee = multiply(notional, terms.taker_fee, scale, 'up')
  const basis = side === 'BUY' ? notional + fee : greatest(0n, notional - fee)
  const risk = multiply(basis, terms.risk, scale, 'up')
  const margin = multiply(basis, terms.margin, scale, 'up')
  return {
    amount,
    notional,
    fee,
    risk,
    margin,
    total: side === 'BUY' ? notional + fee + risk + margin : notional - fee - risk - margin,
  }
}

/** undefined when the levels do not hold the amount. */
export function priceAmount(
  side: Side,
  levels: readonly Level[],
  amount: Decimal,
  { terms, scale }: ScaledTerms,
): PriceParts | undefined {
  const notional = walk(side, levels, amount, scale)
  return notional === undefined
    ? undefined
    : priceNotional(side, amount, notional, { terms, scale })
}

export type Limits = {
  scale: number
  amount_step: Decimal
  /** Of one execution, in the base asset; the depth binds too. */
  max_amount: Decimal
}
type LimitedTerms = { terms: Terms; limits: Limits }

/** The most that depth and limits allow, on the amount step. */
export function availableAmount(levels: readonly Level[], limits: Limits): Decimal {
  return toStep(least(depthOf(levels), limits.max_amount), limits.amount_step, 'down')
}

/** The amount asked, or as much of it as there is. */
export function sideForAmount(
  side: Side,
  levels: readonly Level[],
  amount: Decimal,
  { terms, limits }: LimitedTerms,
): SidePrice {
  const possible = least(amount, availableAmount(levels, limits))
  return {
    priced: priceAmount(side, levels, possible, { terms, scale: limits.scale }) ?? NOTHING,
    complete: possible === amount,
  }
}

/**
 * The volume asked, exactly, or what the depth gives of it. BUY: notional and fee take at most ⌊V ÷
 * (1 + margin)⌋, the rest is margin, risk is ignored. SELL: the least amount whose total reaches V;
 * what it gives beyond V is margin.
 */
export function sideForVolume(
  side: Side,
  levels: readonly Level[],
  volume: Decimal,
  { terms, limits }: LimitedTerms,
): SidePrice {
  return side === 'BUY'
    ? buyForVolume(levels, volume, terms, limits)
    : sellForVolume(levels, volume, terms, limits)
}

function buyForVolume(
  levels: readonly Level[],
  volume: Decimal,
  { taker_fee, margin }: Terms,
  limits: Limits,
): SidePrice {
  const { scale, amount_step } = limits
  const terms = { taker_fee, risk: 0n, margin }
  const budget = divide(volume, ONE + margin, scale, 'down')
  const at = (steps: bigint) =>
    priceAmount('BUY', levels, steps * amount_step, { terms, scale }) ?? NOTHING
  const cost = (priced: PriceParts) => priced.notional + priced.fee
  const most = availableAmount(levels, limits) / amount_step
  const steps = lastWhere(most, (candidate) => cost(at(candidate)) <= budget)
  const priced = at(steps)
  // At the end of the depth it is all that was asked only when not even one step more would have
  // fitted.
  const more = multiply(levels.at(-1)?.price ?? 0n, amount_step, scale, 'up')
  if (steps === most && budget - cost(priced) >= more) return { priced, complete: false }
  return { priced: { ...priced, margin: volume - cost(priced), total: volume }, complete: true }
}

function sellForVolume(
  levels: readonly Level[],
  volume: Decimal,
  terms: Terms,
  limits: Limits,
): SidePrice {
  const { scale, amount_step } = limits
  const at = (steps: bigint) =>
    priceAmount('SELL', levels, steps * amount_step, { terms, scale }) ?? NOTHING
  const most = availableAmount(levels, limits) / amount_step
  const below = lastWhere(most, (candidate) => at(candidate).total < volume)
  if (below === most) return { priced: at(most), complete: false }
  const priced = at(below + 1n)
  return {
    priced: { ...priced, margin: priced.margin + priced.total - volume, total: volume },
    complete: true,
  }
}

/**
 * The last of 0…most where `holds` is still true, when it is true up to some point and false after
 * it.
 */
function lastWhere(most: bigint, holds: (candidate: bigint) => boolean): bigint {
  let low = 0n
  let high = most
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    if (holds(middle)) low = middle
    else high = middle - 1n
  }
  return low
}

/**
 * The parts that belong to a filled share of a firm quote; the whole share gives exactly the quote.
 */
export function shareOf(
  side: Side,
  quoted: PriceParts,
  filled: Decimal,
  scale: number,
): PriceParts {
  if (filled === quoted.amount) return quoted
  const part = (value: Decimal, rounding: 'up' | 'down') =>
    divideInteger(value * filled, quoted.amount * unitOf(scale), rounding) * unitOf(scale)
  const notional = part(quoted.notional, roundingOf(side))
  const [fee, risk, margin] = [
    part(quoted.fee, 'up'),
    part(quoted.risk, 'up'),
    part(quoted.margin, 'up'),
  ]
  return {
    amount: filled,
    notional,
    fee,
    risk,
    margin,
    total: side === 'BUY' ? notional + fee + risk + margin : notional - fee - risk - margin,
  }
}

/**
 * What the venue really did, priced: the exact volume rounded to the scale in the house's favour,
 * then the parts.
 */
export function priceFilled(
  side: Side,
  amount: Decimal,
  volume: Decimal,
  { terms, scale }: ScaledTerms,
): PriceParts {
  return priceNotional(side, amount, round(volume, scale, roundingOf(side)), { terms, scale })
}

/** total ÷ amount (or notional ÷ amount), for display; undefined for nothing. */
export function displayPrice(side: Side, value: Decimal, amount: Decimal): Decimal | undefined {
  return amount === 0n ? undefined : divide(value, amount, PRICE_DIGITS, roundingOf(side))
}
