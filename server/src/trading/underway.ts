/** Orders that a venue may have filled further than the books say: for reconciliation. */
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
