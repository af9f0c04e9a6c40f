/**
 * The trades that a person states of an order, checked against the order, its market, and what is
 * booked already.
 */
import {
  absolute,
  decimal,
  divideInteger,
  format,
  FRACTION_DIGITS,
  multiply,
  sum,
  unitOf,
} from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { assetByCode } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { VenueFill } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import { hopsOf } from '../routes/routes.ts'
import { readStatedOutside } from './outside-fills.ts'
import type { ResolveExecutionBody, StatedFillBody } from './resolution.schema.ts'
import type { SentOrder } from './submissions.ts'

/** A price may lie this many times above or below. */
const FARTHEST = 2n
/** A venue rounds what a trade is paid with. */
const ROUNDED_PER_MILLION = 100n

type OfOrder = { execution: StoredExecution; order: SentOrder }

/** Throws SCALE, RANGE, CONFLICT, DUPLICATE, UNKNOWN_ASSET or ABOVE_MAXIMUM, with the path. */
export async function readStatedFills(
  app: TradingApp,
  of: OfOrder,
  { fills = [] }: ResolveExecutionBody,
): Promise<VenueFill[]> {
  const read = []
  for (const [index, fill] of fills.entries())
    read.push(await readFill(app, of, fill, `fills[${index}]`))
  const ids = read.map((fill) => fill.foreign_id)
  const twice = ids.findIndex((foreign_id, index) => ids.indexOf(foreign_id) !== index)
  if (twice >= 0)
    throw refuse('DUPLICATE', `fills[${twice}].foreign_id`, `trade ${ids[twice]} is named twice`)
  await assertUnknown(app, of, read)
  return read
}

async function readFill(
  app: TradingApp,
  { execution, order }: OfOrder,
  stated: StatedFillBody,
  path: string,
): Promise<VenueFill> {
  const { foreign_id, executed_at = order.sent_at } = stated
  const [price, quantity] = [decimal(stated.price), decimal(stated.quantity)]
  await assertStep(app, order, quantity, `${path}.quantity`)
  assertPrice(execution, order, price, `${path}.price`)
  const product = multiply(price, quantity, FRACTION_DIGITS, 'half_even')
  const volume = stated.volume === undefined ? product : decimal(stated.volume)
  const quoted = await assetByCode(app.db, order.workspace, order.quote_asset)
  const tolerance = (product * ROUNDED_PER_MILLION) / 1_000_000n + unitOf(quoted.scale)
  if (absolute(volume - product) > tolerance)
    throw refuse(
      'CONFLICT',
      `${path}.volume`,
      `${format(volume)} ${order.quote_asset} is not price × quantity: ${format(product)}`,
    )
  const fee = decimal(stated.fee)
  const fee_asset = stated.fee_asset ?? order.quote_asset
  await assetByCode(app.db, order.workspace, fee_asset, `${path}.fee_asset`)
  assertFee({ fee, fee_asset, volume, quantity }, order, `${path}.fee`)
  // Made again after a set-back, it may have been sent before it was made.
  const made_at = Math.min(order.system_created_at, order.sent_at)
  if (executed_at < made_at || executed_at > app.clock.now())
    throw refuse(
      'RANGE',
      `${path}.executed_at`,
      'the trade was made after the order was, and not in the future',
    )
  const liquidity = 'UNKNOWN' as const
  const traded = { price, quantity, volume, fee, fee_asset }
  return { foreign_id, ...traded, liquidity, executed_at, busted: false }
}

/** As the venue trades it; while its market is not known, as the asset is booked. */
async function assertStep(
  app: TradingApp,
  order: OrderRow,
  quantity: Decimal,
  path: string,
): Promise<void> {
  const pair = app.prices.market(order.venue_id, order)?.pair
  const { scale } = await assetByCode(app.db, order.workspace, order.base_asset)
  const step = pair?.amount_step ?? unitOf(scale)
  if (quantity % step !== 0n)
    throw refuse(
      'SCALE',
      path,
      `${format(quantity)} ${order.base_asset} is not a multiple of ${format(step)}`,
    )
}

/** Not beyond the order's limit, and near it or the top of the book when it was ordered. */
function assertPrice(
  execution: StoredExecution,
  order: OrderRow,
  price: Decimal,
  path: string,
): void {
  const limit = order.price === null ? undefined : decimal(order.price)
  const isBeyond = limit !== undefined && (order.side === 'BUY' ? price > limit : price < limit)
  if (isBeyond)
    throw refuse('RANGE', path, `${format(price)} is beyond the limit of the order, ${order.price}`)
  const { top_price } = execution
  const hasTop = top_price !== null && hopsOf(execution).length === 1
  const near = [limit, hasTop ? decimal(top_price) : undefined].filter(
    (reference) => reference !== undefined,
  )
  if (near.length === 0 || near.some((reference) => isNear(price, reference))) return
  throw refuse(
    'RANGE',
    path,
    `${format(price)} is far from what it was ordered at: ${near.map(format).join(', ')}`,
  )
}

const isNear = (price: Decimal, reference: Decimal): boolean =>
  price <= reference * FARTHEST && price >= divideInteger(reference, FARTHEST, 'up')

function assertFee(
  {
    fee,
    fee_asset,
    volume,
    quantity,
  }: Pick<VenueFill, 'fee' | 'fee_asset' | 'volume' | 'quantity'>,
  { quote_asset, base_asset }: OrderRow,
  path: string,
): void {
  const most = new Map([
    [base_asset, quantity],
    [quote_asset, volume],
  ]).get(fee_asset)
  if (most !== undefined && absolute(fee) > most)
    throw refuse(
      'ABOVE_MAXIMUM',
      path,
      `the ${fee < 0n ? 'rebate' : 'fee'} is more than was traded: ${format(most)} ${fee_asset}`,
    )
}

/** No other fill of the venue has one of these ids, except as one that the order takes over. */
async function assertUnknown(
  app: TradingApp,
  of: OfOrder,
  stated: readonly VenueFill[],
): Promise<void> {
  const { workspace, venue_id, base_asset, quote_asset, side } = of.order
  const outside = (await readStatedOutside(app, of, stated)).filter((own) => !own.busted)
  const taken = new Map(outside.map((own) => [own.foreign_id, own.amounts.quantity]))
  for (const [index, { foreign_id, quantity }] of stated.entries()) {
    const booked = taken.get(foreign_id) ?? quantity
    if (booked !== quantity)
      throw refuse(
        'CONFLICT',
        `fills[${index}].quantity`,
        `trade ${foreign_id} is booked with ${format(booked)}`,
      )
  }
  const ids = stated.map((fill) => fill.foreign_id)
  const [known] = await app.db.query<{ foreign_id: string }>(sql`
    select foreign_id
    from fills
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and foreign_id = any(${ids.filter((foreign_id) => !taken.has(foreign_id))}::text[])
      and base_asset = ${base_asset}
      and quote_asset = ${quote_asset}
      and side = ${side}
    limit 1`)
  if (known !== undefined)
    throw refuse(
      'DUPLICATE',
      `fills[${ids.indexOf(known.foreign_id)}].foreign_id`,
      `trade ${known.foreign_id} is booked already`,
    )
}

/** What is booked and what is stated are together what the stated outcome says. */
export function assertQuantity(
  { quantity, foreign_id }: OrderRow,
  { state }: Pick<ResolveExecutionBody, 'state'>,
  { booked, stated }: { booked: Decimal; stated: readonly VenueFill[] },
): void {
  const filled = booked + sum(stated.map((fill) => fill.quantity))
  const ordered = decimal(quantity)
  if (filled > ordered)
    throw refuse(
      'ABOVE_MAXIMUM',
      'fills',
      `the fills come to ${format(filled)}, the order is for ${quantity}`,
    )
  if (state === 'FILLED' && filled < ordered)
    throw refuse(
      'SUM_MISMATCH',
      'fills',
      `the order is for ${quantity}, the fills come to ${format(filled)}`,
    )
  if (state === 'CANCELED' && filled === ordered)
    throw refuse('SUM_MISMATCH', 'state', 'the order is filled in full: it is FILLED')
  if (state !== 'NEVER_PLACED') return
  if (filled > 0n)
    throw refuse('SUM_MISMATCH', 'fills', 'an order that was never placed has no fills')
  if (foreign_id !== null)
    throw refuse('CONFLICT', 'state', `the venue has named the order: it got it as ${foreign_id}`)
}
