/**
 * What a venue reports of an order after a person has entered its outcome. What agrees is noted.
 * What does not is booked by nobody: it is stored with the order, and the overview names it. A
 * person then has the venue's report taken in place of what was entered, which books the
 * difference.
 */
import { format, sum } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { isFinal } from '../../core/moves.ts'
import type { Caller } from '../../http/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { retryOnStale } from '../../ledger/index.ts'
import type { TaskResult } from '../../store/tasks.ts'
import type { Lookup, OrderReport, VenueFill } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import { ORDERS, readExecution, readOrders } from '../executions/rows.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import { ORDER_MOVES } from '../states.ts'
import { commitOutcome } from './fills.ts'
import type { Work } from './fills.ts'
import { orderGuard } from './guards.ts'
import { readOutsideFills } from './outside-fills.ts'
import type { SentOrder } from './submissions.ts'
import { isSameTrade, liveTrades, mergeTrades, readTrades, WORKER } from './trades.ts'
import type { ExecutionTrade } from './trades.ts'
import { askVenue } from './venue-orders.ts'

const MAXIMUM_TEXT = 500
/** The longer the venue does not answer, the less often it is asked, and after this no more. */
const ASK_AT_LEAST_MILLISECONDS = 10_000
const ASK_AT_MOST_MILLISECONDS = 600_000
const GIVE_UP_MILLISECONDS = 30 * 86_400_000

type ResolvedOrder = SentOrder & { resolved_at: number }

/**
 * The orders whose outcome a person has entered and the venue has not reported since. Those that
 * it was asked about for long enough are given up.
 */
export function unconfirmedOrders(orders: readonly OrderRow[], now: number): ResolvedOrder[] {
  return orders.flatMap((order) => {
    const { sent_at, resolved_at, confirmed_at, contradiction } = order
    if (resolved_at === null || sent_at === null) return []
    if (confirmed_at !== null || contradiction !== null) return []
    return now - resolved_at > GIVE_UP_MILLISECONDS ? [] : [{ ...order, sent_at, resolved_at }]
  })
}

/** Asks the venues of all these orders. Comes back when the first one is to be asked again. */
export async function compareWithVenues(
  app: TradingApp,
  execution: StoredExecution,
  orders: readonly ResolvedOrder[],
): Promise<TaskResult> {
  const times: number[] = []
  for (const order of orders) {
    const result = await compareWithVenue(app, execution, order)
    if (result !== 'done') times.push(result.again_at)
  }
  return times.length === 0 ? 'done' : { again_at: Math.min(...times) }
}

/** Asks the venue whether it agrees. Nothing is booked. */
async function compareWithVenue(
  app: TradingApp,
  execution: StoredExecution,
  order: ResolvedOrder,
): Promise<TaskResult> {
  const found = await askVenue(app, order)
  const now = app.clock.now()
  const trades = await readTrades(app.db, execution)
  const own = liveTrades(trades).filter((trade) => trade.order_id === order.id)
  const verdict = compare(order, own, found)
  if (verdict === 'unclear') {
    const waited = now - order.resolved_at
    const pause = Math.max(ASK_AT_LEAST_MILLISECONDS, Math.floor(waited / 4))
    return { again_at: now + Math.min(ASK_AT_MOST_MILLISECONDS, pause) }
  }
  if (verdict === 'agrees') await confirm(app, execution, order)
  else await contradict(app, execution, order, verdict.contradiction)
  return 'done'
}

type Verdict = 'agrees' | 'unclear' | { contradiction: string }

function compare(
  order: OrderRow,
  entered: readonly ExecutionTrade[],
  found: Lookup<OrderReport>,
): Verdict {
  if (found.lookup === 'unknown') return 'unclear'
  if (found.lookup === 'absent') {
    if (order.foreign_id !== null) return 'unclear'
    return entered.length === 0
      ? 'agrees'
      : { contradiction: 'the venue answers that it never got the order' }
  }
  const { state, filled_quantity, fills } = found.report
  const standing = fills.filter((fill) => !fill.busted)
  const listed = sum(standing.map((fill) => fill.quantity))
  // Not all of its trades are listed yet.
  if (isFinal(ORDER_MOVES, state) && listed < filled_quantity) return 'unclear'
  const isSame =
    standing.length === entered.length &&
    standing.every((fill) => entered.some((trade) => isSameTrade(trade, fill)))
  if (isFinal(ORDER_MOVES, state) && isSame) return 'agrees'
  const quantity = format(sum(entered.map((trade) => trade.quantity)))
  return {
    contradiction:
      `the venue reports ${state} with ${format(filled_quantity)} filled in ` +
      `${standing.length} trades; entered were ${quantity} in ${entered.length} trades`,
  }
}

async function confirm(
  app: TradingApp,
  execution: StoredExecution,
  order: OrderRow,
): Promise<void> {
  const { workspace, id } = order
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    guards: [orderGuard(order, order.state)],
    rows: [
      updateGuardedRow(ORDERS, {
        where: { workspace, id },
        set: { confirmed_at: app.clock.now() },
      }),
    ],
    events: [
      {
        type: 'execution.resolution_confirmed',
        resource_id: execution.id,
        data: { state: execution.state, order_id: id, resolved_by: order.resolved_by },
      },
    ],
  })
}

/** Stores what the venue reports instead; once. */
async function contradict(
  app: TradingApp,
  execution: StoredExecution,
  order: OrderRow,
  contradiction: string,
): Promise<void> {
  const { workspace, id, resolved_by, evidence } = order
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    guards: [orderGuard(order, order.state)],
    rows: [
      updateGuardedRow(ORDERS, {
        where: { workspace, id },
        set: { contradiction: contradiction.slice(0, MAXIMUM_TEXT) },
      }),
    ],
    events: [
      {
        type: 'execution.resolution_contradicted',
        resource_id: execution.id,
        data: { state: execution.state, order_id: id, contradiction, resolved_by, evidence },
      },
    ],
  })
}

/**
 * A trade of such an order that the venue lists, and that is not what was entered: it is not
 * booked.
 */
export async function contradictByTrade(
  app: TradingApp,
  order: Pick<OrderRow, 'workspace' | 'id' | 'execution_id'>,
  { foreign_id, quantity, price }: VenueFill,
): Promise<void> {
  const { workspace, execution_id } = order
  await retryOnStale(async () => {
    const [execution, orders] = await Promise.all([
      readExecution(app.db, workspace, execution_id),
      readOrders(app.db, workspace, execution_id),
    ])
    const row = orders.find(({ id }) => id === order.id)
    if (row === undefined || row.contradiction !== null) return
    const trade = `trade ${foreign_id} of ${format(quantity)} at ${format(price)}`
    await contradict(app, execution, row, `the venue lists ${trade}, which was not entered so`)
  })
}

/**
 * The venue's report in place of what was entered: what it does not list so is reversed, and what
 * is missing is booked. Without a report it never got the order. Throws CONFLICT while the order is
 * open there.
 */
export async function takeReport(
  { by }: Caller,
  app: TradingApp,
  work: Work,
  report: OrderReport | undefined,
): Promise<void> {
  const { execution, order } = work
  if (report !== undefined) assertWhole(report)
  const trades = await readTrades(app.db, execution)
  const now = app.clock.now()
  const reported = report === undefined ? { fills: [] } : { fills: report.fills, report }
  const outside = await readOutsideFills(app, work, reported.fills)
  const merged = mergeTrades(work, trades, { ...reported, outside, now, replace: true })
  await commitOutcome(app, work, {
    state: order.state,
    end: undefined,
    rows: merged.rows,
    before: merged.before,
    after: merged.after,
    reversals: merged.reversals,
    guards: merged.guards,
    commit: (change) =>
      app.lane.commit({
        ...change,
        by,
        rows: [
          ...(change.rows ?? []),
          updateGuardedRow(ORDERS, {
            where: { workspace: order.workspace, id: order.id },
            set: { contradiction: null, confirmed_at: now },
          }),
        ],
        events: [
          {
            type: 'execution.resolution_corrected',
            resource_id: execution.id,
            data: {
              state: execution.state,
              order_id: order.id,
              filled: format(report?.filled_quantity ?? 0n),
              corrected_by: by,
            },
          },
          ...(change.events ?? []),
        ],
      }),
  })
}

function assertWhole({ state, filled_quantity, fills }: OrderReport): void {
  const standing = fills.filter((fill) => !fill.busted)
  const listed = sum(standing.map((fill) => fill.quantity))
  if (!isFinal(ORDER_MOVES, state) || listed < filled_quantity)
    throw refuse(
      'CONFLICT',
      '',
      `the venue shows the order as ${state}: end it there before its report is taken in`,
    )
}
