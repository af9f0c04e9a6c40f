/**
 * Every trade of a venue's account, read by a task per trading service. One of an order of ours
 * that is not booked yet is a fact of that order; one made outside is stored as a fill without an
 * execution and booked with the house in the customer's place. One that the venue takes back is
 * reversed. Each is unique by the venue's id, so a repetition changes nothing.
 *
 * Trades that the venue's opening balance contains are left out: those long before it, and those
 * counted with it.
 */
import { decimal, format } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { idAt, newId } from '../../core/ids.ts'
import type { OrderId, WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { assetsOf, bookingsOf, houseAccounts, venueAccounts } from '../../ledger/index.ts'
import type { Booking, BookingDraft, EventOf, LedgerStep, Leg } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { nextPollAt } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import {
  countedTradeKey,
  isUnreachable,
  tradeKey,
  TRADES_BEFORE_OPENING_MILLISECONDS,
} from '../../venues/index.ts'
import type { AccountTrade, OrderState, VenueRecord } from '../../venues/index.ts'
import { applyFills } from '../orders/fills.ts'
import { WORKER } from '../orders/trades.ts'
import { outsideBookings } from './bookings.ts'
import { createdBy, insertRow } from '../rows.ts'
import type { TradingApp } from '../app.ts'
import { ORDER_MOVES } from '../states.ts'

/** Subject: the TOMS service. */
export const TRADES_TASK = 'observe_trades'
const EVERY_MILLISECONDS = 10_000
const OPEN_SOON_MILLISECONDS = 2_000
/** So long an open order's own task alone tells of it. */
const OWN_TASK_MILLISECONDS = 60_000
/** A venue that does not tell its trades may learn to. */
const NOT_TOLD_MILLISECONDS = 3_600_000

type Known = { id: string; order_id: OrderId | null; busted: boolean }
type Context = { app: TradingApp; venue: VenueRecord; service_id: string }

export const tradesTask =
  (app: TradingApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const venue = (await app.venues.list(workspace)).find((each) =>
      each.services.some((service) => service.id === subject_id),
    )
    if (venue === undefined || venue.state === 'DISABLED') return 'done'
    try {
      const every_ms = await readAccountTrades({ app, venue, service_id: subject_id })
      return { again_at: nextPollAt({ subject_id }, app.clock.now(), every_ms) }
    } catch (error) {
      // The venue's own state tells that it is down; the next reading continues where this one
      // began.
      if (isUnreachable(error))
        return { again_at: nextPollAt({ subject_id }, app.clock.now(), EVERY_MILLISECONDS) }
      throw error
    }
  }

/**
 * Reads what is new and takes it into the books. Answers after how long to look again, in
 * milliseconds.
 */
export async function readAccountTrades({ app, venue, service_id }: Context): Promise<number> {
  const { workspace } = venue
  const opened_at = await readOpeningTime(app.db, venue)
  if (opened_at === null) return OPEN_SOON_MILLISECONDS
  const { adapter } = await app.venues.connected(workspace, venue.id)
  if (adapter.trading?.trades === undefined) return NOT_TOLD_MILLISECONDS
  const from = await readCursor(app.db, workspace, service_id)
  const { trades, cursor } = await adapter.trading.trades(
    from,
    opened_at - TRADES_BEFORE_OPENING_MILLISECONDS,
  )
  const news = await findNews(app.db, venue, trades)
  let done = true
  for (const { trade, known } of news)
    if (!(await takeTrade({ app, venue, service_id }, trade, known))) done = false
  if (!done) return OPEN_SOON_MILLISECONDS
  // What could not be taken yet is read again from the same place.
  if (cursor !== from) {
    await app.db.query(sql`
      insert into trade_cursors (workspace, service_id, cursor, system_updated_at)
      values (${workspace}, ${service_id}, ${cursor}, ${app.clock.now()})
      on conflict (workspace, service_id) do update
      set cursor = excluded.cursor, system_updated_at = excluded.system_updated_at`)
  }
  return EVERY_MILLISECONDS
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

/** Trades that are not stored, or stored and taken back since. */
async function findNews(
  reader: Reader,
  { workspace, id }: VenueRecord,
  trades: readonly AccountTrade[],
): Promise<{ trade: AccountTrade; known: Known | undefined }[]> {
  if (trades.length === 0) return []
  const rows = await reader.query<
    Known & Pick<AccountTrade, 'foreign_id' | 'base_asset' | 'quote_asset' | 'side'>
  >(sql`
    select id, order_id, busted, foreign_id, base_asset, quote_asset, side
    from fills
    where workspace = ${workspace}
      and venue_id = ${id}
      and foreign_id = any(${trades.map((trade) => trade.foreign_id)}::text[])`)
  const stored = new Map(rows.map((row) => [tradeKey(row), row]))
  return trades
    .map((trade) => ({ trade, known: stored.get(tradeKey(trade)) }))
    .filter(({ trade, known }) => known === undefined || (trade.busted && !known.busted))
}

/** False when it cannot be taken yet. */
async function takeTrade(
  context: Context,
  trade: AccountTrade,
  known: Known | undefined,
): Promise<boolean> {
  const { app, venue } = context
  const order = only(
    await app.db.query<OurOrder>(sql`
      select id, state, coalesce(sent_at, system_created_at) as since
      from execution_orders
      where workspace = ${venue.workspace}
        and venue_id = ${venue.id}
        and (client_order_id = ${trade.client_order_id} or id = ${known?.order_id ?? null})`),
  )
  if (order !== undefined) return takeOwnTrade(context, order, trade)
  return known === undefined
    ? bookOutsideTrade(context, trade)
    : bustOutsideTrade(context, trade, known)
}

type OurOrder = { id: string; state: OrderState; since: number }

/**
 * What has just been sent is asked about by its own task, which tells the same trades: both at once
 * would only disturb each other.
 */
async function takeOwnTrade(
  { app, venue }: Context,
  { id, state, since }: OurOrder,
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

/**
 * False while the opening balance of one of its assets is not booked: it is not known yet whether
 * that contains the trade.
 */
async function bookOutsideTrade(
  { app, venue, service_id }: Context,
  trade: AccountTrade,
): Promise<boolean> {
  const { workspace } = venue
  const configured = await assetsOf(app.db, workspace)
  const assets = [...new Set([trade.base_asset, trade.quote_asset, trade.fee_asset])].filter(
    (asset) => configured.has(asset),
  )
  const rows = await app.db.query<{ asset: string; counted: boolean }>(sql`
    select o.asset,
      exists (
        select
        from opening_movements m
        where m.workspace = o.workspace
          and m.venue_id = o.venue_id
          and m.foreign_id = k.key
      ) as counted
    from unnest(
      ${assets}::text[], ${assets.map((asset) => countedTradeKey(asset, trade))}::text[]
    ) as k (asset, key)
    join venue_openings o on o.workspace = ${workspace}
      and o.venue_id = ${venue.id}
      and o.asset = k.asset`)
  if (rows.length < assets.length) return false
  const booked = new Set(rows.filter((row) => !row.counted).map((row) => row.asset))
  // Taken back before it was ever seen, it has moved nothing; counted or of foreign assets only, it
  // is none of ours.
  if (booked.size === 0 || trade.busted) return true
  const now = app.clock.now()
  const id = idAt(trade.executed_at)
  const prefunded = venue.settlement === 'PREFUNDED'
  const fill = {
    id,
    workspace,
    service_id,
    venue_id: venue.id,
    symbol: `${trade.base_asset}/${trade.quote_asset}`,
    base_asset: trade.base_asset,
    quote_asset: trade.quote_asset,
    side: trade.side,
    price: format(trade.price),
    quantity: format(trade.quantity),
    volume: format(trade.volume),
    fee: format(trade.fee),
    fee_asset: trade.fee_asset,
    liquidity: trade.liquidity,
    foreign_id: trade.foreign_id,
    executed_at: trade.executed_at,
    settlement_state: prefunded ? 'SETTLED' : 'UNSETTLED',
    ...createdBy(WORKER, now),
  }
  const accounts = {
    ...(await houseAccounts(app.db, workspace)),
    ...(await venueAccounts(app.db, workspace, venue.id)),
  }
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    ledger: outsideBookings(id, trade, accounts, prefunded, booked).map((booking): LedgerStep => ({
      step: 'book',
      booking,
    })),
    rows: [insertRow('fills', fill)],
    events: [eventOf('recorded', id, venue, trade)],
  })
  return true
}

async function bustOutsideTrade(
  { app, venue }: Context,
  trade: AccountTrade,
  known: Known,
): Promise<boolean> {
  const { workspace } = venue
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    ledger: reverseBookings(known.id, await bookingsOf(app.db, workspace, known.id)),
    rows: [
      sql`
        update fills
        set busted = true, version = version + 1, system_updated_at = ${app.clock.now()},
          system_updated_by = ${WORKER}
        where workspace = ${workspace}
          and id = ${known.id}`,
    ],
    events: [eventOf('busted', known.id, venue, trade)],
  })
  return true
}

/** Newest first; what is reversed already stays so. */
function reverseBookings(fill_id: string, bookings: readonly Booking[]): LedgerStep[] {
  const reversed = new Set(bookings.map((booking) => booking.reverses_id))
  return bookings
    .filter((booking) => booking.reverses_id === null && !reversed.has(booking.id))
    .toReversed()
    .map((each) => {
      const legs = each.legs.map((one): Leg => ({
        account_id: one.account_id,
        type: one.type === 'DEBIT' ? 'CREDIT' : 'DEBIT',
        quantity: decimal(one.quantity),
      }))
      const booking: BookingDraft = {
        id: newId(),
        type: 'REVERSAL',
        asset: each.asset,
        legs,
        reverses_id: each.id,
        reference_type: 'fill',
        reference_id: fill_id,
      }
      return { step: 'book', booking }
    })
}

function eventOf(told: EventOf<'fill'>, id: string, venue: VenueRecord, trade: AccountTrade) {
  const { foreign_id, order_foreign_id, side, fee_asset, executed_at } = trade
  return {
    type: `fill.${told}` as const,
    resource_id: id,
    data: {
      venue_id: venue.id,
      symbol: `${trade.base_asset}/${trade.quote_asset}`,
      side,
      price: format(trade.price),
      quantity: format(trade.quantity),
      volume: format(trade.volume),
      fee: format(trade.fee),
      fee_asset,
      foreign_id,
      order_foreign_id,
      executed_at,
    },
  }
}
