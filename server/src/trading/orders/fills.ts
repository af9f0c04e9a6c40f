/**
 * What a venue reports of one of our orders changes, in one commit: the new trades, what they book,
 * the holds they take from, the next order where one follows, and the states of order and
 * execution. A trade is booked once. What is reported is a fact: trades after a final state are
 * booked too, and one that the venue takes back is reversed.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { ExecutionId, OrderId, WorkspaceId } from '../../core/ids.ts'
import { canMove, isFinal } from '../../core/moves.ts'
import type { Change, Guard, LedgerStep } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { OrderReport, OrderState, VenueFill, VenueRecord } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import {
  EXECUTION_TASK,
  insertOrder,
  ORDERS,
  readExecution,
  readOrders,
} from '../executions/rows.ts'
import type { OrderDraft, OrderRow, StoredExecution } from '../executions/rows.ts'
import { sumTrades } from '../pricing/positions.ts'
import type { FilledPosition } from '../pricing/positions.ts'
import { EXECUTION_MOVES, ORDER_MOVES } from '../states.ts'
import { eventsOf, fieldsAfter, updateExecution, updateShares } from './execution-record.ts'
import type { Positions } from './execution-record.ts'
import { executionGuard, orderGuard } from './guards.ts'
import { nextOrder, nextState } from './next-order.ts'
import type { NextState, OrderEnd } from './next-order.ts'
import { ledgerSteps, readPositions } from './outcome.ts'
import { readOutsideFills } from './outside-fills.ts'
import {
  compareTrades,
  customerProceeds,
  liveTrades,
  mergeTrades,
  readTrades,
  WORKER,
} from './trades.ts'
import type { ExecutionTrade } from './trades.ts'

const MAXIMUM_REASON = 500

/** Where the execution stands after a report. */
type Standing = 'open' | 'ended'

export type Work = {
  execution: StoredExecution
  order: OrderRow
  orders: readonly OrderRow[]
  venue: Pick<VenueRecord, 'id' | 'settlement'>
}
/** The venue is not known when the order has ended without it. */
type EndedWork = Omit<Work, 'venue'> & Partial<Pick<Work, 'venue'>>

/** What becomes of an order, and the trades of its execution before and after that. */
type OrderChange = {
  state: OrderState
  /** Nothing more comes of it. */
  end: OrderEnd | undefined
  rows: readonly Query[]
  before: readonly ExecutionTrade[]
  after: readonly ExecutionTrade[]
  /** Of what its trades have booked as made outside. */
  reversals?: readonly LedgerStep[]
  guards?: readonly Guard[]
  /** Why the venue would not cancel it. */
  refusal?: string
  /** The task of the execution looks at it at once. */
  look?: boolean
  /** Instead of the plain commit, for what somebody has entered. */
  commit?: (change: Change, consequences: Consequences) => Promise<unknown>
}

/** `refusal`: the venue has refused to cancel the order, which is open as reported. */
export async function applyReport(
  app: TradingApp,
  work: Work,
  report: OrderReport,
  refusal?: string,
): Promise<Standing> {
  const { order } = work
  const { fills } = report
  const trades = await readTrades(app.db, work.execution)
  const outside = await readOutsideFills(app, work, fills)
  const merged = mergeTrades(work, trades, { fills, report, outside, now: app.clock.now() })
  const reported = countedState(order, report, merged.after)
  const state = stateAfter(order.state, reported, refusal !== undefined)
  const isFinalNow = isFinal(ORDER_MOVES, state)
  const unchanged =
    merged.fresh + merged.busted === 0 &&
    state === order.state &&
    report.foreign_id === order.foreign_id &&
    refusal === undefined
  if (unchanged) return isFinalNow ? 'ended' : 'open'
  const end =
    isFinalNow && !isFinal(ORDER_MOVES, order.state)
      ? { state, reason_code: null, reason: report.reason }
      : undefined
  return commitOutcome(app, work, {
    ...merged,
    state,
    end,
    ...(refusal === undefined ? {} : { refusal }),
  })
}

/** A final state counts once the venue shows every fill behind it. */
function countedState(
  order: OrderRow,
  report: OrderReport,
  trades: readonly ExecutionTrade[],
): OrderState {
  const standing = liveTrades(trades).filter((trade) => trade.order_id === order.id)
  const isListed = sum(standing.map((trade) => trade.quantity)) >= report.filled_quantity
  if (!isFinal(ORDER_MOVES, report.state) || isListed) return report.state
  return standing.length > 0 ? 'PARTIALLY_FILLED' : order.state
}

/**
 * A repeated or overtaken report moves nothing, and an order that is being canceled stays so until
 * the venue has decided.
 */
function stateAfter(state: OrderState, reported: OrderState, kept: boolean): OrderState {
  if (state === 'PENDING_CANCEL' && !kept && !isFinal(ORDER_MOVES, reported)) return state
  return canMove(ORDER_MOVES, state, reported) ? reported : state
}

/**
 * Trades of one of our orders as the venue lists them, at any time: also after its end, and taken
 * back. Answers how many were new.
 */
export async function applyFills(
  app: TradingApp,
  { workspace, order_id }: { workspace: WorkspaceId; order_id: OrderId },
  fills: readonly VenueFill[],
): Promise<{ fresh: number; busted: number }> {
  const execution_id = await executionOfOrder(app, workspace, order_id)
  const [execution, orders] = await Promise.all([
    readExecution(app.db, workspace, execution_id),
    readOrders(app.db, workspace, execution_id),
  ])
  const order = mustExist(
    orders.find((row) => row.id === order_id),
    'the order is one of its execution',
  )
  const { venue } = await app.venues.connect(workspace, order.venue_id)
  const work: Work = { execution, orders, order, venue }
  const trades = await readTrades(app.db, execution)
  const outside = await readOutsideFills(app, work, fills)
  const merged = mergeTrades(work, trades, { fills, outside, now: app.clock.now() })
  const { fresh, busted } = merged
  if (fresh + busted > 0)
    await commitOutcome(app, work, {
      ...merged,
      state: order.state,
      end: undefined,
      look: !isFinal(ORDER_MOVES, order.state),
    })
  return { fresh, busted }
}

async function executionOfOrder(
  { db }: TradingApp,
  workspace: WorkspaceId,
  order_id: OrderId,
): Promise<ExecutionId> {
  const rows = await db.query<{ execution_id: ExecutionId }>(
    sql`
      select execution_id
      from execution_orders
      where workspace = ${workspace}
        and id = ${order_id}`,
  )
  return mustExist(only(rows), `order ${order_id} is there`).execution_id
}

/** For an order of which it is certain that nothing more was and will be filled. */
export async function endOrder(
  app: TradingApp,
  work: Omit<Work, 'venue'>,
  end: OrderEnd,
): Promise<Standing> {
  const trades = await readTrades(app.db, work.execution)
  const { state, reason_code, reason } = end
  const rows = [updateOrder(work.order, { reason_code, reason })]
  return commitOutcome(app, work, { state, end, rows, before: trades, after: trades })
}

type OrderFields = NonNullable<Parameters<typeof updateGuardedRow<OrderRow>>[1]['set']>

const updateOrder = ({ workspace, id }: OrderRow, set: OrderFields): Query =>
  updateGuardedRow(ORDERS, { where: { workspace, id }, set })

// ---------------------------------------------------------------- the commit

/** What follows from the trades for the execution and its customers. */
export type Consequences = {
  positions: Positions
  next: NextState | undefined
  next_order: OrderDraft | undefined
  /** The execution ends with it. */
  ended: boolean
  now: number
}

export async function commitOutcome(
  app: TradingApp,
  work: EndedWork,
  change: OrderChange,
): Promise<Standing> {
  const { execution, order, orders } = work
  const { state, end, before, after, refusal } = change
  const now = app.clock.now()
  const { base_scale, positions } = await readPositions(app, execution)
  const targets = targetsOf(orders)
  const sumUp = (trades: readonly ExecutionTrade[], ended: boolean) =>
    sumTrades(liveTrades(trades), {
      side: execution.side,
      path: execution.hops,
      targets,
      base_scale,
      ended,
    })
  const filled = sumUp(after, true)
  const next_order = await followingOrder(app, work, change, {
    hops: filled.hops,
    target: targets.get(order.hop_no) ?? 0n,
  })
  const next = nextState(execution, {
    order: orders.some((row) => row.id !== order.id && row.state === 'UNKNOWN') ? 'UNKNOWN' : state,
    end,
    goesOn: next_order !== undefined,
    filled,
    now,
    refusal,
  })
  const over = isFinal(EXECUTION_MOVES, execution.state)
  const ended = next !== undefined && isFinal(EXECUTION_MOVES, next.state)
  const consequences = {
    positions: positions(sumUp(before, over), sumUp(after, over || ended)),
    next,
    next_order,
    ended,
    now,
  }
  const composed = await composeOutcome(app, work, change, consequences)
  await (change.commit === undefined
    ? app.lane.commit(composed)
    : change.commit(composed, consequences))
  return ended ? 'ended' : 'open'
}

/** What each hop was first ordered to trade. */
function targetsOf(orders: readonly OrderRow[]): Map<number, Decimal> {
  const targets = new Map<number, Decimal>()
  for (const { hop_no, quantity } of orders)
    if (!targets.has(hop_no)) targets.set(hop_no, decimal(quantity))
  return targets
}

/** The order that follows one that has ended. Throws 2003 while that cannot be known. */
async function followingOrder(
  app: TradingApp,
  work: EndedWork,
  change: OrderChange,
  traded: { hops: FilledPosition['hops']; target: Decimal },
): Promise<OrderDraft | undefined> {
  const { end, rows, before, after, reversals = [], guards = [] } = change
  if (end === undefined) return undefined
  try {
    return await nextOrder(app, work, end, traded)
  } catch (error) {
    if (change.commit !== undefined) throw error
    // What it has traded is booked now; that it has ended when it is known what follows.
    const { grown, shrunk } = compareTrades(change)
    const state = stateAfter(work.order.state, 'PARTIALLY_FILLED', false)
    if (grown || shrunk)
      await commitOutcome(app, work, {
        state,
        end: undefined,
        rows,
        before,
        after,
        reversals,
        guards,
      })
    throw error
  }
}

async function composeOutcome(
  app: TradingApp,
  { execution, order, orders, venue }: EndedWork,
  change: OrderChange,
  { positions, next, next_order, ended, now }: Consequences,
): Promise<Change> {
  const { workspace, id } = execution
  const { state, rows, after, reversals = [], guards = [], refusal, look } = change
  const { grown, shrunk } = compareTrades(change)
  const proceeds = customerProceeds(execution, after)
  const steps = await ledgerSteps(app, execution, positions, { ended, venue, proceeds, shrunk })
  return {
    workspace,
    class: 'fact',
    by: WORKER,
    guards: [orderGuard(order, state), executionGuard(execution, next?.state), ...guards],
    ledger: [...reversals, ...steps],
    rows: [
      ...rows,
      ...(refusal === undefined ? [] : [keepOpen(order, refusal)]),
      updateExecution(execution, fieldsAfter(execution, positions, ended ? now : undefined, next)),
      updateShares(execution, positions),
      ...(next_order === undefined
        ? []
        : [insertOrder(execution, next_order, { by: WORKER, now }, orders.length)]),
    ],
    events: eventsOf(execution, positions, next, { grown, shrunk, refused: refusal !== undefined }),
    ...(look === true ? { tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }] } : {}),
  }
}

/** The venue would not cancel the order: it may be asked again. */
const keepOpen = (order: OrderRow, refusal: string): Query =>
  updateOrder(order, { cancel_sent_at: null, reason: refusal.slice(0, MAXIMUM_REASON) })
