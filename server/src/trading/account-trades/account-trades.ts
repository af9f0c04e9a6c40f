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
import type { FillId, OrderId, ServiceId, WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { assetsOf, bookingsOf, houseAccounts, venueAccounts } from '../../ledger/index.ts'
import type { Booking, BookingDraft, EventOf, LedgerStep, Leg } from '../../ledger/index.ts'
import { closed, id, nullable, text, time } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow, tableOf, updateRow } from '../../store/rows.ts'
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
import { settlementState, venueFields, WORKER } from '../orders/trades.ts'
import { FILLS } from '../executions/rows.ts'
import { outsideBookings } from './bookings.ts'
import type { TradingApp } from '../app.ts'
import { ORDER_MOVES } from '../states.ts'

/** Subject: the TOMS service. */
export const TRADES_TASK = 'observe_trades'
const EVERY_MILLISECONDS = 10_000
const OPEN_SOON_MILLISECONDS = 2_000
/** So long an open order's own task alone reports it. */
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

type StoredTrade = { id: FillId; order_id: OrderId | null; busted: boolean }
/** What a venue lists that is not stored so. */
type NewTrade = { trade: AccountTrade; stored: StoredTrade | undefined }
type TradingService = { app: TradingApp; venue: VenueRecord; service_id: ServiceId }

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
  const { trades, cursor } = await adapter.trading.trades(
    from,
    opened_at - TRADES_BEFORE_OPENING_MILLISECONDS,
  )
  let done = true
  for (const trade of await findNews(app.db, venue, trades))
    if (!(await takeTrade(service, trade))) done = false
  if (!done) return OPEN_SOON_MILLISECONDS
  // What could not be taken yet is read again from the same place.
  if (cursor !== from) await storeCursor(service, cursor)
  return EVERY_MILLISECONDS
}

async function storeCursor(
  { app, venue: { workspace }, service_id }: TradingService,
  cursor: string | null,
): Promise<void> {
  const stamp = { by: WORKER, now: app.clock.now() }
  await app.db.query(sql`
    ${insertRow(CURSORS, { workspace, service_id, cursor }, stamp)}
    on conflict (workspace, service_id) do update
    set cursor = excluded.cursor, system_updated_at = excluded.system_updated_at`)
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
): Promise<NewTrade[]> {
  if (trades.length === 0) return []
  const rows = await reader.query<
    StoredTrade & Pick<AccountTrade, 'foreign_id' | 'base_asset' | 'quote_asset' | 'side'>
  >(sql`
    select id, order_id, busted, foreign_id, base_asset, quote_asset, side
    from fills
    where workspace = ${workspace}
      and venue_id = ${id}
      and foreign_id = any(${trades.map((trade) => trade.foreign_id)}::text[])`)
  const known = new Map(rows.map((row) => [tradeKey(row), row]))
  return trades
    .map((trade) => ({ trade, stored: known.get(tradeKey(trade)) }))
    .filter(({ trade, stored }) => stored === undefined || (trade.busted && !stored.busted))
}

/** False when it cannot be taken yet. */
async function takeTrade(service: TradingService, { trade, stored }: NewTrade): Promise<boolean> {
  const { app, venue } = service
  const order = only(
    await app.db.query<OwnOrder>(sql`
      select id, state, coalesce(sent_at, system_created_at) as since
      from execution_orders
      where workspace = ${venue.workspace}
        and venue_id = ${venue.id}
        and (client_order_id = ${trade.client_order_id} or id = ${stored?.order_id ?? null})`),
  )
  if (order !== undefined) return takeOwnTrade(service, order, trade)
  if (stored === undefined) return bookOutsideTrade(service, trade)
  await bustOutsideTrade(service, trade, stored.id)
  return true
}

type OwnOrder = { id: OrderId; state: OrderState; since: number }

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

/**
 * False while the opening balance of one of its assets is not booked: it is not known yet whether
 * that contains the trade.
 */
async function bookOutsideTrade(service: TradingService, trade: AccountTrade): Promise<boolean> {
  const { app, venue } = service
  const { workspace } = venue
  const assets = await uncountedAssets(service, trade)
  if (assets === undefined) return false
  // Taken back before it was ever seen, it has moved nothing; counted or of foreign assets only, it
  // is none of ours.
  if (assets.size === 0 || trade.busted) return true
  const stamp = { by: WORKER, now: app.clock.now() }
  const fill = outsideFill(service, trade)
  const accounts = {
    ...(await houseAccounts(app.db, workspace)),
    ...(await venueAccounts(app.db, workspace, venue.id)),
  }
  const prefunded = venue.settlement === 'PREFUNDED'
  const bookings = outsideBookings(fill.id, trade, { accounts, prefunded, assets })
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    ledger: bookings.map((booking): LedgerStep => ({ step: 'book', booking })),
    rows: [insertRow(FILLS, fill, stamp)],
    events: [eventOf('recorded', fill.id, venue, trade)],
  })
  return true
}

/**
 * The trade's assets that are in the books and whose opening balance does not contain it; undefined
 * while one of these balances is not booked.
 */
async function uncountedAssets(
  { app, venue: { workspace, id: venue_id } }: TradingService,
  trade: AccountTrade,
): Promise<Set<string> | undefined> {
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
      and o.venue_id = ${venue_id}
      and o.asset = k.asset`)
  if (rows.length < assets.length) return undefined
  return new Set(rows.filter((row) => !row.counted).map((row) => row.asset))
}

const outsideFill = ({ venue, service_id }: TradingService, trade: AccountTrade) => ({
  id: idAt<FillId>(trade.executed_at),
  workspace: venue.workspace,
  service_id,
  venue_id: venue.id,
  symbol: `${trade.base_asset}/${trade.quote_asset}`,
  base_asset: trade.base_asset,
  quote_asset: trade.quote_asset,
  side: trade.side,
  ...venueFields(trade),
  settlement_state: settlementState(venue),
})

async function bustOutsideTrade(
  { app, venue }: TradingService,
  trade: AccountTrade,
  id: FillId,
): Promise<void> {
  const { workspace } = venue
  const stamp = { by: WORKER, now: app.clock.now() }
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    ledger: reverseBookings(id, await bookingsOf(app.db, workspace, id)),
    rows: [updateRow(FILLS, { where: { workspace, id }, set: { busted: true }, ...stamp })],
    events: [eventOf('busted', id, venue, trade)],
  })
}

/** Newest first; what is reversed already stays so. */
function reverseBookings(fill_id: FillId, bookings: readonly Booking[]): LedgerStep[] {
  const reversed = new Set(bookings.map((booking) => booking.reverses_id))
  return bookings
    .filter((booking) => booking.reverses_id === null && !reversed.has(booking.id))
    .toReversed()
    .map((booking) => ({ step: 'book', booking: reversalOf(booking, fill_id) }))
}

const reversalOf = ({ id: reverses_id, asset, legs }: Booking, fill_id: FillId): BookingDraft => ({
  id: newId(),
  type: 'REVERSAL',
  asset,
  legs: legs.map(({ account_id, type, quantity }): Leg => ({
    account_id,
    type: type === 'DEBIT' ? 'CREDIT' : 'DEBIT',
    quantity: decimal(quantity),
  })),
  reverses_id,
  reference_type: 'fill',
  reference_id: fill_id,
})

function eventOf(event: EventOf<'fill'>, id: FillId, venue: VenueRecord, trade: AccountTrade) {
  const { foreign_id, order_foreign_id, side, fee_asset, executed_at } = trade
  return {
    type: `fill.${event}` as const,
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
