/**
 * What is stored of an order around the calls to its venue: the intent before a call, that the
 * venue cannot be reached, and that its answer was not observed. Each is written at the version
 * that was read.
 */
import { canMove, move } from '../../core/moves.ts'
import { updateGuardedRow, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { TradingApp } from '../app.ts'
import { ORDERS } from '../executions/rows.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import { UNREACHED } from '../executions/stuck.ts'
import { EXECUTION_MOVES, ORDER_MOVES } from '../states.ts'
import { executionGuard, orderGuard } from './guards.ts'
import { WORKER } from './trades.ts'

const MAXIMUM_REASON = 500

export type SentOrder = OrderRow & { sent_at: number }

type Update = Parameters<typeof updateRow<OrderRow>>[1]
/** `unless` holds: it is not changed. */
type Change = Pick<Update, 'set' | 'move'> & { unless?: Query }

/** The new version, or undefined when the order was changed meanwhile. */
async function update(
  app: TradingApp,
  { workspace, id, version }: OrderRow,
  { unless = sql`false`, ...change }: Change,
  now: number,
): Promise<number | undefined> {
  const where = { workspace, id, version }
  const [written] = await app.db.query<{ version: number }>(sql`
    ${updateRow(ORDERS, { where, ...change, by: WORKER, now })}
      and not ${unless}
    returning version`)
  return written?.version
}

/**
 * Stores the intent to send, before the call, and seals the history. What is to be canceled is not
 * sent.
 */
export async function markSubmitted(
  app: TradingApp,
  order: OrderRow,
  { sent_at, sent_over }: { sent_at: number; sent_over: string | null },
): Promise<SentOrder | undefined> {
  const state = 'PENDING_NEW'
  const set = {
    sent_at,
    sent_over,
    reason_code: null,
    reason: order.reason_code === UNREACHED ? null : order.reason,
  }
  const change =
    order.state === state ? { set } : { set, move: move(ORDER_MOVES, order.state, state) }
  const unless = sql`(${isUnwanted(order)} or not ${app.history.stands()})`
  const version = await update(app, order, { ...change, unless }, sent_at)
  if (version !== undefined) await app.history.seal()
  return version === undefined ? undefined : { ...order, sent_at, sent_over, state, version }
}

/**
 * A wish to cancel may have been stored since the execution was read. The order of a stop that has
 * not triggered is only looked for.
 */
const isUnwanted = ({ workspace, execution_id, hop_no }: OrderRow): Query => sql`
  exists (
    select
    from executions
    where workspace = ${workspace}
      and id = ${execution_id}
      and ${hop_no} = 1
      and (
        cancel_requested_at is not null
        or execution_type = 'STOP_MARKET'
          and triggered_at is null
      )
  )`

/** Stores the intent to cancel, before the call. Its time says when to ask again. */
export async function markCancelSubmitted(
  app: TradingApp,
  order: SentOrder,
  now: number,
): Promise<SentOrder | undefined> {
  const state = 'PENDING_CANCEL'
  const set = { cancel_sent_at: now }
  const change =
    order.state === state ? { set } : { set, move: move(ORDER_MOVES, order.state, state) }
  const unless = sql`(not ${app.history.stands()})`
  const version = await update(app, order, { ...change, unless }, now)
  return version === undefined ? undefined : { ...order, cancel_sent_at: now, state, version }
}

/** Since when it may have been sent, or that its venue has nothing of it. */
export const recordLookup = (
  app: TradingApp,
  order: OrderRow,
  set: Pick<OrderRow, 'sent_at' | 'sent_over'> & { looked_up_at?: number },
): Promise<unknown> => update(app, order, { set }, app.clock.now())

/** Nothing of it has left. */
export async function recordUnsent(
  app: TradingApp,
  order: OrderRow,
  reason: string,
): Promise<void> {
  const set = { sent_at: null, reason_code: UNREACHED, reason: reason.slice(0, MAXIMUM_REASON) }
  await update(app, order, { set }, app.clock.now())
}

/**
 * Stores why nothing can be said to its venue; null: it can. That is written when it changes:
 * however long it lasts, a try costs reads only.
 */
export async function recordReachability<Row extends OrderRow>(
  app: TradingApp,
  order: Row,
  reason: string | null,
): Promise<Row> {
  const set = {
    reason_code: reason === null ? null : UNREACHED,
    reason: reason?.slice(0, MAXIMUM_REASON) ?? null,
  }
  if (order.reason_code === set.reason_code && (reason === null || order.reason === set.reason))
    return order
  const version = await update(app, order, { set }, app.clock.now())
  return version === undefined ? order : { ...order, ...set, version }
}

/**
 * The venue's answer was not observed: order and execution are UNKNOWN until the venue reports. A
 * wish to cancel outlives the doubt.
 */
export async function markUnknown(
  app: TradingApp,
  { execution, order }: { execution: StoredExecution; order: OrderRow },
  reason: string,
): Promise<void> {
  if (order.state === 'UNKNOWN') return
  const moves = canMove(EXECUTION_MOVES, execution.state, 'UNKNOWN')
  await app.lane.commit({
    workspace: execution.workspace,
    class: 'fact',
    by: WORKER,
    guards: [
      orderGuard(order, 'UNKNOWN'),
      executionGuard(execution, moves ? 'UNKNOWN' : undefined),
    ],
    rows: [
      updateGuardedRow(ORDERS, {
        where: { workspace: order.workspace, id: order.id },
        set: { reason: reason.slice(0, MAXIMUM_REASON) },
      }),
    ],
    events: [
      {
        type: 'execution.outcome_unknown',
        resource_id: execution.id,
        data: { state: moves ? 'UNKNOWN' : execution.state, order_id: order.id, reason },
      },
    ],
  })
}
