/** Orders that a venue may have filled further than the books say: for reconciliation. */
import { format } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'

export type UnderwayOrder = { id: string; state: string; base_asset: string; quote_asset: string; since: number }

const MAXIMUM_ORDERS = 1_000

/** Oldest first. */
export function ordersUnderway(reader: Reader, workspace: string, venue_id: string): Promise<UnderwayOrder[]> {
  return reader.query<UnderwayOrder>(sql`
    select id, state, base_asset, quote_asset, coalesce(sent_at, system_created_at) as since from execution_orders
    where workspace = ${workspace} and venue_id = ${venue_id} and state in ('PENDING_NEW', 'NEW', 'PARTIALLY_FILLED', 'PENDING_CANCEL', 'UNKNOWN') order by id limit ${MAXIMUM_ORDERS}`)
}

const LOOKED_AT = 500

/** One of the last trades, of a size that the asset moved by, with the fee or without. */
export async function tradeOfSize(reader: Reader, workspace: string, venue_id: string, asset: string, size: Decimal): Promise<{ id: string; foreign_id: string; busted: boolean; outside: boolean } | undefined> {
  return only(await reader.query<{ id: string; foreign_id: string; busted: boolean; outside: boolean }>(sql`
    select late.id, foreign_id, busted, execution_id is null as outside from services s
    cross join lateral (select * from fills f where f.workspace = s.workspace and f.service_id = s.id order by f.id desc limit ${LOOKED_AT}) as late
    where s.workspace = ${workspace} and s.venue_id = ${venue_id} and ((base_asset = ${asset} and quantity = ${format(size)}::numeric)
      or (quote_asset = ${asset} and ${format(size)}::numeric in (volume, case when fee_asset = ${asset} then volume + fee end, case when fee_asset = ${asset} then volume - fee end)))
    order by late.id desc limit 1`))
}
