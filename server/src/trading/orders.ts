/**
 * The work on an execution: its open order is sent once and asked about until the venue has told its end.
 *
 *   intent (sent_at is committed) → send, outside any transaction → the answer is recorded
 *
 * Whatever happens in between, the next run finds sent_at set and asks the venue by our reference; only its certain
 * "never got it" lets the order go out again. Nothing is released while the outcome is unknown.
 */
import { decimal } from '../core/decimal.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { stepped } from '../core/failpoint.ts'
import { isFinal } from '../core/moves.ts'
import type { ListQuery } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import type { TaskHandler, TaskResult } from '../store/tasks.ts'
import type { Lookup, OrderReport, Trading, VenueOrder } from '../venues/index.ts'
import { EXECUTION_TASK, executionToWork } from './executions.ts'
import type { TradingApp, WorkedExecution } from './executions.ts'
import { applyReport, endOrder, FILL_COLUMNS, markUnknown } from './fills.ts'
import type { OrderRow, Work } from './fills.ts'
import { ORDER_MOVES } from './trading.schema.ts'
import type { Fill, Order } from './trading.schema.ts'

/** A sender that could not call the venue within this after its intent leaves the order to the next look. */
const SEND_WITHIN_MILLISECONDS = 5_000
/** No earlier is an absent order sent again: whoever meant to send it has given up by then. */
const SEND_AGAIN_MILLISECONDS = 15_000
/** An order at the market's price that could not go out by then is not wanted any more. A firm price is kept. */
const MARKET_ORDER_MILLISECONDS = 60_000
const LOOK_FIRST_MILLISECONDS = 250
const LOOK_LONGEST_MILLISECONDS = 10_000

const ORDER_COLUMNS = raw(`id, workspace, execution_id, hop_no, venue_id, service_id, symbol, side, type, tif_mode, price, quantity, volume, filled_quantity, average_price, state, reason_code, reason,
  client_order_id, foreign_id, sent_at, system_created_at, system_created_by, system_updated_at, system_updated_by, version`)

export function orderTasks(app: TradingApp): Record<string, TaskHandler> {
  return { [EXECUTION_TASK]: ({ workspace, subject_id }) => workExecution(app, workspace, subject_id) }
}

/** Brings the execution one step on; safe to run again at any time. Throws 2003 while the venue cannot be reached at all. */
export async function workExecution(app: TradingApp, workspace: string, id: string): Promise<TaskResult> {
  const execution = await executionToWork(app.db, workspace, id)
  const orders = await app.db.query<OrderRow>(sql`select ${ORDER_COLUMNS}, base_asset, quote_asset from execution_orders where workspace = ${workspace} and execution_id = ${id} order by id`)
  const order = orders.find((each) => !isFinal(ORDER_MOVES, each.state))
  if (order === undefined) return 'done'
  const unsent = { execution, order, orders: orders.length }
  if (order.sent_at === null && isTooLate(app, execution)) return giveUp(app, unsent)
  const { venue, adapter } = await app.venues.connected(workspace, order.venue_id)
  const { trading } = adapter
  if (trading === undefined) throw new ApiError('VenueUnreachable', `venue ${venue.label} takes no orders now`)
  const work: Work = { ...unsent, venue }
  return order.sent_at === null ? send(app, work, trading) : look(app, work, trading, order.sent_at)
}

function isTooLate(app: TradingApp, execution: WorkedExecution): boolean {
  return !execution.firm && app.clock.now() - execution.system_created_at > MARKET_ORDER_MILLISECONDS
}

async function giveUp(app: TradingApp, work: Omit<Work, 'venue'>): Promise<TaskResult> {
  await endOrder(app, work, { state: 'CANCELED', reason_code: 'VENUE_UNREACHABLE', reason: `the venue could not be reached within ${MARKET_ORDER_MILLISECONDS / 1000} s` })
  return 'done'
}

async function send(app: TradingApp, work: Work, trading: Trading): Promise<TaskResult> {
  const { execution, order } = work
  const sent_at = app.clock.now()
  const [intended] = await stepped('execution.intent', execution.id, () => app.db.query<{ version: number }>(sql`
    update execution_orders set sent_at = ${sent_at}, state = 'PENDING_NEW', version = version + 1, system_updated_at = ${sent_at}, system_updated_by = 'trading'
    where workspace = ${execution.workspace} and id = ${order.id} and version = ${order.version} returning version`))
  // Another worker was faster: its intent is the one that counts.
  if (intended === undefined || app.clock.now() - sent_at > SEND_WITHIN_MILLISECONDS) return { again_at: sent_at + LOOK_FIRST_MILLISECONDS }
  const meant: Work = { ...work, order: { ...order, sent_at, state: 'PENDING_NEW', version: intended.version } }
  const answer = await stepped('execution.send', execution.id, () => trading.send(orderOf(order)))
  return stepped('execution.record', execution.id, async () => {
    if (answer.outcome === 'accepted') return record(app, meant, answer.report)
    if (answer.outcome === 'unknown') {
      await markUnknown(app, meant, answer.reason)
      return lookAgain(app, sent_at)
    }
    await endOrder(app, meant, { state: 'REJECTED', reason_code: 'REFUSED_BY_VENUE', reason: answer.native === null ? answer.reason : `${answer.reason} (${answer.native})` })
    return 'done'
  })
}

function orderOf(order: OrderRow): VenueOrder {
  return {
    client_order_id: order.client_order_id, base_asset: order.base_asset, quote_asset: order.quote_asset, side: order.side, type: order.type,
    price: order.price === null ? null : decimal(order.price), quantity: decimal(order.quantity), tif_mode: order.tif_mode, expires_at: null,
  }
}

async function record(app: TradingApp, work: Work, report: OrderReport): Promise<TaskResult> {
  const standing = await applyReport(app, work, report)
  if (standing === 'ended') return 'done'
  // The order of a firm price may have ended with a next one behind it.
  return isFinal(ORDER_MOVES, report.state) ? { again_at: app.clock.now() } : lookAgain(app, work.order.sent_at ?? app.clock.now())
}

async function look(app: TradingApp, work: Work, trading: Trading, sent_at: number): Promise<TaskResult> {
  const { execution, order } = work
  const found = await stepped('execution.find', execution.id, () => ask(trading, { ...orderOf(order), foreign_id: order.foreign_id, sent_at }))
  return stepped('execution.found', execution.id, async () => {
    if (found.lookup === 'found') return record(app, work, found.report)
    // An order that the venue has named is there; that it cannot be read now puts nothing in doubt.
    if (found.lookup === 'unknown' && order.foreign_id !== null) return lookAgain(app, sent_at)
    if (found.lookup === 'unknown' || order.foreign_id !== null) {
      await markUnknown(app, work, found.lookup === 'unknown' ? found.reason : 'the venue does not know its own order any more')
      return lookAgain(app, sent_at)
    }
    if (app.clock.now() - sent_at < SEND_AGAIN_MILLISECONDS) return lookAgain(app, sent_at)
    return isTooLate(app, execution) ? giveUp(app, work) : send(app, work, trading)
  })
}

async function ask(trading: Trading, lookup: Parameters<Trading['find']>[0]): Promise<Lookup<OrderReport>> {
  try {
    return await trading.find(lookup)
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'VenueUnreachable') return { lookup: 'unknown', reason: error.message }
    throw error
  }
}

/** The longer an order is under way the rarer it is asked about. */
function lookAgain(app: TradingApp, sent_at: number): TaskResult {
  const now = app.clock.now()
  return { again_at: now + Math.min(LOOK_LONGEST_MILLISECONDS, Math.max(LOOK_FIRST_MILLISECONDS, Math.floor((now - sent_at) / 4))) }
}

// ---------------------------------------------------------------- reading

async function assertExecution(reader: Reader, workspace: string, id: string): Promise<void> {
  if (only(await reader.query(sql`select 1 from executions where workspace = ${workspace} and id = ${id}`)) === undefined) throw notFound('execution', id, 'execution_id')
}

/** Throws 4004. */
export async function listOrders(reader: Reader, workspace: string, execution_id: string): Promise<ListQuery<Order>> {
  await assertExecution(reader, workspace, execution_id)
  return { select: sql`select ${ORDER_COLUMNS} from execution_orders`, conditions: [sql`workspace = ${workspace}`, sql`execution_id = ${execution_id}`], key: { column: 'id', type: 'uuid' } }
}

/** Throws 4004. */
export async function listFills(reader: Reader, workspace: string, execution_id: string): Promise<ListQuery<Fill>> {
  await assertExecution(reader, workspace, execution_id)
  return { select: sql`select ${FILL_COLUMNS} from fills`, conditions: [sql`workspace = ${workspace}`, sql`execution_id = ${execution_id}`], key: { column: 'id', type: 'uuid' } }
}
