/**
 * What became of an order whose outcome is not known, as a person enters it where the venue does
 * not report it. It is booked as a report of the venue is, once. What the venue reports against it
 * later waits for a person (contradictions.ts).
 */
import { mustExist } from '../../core/assert.ts'
import { format, sum } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { ExecutionId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { assertVersion, commitWithReply, retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { constraintOf } from '../../store/db.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { OrderReport, OrderState, VenueFill } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import type { Execution } from '../executions/executions.schema.ts'
import {
  EXECUTION_TASK,
  executionById,
  ORDERS,
  readExecution,
  readOrders,
} from '../executions/rows.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import { EXECUTION_MOVES, ORDER_MOVES } from '../states.ts'
import { RESOLVE_AFTER_MILLISECONDS } from './deadlines.ts'
import { fieldsAfter } from './execution-record.ts'
import { commitOutcome } from './fills.ts'
import type { Consequences, Work } from './fills.ts'
import { readOutsideFills, readStatedOutside } from './outside-fills.ts'
import type { ResolveExecutionBody } from './resolution.schema.ts'
import { assertQuantity, readStatedFills } from './stated-fills.ts'
import type { SentOrder } from './submissions.ts'
import { liveTrades, mergeTrades, readTrades } from './trades.ts'
import type { ExecutionTrade } from './trades.ts'
import { askVenue } from './venue-orders.ts'

const STATES: Readonly<Record<ResolveExecutionBody['state'], OrderState>> = {
  FILLED: 'FILLED',
  CANCELED: 'CANCELED',
  NEVER_PLACED: 'REJECTED',
}

/**
 * Ends the UNKNOWN order of an execution as somebody found it out; stores who and by what evidence.
 * Refused: STATE_NOT_ALLOWED in every other state, and while the order may be on its way; CONFLICT
 * with what the venue answers; STALE_VERSION; and what the fills cannot be (`readStatedFills`,
 * `assertQuantity`).
 */
export function resolveExecution(
  caller: Caller,
  app: TradingApp,
  id: ExecutionId,
  body: ResolveExecutionBody,
): Promise<Execution> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const before = await executionById(app.db, workspace, id)
      assertVersion('execution', before, body.version)
      const work = await readUnknown(app, before)
      const { execution, order } = work
      const trades = await readTrades(app.db, execution)
      const own = liveTrades(trades).filter((trade) => trade.order_id === order.id)
      const booked = sum(own.map((trade) => trade.quantity))
      const stated = await readStatedFills(app, work, body)
      assertQuantity(order, body, { booked, stated })
      await assertReference(app, order, body)
      const filled = booked + sum(stated.map((fill) => fill.quantity))
      const report = await agreeingReport(app, order, body.state, filled)
      return commitResolution(caller, app, { before, work, trades, body, stated, report })
    }),
  )
}

type UnknownWork = Work & { order: SentOrder }

async function readUnknown(app: TradingApp, { workspace, id }: Execution): Promise<UnknownWork> {
  const [execution, orders, venues] = await Promise.all([
    readExecution(app.db, workspace, id),
    readOrders(app.db, workspace, id),
    app.venues.list(workspace),
  ])
  const order = orders.find((row) => row.state === 'UNKNOWN')
  const over = isFinal(EXECUTION_MOVES, execution.state)
  if (over || order === undefined || order.sent_at === null)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `execution ${id} is ${execution.state}: only one with an UNKNOWN order can be resolved`,
    )
  const { sent_at } = order
  const earliest = sent_at + RESOLVE_AFTER_MILLISECONDS
  if (app.clock.now() < earliest)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      'its order may still be on its way: ' +
        `it can be resolved from ${new Date(earliest).toISOString()} on`,
    )
  const venue = mustExist(
    venues.find((record) => record.id === order.venue_id),
    'an order has its venue',
  )
  return { execution, orders, venue, order: { ...order, sent_at } }
}

async function assertReference(
  app: TradingApp,
  order: OrderRow,
  { foreign_id }: ResolveExecutionBody,
): Promise<void> {
  if (foreign_id === undefined) return
  if (order.foreign_id !== null && order.foreign_id !== foreign_id)
    throw refuse('CONFLICT', 'foreign_id', `the venue knows this order as ${order.foreign_id}`)
  const [other] = await app.db.query<{ id: string }>(sql`
    select id
    from execution_orders
    where workspace = ${order.workspace}
      and foreign_id = ${foreign_id}
      and venue_id = ${order.venue_id}
      and id <> ${order.id}
    limit 1`)
  if (other !== undefined)
    throw refuse('DUPLICATE', 'foreign_id', `${foreign_id} is the reference of order ${other.id}`)
}

// ---------------------------------------------------------------- what the venue says

/**
 * The venue's own report where it has one that agrees: its trades are the exact ones. Throws
 * CONFLICT when it says something else. Undefined when it does not say.
 */
async function agreeingReport(
  app: TradingApp,
  order: SentOrder,
  state: ResolveExecutionBody['state'],
  filled: bigint,
): Promise<OrderReport | undefined> {
  const found = await askVenue(app, order)
  if (found.lookup === 'unknown') return undefined
  if (found.lookup === 'absent') {
    if (order.foreign_id === null && filled > 0n)
      throw refuse('CONFLICT', 'state', 'the venue answers that it never got the order')
    return undefined
  }
  const { report } = found
  const listed = sum(report.fills.filter((fill) => !fill.busted).map((fill) => fill.quantity))
  const agrees =
    isFinal(ORDER_MOVES, report.state) &&
    state !== 'NEVER_PLACED' &&
    (state === 'FILLED') === (report.state === 'FILLED') &&
    report.filled_quantity === filled &&
    listed === filled
  if (agrees) return report
  throw refuse(
    'CONFLICT',
    'state',
    `the venue reports the order as ${report.state} with ${format(report.filled_quantity)} ` +
      'filled: recheck takes that in',
  )
}

// ---------------------------------------------------------------- the commit

type Resolution = {
  before: Execution
  work: UnknownWork
  trades: readonly ExecutionTrade[]
  body: ResolveExecutionBody
  stated: readonly VenueFill[]
  report: OrderReport | undefined
}

async function commitResolution(
  caller: Caller,
  app: TradingApp,
  resolution: Resolution,
): Promise<Execution> {
  const { before, work, trades, body, stated, report } = resolution
  const { execution } = work
  const now = app.clock.now()
  const outside = await (report === undefined
    ? readStatedOutside(app, work, stated)
    : readOutsideFills(app, work, report.fills))
  const merged = mergeTrades(
    work,
    trades,
    report === undefined
      ? { fills: stated, outside, now, entered_by: caller.by }
      : { fills: report.fills, report, outside, now },
  )
  const state = report?.state ?? STATES[body.state]
  const end = { reason_code: 'RESOLVED_BY_HAND', reason: body.evidence, resolved: true } as const
  let record = before
  try {
    await withFailpoints('execution.resolve', execution.id, () =>
      commitOutcome(app, work, {
        state,
        end: { state, ...end },
        rows: merged.rows,
        before: merged.before,
        after: merged.after,
        reversals: merged.reversals,
        guards: merged.guards,
        commit: async (change, consequences) => {
          const after = recordAfter(caller, before, execution, consequences)
          const resolved = resolvedChange(caller, change, resolution, now)
          record = await commitWithReply(app.lane, caller, resolved, after)
        },
      }),
    )
    return record
  } catch (error) {
    // Entered for another order since it was looked for.
    if (constraintOf(error) === 'fills_trade')
      throw refuse('DUPLICATE', 'fills', 'one of these trades is booked already')
    throw error
  }
}

function resolvedChange(
  { by }: Caller,
  change: Change,
  { work: { execution, order }, body, stated, report }: Resolution,
  now: number,
): Change {
  const { workspace, id } = execution
  const { evidence, foreign_id = null } = body
  return {
    ...change,
    by,
    rows: [
      ...(change.rows ?? []),
      updateGuardedRow(ORDERS, {
        where: { workspace, id: order.id },
        set: {
          resolved_at: now,
          resolved_by: by,
          evidence,
          confirmed_at: report === undefined ? null : now,
          reason_code: 'RESOLVED_BY_HAND',
          reason: null,
          foreign_id: sql`coalesce(foreign_id, ${report?.foreign_id ?? foreign_id})`,
        },
      }),
    ],
    events: [
      {
        type: 'execution.resolved',
        resource_id: id,
        data: {
          state: body.state,
          order_id: order.id,
          resolved_by: by,
          evidence,
          trades: stated.map((fill) => fill.foreign_id),
        },
      },
      ...(change.events ?? []),
    ],
    // The next hop goes out, or the venue is asked whether it agrees.
    tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }],
  }
}

/** The execution as it is after the change. */
function recordAfter(
  { by }: Caller,
  before: Execution,
  execution: StoredExecution,
  { positions, next, ended, now }: Consequences,
): Execution {
  const filled = new Map(
    positions.shares.map(({ share, after }) => [
      share.customer_id,
      { filled_amount: format(after.base), filled_volume: format(after.total) },
    ]),
  )
  return {
    ...before,
    ...fieldsAfter(execution, positions, ended ? now : undefined, next),
    state: next?.state ?? execution.state,
    customers: before.customers.map((customer) => ({
      ...customer,
      ...filled.get(customer.customer_id),
    })),
    version: execution.version + 1,
    system_updated_at: now,
    system_updated_by: by,
  }
}
