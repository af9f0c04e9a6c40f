/**
 * A trade in the venue's account that was made outside this service: stored as a fill without an
 * execution, booked with the house in the customer's place, and reversed when the venue takes it
 * back.
 */
import { format } from '../../core/decimal.ts'
import { idAt } from '../../core/ids.ts'
import type { FillId, ServiceId } from '../../core/ids.ts'
import {
  assetsOf,
  bookingsOf,
  bookReversals,
  houseAccounts,
  venueAccounts,
} from '../../ledger/index.ts'
import type { EventOf, LedgerStep } from '../../ledger/index.ts'
import { insertRow, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { countedTradeKey } from '../../venues/index.ts'
import type { AccountTrade, VenueRecord } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import { FILLS } from '../executions/rows.ts'
import { settlementState, venueFields, WORKER } from '../orders/trades.ts'
import { outsideBookings } from './bookings.ts'

export type TradingService = { app: TradingApp; venue: VenueRecord; service_id: ServiceId }

/**
 * False while the opening balance of one of its assets is not booked: it is not known yet whether
 * that contains the trade.
 */
export async function bookOutsideTrade(
  service: TradingService,
  trade: AccountTrade,
): Promise<boolean> {
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

/**
 * False when an order of ours has taken it over meanwhile: the order takes it back. A booking is
 * reversed once, so of two who change it at the same time one begins anew.
 */
export async function bustOutsideTrade(
  { app, venue }: TradingService,
  trade: AccountTrade,
  id: FillId,
): Promise<boolean> {
  const { workspace } = venue
  const stamp = { by: WORKER, now: app.clock.now() }
  const bookings = await bookingsOf(app.db, workspace, id)
  const outside = await app.db.query(sql`
    select
    from fills
    where workspace = ${workspace}
      and id = ${id}
      and execution_id is null`)
  if (outside.length === 0) return false
  await app.lane.commit({
    workspace,
    class: 'fact',
    by: WORKER,
    ledger: bookReversals({ reference_type: 'fill', reference_id: id }, bookings),
    rows: [updateRow(FILLS, { where: { workspace, id }, set: { busted: true }, ...stamp })],
    events: [eventOf('busted', id, venue, trade)],
  })
  return true
}

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
