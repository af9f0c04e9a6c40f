/**
 * For the desk: the assets of each customer, and the places inside venues that are one customer's
 * alone. A place that the house or another customer shares is part of the pool, and so is one whose
 * wallets the books do not know.
 */
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { AccountId, CustomerId, VenueId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import { booked, OPEN_STATES } from './suspense.ts'

/** What the books say that a customer has of an asset. */
export type CustomerAsset = {
  id: CustomerId
  customer_label: string
  account_id: AccountId
  asset: string
  total: string
  blocked: string
  unsettled: string
}

/** Of every customer each asset that the books or a wallet at a venue have. */
export function customerAssets(
  workspace: WorkspaceId,
  {
    customer_id,
    assets,
  }: { customer_id?: string | undefined; assets?: readonly string[] | undefined },
): Pick<ListQuery<never>, 'select' | 'conditions' | 'key'> {
  return {
    select: sql`
      select c.id, c.label as customer_label, c.account_id, x.asset,
        coalesce(b.total, 0) as total,
        coalesce(b.held_withdrawal + b.held_trading, 0) as blocked,
        coalesce(b.unsettled, 0) as unsettled
      from customers c
      cross join lateral (
        select asset
        from balances
        where workspace = c.workspace
          and account_id = c.account_id
          and (total <> 0 or held_withdrawal <> 0 or held_trading <> 0 or unsettled <> 0)
        union
        select asset
        from wallets
        where workspace = c.workspace
          and customer_id = c.id
          and venue_id is not null
      ) x
      left join balances b on b.workspace = c.workspace
        and b.account_id = c.account_id
        and b.asset = x.asset`,
    conditions: [
      sql`c.workspace = ${workspace}`,
      ...(customer_id === undefined ? [] : [sql`c.id = ${customer_id}`]),
      ...(assets === undefined ? [] : [sql`x.asset = any(${[...assets]}::text[])`]),
    ],
    key: { column: 'c.id', type: 'uuid', second: 'x.asset' },
  }
}

/** A place inside a venue where only this customer has wallets of the asset. */
export type CustomerPlace = {
  customer_id: CustomerId
  asset: string
  venue_id: VenueId
  wallet: string
  booked: Decimal
  /** Movements that are booked there and not to any account: arrived less left. */
  unassigned: Decimal
}

export async function placesOfCustomers(
  reader: Reader,
  workspace: WorkspaceId,
  customer_ids: readonly CustomerId[],
): Promise<CustomerPlace[]> {
  const rows = await reader.query<
    Omit<CustomerPlace, 'booked' | 'unassigned'> & { booked: string }
  >(sql`
    select w.customer_id, w.asset, w.venue_id, w.venue_wallet as wallet,
      coalesce(p.total, 0) as booked
    from (
      select distinct workspace, customer_id, asset, venue_id, venue_wallet
      from wallets
      where workspace = ${workspace}
        and customer_id = any(${[...new Set(customer_ids)]}::uuid[])
        and venue_wallet is not null
    ) w
    join venue_openings o on o.workspace = w.workspace
      and o.venue_id = w.venue_id
      and o.asset = w.asset
      and o.placed_at is not null
    left join wallet_positions p on p.workspace = w.workspace
      and p.venue_id = w.venue_id
      and p.asset = w.asset
      and p.wallet = w.venue_wallet
    where not exists (
      select
      from wallets s
      where s.workspace = w.workspace
        and s.venue_id = w.venue_id
        and s.venue_wallet = w.venue_wallet
        and s.asset = w.asset
        and s.customer_id is distinct from w.customer_id
    )
    order by w.venue_id, w.asset, w.venue_wallet`)
  const open = rows.length === 0 ? new Map<string, Decimal>() : await unassigned(reader, workspace)
  return rows.map((row) => ({
    ...row,
    booked: decimal(row.booked),
    unassigned: open.get(placeKey(row)) ?? 0n,
  }))
}

type Place = Pick<CustomerPlace, 'venue_id' | 'asset' | 'wallet'>

const placeKey = ({ venue_id, asset, wallet }: Place): string => `${venue_id} ${asset} ${wallet}`

/** What waits on SUSPENSE, by the place that it arrived at or left. Only what is open is read. */
async function unassigned(reader: Reader, workspace: WorkspaceId): Promise<Map<string, Decimal>> {
  const rows = await reader.query<Place & { quantity: string }>(sql`
    select venue_id, asset, wallet, sum(quantity) as quantity
    from (
      select m.venue_id, m.asset, m.venue_wallet as wallet,
        m.quantity - m.transfer_quantity - ${booked('deposit_id')} - m.returned_unassigned
          as quantity
      from deposits m
      where m.workspace = ${workspace}
        and ${stateIn(DEPOSIT_MOVES, OPEN_STATES, 'm.state')}
        and m.venue_wallet is not null
      union all
      select m.venue_id, m.asset, m.source_wallet, ${booked('withdrawal_id')} - m.quantity
        + m.transfer_quantity
      from withdrawals m
      where m.workspace = ${workspace}
        and m.source_wallet is not null
        and m.unassigned
    ) m
    group by venue_id, asset, wallet`)
  return new Map(rows.map((row) => [placeKey(row), decimal(row.quantity)]))
}
