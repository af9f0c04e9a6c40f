/**
 * What is in flight at a venue: orders, which it may have filled further than the books say, and
 * trades that are not settled.
 */
import { mustExist } from '../../core/assert.ts'
import { format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { Side } from '../pricing/pricing.ts'
import { isOpenOrder } from '../states.ts'

/** `rest`: what of it is not booked as filled, in the base asset. */
export type InFlightOrder = {
  id: string
  state: string
  base_asset: string
  quote_asset: string
  side: Side
  price: string | null
  rest: string
  taker_fee: string
  since: number
}

const MAXIMUM_ORDERS = 1_000

/** Oldest first. */
export function ordersInFlight(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<InFlightOrder[]> {
  return reader.query<InFlightOrder>(sql`
    select o.id, o.state, o.base_asset, o.quote_asset, o.side, o.price,
      greatest(o.quantity - o.filled_quantity, 0) as rest, e.taker_fee,
      coalesce(o.sent_at, o.system_created_at) as since
    from execution_orders o
    join executions e on e.workspace = o.workspace
      and e.id = o.execution_id
    where o.workspace = ${workspace}
      and o.venue_id = ${venue_id}
      and ${isOpenOrder}
    order by o.id
    limit ${MAXIMUM_ORDERS}`)
}

/**
 * How many orders are open there, and how many trades that stand are to be settled or in a
 * settlement.
 */
export async function unfinishedAt(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<{ orders: number; trades: number }> {
  const row = only(
    await reader.query<{ orders: number; trades: number }>(sql`
      select (
        select count(*)::integer
        from execution_orders o
        where workspace = ${workspace}
          and venue_id = ${venue_id}
          and ${isOpenOrder}
      ) as orders,
        (
          select count(*)::integer
          from fills
          where workspace = ${workspace}
            and venue_id = ${venue_id}
            and settlement_state <> 'SETTLED'
            and (settlement_state = 'IN_SETTLEMENT' or not busted)
        ) as trades`),
  )
  return mustExist(row, 'a count is one row')
}

const LOOKED_AT = 500

/** One of the last trades, of a size that the asset moved by, with the fee or without. */
export async function tradeOfSize(
  reader: Reader,
  { workspace, id: venue_id }: Pick<VenueRecord, 'workspace' | 'id'>,
  asset: string,
  size: Decimal,
): Promise<{ id: string; foreign_id: string; busted: boolean; outside: boolean } | undefined> {
  return only(
    await reader.query<{ id: string; foreign_id: string; busted: boolean; outside: boolean }>(sql`
      select latest.id, foreign_id, busted, execution_id is null as outside
      from services s
      cross join lateral (
        select *
        from fills f
        where f.workspace = s.workspace
          and f.service_id = s.id
        order by f.id desc
        limit ${LOOKED_AT}
      ) as latest
      where s.workspace = ${workspace}
        and s.venue_id = ${venue_id}
        and (
          (base_asset = ${asset} and quantity = ${format(size)}::numeric)
          or (
            quote_asset = ${asset}
            and ${format(size)}::numeric in (
              volume, case when fee_asset = ${asset} then volume + fee end,
              case when fee_asset = ${asset} then volume - fee end
            )
          )
        )
      order by latest.id desc
      limit 1`),
  )
}
