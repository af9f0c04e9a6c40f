/**
 * What a venue's report of one of our orders changes, in one commit: the new fills, what they book, the hold they take
 * from, and the states of order and execution. A fill is booked once (venue, order, trade id). The report is a fact:
 * late fills after a final state are booked too.
 */
import { present } from '../core/assert.ts'
import { decimal, divide, format, greatest, least, ONE, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { Json } from '../core/json.ts'
import { newId } from '../core/ids.ts'
import { canMove, isFinal, statesOf } from '../core/moves.ts'
import { assetByCode, holdsOf, houseAccounts, venueAccounts } from '../ledger/index.ts'
import type { Change, EventDraft, EventOf, Guard, LedgerStep } from '../ledger/index.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { OrderReport, OrderState, VenueFill, VenueRecord } from '../venues/index.ts'
import { fillBookings, positionOf } from './bookings.ts'
import type { Filled, Position, Pricing } from './bookings.ts'
import { insertOrder } from './executions.ts'
import type { ShareRow, TradingApp, WorkedExecution } from './executions.ts'
import { displayPrice } from './pricing.ts'
import { pricedOf, quoteById } from './quotes.ts'
import { createdBy, insertRow } from './rows.ts'
import { EXECUTION_MOVES, ORDER_MOVES } from './trading.schema.ts'
import type { ExecutionState, Fill, Order } from './trading.schema.ts'

export type OrderRow = Order & { base_asset: string; quote_asset: string }

export const WORKER = 'trading'
/** A firm price is hedged by at most so many orders, one after the other for what is left. */
const MAXIMUM_ORDERS = 5
const SLIPPAGE_DIGITS = 8

export const FILL_COLUMNS = raw(`id, workspace, execution_id, order_id, hop_no, service_id, venue_id, symbol, base_asset, quote_asset, side, price, quantity, volume, fee, fee_asset, liquidity, foreign_id,
  executed_at, busted, settlement_id, settlement_state, system_created_at, system_created_by, system_updated_at, system_updated_by, version`)

/** Where the order and its execution stand after a report. */
export type Standing = 'open' | 'ended'

export type Work = { execution: WorkedExecution; order: OrderRow; orders: number; venue: Pick<VenueRecord, 'id' | 'settlement'> }

/** Why an order ended without the venue's report: it refused it, or it never got it. */
export type Ending = { state: 'REJECTED' | 'CANCELED'; reason_code: string; reason: string }

type Traded = Pick<Fill, 'order_id' | 'foreign_id' | 'quantity' | 'volume' | 'fee' | 'fee_asset'>

export async function applyReport(app: TradingApp, work: Work, report: OrderReport): Promise<Standing> {
  const { execution, order, venue } = work
  const { workspace } = execution
  const before = await app.db.query<Traded>(sql`select order_id, foreign_id, quantity, volume, fee, fee_asset from fills where workspace = ${workspace} and execution_id = ${execution.id} order by id`)
  const known = new Set(before.filter((fill) => fill.order_id === order.id).map((fill) => fill.foreign_id))
  const reported = new Map(report.fills.map((fill) => [fill.foreign_id, fill]))
  const now = app.clock.now()
  const fresh = [...reported.values()].filter((fill) => !known.has(fill.foreign_id)).map((fill) => fillOf(work, fill, now))
  const all = [...before, ...fresh]
  const ofOrder = all.filter((fill) => fill.order_id === order.id)
  const quantity = sum(ofOrder.map((fill) => decimal(fill.quantity)))
  // A final state counts once the venue shows every fill behind it.
  const listed = quantity >= report.filled_quantity
  const state = stateAfter(order.state, isFinal(ORDER_MOVES, report.state) && !listed ? (quantity > 0n ? 'PARTIALLY_FILLED' : order.state) : report.state)
  if (fresh.length === 0 && state === order.state && report.foreign_id === order.foreign_id) return isFinal(ORDER_MOVES, state) ? 'ended' : 'open'
  const volume = sum(ofOrder.map((fill) => decimal(fill.volume)))
  const rows = [
    ...fresh.map((fill) => insertRow('fills', fill)),
    sql`update execution_orders set foreign_id = ${report.foreign_id}, filled_quantity = ${format(quantity)}, volume = ${format(volume)}, average_price = ${priceText(order.side, volume, quantity)},
      reason = coalesce(${report.reason}, reason) where workspace = ${workspace} and id = ${order.id}`,
  ]
  const end = isFinal(ORDER_MOVES, state) && !isFinal(ORDER_MOVES, order.state) ? { state, reason_code: null, reason: report.reason } : undefined
  return commit(app, work, { state, rows, end, before: filledBy(before), after: filledBy(all), prefunded: venue.settlement === 'PREFUNDED' })
}

/** For an order of which it is certain that nothing was and nothing will be filled. */
export async function endOrder(app: TradingApp, work: Omit<Work, 'venue'>, end: Ending): Promise<void> {
  const { execution, order } = work
  const fills = await app.db.query<Traded>(sql`select order_id, foreign_id, quantity, volume, fee, fee_asset from fills where workspace = ${execution.workspace} and execution_id = ${execution.id}`)
  const filled = filledBy(fills)
  const rows = [sql`update execution_orders set reason_code = ${end.reason_code}, reason = ${end.reason} where workspace = ${execution.workspace} and id = ${order.id}`]
  await commit(app, work, { state: end.state, rows, end, before: filled, after: filled, prefunded: true })
}

/** The venue's answer was not observed: order and execution are UNKNOWN until the venue tells. */
export async function markUnknown(app: TradingApp, { execution, order }: Work, reason: string): Promise<void> {
  if (order.state === 'UNKNOWN') return
  const asked = canMove(EXECUTION_MOVES, execution.state, 'UNKNOWN')
  const { workspace } = execution
  await app.lane.commit({
    workspace, class: 'fact', by: WORKER,
    guards: [orderGuard(order, 'UNKNOWN'), executionGuard(execution, asked ? 'UNKNOWN' : undefined)],
    rows: [sql`update execution_orders set reason = ${reason.slice(0, 500)} where workspace = ${workspace} and id = ${order.id}`],
    events: [{ type: 'execution.unobserved', resource_id: execution.id, data: { state: 'UNKNOWN', order_id: order.id, reason } }],
  })
}

function stateAfter(state: OrderState, reported: OrderState): OrderState {
  // A repeated or overtaken report moves nothing.
  return canMove(ORDER_MOVES, state, reported) ? reported : state
}

const orderGuard = (order: OrderRow, to: OrderState): Guard => ({ table: 'execution_orders', resource: 'order', id: order.id, from: [order.state], version: order.version, ...(to === order.state ? {} : { to }) })

function executionGuard(execution: WorkedExecution, to: ExecutionState | undefined): Guard {
  return { table: 'executions', resource: 'execution', id: execution.id, from: statesOf(EXECUTION_MOVES), version: execution.version, ...(to === undefined ? {} : { to }) }
}

type FillRow = Fill & Record<string, string | number | boolean | null>

function fillOf({ execution, order, venue }: Work, fill: VenueFill, now: number): FillRow {
  return {
    id: newId(), workspace: execution.workspace, execution_id: execution.id, order_id: order.id, hop_no: order.hop_no, service_id: order.service_id, venue_id: order.venue_id, symbol: order.symbol,
    base_asset: order.base_asset, quote_asset: order.quote_asset, side: order.side, price: format(fill.price), quantity: format(fill.quantity), volume: format(fill.volume), fee: format(fill.fee),
    fee_asset: fill.fee_asset, liquidity: fill.liquidity, foreign_id: fill.foreign_id, executed_at: fill.executed_at, busted: fill.busted, settlement_id: null, settlement_state: venue.settlement === 'PREFUNDED' ? 'SETTLED' : 'UNSETTLED',
    ...createdBy(WORKER, now),
  }
}

function filledBy(fills: readonly Traded[]): Filled {
  const fees = new Map<string, Decimal>()
  for (const fill of fills) fees.set(fill.fee_asset, (fees.get(fill.fee_asset) ?? 0n) + decimal(fill.fee))
  return { amount: sum(fills.map((fill) => decimal(fill.quantity))), volume: sum(fills.map((fill) => decimal(fill.volume))), fees }
}

function priceText(side: 'BUY' | 'SELL', volume: Decimal, quantity: Decimal): string | null {
  const price = displayPrice(side, volume, quantity)
  return price === undefined ? null : format(price)
}

type Outcome = { state: OrderState; rows: Query[]; end: { state: OrderState; reason_code: string | null; reason: string | null } | undefined; before: Filled; after: Filled; prefunded: boolean }

async function commit(app: TradingApp, work: Omit<Work, 'venue'>, { state, rows, end, before, after, prefunded }: Outcome): Promise<Standing> {
  const { execution, order } = work
  const { workspace, id } = execution
  const now = app.clock.now()
  const share = present(execution.shares[0], 'an execution has a customer')
  const pricing = await pricingOf(app, execution, share)
  const positions = { before: positionOf(pricing, before), after: positionOf(pricing, after) }
  const left = decimal(execution.amount) - after.amount
  const again = end !== undefined && execution.firm && left > 0n && end.state !== 'REJECTED' && work.orders < MAXIMUM_ORDERS
  const next = nextState(execution, state, end, again, left)
  const ended = next !== undefined && isFinal(EXECUTION_MOVES, next.state)
  const filledNow = after.amount > before.amount
  const change: Change = {
    workspace, class: 'fact', by: WORKER,
    guards: [orderGuard(order, state), executionGuard(execution, next?.state)],
    ledger: await ledgerSteps(app, work, share, pricing, positions, { prefunded, ended }),
    rows: [
      ...rows,
      executionUpdate(execution, pricing, positions.after, ended ? now : undefined, next),
      sql`update execution_customers set filled_amount = ${format(positions.after.base)}, filled_volume = ${format(positions.after.total)} where workspace = ${workspace} and execution_id = ${id} and customer_no = ${share.customer_no}`,
      ...(again ? [insertOrder(workspace, id, { symbol: order.symbol, side: order.side, type: order.type, tif_mode: order.tif_mode, price: order.price, quantity: format(left), hop: order }, WORKER, now)] : []),
    ],
    events: eventsOf(execution, pricing, positions.after, filledNow, next),
  }
  await app.lane.commit(change)
  return ended ? 'ended' : 'open'
}

/** undefined: the execution stays what it is. */
function nextState(execution: WorkedExecution, state: OrderState, end: Outcome['end'], again: boolean, left: Decimal): { state: ExecutionState; reason_code: string | null; reason: string | null } | undefined {
  const move = (to: ExecutionState, reason_code: string | null, reason: string | null) => (canMove(EXECUTION_MOVES, execution.state, to) ? { state: to, reason_code, reason } : undefined)
  if (end === undefined || again) return state === 'UNKNOWN' ? move('UNKNOWN', null, null) : move('PROCESSING', null, null)
  if (left <= 0n) return move('DONE', null, null)
  const nothing = left === decimal(execution.amount)
  if (nothing && end.state === 'REJECTED') return move('FAILED', end.reason_code ?? 'REFUSED_BY_VENUE', end.reason ?? 'the venue refused the order')
  return move(nothing && end.reason_code !== null ? 'FAILED' : 'CANCELED', end.reason_code ?? 'NO_LIQUIDITY', end.reason ?? `${format(left)} ${execution.base_asset} could not be had at the price`)
}

async function pricingOf(app: TradingApp, execution: WorkedExecution, share: ShareRow): Promise<Pricing> {
  const { workspace, side, base_asset, quote_asset } = execution
  const [base, quote] = [await assetByCode(app.db, workspace, base_asset), await assetByCode(app.db, workspace, quote_asset)]
  const accepted = execution.firm ? await quoteById(app.db, workspace, present(execution.quote_id, 'a firm execution has its quote')) : undefined
  return {
    side, base_asset, quote_asset, base_scale: base.scale, quote_scale: quote.scale,
    terms: { taker_fee: decimal(execution.taker_fee), risk: decimal(share.risk), margin: decimal(share.margin) },
    firm: accepted === undefined ? undefined : pricedOf(side, side === 'BUY' ? accepted.buy : accepted.sell),
  }
}

/** What the fills take of the hold, what they book, and at the end what is left of the hold. */
async function ledgerSteps(app: TradingApp, { execution, order }: Omit<Work, 'venue'>, share: ShareRow, pricing: Pricing, { before, after }: { before: Position; after: Position }, { prefunded, ended }: { prefunded: boolean; ended: boolean }): Promise<LedgerStep[]> {
  const { workspace, id } = execution
  const hold = present((await holdsOf(app.db, workspace, id)).find((each) => each.id === share.hold_id), 'an execution has its hold')
  const given = pricing.side === 'BUY' ? after.total - before.total : after.base - before.base
  const captured = greatest(0n, least(given, hold.remaining))
  const steps: LedgerStep[] = captured === 0n ? [] : [{ step: 'capture', hold_id: hold.id, quantity: captured }]
  if (after.filled.amount !== before.filled.amount) {
    const house = await houseAccounts(app.db, workspace)
    const { VENUE, TRADING } = await venueAccounts(app.db, workspace, order.venue_id)
    const accounts = { ...house, VENUE, TRADING, CUSTOMER: share.account_id }
    const bookings = fillBookings({ execution_id: id, schema: share.booking_schema, prefunded, pricing, accounts, before, after })
    steps.push(...bookings.map((booking): LedgerStep => ({ step: 'book', booking })))
  }
  if (ended && hold.remaining > captured) steps.push({ step: 'release', hold_id: hold.id })
  return steps
}

function executionUpdate(execution: WorkedExecution, { side }: Pricing, position: Position, completed_at: number | undefined, next: ReturnType<typeof nextState>): Query {
  const { amount, volume } = position.filled
  return sql`update executions set filled_amount = ${format(amount)}, filled_volume = ${format(volume)}, average_price = ${priceText(side, volume, amount)}, customer_price = ${priceText(side, position.total, amount)},
    fee = ${format(position.charged)}, slippage = ${slippageOf(execution, volume, amount)}, reason_code = ${next?.reason_code ?? execution.reason_code}, reason = ${next?.reason ?? execution.reason},
    completed_at = ${completed_at ?? execution.completed_at} where workspace = ${execution.workspace} and id = ${execution.id}`
}

/** Positive: worse than the top of the book was. */
function slippageOf({ top_price, side }: WorkedExecution, volume: Decimal, amount: Decimal): string | null {
  if (top_price === null || amount === 0n) return null
  const top = decimal(top_price)
  const factor = divide(divide(volume, amount, 18, 'half_even'), top, SLIPPAGE_DIGITS, 'half_even') - ONE
  return format(side === 'BUY' ? factor : -factor)
}

/** What is told when an execution comes to this state. */
const EVENT_OF: Readonly<Partial<Record<ExecutionState, EventOf<'execution'>>>> = {
  PROCESSING: 'resumed', UNKNOWN: 'unobserved', DONE: 'done', CANCELED: 'canceled', EXPIRED: 'expired', FAILED: 'failed',
}

function eventsOf(execution: WorkedExecution, { side }: Pricing, position: Position, filledNow: boolean, next: ReturnType<typeof nextState>): EventDraft[] {
  const { amount, volume } = position.filled
  const late = isFinal(EXECUTION_MOVES, execution.state)
  const state = next?.state ?? execution.state
  const data: Json = {
    state, reason_code: next?.reason_code ?? execution.reason_code, reason: next?.reason ?? execution.reason, symbol: execution.symbol, side, amount: execution.amount, client_ref: execution.client_ref,
    filled_amount: format(amount), filled_volume: format(volume), average_price: priceText(side, volume, amount), customers: execution.shares.map((share) => ({ customer_id: share.customer_id, filled_amount: format(position.base), filled_volume: format(position.total) })),
  }
  const event = (type: EventOf<'execution'>): EventDraft => ({ type: `execution.${type}`, resource_id: execution.id, data })
  return [
    ...(filledNow ? [event(late ? 'filled_late' : 'filled')] : []),
    ...(next !== undefined && next.state !== execution.state ? [event(present(EVENT_OF[next.state], `coming to ${next.state} is told`))] : []),
  ]
}

