/**
 * Every trade of a venue's account, read by a task per trading service. One of an order of ours
 * that is not booked yet is a fact of that order; one made outside is booked as ours
 * (outside-trades.ts). One that the venue takes back is reversed. Each is unique by the venue's id,
 * so a repetition changes nothing.
 *
 * Trades that the venue's opening balance contains are left out: those long before it, and those
 * counted with it.
 */
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { FillId, OrderId, ServiceId, WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { closed, id, nullable, text, time } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { nextPollAt } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import {
  isFaultOfMovement,
  isUnreachable,
  notBooked,
  setAsideTrade,
  tradeKey,
  TRADES_BEFORE_OPENING_MILLISECONDS,
} from '../../venues/index.ts'
import type { AccountTrade, VenueRecord } from '../../venues/index.ts'
import type { OrderRow } from '../executions/rows.ts'
import { contradictByTrade } from '../orders/contradictions.ts'
import { applyFills } from '../orders/fills.ts'
import { WORKER } from '../orders/trades.ts'
import type { TradingApp } from '../app.ts'
import { ORDER_MOVES } from '../states.ts'
import { bookOutsideTrade, bustOutsideTrade } from './outside-trades.ts'
import type { TradingService } from './outside-trades.ts'
import { readWaiting, storeSetAside } from './set-aside.ts'

/** Subject: the TOMS service. */
export const TRADES_TASK = 'observe_trades'
const EVERY_MILLISECONDS = 10_000
const OPEN_SOON_MILLISECONDS = 2_000
/** For this long, only an open order's own task reports it. */
const OWN_TASK_MILLISECONDS = 60_000
/** A venue that does not list its trades may learn to. */
const NOT_LISTED_MILLISECONDS = 3_600_000

const CURSORS = tableOf(
  'trade_cursors',
  closed({
    workspace: id<WorkspaceId>(),
    service_id: id<ServiceId>(),
    cursor: nullable(text()),
    system_updated_at: time(),
  }),
)

type StoredTrade = {
  id: FillId
  order_id: OrderId | null
  busted: boolean
  /** A person entered it. */
  entered_by: string | null
  quantity: string
  volume: string
  fee: string
  fee_asset: string
  /** Of the order that has it. */
  client_order_id: string | null
}
/** What a venue lists that is not stored so. */
type NewTrade = { trade: AccountTrade; stored: StoredTrade | undefined }

export const tradesTask =
  (app: TradingApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const venue = (await app.venues.list(workspace)).find(({ services }) =>
      services.some((service) => service.id === subject_id),
    )
    if (venue === undefined || venue.state === 'DISABLED') return 'done'
    try {
      const every_ms = await readAccountTrades({ app, venue, service_id: subject_id })
      return { again_at: nextPollAt({ subject_id }, app.clock.now(), every_ms) }
    } catch (error) {
      // The venue's own state says that it is down. The next reading continues from here.
      if (isUnreachable(error))
        return { again_at: nextPollAt({ subject_id }, app.clock.now(), EVERY_MILLISECONDS) }
      throw error
    }
  }

/**
 * Reads what is new and takes it into the books. Answers after how long to look again, in
 * milliseconds.
 */
export async function readAccountTrades(service: TradingService): Promise<number> {
  const { app, venue, service_id } = service
  const { workspace } = venue
  const opened_at = await readOpeningTime(app.db, venue)
  if (opened_at === null) return OPEN_SOON_MILLISECONDS
  const { adapter } = await app.venues.connect(workspace, venue.id)
  if (adapter.trading?.trades === undefined) return NOT_LISTED_MILLISECONDS
  const from = await readCursor(app.db, workspace, service_id)
  const { trades, set_aside, cursor } = await adapter.trading.trades(
    from,
    opened_at - TRADES_BEFORE_OPENING_MILLISECONDS,
  )
  const waiting = await readWaiting(service, trades, opened_at)
  const unread = [...(set_aside ?? [])]
  let done = true
  for (const { trade, stored } of await findNews(app.db, venue, trades)) {
    if (stored === undefined && waiting.isLeft(trade)) continue
    try {
      if (!(await takeTrade(service, { trade, stored }))) done = false
    } catch (error) {
      if (!isFaultOfMovement(error)) throw error
      unread.push(setAsideTrade(trade, notBooked(error)))
    }
  }
  // What could not be taken yet is read again from the same place.
  const store = done && cursor !== from ? [storeCursor(service, cursor)] : []
  await storeSetAside(service, { waiting, unread, done }, store)
  return done ? EVERY_MILLISECONDS : OPEN_SOON_MILLISECONDS
}

function storeCursor(
  { app, venue: { workspace }, service_id }: TradingService,
  cursor: string | null,
): Query {
  const stamp = { by: WORKER, now: app.clock.now() }
  return sql`
    ${insertRow(CURSORS, { workspace, service_id, cursor }, stamp)}
    on conflict (workspace, service_id) do update
    set cursor = excluded.cursor, system_updated_at = excluded.system_updated_at`
}

async function readOpeningTime(
  reader: Reader,
  { workspace, id }: VenueRecord,
): Promise<number | null> {
  return (
    only(
      await reader.query<{ at: number | null }>(
        sql`
          select min(opened_at) as at
          from venue_openings
          where workspace = ${workspace}
            and venue_id = ${id}`,
      ),
    )?.at ?? null
  )
}

async function readCursor(
  reader: Reader,
  workspace: WorkspaceId,
  service_id: string,
): Promise<string | null> {
  return (
    only(
      await reader.query<{ cursor: string | null }>(
        sql`
          select cursor
          from trade_cursors
          where workspace = ${workspace}
            and service_id = ${service_id}`,
      ),
    )?.cursor ?? null
  )
}

/** Trades that are not stored, stored and taken back since, or entered otherwise than listed. */
async function findNews(
  reader: Reader,
  { workspace, id }: VenueRecord,
  trades: readonly AccountTrade[],
): Promise<NewTrade[]> {
  if (trades.length === 0) return []
  const rows = await reader.query<
    StoredTrade & Pick<AccountTrade, 'foreign_id' | 'base_asset' | 'quote_asset' | 'side'>
  >(sql`
    select id, order_id, busted, entered_by, quantity, volume, fee, fee_asset, foreign_id,
      base_asset, quote_asset, side,
      (
        select o.client_order_id
        from execution_orders o
        where o.workspace = fills.workspace
          and o.id = fills.order_id
      ) as client_order_id
    from fills
    where workspace = ${workspace}
      and venue_id = ${id}
      and foreign_id = any(${trades.map((trade) => trade.foreign_id)}::text[])`)
  const known = new Map(rows.map((row) => [tradeKey(row), row]))
  return trades
    .map((trade) => ({ trade, stored: known.get(tradeKey(trade)) }))
    .filter(({ trade, stored }) => isNews(trade, stored))
}

function isNews(trade: AccountTrade, stored: StoredTrade | undefined): boolean {
  if (stored === undefined || stored.busted) return stored === undefined
  if (trade.busted) return true
  return (
    stored.entered_by !== null &&
    (decimal(stored.quantity) !== trade.quantity ||
      decimal(stored.volume) !== trade.volume ||
      decimal(stored.fee) !== trade.fee ||
      stored.fee_asset !== trade.fee_asset ||
      (trade.client_order_id !== null && stored.client_order_id !== trade.client_order_id))
  )
}

/**
 * False when it cannot be taken yet. A trade may have been entered for another order than its own:
 * the order that has it comes first, and is in contradiction.
 */
async function takeTrade(service: TradingService, { trade, stored }: NewTrade): Promise<boolean> {
  const { app, venue } = service
  const order = only(
    await app.db.query<OwnOrder>(sql`
      select workspace, id, execution_id, state, resolved_at,
        coalesce(sent_at, system_created_at) as since
      from execution_orders
      where workspace = ${venue.workspace}
        and venue_id = ${venue.id}
        and (client_order_id = ${trade.client_order_id} or id = ${stored?.order_id ?? null})
      order by (id = ${stored?.order_id ?? null}) desc nulls last
      limit 1`),
  )
  if (order !== undefined && order.resolved_at !== null && !(trade.busted && stored !== undefined))
    return takeResolvedTrade(service, order, trade)
  if (order !== undefined) return takeOwnTrade(service, order, trade)
  return stored === undefined
    ? bookOutsideTrade(service, trade)
    : bustOutsideTrade(service, trade, stored.id)
}

type OwnOrder = Pick<OrderRow, 'workspace' | 'id' | 'execution_id' | 'state' | 'resolved_at'> & {
  since: number
}

/** A person has entered what became of the order: another trade of it is not booked. */
async function takeResolvedTrade(
  { app }: TradingService,
  order: OwnOrder,
  trade: AccountTrade,
): Promise<boolean> {
  if (!trade.busted) await contradictByTrade(app, order, trade)
  return true
}

/**
 * What has just been sent is asked about by its own task, which finds the same trades: both at once
 * would only disturb each other.
 */
async function takeOwnTrade(
  { app, venue }: TradingService,
  { id, state, since }: OwnOrder,
  trade: AccountTrade,
): Promise<boolean> {
  if (!isFinal(ORDER_MOVES, state) && app.clock.now() - since < OWN_TASK_MILLISECONDS) return true
  try {
    await applyFills(app, { workspace: venue.workspace, order_id: id }, [trade])
    return true
  } catch (error) {
    // Its own task was faster: which word the guard has for that depends on what it moved.
    if (
      error instanceof ApiError &&
      error.details.some(
        (detail) => detail.code === 'STALE_VERSION' || detail.code === 'STATE_NOT_ALLOWED',
      )
    )
      return false
    throw error
  }
}
