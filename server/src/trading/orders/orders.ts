/**
 * The work on an execution: its open order is sent once, asked about until the venue reports its
 * end, and canceled when somebody wants it or its time is over.
 *
 *   intent (sent_at, cancel_sent_at is committed) → call, outside any transaction → the answer is
 *   recorded
 *
 * Whatever happens in between, the next run finds the intent and asks the venue by our reference;
 * only its certain "never got it" lets the order go out again. What was made before this start is
 * taken for sent, and looked up in the same way before it is sent first. Nothing is released while
 * the outcome is unknown. Under a halt nothing goes out of an execution of which nothing has left;
 * what has begun goes on.
 *
 * An open order whose venue cannot be talked to says why (VENUE_UNREACHABLE), until it can. That is
 * written when it changes: however long it lasts, a try costs reads only.
 */
import { sum } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { ExecutionId, WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { waitReason } from '../../ledger/index.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import { isUnreachable } from '../../venues/index.ts'
import type { Lookup, OrderReport, Outcome, Trading, VenueRecord } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import { EXECUTION_TASK, readExecution, readOrders } from '../executions/rows.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import { UNREACHED } from '../executions/stuck.ts'
import { tradingScope } from '../routes/routes.ts'
import { ORDER_MOVES } from '../states.ts'
import { compareWithVenues, unconfirmedOrders } from './contradictions.ts'
import {
  CANCEL_AGAIN_MILLISECONDS,
  isTooLate,
  LOOK_FIRST_MILLISECONDS,
  MARKET_ORDER_MILLISECONDS,
  mayCancel,
  requestedEnd,
  scheduleLookup,
  SEND_AGAIN_MILLISECONDS,
  SEND_WITHIN_MILLISECONDS,
} from './deadlines.ts'
import { applyReport, endOrder } from './fills.ts'
import type { Work } from './fills.ts'
import {
  forgetSending,
  isOfBefore,
  lookFirst,
  lookForStop,
  withTimeOfSetBack,
} from './first-lookup.ts'
import {
  markCancelSubmitted,
  markSubmitted,
  markUnknown,
  recordReachability,
  recordUnsent,
} from './submissions.ts'
import type { SentOrder } from './submissions.ts'
import { checkReachable, findOrder, lookupOf, refusalReason, venueOrderOf } from './venue-orders.ts'

const HALTED_MILLISECONDS = 1_000

/** `sent_over`: what it is called, which may be another one at the next connect. */
type Connection = { venue: VenueRecord; trading: Trading; sent_over: string | null }

/** The work on an order whose venue is connected. */
type VenueWork = Work & Pick<Connection, 'trading' | 'sent_over'>
/** The work on an order that may be at its venue. */
type SentWork = VenueWork & { order: SentOrder }

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
  id: ExecutionId,
): Promise<TaskResult> {
  const [execution, orders] = await Promise.all([
    readExecution(app.db, workspace, id),
    readOrders(app.db, workspace, id),
  ])
  if (execution.state === 'WAITING_FOR_TRIGGER') return lookForStop(app, execution)
  const order = orders.find((row) => !isFinal(ORDER_MOVES, row.state))
  if (order === undefined)
    return compareWithVenues(app, execution, unconfirmedOrders(orders, app.clock.now()))
  if (order.sent_at === null) {
    const lookup = await lookFirst(app, { execution, order }, () => connectVenue(app, order))
    if (lookup !== undefined) return lookup
    const result = await beforeSending(app, { execution, order, orders })
    if (result !== undefined) return result
  }
  const connection = await connectVenue(app, order)
  if (order.sent_at === null) return send(app, { execution, order, orders, ...connection })
  const { sent_at } = order
  const work: SentWork = {
    execution,
    orders,
    ...connection,
    order: await recordReachability(app, { ...order, sent_at }, null),
  }
  return shallCancel(work, app.clock.now()) ? cancel(app, work) : lookUp(app, work)
}

async function connectVenue(app: TradingApp, order: OrderRow): Promise<Connection> {
  try {
    const { venue, adapter } = await app.venues.connect(order.workspace, order.venue_id)
    if (adapter.trading === undefined)
      throw new ApiError('VenueUnreachable', `venue ${venue.label} takes no orders now`)
    return { venue, trading: adapter.trading, sent_over: adapter.connection ?? null }
  } catch (error) {
    if (isUnreachable(error)) await recordReachability(app, order, error.message)
    throw error
  }
}

const shallCancel = ({ execution, order }: SentWork, now: number): boolean =>
  requestedEnd(execution, order, now) !== undefined &&
  order.foreign_id !== null &&
  order.state !== 'UNKNOWN' &&
  mayCancel(order, now)

// ---------------------------------------------------------------- sending

/** What happens instead of sending: it has ended, or waits. Undefined: it may be sent. */
async function beforeSending(
  app: TradingApp,
  work: Omit<Work, 'venue'>,
): Promise<TaskResult | undefined> {
  const { execution, order, orders } = work
  const end = requestedEnd(execution, order, app.clock.now())
  if (end !== undefined) return continueAfterEnd(app, await endOrder(app, work, end))
  // What has begun goes on: a halt would leave it half done.
  const halted = orders.every((row) => row.sent_at === null)
    ? await waitReason(app.db, execution.workspace, tradingScope(execution), execution.id)
    : undefined
  if (isTooLate(execution, order, app.clock.now())) return cancelTooLate(app, work, halted)
  return halted === undefined ? undefined : { again_at: app.clock.now() + HALTED_MILLISECONDS }
}

const continueAfterEnd = (app: TradingApp, standing: 'open' | 'ended'): TaskResult =>
  standing === 'ended' ? 'done' : { again_at: app.clock.now() }

async function cancelTooLate(
  app: TradingApp,
  work: Omit<Work, 'venue'>,
  halted?: ApiError,
): Promise<TaskResult> {
  const seconds = MARKET_ORDER_MILLISECONDS / 1000
  const [halt] = halted?.details ?? []
  const end =
    halt === undefined
      ? { reason_code: UNREACHED, reason: `the venue could not be reached within ${seconds} s` }
      : { reason_code: halt.code, reason: `${halt.message}, for more than ${seconds} s` }
  return continueAfterEnd(app, await endOrder(app, work, { state: 'CANCELED', ...end }))
}

async function send(app: TradingApp, work: VenueWork): Promise<TaskResult> {
  const { execution, order, trading, sent_over } = work
  const unreachable = await whyUnreachable(work)
  if (unreachable !== undefined) {
    await recordReachability(app, order, unreachable)
    return lookLater(app, execution, order.system_created_at)
  }
  const sent_at = app.clock.now()
  const submitted = await withFailpoints('execution.intent', execution.id, () =>
    markSubmitted(app, order, { sent_at, sent_over }),
  )
  // Another worker was faster: its intent is the one that counts.
  if (submitted === undefined || app.clock.now() - sent_at > SEND_WITHIN_MILLISECONDS)
    return { again_at: sent_at + LOOK_FIRST_MILLISECONDS }
  const outcome = await withFailpoints('execution.send', execution.id, () =>
    trading.send(venueOrderOf(order)),
  )
  return withFailpoints('execution.record', execution.id, () =>
    recordAnswer(app, { ...work, order: submitted }, outcome, order.sent_at === null),
  )
}

/** Of an order that could not be sent before: only a venue that answers is sent it. */
async function whyUnreachable({ execution, order, trading }: VenueWork) {
  if (order.reason_code !== UNREACHED) return undefined
  return withFailpoints('execution.find', execution.id, () =>
    checkReachable(trading, lookupOf(order, order.system_created_at)),
  )
}

async function recordAnswer(
  app: TradingApp,
  work: SentWork,
  outcome: Outcome<OrderReport>,
  isFirst: boolean,
): Promise<TaskResult> {
  const { execution, order } = work
  if (outcome.outcome === 'accepted') return recordReport(app, work, outcome.report)
  if (outcome.outcome === 'unknown') {
    await markUnknown(app, work, outcome.reason)
    return lookLater(app, execution, order.sent_at)
  }
  if (outcome.unreached === true) {
    // What goes out again may have been reported UNKNOWN: it stays so until the venue is asked.
    if (!isFirst) return lookLater(app, execution, order.sent_at)
    // It waits as before its intent, may be canceled, and is too late when any other is.
    await recordUnsent(app, order, outcome.reason)
    return lookLater(app, execution, order.system_created_at)
  }
  const end = {
    state: 'REJECTED' as const,
    reason_code: 'REFUSED_BY_VENUE',
    reason: refusalReason(outcome),
  }
  return continueAfterEnd(app, await endOrder(app, work, end))
}

const lookLater = (app: TradingApp, execution: StoredExecution, since: number): TaskResult =>
  scheduleLookup(execution, since, app.clock.now())

// ---------------------------------------------------------------- canceling

/**
 * Asks the venue to cancel. What it refuses is looked at: it may have been filled, or it stays open
 * and the execution goes on.
 */
async function cancel(app: TradingApp, work: SentWork): Promise<TaskResult> {
  const { execution, order, trading } = work
  const now = app.clock.now()
  const submitted = await withFailpoints('execution.cancel_intent', execution.id, () =>
    markCancelSubmitted(app, order, now),
  )
  if (submitted === undefined) return { again_at: now + LOOK_FIRST_MILLISECONDS }
  const canceling: SentWork = { ...work, order: submitted }
  const outcome = await withFailpoints('execution.cancel', execution.id, () =>
    trading.cancel(lookupOf(order, order.sent_at)),
  )
  if (outcome.outcome === 'refused') return lookUp(app, canceling, refusalReason(outcome))
  return withFailpoints('execution.cancel_record', execution.id, async () =>
    outcome.outcome === 'accepted'
      ? recordReport(app, canceling, outcome.report)
      : lookLater(app, execution, now),
  )
}

/**
 * The venue keeps the order open: so does the execution. One whose time is over is canceled again
 * later.
 */
async function keepOpen(
  app: TradingApp,
  work: SentWork,
  report: OrderReport,
  refusal: string,
): Promise<TaskResult> {
  const standing = await applyReport(app, work, report, refusal)
  return standing === 'ended' ? 'done' : { again_at: app.clock.now() + CANCEL_AGAIN_MILLISECONDS }
}

// ---------------------------------------------------------------- asking the venue

/** `refusal`: why the venue would not cancel it. */
async function lookUp(app: TradingApp, work: SentWork, refusal?: string): Promise<TaskResult> {
  const { execution, order, trading } = work
  const lookup = await withTimeOfSetBack(app, lookupOf(order, order.sent_at))
  const found = await withFailpoints('execution.find', execution.id, () =>
    findOrder(trading, lookup),
  )
  return withFailpoints('execution.found', execution.id, () =>
    found.lookup === 'found'
      ? followFound(app, work, found.report, refusal)
      : followMissing(app, work, found),
  )
}

async function followFound(
  app: TradingApp,
  work: SentWork,
  report: OrderReport,
  refusal: string | undefined,
): Promise<TaskResult> {
  const { execution, order } = work
  const now = app.clock.now()
  const open = !isFinal(ORDER_MOVES, report.state)
  if (refusal !== undefined && open) return keepOpen(app, work, report, refusal)
  const overdue =
    open &&
    order.state === 'PENDING_CANCEL' &&
    now - (order.cancel_sent_at ?? 0) > CANCEL_AGAIN_MILLISECONDS
  return overdue &&
    report.state !== 'PENDING_CANCEL' &&
    requestedEnd(execution, order, now) !== undefined
    ? cancel(app, work)
    : recordReport(app, work, report)
}

async function followMissing(
  app: TradingApp,
  work: SentWork,
  lookup: Exclude<Lookup<OrderReport>, { lookup: 'found' }>,
): Promise<TaskResult> {
  const { execution, order } = work
  const now = app.clock.now()
  const later = scheduleLookup(execution, order.sent_at, now)
  if (lookup.lookup === 'unknown') {
    // An order that the venue has named is there; that it cannot be read now puts nothing in doubt.
    if (order.foreign_id === null) await markUnknown(app, work, lookup.reason)
    return later
  }
  if (order.foreign_id !== null) {
    await markUnknown(app, work, 'the venue no longer knows the order')
    return later
  }
  if (now - order.sent_at < SEND_AGAIN_MILLISECONDS) return later
  if (await isOfBefore(app, order)) return forgetSending(app, order)
  const end = requestedEnd(execution, order, now)
  if (end !== undefined) return continueAfterEnd(app, await endOrder(app, work, end))
  return isTooLate(execution, order, now) ? cancelTooLate(app, work) : send(app, work)
}

async function recordReport(
  app: TradingApp,
  work: SentWork,
  report: OrderReport,
): Promise<TaskResult> {
  const { execution, order } = work
  const standing = await applyReport(app, work, report)
  const now = app.clock.now()
  if (standing === 'ended')
    return unconfirmedOrders(work.orders, now).length === 0 ? 'done' : { again_at: now }
  // It may have ended with a next one behind it, or have become known only now to be canceled. One
  // whose fills are not all listed is asked again.
  const canceled =
    order.cancel_sent_at === null && requestedEnd(execution, order, now) !== undefined
  const standingFills = report.fills.filter((fill) => !fill.busted)
  const ended =
    isFinal(ORDER_MOVES, report.state) &&
    sum(standingFills.map((fill) => fill.quantity)) >= report.filled_quantity
  return ended || canceled
    ? { again_at: now }
    : scheduleLookup(execution, order.cancel_sent_at ?? order.sent_at, now)
}
