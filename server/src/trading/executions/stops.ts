/**
 * STOP_MARKET: orders that wait for the market. One task per workspace watches them all under its
 * lease; whichever process holds it compares the triggers with the top of the book. A trigger is
 * one change that only a waiting execution can take, so it happens once, and a killed watcher
 * leaves either a waiting execution or one whose order is to be sent.
 *
 * A trigger is a command of ours: under a halt, or while a customer's account is frozen, it waits,
 * and is decided by the market when that is over. Without a fresh price, or by one far from the
 * reference, nothing triggers.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { ExecutionId, WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { waitReason } from '../../ledger/index.ts'
import type { Change, Guard, LedgerStep } from '../../ledger/index.ts'
import { readAll } from '../../store/reads.ts'
import type { Read } from '../../store/reads.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import type { Trading } from '../../venues/index.ts'
import { askVenueFirst, isInDoubt } from './in-doubt.ts'
import { EXECUTION_TASK, EXECUTIONS, insertOrder, readExecution } from './rows.ts'
import type { OrderDraft, StoredExecution } from './rows.ts'
import type { TradingApp } from '../app.ts'
import { draftTriggeredOrder } from './order-drafts.ts'
import { assertNearReference, freshMarket } from '../routes/market.ts'
import type { RouteMarket } from '../routes/market.ts'
import { basisReads, tradingScope, hopsOf, ROUTE_COLUMNS } from '../routes/routes.ts'
import type { RouteRow } from '../routes/routes.ts'
import { EXECUTION_MOVES } from '../states.ts'
import type { ExecutionState } from '../states.ts'

/** Subject: the workspace. */
export const WATCH_TASK = 'watch_stops'
const WATCH_MILLISECONDS = 250
const AT_ONCE = 200
const WORKER = 'trading'
const REFUSALS: readonly string[] = ['BadRequest', 'RateLimited']
const IS_WAITING = stateIn(EXECUTION_MOVES, 'WAITING_FOR_TRIGGER')

export function stopTasks(app: TradingApp): Record<string, TaskHandler> {
  return { [WATCH_TASK]: ({ workspace }) => watchStops(app, workspace) }
}

export async function watchStops(app: TradingApp, workspace: WorkspaceId): Promise<TaskResult> {
  for (const id of await findExpired(app, workspace))
    await ignoreRefusal(() => expireStop(app, workspace, id))
  const routes = await routesWithStops(app, workspace)
  if (routes.length === 0) return 'done'
  for (const route of routes) {
    const market = readMarket(app, route)
    if (market !== undefined)
      for (const id of await findReached(app, route, market))
        await ignoreRefusal(() => triggerStop(app, workspace, id, market))
  }
  return { again_at: app.clock.now() + WATCH_MILLISECONDS }
}

async function findExpired(app: TradingApp, workspace: WorkspaceId): Promise<ExecutionId[]> {
  const rows = await app.db.query<{ id: ExecutionId }>(sql`
    select id
    from executions
    where workspace = ${workspace}
      and ${IS_WAITING}
      and expires_at <= ${app.clock.now()}
    order by id
    limit ${AT_ONCE}`)
  return rows.map((row) => row.id)
}

function routesWithStops({ db }: TradingApp, workspace: WorkspaceId): Promise<RouteRow[]> {
  return db.query<RouteRow>(sql`
    select ${ROUTE_COLUMNS}
    from price_stream_routes
    where workspace = ${workspace}
      and id in (
        select route_id
        from executions
        where workspace = ${workspace}
          and ${IS_WAITING}
      )`)
}

function readMarket(app: TradingApp, route: RouteRow): RouteMarket | undefined {
  try {
    return freshMarket(app, route)
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'BadRequest') return undefined
    throw error
  }
}

/**
 * STOP_LOSS: SELL when bid ≤ price, BUY when ask ≥ price; TAKE_PROFIT the other way round. Those of
 * a frozen account are not asked about, or many of them would hold up all others.
 */
async function findReached(
  app: TradingApp,
  route: RouteRow,
  { book }: RouteMarket,
): Promise<ExecutionId[]> {
  const [bid, ask] = [book.bids[0]?.price, book.asks[0]?.price].map((price) =>
    price === undefined ? null : format(price),
  ) as [string | null, string | null]
  const rows = await app.db.query<{ id: ExecutionId }>(sql`
    select id
    from executions e
    where workspace = ${route.workspace}
      and route_id = ${route.id}
      and ${IS_WAITING}
      and not exists (
        select
        from holds h
        join accounts a on a.workspace = h.workspace
          and a.id = h.account_id
        where h.workspace = e.workspace
          and h.cause_id = e.id
          and a.frozen
      )
      and case
        when side = 'SELL' and stop_order_condition = 'STOP_LOSS' then price >= ${bid}::numeric
        when side = 'SELL' then price <= ${bid}::numeric
        when stop_order_condition = 'STOP_LOSS' then price <= ${ask}::numeric
        else price >= ${ask}::numeric
      end
    order by id
    limit ${AT_ONCE}`)
  return rows.map((row) => row.id)
}

/** Its order, and the top of the book at which it triggers. */
type Trigger = { order: OrderDraft; top: Decimal }

async function triggerStop(
  app: TradingApp,
  workspace: WorkspaceId,
  id: ExecutionId,
  market: RouteMarket,
): Promise<void> {
  const execution = await readExecution(app.db, workspace, id)
  if ((await waitReason(app.db, workspace, tradingScope(execution), id)) !== undefined) return
  const trigger = await draftTrigger(app, execution, market)
  if (trigger === undefined) return
  const change = triggerChange(execution, trigger, app.clock.now())
  await withFailpoints('execution.trigger', id, () => app.lane.commit(change))
}

/** Undefined while a venue takes no orders or the book is empty. Throws 3001 for a lone market. */
async function draftTrigger(
  app: TradingApp,
  execution: StoredExecution,
  market: RouteMarket,
): Promise<Trigger | undefined> {
  const { workspace, side, hops } = execution
  const venues: Trading[] = []
  for (const hop of hopsOf(execution)) {
    const { adapter } = await app.venues.connect(workspace, hop.venue_id)
    if (adapter.trading === undefined) return undefined
    venues.push(adapter.trading)
  }
  const { route: stored, ...basis } = await readAll(app.db, {
    route: routeRead(execution),
    ...basisReads(workspace),
  })
  const route = { ...stored, hops }
  const order = draftTriggeredOrder(
    { route, venues, side },
    market,
    decimal(basis.settings.slippage),
    {
      amount: decimal(execution.amount),
      guard_price: decimal(execution.guard_price ?? '0'),
      fok: execution.tif_mode === 'FOK',
    },
  )
  const top = (side === 'BUY' ? market.book.asks : market.book.bids)[0]?.price
  if (order === undefined || top === undefined) return undefined
  // A market that stands alone triggers nothing.
  assertNearReference(app, basis, route, [top])
  return { order, top }
}

function triggerChange(execution: StoredExecution, { order, top }: Trigger, now: number): Change {
  const { workspace, id, symbol, side, price, client_ref } = execution
  const stamp = { by: WORKER, now }
  const top_price = format(top)
  return {
    workspace,
    class: 'command',
    by: WORKER,
    halt: tradingScope(execution),
    guards: [waitingGuard(execution, 'PROCESSING')],
    rows: [
      updateGuardedRow(EXECUTIONS, {
        where: { workspace, id },
        set: { triggered_at: now, top_price },
      }),
      insertOrder(execution, order, stamp),
    ],
    events: [
      {
        type: 'execution.triggered',
        resource_id: id,
        data: { state: 'PROCESSING', symbol, side, price, top_price, client_ref },
      },
    ],
    tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }],
  }
}

const waitingGuard = ({ id, version }: StoredExecution, to: ExecutionState): Guard => ({
  table: 'executions',
  resource: 'execution',
  id,
  ...move(EXECUTION_MOVES, 'WAITING_FOR_TRIGGER', to),
  version,
})

/** Also of one that was switched off since. */
const routeRead = ({ workspace, route_id }: StoredExecution): Read<RouteRow> => ({
  query: sql`
    select ${ROUTE_COLUMNS}
    from price_stream_routes
    where workspace = ${workspace}
      and id = ${route_id}`,
  answer: (rows: readonly RouteRow[]) =>
    mustExist(rows[0], `price-stream route ${route_id} of an execution is there`),
})

async function expireStop(app: TradingApp, workspace: WorkspaceId, id: ExecutionId): Promise<void> {
  const execution = await readExecution(app.db, workspace, id)
  const stamp = { by: WORKER, now: app.clock.now() }
  const change = (await isInDoubt(app, execution))
    ? askVenueFirst(execution, stamp)
    : expiryChange(execution, stamp.now)
  await app.lane.commit(change)
}

function expiryChange(execution: StoredExecution, now: number): Change {
  const { workspace, id } = execution
  const end = {
    reason_code: 'EXPIRED',
    reason: 'its time ended before the market reached the trigger',
  }
  return {
    workspace,
    class: 'fact',
    by: WORKER,
    guards: [waitingGuard(execution, 'EXPIRED')],
    ledger: releases(execution),
    rows: [
      updateGuardedRow(EXECUTIONS, {
        where: { workspace, id },
        set: { completed_at: now, ...end },
      }),
    ],
    events: [
      {
        type: 'execution.expired',
        resource_id: id,
        data: untradedEventData(execution, { state: 'EXPIRED', ...end }),
      },
    ],
  }
}

/** Frees all that it blocks. */
export const releases = (execution: StoredExecution): LedgerStep[] =>
  execution.shares.map((share) => ({ step: 'release', hold_id: share.hold_id }))

/** What the event says of an execution that ends before anything was sent. */
export function untradedEventData(
  execution: StoredExecution,
  end: { state: string; reason_code: string; reason: string | null },
) {
  const { symbol, side, amount, client_ref, shares } = execution
  return {
    ...end,
    symbol,
    side,
    amount,
    client_ref,
    filled_amount: '0',
    filled_volume: '0',
    average_price: null,
    customers: shares.map(({ customer_id }) => ({
      customer_id,
      filled_amount: '0',
      filled_volume: '0',
    })),
  }
}

/**
 * Somebody has canceled, triggered or halted it in the same moment, or the lane's queue is full: it
 * is looked at again, and so are all others.
 */
async function ignoreRefusal(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isRefusal = error instanceof ApiError && REFUSALS.includes(error.kind)
    if (!isRefusal) throw error
  }
}
