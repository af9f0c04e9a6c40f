/**
 * What open orders mean for the comparison, pure. A young order may be filled at this moment. Where
 * it is known how much of an asset that can move, this counts as in flight. Otherwise the asset is
 * not compared meanwhile, and the report says so.
 */
import { decimal, multiply, ONE } from '../../core/decimal.ts'
import type { InFlightOrder } from '../../trading/index.ts'
import type { Position } from './reconciliation.schema.ts'
import type { MovingPart } from './wallet-lines.ts'

/** An older order that still differs from its venue is a break. */
const ORDER_SETTLES_MILLISECONDS = 600_000
const DIGITS = 18

/** Those that may be filled at this moment. */
export const youngOrders = (orders: readonly InFlightOrder[], now: number): InFlightOrder[] =>
  orders.filter((order) => now - order.since < ORDER_SETTLES_MILLISECONDS)

/** What these orders can move at most of an asset, as far as that is known. */
export const partsOf = (orders: readonly InFlightOrder[], asset: string): MovingPart[] =>
  orders.flatMap((order) => partOf(order, asset) ?? [])

/** Why and until when this asset is not compared; null where it is. */
export function notCompared(
  orders: readonly InFlightOrder[],
  asset: string,
): Position['not_compared'] {
  const last = orders
    .filter((order) => partOf(order, asset) === undefined)
    .toSorted((one, other) => one.since - other.since)
    .at(-1)
  if (last === undefined) return null
  return {
    order_id: last.id,
    reason:
      `order ${last.id} is open and may be filled at this moment, ` +
      `for an amount of ${asset} that is not known before`,
    until: last.since + ORDER_SETTLES_MILLISECONDS,
  }
}

/**
 * Undefined where nobody knows: what a sale brings, because it may be filled above its price, and
 * what a purchase without a price costs. What it costs contains up to twice the expected fee.
 */
function partOf(
  { side, price, base_asset, ...order }: InFlightOrder,
  asset: string,
): MovingPart | undefined {
  const rest = decimal(order.rest)
  if (asset === base_asset)
    return side === 'BUY'
      ? { low: 0n, high: rest, wallet: null }
      : { low: -rest, high: 0n, wallet: null }
  if (side === 'SELL' || price === null) return undefined
  const cost = multiply(rest, decimal(price), DIGITS, 'up')
  const fee = ONE + 2n * decimal(order.taker_fee)
  return { low: -multiply(cost, fee, DIGITS, 'up'), high: 0n, wallet: null }
}
