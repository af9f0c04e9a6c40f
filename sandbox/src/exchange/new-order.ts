/** An order as the client asks for it, and why it may be refused. */
import type { Owner } from './accounts.ts'
import { floored, product } from './figures.ts'
import type { Figure } from './figures.ts'
import type { Side, TimeInForce } from './orders.ts'
import type { Pair } from './rules.ts'
import { requiredHold } from './settlement.ts'
import type { Books, Fill } from './settlement.ts'

export type NewOrder = {
  owner: Owner
  pair: Pair
  side: Side
  type: 'market' | 'limit'
  tif: TimeInForce
  expires_at: number | null
  price: Figure
  volume: Figure
  cl_ord_id: string | null
  userref: number | null
}

/**
 * TICK: the price is not a multiple of the step. STEP: the volume is not. MINIMUM, COST: too small.
 * REFERENCE: an open order has the same reference. FUNDS: more than is free.
 */
export type Objection = 'TICK' | 'STEP' | 'MINIMUM' | 'COST' | 'REFERENCE' | 'FUNDS'

/** Undefined for an order that can be placed. `fills`: what would fill now. */
export function objectionTo(
  { rules, orders, accounts }: Books,
  order: NewOrder,
  fills: readonly Fill[],
): Objection | undefined {
  const { pair, price, volume, cl_ord_id } = order
  if (order.type === 'limit' && floored(price, pair.pair_decimals) !== price) return 'TICK'
  if (floored(volume, pair.lot_decimals) !== volume) return 'STEP'
  if (volume < pair.ordermin) return 'MINIMUM'
  const reference = order.type === 'limit' ? price : fills[0]?.resting.price
  if (reference !== undefined && product(reference, volume, 18) < pair.costmin) return 'COST'
  if (rules.unique_references && cl_ord_id !== null && orders.open({ cl_ord_id }).length > 0)
    return 'REFERENCE'
  return isAffordable({ rules, accounts }, order, fills) ? undefined : 'FUNDS'
}

function isAffordable(
  { rules, accounts }: Pick<Books, 'rules' | 'accounts'>,
  order: NewOrder,
  fills: readonly Fill[],
): boolean {
  const { pair, owner, side, price, volume } = order
  if (side === 'sell') return accounts.free(owner, pair.base.id) >= volume
  const free = accounts.free(owner, pair.quote.id)
  if (order.type === 'limit')
    return free >= requiredHold(rules, pair, { side, price, remaining: volume })
  const digits = pair.quote.decimals
  const needed = fills.reduce((sum, { resting, quantity }) => {
    const cost = product(resting.price, quantity, digits)
    return (
      sum + cost + (rules.fee_of_received === true ? 0n : product(cost, rules.taker_fee, digits))
    )
  }, 0n)
  return free >= needed
}
