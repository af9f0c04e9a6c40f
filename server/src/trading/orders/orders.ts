/**
 * The work on an execution: its open order is sent once, asked about until the venue has told its
 * end, and canceled when somebody wants it or its time is over.
 *
 *   intent (sent_at, cancel_sent_at is committed) → call, outside any transaction → the answer is
 *   recorded
 *
 * Whatever happens in between, the next run finds the intent and asks the venue by our reference;
 * only its certain "never got it" lets the order go out again. Nothing is released while the
 * outcome is unknown. Under a halt nothing goes out of an execution of which nothing has left;
 * what has begun goes on.
 *
 * An open order whose venue cannot be talked to says why (VENUE_UNREACHABLE), until it can. That is
 * written when it changes: however long it lasts, a try costs reads only.
 */
import { decimal, sum } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { waitReason } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import { isUnreachable } from '../../venues/index.ts'
import type {
  Lookup,
  OrderLookup,
  OrderReport,
  Trading,
  VenueOrder,
  VenueRecord,
} from '../../venues/index.ts'
import { EXECUTION_TASK, readExecution, readOrders, UNREACHED } from '../executions/rows.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import type { TradingApp } from '../app.ts'
import { applyReport, endOrder, markUnknown } from './fills.ts'
import type { Work } from './fills.ts'
import type { OrderEnd } from './next-order.ts'
import { tradingScope } from '../routes/routes.ts'
import { ORDER_MOVES } from '../states.ts'

/**
 * A sender that could not call the venue within this after its intent leaves the order to the next
 * look.
 */
const SEND_WITHIN_MILLISECONDS = 5_000
/** No earlier is an absent order sent again: whoever meant to send it has given up by then. */
const SEND_AGAIN_MILLISECONDS = 15_000
/**
 * An order at the market's price that could not go out by then is not wanted any more. A firm price
 * is kept.
 */
const MARKET_ORDER_MILLISECONDS = 60_000
const LOOK_FIRST_MILLISECONDS = 250
const LOOK_LONGEST_MILLISECONDS = 10_000
const HALTED_MILLISECONDS = 1_000
/** A venue that still shows the order open after this is asked to cancel once more. */
const CANCEL_AGAIN_MILLISECONDS = 2_000
const MAXIMUM_REASON = 500

export function orderTasks(app: TradingApp): Record<string, TaskHandler> {
  return {
    [EXECUTION_TASK]: ({ workspace, subject_id }) => advanceExecution(app, workspace, subject_id),
  }
}

/**
 * Brings the execution one step on; safe to run again at any time. Throws 2003 while the venue
 * cannot be reached at all.
 */
export async function advanceExecution(
  app: TradingApp,
  workspace: WorkspaceId,
  id: string,
): Promise<TaskResult> {
  const [execution, orders] = await Promise.all([
    readExecution(app.db, workspace, id),
    readOrders(app.db, workspace, id),
  ])
  const order = orders.find((order) => !isFinal(ORDER_MOVES, order.state))
  if (order === undefined) return 'done'
  const unsent = { execution, order, orders }
  if (order.sent_at === null) {
    const settled = await beforeSending(app, unsent)
    if (settled !== undefined) return settled
  }
  const { venue, trading } = await venueOf(app, order)
  if (order.sent_at === null) return send(app, { ...unsent, venue }, trading)
  const work: Work = { ...unsent, venue, order: await recordReachability(app, order, null) }
  const cancels =
    requestedEnd(app, execution) !== undefined &&
    order.foreign_id !== null &&
    order.state !== 'UNKNOWN' &&
    mayCancel(app, order)
  return cancels
    ? cancel(app, work, trading, order.sent_at)
    : lookUp(app, work, trading, order.sent_at)
}

async function venueOf(
  app: TradingApp,
  order: OrderRow,
): Promise<{ venue: VenueRecord; trading: Trading }> {
  try {
    const { venue, adapter } = await app.venues.connected(order.workspace, order.venue_id)
    if (adapter.trading === undefined)
      throw new ApiError('VenueUnreachable', `venue ${venue.label} takes no orders now`)
    return { venue, trading: adapter.trading }
  } catch (error) {
    if (isUnreachable(error)) await recordReachability(app, order, error.message)
    throw error
  }
}

/** Why nothing can be said to its venue; null: it can. */
async function recordReachability(
  app: TradingApp,
  order: OrderRow,
  reason: string | null,
): Promise<OrderRow> {
  const told = {
    reason_code: reason === null ? null : UNREACHED,
    reason: reason?.slice(0, MAXIMUM_REASON) ?? null,
  }
  if (order.reason_code === told.reason_code && (reason === null || order.reason === told.reason))
    return order
  const now = app.clock.now()
  const [written] = await app.db.query<{ version: number }>(sql`
    update execution_orders
    set reason_code = ${told.reason_code}, reason = ${told.reason}, version = version + 1,
      system_updated_at = ${now}, system_updated_by = 'trading'
    where workspace = ${order.workspace}
      and id = ${order.id}
      and version = ${order.version}
    returning version`)
  return written === undefined ? order : { ...order, ...told, version: written.version }
}

/** Why the order shall end though the venue has not ended it. */
function requestedEnd(
  app: TradingApp,
  { state, expires_at }: StoredExecution,
): OrderEnd | undefined {
  if (state === 'CANCELING')
    return { state: 'CANCELED', reason_code: null, reason: 'canceled before it was at the venue' }
  if (expires_at !== null && app.clock.now() >= expires_at)
    return {
      state: 'EXPIRED',
      reason_code: null,
      reason: 'its time ended before it was at the venue',
    }
  return undefined
}

/**
 * After the intent to cancel the venue is asked first, and only what it still shows open is
 * canceled again.
 */
const mayCancel = (app: TradingApp, order: OrderRow): boolean =>
  order.cancel_sent_at === null ||
  (order.state !== 'PENDING_CANCEL' &&
    app.clock.now() - order.cancel_sent_at > CANCEL_AGAIN_MILLISECONDS)

async function beforeSending(
  app: TradingApp,
  work: Omit<Work, 'venue'>,
): Promise<TaskResult | undefined> {
  const { execution, order, orders } = work
  const end = requestedEnd(app, execution)
  if (end !== undefined) return continueAfterEnd(app, await endOrder(app, work, end))
  // What has begun goes on: a halt would leave it half done.
  const halted = orders.every((order) => order.sent_at === null)
    ? await waitReason(app.db, execution.workspace, tradingScope(execution), execution.id)
    : undefined
  if (isTooLate(app, execution, order)) return cancelTooLate(app, work, halted)
  return halted === undefined ? undefined : { again_at: app.clock.now() + HALTED_MILLISECONDS }
}

const continueAfterEnd = (app: TradingApp, standing: 'open' | 'ended'): TaskResult =>
  standing === 'ended' ? 'done' : { again_at: app.clock.now() }

/**
 * A resting order waits for its price anyway, a firm price is kept, and what has begun is brought
 * to its end.
 */
function isTooLate(
  app: TradingApp,
  { firm, execution_type, tif_mode }: StoredExecution,
  order: OrderRow,
): boolean {
  const resting = execution_type === 'LIMIT' && (tif_mode === 'GTC' || tif_mode === 'GTD')
  return (
    !firm &&
    !resting &&
    order.hop_no === 1 &&
    app.clock.now() - order.system_created_at > MARKET_ORDER_MILLISECONDS
  )
}

async function cancelTooLate(
  app: TradingApp,
  work: Omit<Work, 'venue'>,
  halted?: ApiError,
): Promise<TaskResult> {
  const seconds = MARKET_ORDER_MILLISECONDS / 1000
  const [why] = halted?.details ?? []
  const end =
    why === undefined
      ? { reason_code: UNREACHED, reason: `the venue could not be reached within ${seconds} s` }
      : { reason_code: why.code, reason: `${why.message}, for more than ${seconds} s` }
  return continueAfterEnd(app, await endOrder(app, work, { state: 'CANCELED', ...end }))
}

async function send(app: TradingApp, work: Work, trading: Trading): Promise<TaskResult> {
  const { execution, order } = work
  const still =
    order.reason_code === UNREACHED
      ? await withFailpoints('execution.find', execution.id, () =>
          checkReachable(trading, lookupOf(order, order.system_created_at)),
        )
      : undefined
  if (still !== undefined) {
    await recordReachability(app, order, still)
    return scheduleLookup(app, execution, order.system_created_at)
  }
  const sent_at = app.clock.now()
  const [intended] = await withFailpoints('execution.intent', execution.id, () =>
    app.db.query<{ version: number }>(sql`
      update execution_orders
      set sent_at = ${sent_at}, state = 'PENDING_NEW', reason_code = null,
        reason = ${order.reason_code === UNREACHED ? null : order.reason}, version = version + 1,
        system_updated_at = ${sent_at}, system_updated_by = 'trading'
      where workspace = ${execution.workspace}
        and id = ${order.id}
        and version = ${order.version}
      returning version`),
  )
  // Another worker was faster: its intent is the one that counts.
  if (intended === undefined || app.clock.now() - sent_at > SEND_WITHIN_MILLISECONDS)
    return { again_at: sent_at + LOOK_FIRST_MILLISECONDS }
  const meant: Work = {
    ...work,
    order: { ...order, sent_at, state: 'PENDING_NEW', version: intended.version },
  }
  const answer = await withFailpoints('execution.send', execution.id, () =>
    trading.send(venueOrderOf(order)),
  )
  return withFailpoints('execution.record', execution.id, async () => {
    if (answer.outcome === 'accepted') return recordReport(app, meant, answer.report)
    if (answer.outcome === 'unknown') {
      await markUnknown(app, meant, answer.reason)
      return scheduleLookup(app, execution, sent_at)
    }
    // A first sending only: one that goes out again may have been told UNKNOWN, and stays so until
    // the venue is asked.
    if (answer.unreached === true)
      return order.sent_at === null
        ? recordUnsent(app, meant, answer.reason)
        : scheduleLookup(app, execution, sent_at)
    return continueAfterEnd(
      app,
      await endOrder(app, meant, {
        state: 'REJECTED',
        reason_code: 'REFUSED_BY_VENUE',
        reason: withNative(answer),
      }),
    )
  })
}

/**
 * Nothing of it has left: it waits as before its intent, may be canceled, and is too late when any
 * other is.
 */
async function recordUnsent(
  app: TradingApp,
  { execution, order }: Work,
  reason: string,
): Promise<TaskResult> {
  const now = app.clock.now()
  await app.db.query(sql`
    update execution_orders
    set sent_at = null, reason_code = ${UNREACHED}, reason = ${reason.slice(0, MAXIMUM_REASON)},
      version = version + 1, system_updated_at = ${now}, system_updated_by = 'trading'
    where workspace = ${execution.workspace}
      and id = ${order.id}
      and version = ${order.version}`)
  return scheduleLookup(app, execution, order.system_created_at)
}

const withNative = ({ reason, native }: { reason: string; native: string | null }) =>
  native === null ? reason : `${reason} (${native})`

function venueOrderOf(order: OrderRow): VenueOrder {
  return {
    client_order_id: order.client_order_id,
    base_asset: order.base_asset,
    quote_asset: order.quote_asset,
    side: order.side,
    type: order.type,
    price: order.price === null ? null : decimal(order.price),
    quantity: decimal(order.quantity),
    tif_mode: order.tif_mode,
    expires_at: order.expires_at,
  }
}

const lookupOf = (order: OrderRow, sent_at: number): OrderLookup => ({
  ...venueOrderOf(order),
  foreign_id: order.foreign_id,
  sent_at,
})

/**
 * Asks the venue to cancel. What it refuses is looked at: it may have been filled, or it stays open
 * and the execution goes on.
 */
async function cancel(
  app: TradingApp,
  work: Work,
  trading: Trading,
  sent_at: number,
): Promise<TaskResult> {
  const { execution, order } = work
  const now = app.clock.now()
  const [intended] = await withFailpoints('execution.cancel_intent', execution.id, () =>
    app.db.query<{ version: number }>(sql`
      update execution_orders
      set cancel_sent_at = ${now}, state = 'PENDING_CANCEL', version = version + 1,
        system_updated_at = ${now}, system_updated_by = 'trading'
      where workspace = ${execution.workspace}
        and id = ${order.id}
        and version = ${order.version}
      returning version`),
  )
  if (intended === undefined) return { again_at: now + LOOK_FIRST_MILLISECONDS }
  const meant: Work = {
    ...work,
    order: { ...order, cancel_sent_at: now, state: 'PENDING_CANCEL', version: intended.version },
  }
  const answer = await withFailpoints('execution.cancel', execution.id, () =>
    trading.cancel(lookupOf(order, sent_at)),
  )
  if (answer.outcome === 'refused') return lookUp(app, meant, trading, sent_at, withNative(answer))
  return withFailpoints('execution.cancel_record', execution.id, async () =>
    answer.outcome === 'accepted'
      ? recordReport(app, meant, answer.report)
      : scheduleLookup(app, execution, now),
  )
}

async function recordReport(
  app: TradingApp,
  work: Work,
  report: OrderReport,
  kept?: string,
): Promise<TaskResult> {
  const { execution, order } = work
  const standing = await applyReport(app, work, report, kept)
  if (standing === 'ended') return 'done'
  // It may have ended with a next one behind it, or have become known only now to be canceled. One
  // whose fills are not all listed is asked again.
  const canceled = order.cancel_sent_at === null && requestedEnd(app, execution) !== undefined
  const ended =
    isFinal(ORDER_MOVES, report.state) &&
    sum(report.fills.filter((fill) => !fill.busted).map((fill) => fill.quantity)) >=
      report.filled_quantity
  return ended || canceled
    ? { again_at: app.clock.now() }
    : scheduleLookup(app, execution, order.cancel_sent_at ?? order.sent_at ?? app.clock.now())
}

/** `refused`: the venue would not cancel it. */
async function lookUp(
  app: TradingApp,
  work: Work,
  trading: Trading,
  sent_at: number,
  refused?: string,
): Promise<TaskResult> {
  const { execution, order } = work
  const found = await withFailpoints('execution.find', execution.id, () =>
    findOrder(trading, lookupOf(order, sent_at)),
  )
  return withFailpoints('execution.found', execution.id, async () => {
    if (found.lookup === 'found') {
      const open = !isFinal(ORDER_MOVES, found.report.state)
      if (refused !== undefined && open) return keepOpen(app, work, found.report, refused)
      const overdue =
        open &&
        order.state === 'PENDING_CANCEL' &&
        app.clock.now() - (order.cancel_sent_at ?? 0) > CANCEL_AGAIN_MILLISECONDS
      if (
        overdue &&
        found.report.state !== 'PENDING_CANCEL' &&
        requestedEnd(app, execution) !== undefined
      )
        return cancel(app, work, trading, sent_at)
      return recordReport(app, work, found.report)
    }
    // An order that the venue has named is there; that it cannot be read now puts nothing in doubt.
    if (found.lookup === 'unknown' && order.foreign_id !== null)
      return scheduleLookup(app, execution, sent_at)
    if (found.lookup === 'unknown' || order.foreign_id !== null) {
      await markUnknown(
        app,
        work,
        found.lookup === 'unknown'
          ? found.reason
          : 'the venue does not know its own order any more',
      )
      return scheduleLookup(app, execution, sent_at)
    }
    if (app.clock.now() - sent_at < SEND_AGAIN_MILLISECONDS)
      return scheduleLookup(app, execution, sent_at)
    const end = requestedEnd(app, execution)
    if (end !== undefined) return continueAfterEnd(app, await endOrder(app, work, end))
    return isTooLate(app, execution, order) ? cancelTooLate(app, work) : send(app, work, trading)
  })
}

/**
 * The venue keeps the order open: so does the execution. One whose time is over is canceled again
 * later.
 */
async function keepOpen(
  app: TradingApp,
  work: Work,
  report: OrderReport,
  refused: string,
): Promise<TaskResult> {
  const standing = await applyReport(app, work, report, refused)
  return standing === 'ended' ? 'done' : { again_at: app.clock.now() + CANCEL_AGAIN_MILLISECONDS }
}

async function findOrder(trading: Trading, lookup: OrderLookup): Promise<Lookup<OrderReport>> {
  try {
    return await trading.find(lookup)
  } catch (error) {
    if (isUnreachable(error)) return { lookup: 'unknown', reason: error.message }
    throw error
  }
}

/** Why the venue cannot be asked now, whatever it would answer. */
async function checkReachable(trading: Trading, lookup: OrderLookup): Promise<string | undefined> {
  try {
    await trading.find(lookup)
    return undefined
  } catch (error) {
    if (isUnreachable(error)) return error.message
    throw error
  }
}

/**
 * The longer an order is under way the rarer it is asked about or tried; when its time ends it is
 * looked at.
 */
function scheduleLookup(
  app: TradingApp,
  { expires_at }: StoredExecution,
  since: number,
): TaskResult {
  const now = app.clock.now()
  const again_at =
    now +
    Math.min(
      LOOK_LONGEST_MILLISECONDS,
      Math.max(LOOK_FIRST_MILLISECONDS, Math.floor((now - since) / 4)),
    )
  return {
    again_at: expires_at !== null && expires_at > now ? Math.min(again_at, expires_at) : again_at,
  }
}
