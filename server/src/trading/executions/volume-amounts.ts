/**
 * The amount with which a volume is reached (mode VOLUME), for all customers of an execution and
 * for each of them.
 */
import { divide, greatest, least, ONE, sum, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { allotByWeight } from '../pricing/positions.ts'
import { availableAmount, priceFilled, sideForVolume, toStep, walk } from '../pricing/pricing.ts'
import type { Side } from '../pricing/pricing.ts'
import type { Reach } from '../routes/market.ts'
import type { Grid } from '../routes/routes.ts'

/** `quantity`: the volume that the customer asks for. */
type VolumeShare = { quantity: Decimal; margin: Decimal; risk: Decimal }

type VolumeOrder = {
  side: Side
  shares: readonly VolumeShare[]
  reach: Reach
  grid: Grid
  taker_fee: Decimal
  base_scale: number
  quote_scale: number
}

/** `complete`: the market holds all of it. */
type VolumeAmounts = { amount: Decimal; amounts: Decimal[]; complete: boolean }

export const findAmounts = (order: VolumeOrder): VolumeAmounts =>
  order.side === 'BUY' ? amountsForBuy(order) : amountsForSell(order)

const volumeOf = ({ shares }: VolumeOrder): Decimal => sum(shares.map((share) => share.quantity))

const limitsOf = ({ grid: { amount_step, max_amount }, quote_scale }: VolumeOrder) => ({
  scale: quote_scale,
  amount_step,
  max_amount,
})

/** What the margin leaves of the volumes buys one amount for all. */
function amountsForBuy(order: VolumeOrder): VolumeAmounts {
  const { shares, reach, taker_fee, base_scale, quote_scale } = order
  const budgets = shares.map((share) =>
    divide(share.quantity, ONE + share.margin, quote_scale, 'down'),
  )
  const { priced, complete } = sideForVolume('BUY', reach.levels, sum(budgets), {
    terms: { taker_fee, risk: 0n, margin: 0n },
    limits: limitsOf(order),
  })
  const amounts = allotByWeight(priced.amount, budgets, unitOf(base_scale))
  return { amount: priced.amount, amounts, complete }
}

/** One amount for all: the least with which every customer's part brings what was asked for. */
function amountsForSell(order: VolumeOrder): VolumeAmounts {
  const { shares, reach, grid, taker_fee, base_scale } = order
  const weights = shares.map((share) =>
    divide(share.quantity, greatest(1n, ONE - share.risk - share.margin), 18, 'up'),
  )
  const amountsOf = (amount: Decimal) => allotByWeight(amount, weights, unitOf(base_scale))
  const risk = shares[0]?.risk ?? 0n
  const { priced, complete } = sideForVolume('SELL', reach.levels, volumeOf(order), {
    terms: { taker_fee, risk, margin: commonMargin(order, weights) },
    limits: limitsOf(order),
  })
  if (!complete || shares.length === 1)
    return { amount: priced.amount, amounts: amountsOf(priced.amount), complete }
  const most = availableAmount(reach.levels, limitsOf(order)) / grid.amount_step
  const { steps, enough } = leastSteps(priced.amount / grid.amount_step, most, (count) =>
    bringsVolumes(order, count * grid.amount_step, amountsOf),
  )
  const amount = steps * grid.amount_step
  return { amount, amounts: amountsOf(amount), complete: enough }
}

/** The one margin by which all customers together get what each gets by their own. */
function commonMargin(order: VolumeOrder, weights: readonly Decimal[]): Decimal {
  const [first, ...others] = order.shares
  if (others.length === 0) return first?.margin ?? 0n
  const kept = divide(volumeOf(order), sum(weights), 18, 'up')
  return greatest(0n, ONE - (first?.risk ?? 0n) - kept)
}

/** Whether each customer's part of this amount brings the volume that was asked for. */
function bringsVolumes(
  { shares, reach, taker_fee, quote_scale }: VolumeOrder,
  amount: Decimal,
  amountsOf: (amount: Decimal) => Decimal[],
): boolean {
  const notional = walk('SELL', reach.levels, amount, quote_scale) ?? 0n
  const volumes = allotByWeight(notional, amountsOf(amount), 1n)
  return shares.every(({ quantity, risk, margin }, index) => {
    const terms = { taker_fee, risk, margin }
    const { total } = priceFilled('SELL', 0n, volumes[index] ?? 0n, { terms, scale: quote_scale })
    return total >= quantity
  })
}

/**
 * The least number of steps that is enough, sought from `start` up to `most`. Rounding each part
 * may ask for a few cents more than rounding the whole.
 */
function leastSteps(
  start: bigint,
  most: bigint,
  isEnough: (steps: bigint) => boolean,
): { steps: bigint; enough: boolean } {
  let [low, high] = [0n, start]
  while (high < most && !isEnough(high))
    [low, high] = [high, least(most, high + 1n + (high - low) * 2n)]
  if (!isEnough(high)) return { steps: high, enough: false }
  while (low < high) {
    const middle = (low + high) / 2n
    if (isEnough(middle)) high = middle
    else low = middle + 1n
  }
  return { steps: high, enough: true }
}

/**
 * BUY: up to this price the volume covers notional and fee, whatever the market does until the
 * venue fills.
 */
export function coveredPrice(order: VolumeOrder, amount: Decimal): Decimal {
  const { reach, grid, taker_fee } = order
  const covered = divide(divide(volumeOf(order), ONE + taker_fee, 18, 'down'), amount, 18, 'down')
  return least(
    reach.worst,
    greatest(deepestFor(reach, amount), toStep(covered, grid.price_step, 'down')),
  )
}

/** The price of the last level that the amount takes of. */
function deepestFor(reach: Reach, amount: Decimal): Decimal {
  let depth = 0n
  for (const level of reach.levels) {
    depth += level.quantity
    if (depth >= amount) return level.price
  }
  return reach.worst
}
