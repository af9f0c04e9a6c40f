/**
 * What a venue tells of one of our orders changes, in one commit: the new trades, what they book,
 * the holds they take from, the next order where one follows, and the states of order and
 * execution. A trade is booked once. What is told is a
 * fact: trades after a final state are booked too, and one that the venue takes back is reversed.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { idAt } from '../../core/ids.ts'
import type { ExecutionId, WorkspaceId } from '../../core/ids.ts'
import { canMove, isFinal, statesOf } from '../../core/moves.ts'
import { only } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Guard } from '../../ledger/index.ts'
import type { OrderReport, OrderState, VenueFill, VenueRecord } from '../../venues/index.ts'
import { EXECUTION_TASK, readExecution, insertOrder, readOrders } from '../executions/rows.ts'
import type { OrderDraft, OrderRow, StoredExecution } from '../executions/rows.ts'
import type { TradingApp } from '../app.ts'
import { nextState, nextOrder } from './next-order.ts'
import type { OrderEnd } from './next-order.ts'
import type { Proceeds } from './unsettled-fills.ts'
import {
  EVENT_OF,
  executionUpdate,
  readPositions,
  priceText,
  sharesUpdate,
  ledgerSteps,
  stateData,
} from './outcome.ts'
import { sumTrades } from '../pricing/positions.ts'
import type { Trade } from '../pricing/positions.ts'
import { createdBy, insertRow } from '../rows.ts'
import { EXECUTION_MOVES, ORDER_MOVES } from '../states.ts'
import type { ExecutionState } from '../states.ts'
import type { Fill } from '../executions/fills.schema.ts'

export const WORKER = 'trading'

/** Where the execution stands after a report. */
type Standing = 'open' | 'ended'

export type Work = {
  execution: StoredExecution
  order: OrderRow
  orders: readonly OrderRow[]
  venue: Pick<VenueRecord, 'id' | 'settlement'>
}

type TradeRow = Trade & { id: string; order_id: string; foreign_id: string; busted: boolean }

/**
 * What changes beside the trades: the order's state, and with `end` that nothing more comes of it.
 */
type Outcome = {
  state: OrderState
  end: OrderEnd | undefined
  rows: Query[]
  before: readonly TradeRow[]
  after: readonly TradeRow[]
  /** The venue would not cancel, and why. */
  kept?: string
  look?: boolean
}

/** `kept`: the venue has refused to cancel the order, which is open as reported. */
export async function applyReport(
  app: TradingApp,
  work: Work,
  report: OrderReport,
  kept?: string,
): Promise<Standing> {
  const { order } = work
  const merged = await mergeFills(app, work, report.fills, report)
  const ofOrder = merged.after.filter((trade) => trade.order_id === order.id)
  const listed = sum(live(ofOrder).map((trade) => trade.quantity)) >= report.filled_quantity
  // A final state counts once the venue shows every fill behind it.
  const reported =
    isFinal(ORDER_MOVES, report.state) && !listed
      ? ofOrder.some((trade) => !trade.busted)
        ? 'PARTIALLY_FILLED'
        : order.state
      : report.state
  const state = stateAfter(order.state, reported, kept !== undefined)
  if (
    !merged.changed &&
    state === order.state &&
    report.foreign_id === order.foreign_id &&
    kept === undefined
  )
    return isFinal(ORDER_MOVES, state) ? 'ended' : 'open'
  const end =
    isFinal(ORDER_MOVES, state) && !isFinal(ORDER_MOVES, order.state)
      ? { state, reason_code: null, reason: report.reason }
      : undefined
  return commitOutcome(app, work, {
    state,
    end,
    rows: merged.rows,
    before: merged.before,
    after: merged.after,
    ...(kept === undefined ? {} : { kept }),
  })
}

/**
 * Trades of one of our orders as the venue lists them, at any time: also after its end, and taken
 * back. Answers how many were new.
 */
export async function applyFills(
  app: TradingApp,
  { workspace, order_id }: { workspace: WorkspaceId; order_id: string },
  fills: readonly VenueFill[],
): Promise<{ fresh: number; busted: number }> {
  const { execution_id } = mustExist(
    only(
      await app.db.query<{ execution_id: ExecutionId }>(
        sql`
          select execution_id
          from execution_orders
          where workspace = ${workspace}
            and id = ${order_id}`,
      ),
    ),
    `order ${order_id} is there`,
  )
  const [execution, orders] = await Promise.all([
    readExecution(app.db, workspace, execution_id),
    readOrders(app.db, workspace, execution_id),
  ])
  const order = mustExist(
    orders.find((order) => order.id === order_id),
    'the order is one of its execution',
  )
  const { venue } = await app.venues.connected(workspace, order.venue_id)
  const work: Work = { execution, orders, order, venue }
  const merged = await mergeFills(app, work, fills)
  if (merged.changed)
    await commitOutcome(app, work, {
      state: order.state,
      end: undefined,
      rows: merged.rows,
      before: merged.before,
      after: merged.after,
      look: !isFinal(ORDER_MOVES, order.state),
    })
  return { fresh: merged.fresh, busted: merged.busted }
}

/** For an order of which it is certain that nothing more was and will be filled. */
export async function endOrder(
  app: TradingApp,
  work: Omit<Work, 'venue'>,
  end: OrderEnd,
): Promise<Standing> {
  const { execution, order } = work
  const trades = await readTrades(app, execution)
  const rows = [
    sql`
      update execution_orders
      set reason_code = ${end.reason_code}, reason = ${end.reason}
      where workspace = ${execution.workspace}
        and id = ${order.id}`,
  ]
  return commitOutcome(app, work, { state: end.state, end, rows, before: trades, after: trades })
}

/**
 * The venue's answer was not observed: order and execution are UNKNOWN until the venue tells. A
 * wish to cancel outlives the doubt.
 */
export async function markUnknown(
  app: TradingApp,
  { execution, order }: Work,
  reason: string,
): Promise<void> {
  if (order.state === 'UNKNOWN') return
  const asked =
    execution.state !== 'CANCELING' && canMove(EXECUTION_MOVES, execution.state, 'UNKNOWN')
  const { workspace } = execution
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    guards: [
      orderGuard(order, 'UNKNOWN'),
      executionGuard(execution, asked ? 'UNKNOWN' : undefined),
    ],
    rows: [
      sql`
        update execution_orders
        set reason = ${reason.slice(0, 500)}
        where workspace = ${workspace}
          and id = ${order.id}`,
    ],
    events: [
      {
        type: 'execution.outcome_unknown',
        resource_id: execution.id,
        data: { state: asked ? 'UNKNOWN' : execution.state, order_id: order.id, reason },
      },
    ],
  })
}

/**
 * A repeated or overtaken report moves nothing, and an order that is being canceled stays so until
 * the venue has decided.
 */
function stateAfter(state: OrderState, reported: OrderState, kept: boolean): OrderState {
  if (state === 'PENDING_CANCEL' && !kept && !isFinal(ORDER_MOVES, reported)) return state
  return canMove(ORDER_MOVES, state, reported) ? reported : state
}

const orderGuard = (order: OrderRow, to: OrderState): Guard => ({
  table: 'execution_orders',
  resource: 'order',
  id: order.id,
  from: [order.state],
  version: order.version,
  ...(to === order.state ? {} : { to }),
})

function executionGuard(execution: StoredExecution, to: ExecutionState | undefined): Guard {
  return {
    table: 'executions',
    resource: 'execution',
    id: execution.id,
    from: statesOf(EXECUTION_MOVES),
    version: execution.version,
    ...(to === undefined ? {} : { to }),
  }
}

type FillRow = Fill & Record<string, string | number | boolean | null>

function fillOf({ execution, order, venue }: Work, fill: VenueFill, now: number): FillRow {
  return {
    id: idAt(fill.executed_at),
    workspace: execution.workspace,
    execution_id: execution.id,
    order_id: order.id,
    hop_no: order.hop_no,
    service_id: order.service_id,
    venue_id: order.venue_id,
    symbol: order.symbol,
    base_asset: order.base_asset,
    quote_asset: order.quote_asset,
    side: order.side,
    price: format(fill.price),
    quantity: format(fill.quantity),
    volume: format(fill.volume),
    fee: format(fill.fee),
    fee_asset: fill.fee_asset,
    liquidity: fill.liquidity,
    foreign_id: fill.foreign_id,
    executed_at: fill.executed_at,
    busted: fill.busted,
    settlement_id: null,
    settlement_state: venue.settlement === 'PREFUNDED' ? 'SETTLED' : 'UNSETTLED',
    ...createdBy(WORKER, now),
  }
}

type StoredTrade = {
  id: string
  order_id: string
  hop_no: number
  foreign_id: string
  quantity: string
  volume: string
  fee: string
  fee_asset: string
  busted: boolean
}

async function readTrades(
  app: TradingApp,
  { workspace, id }: StoredExecution,
): Promise<TradeRow[]> {
  const rows = await app.db.query<StoredTrade>(
    sql`
      select id, order_id, hop_no, foreign_id, quantity, volume, fee, fee_asset, busted
      from fills
      where workspace = ${workspace}
        and execution_id = ${id}
      order by id`,
  )
  return rows.map((row) => ({
    ...row,
    quantity: decimal(row.quantity),
    volume: decimal(row.volume),
    fee: decimal(row.fee),
  }))
}

/**
 * The trades known so far and with those told now, and the rows that say so and what else the venue
 * reports of the order; a trade told again changes nothing, except that it is taken back.
 */
async function mergeFills(
  app: TradingApp,
  work: Work,
  told: readonly VenueFill[],
  report?: OrderReport,
) {
  const { execution, order } = work
  const before = await readTrades(app, execution)
  const known = new Map(
    before.filter((trade) => trade.order_id === order.id).map((trade) => [trade.foreign_id, trade]),
  )
  const reported = [...new Map(told.map((fill) => [fill.foreign_id, fill])).values()]
  const now = app.clock.now()
  const fresh = reported
    .filter((fill) => !known.has(fill.foreign_id))
    .map((fill) => ({ fill, row: fillOf(work, fill, now) }))
  const taken = new Set(
    reported
      .filter((fill) => fill.busted && known.get(fill.foreign_id)?.busted === false)
      .map((fill) => known.get(fill.foreign_id)?.id ?? ''),
  )
  const after: TradeRow[] = [
    ...before.map((trade) => (taken.has(trade.id) ? { ...trade, busted: true } : trade)),
    ...fresh.map(({ fill, row }) => ({
      id: row.id,
      order_id: order.id,
      hop_no: order.hop_no,
      foreign_id: fill.foreign_id,
      quantity: fill.quantity,
      volume: fill.volume,
      fee: fill.fee,
      fee_asset: fill.fee_asset,
      busted: fill.busted,
    })),
  ]
  const live = after.filter((trade) => trade.order_id === order.id && !trade.busted)
  const [quantity, volume] = [
    sum(live.map((trade) => trade.quantity)),
    sum(live.map((trade) => trade.volume)),
  ]
  const rows = [
    ...fresh.map(({ row }) => insertRow('fills', row)),
    ...(taken.size === 0
      ? []
      : [
          sql`
            update fills
            set busted = true, version = version + 1, system_updated_at = ${now},
              system_updated_by = ${WORKER}
            where workspace = ${execution.workspace}
              and id = any(${[...taken]}::uuid[])`,
        ]),
    sql`
      update execution_orders
      set filled_quantity = ${format(quantity)}, volume = ${format(volume)},
        average_price = ${priceText(order.side, volume, quantity)},
        foreign_id = coalesce(${report?.foreign_id ?? null}, foreign_id),
        reason = coalesce(${report?.reason ?? null}, reason)
      where workspace = ${execution.workspace}
        and id = ${order.id}`,
  ]
  return {
    before,
    after,
    rows,
    changed: fresh.length + taken.size > 0,
    fresh: fresh.length,
    busted: taken.size,
  }
}

const live = (trades: readonly TradeRow[]): TradeRow[] => trades.filter((trade) => !trade.busted)

/**
 * The trades that stand and bring the customers something: those of the first hop, or the last when
 * they sell.
 */
function customerProceeds(
  { side, hops }: StoredExecution,
  trades: readonly TradeRow[],
): Proceeds[] {
  const hop_no = side === 'BUY' ? 1 : hops.length
  return live(trades)
    .filter((trade) => trade.hop_no === hop_no)
    .map(({ id, quantity, volume }) => ({ id, brought: side === 'BUY' ? quantity : volume }))
}

async function commitOutcome(
  app: TradingApp,
  work: Omit<Work, 'venue'> & Partial<Pick<Work, 'venue'>>,
  { state, end, rows, before, after, kept, look }: Outcome,
): Promise<Standing> {
  const { execution, order, orders } = work
  const { workspace, id, side } = execution
  const now = app.clock.now()
  const { shares, base_scale } = await readPositions(app, execution)
  const targets = new Map<number, Decimal>()
  for (const order of orders)
    if (!targets.has(order.hop_no)) targets.set(order.hop_no, decimal(order.quantity))
  const filled = (trades: readonly TradeRow[], ended: boolean) =>
    sumTrades(live(trades), { side, path: execution.hops, targets, base_scale, ended })

  const [grown, shrunk] = [
    live(after).some((trade) => !before.some((each) => each.id === trade.id)),
    live(before).some((trade) => after.find((each) => each.id === trade.id)?.busted === true),
  ]
  let onward: OrderDraft | undefined
  try {
    onward =
      end === undefined
        ? undefined
        : await nextOrder(app, work, end, {
            hops: filled(after, true).hops,
            target: targets.get(order.hop_no) ?? 0n,
          })
  } catch (error) {
    // What it has traded is booked now; that it has ended when it is known what follows.
    if (grown || shrunk)
      await commitOutcome(app, work, {
        state: stateAfter(order.state, 'PARTIALLY_FILLED', false),
        end: undefined,
        rows,
        before,
        after,
      })
    throw error
  }
  const next = nextState(execution, {
    order: state,
    end,
    onward: onward !== undefined,
    filled: filled(after, true),
    now,
    kept,
  })
  const over = isFinal(EXECUTION_MOVES, execution.state)
  const ended = next !== undefined && isFinal(EXECUTION_MOVES, next.state)
  const positions = shares(filled(before, over), filled(after, over || ended))
  const data = stateData(execution, positions, next)
  const told = [
    ...(grown ? [over ? ('filled_late' as const) : ('filled' as const)] : []),
    ...(shrunk ? ['fill_busted' as const] : []),
    ...(kept === undefined || next === undefined ? [] : ['cancel_refused' as const]),
    ...(kept === undefined && next !== undefined && next.state !== execution.state
      ? [mustExist(EVENT_OF[next.state], `coming to ${next.state} is told`)]
      : []),
  ]
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    guards: [orderGuard(order, state), executionGuard(execution, next?.state)],
    ledger: await ledgerSteps(app, execution, positions, {
      ended,
      venue: work.venue,
      bringing: customerProceeds(execution, after),
      shrunk,
    }),
    rows: [
      ...rows,
      ...(kept === undefined
        ? []
        : [
            sql`
              update execution_orders
              set cancel_sent_at = null, reason = ${kept.slice(0, 500)}
              where workspace = ${workspace}
                and id = ${order.id}`,
          ]),
      executionUpdate(execution, positions, ended ? now : undefined, next),
      sharesUpdate(execution, positions),
      ...(onward === undefined ? [] : [insertOrder(execution, onward, { by: WORKER, now })]),
    ],
    events: told.map((type) => ({ type: `execution.${type}` as const, resource_id: id, data })),
    ...(look === true ? { tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }] } : {}),
  })
  return ended ? 'ended' : 'open'
}
