/**
 * What search shows of accounts and bookings, what of the ledger needs a person now, and what the
 * books come to per asset.
 */
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { AccountId, VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import type { DeskFeed } from '../../store/desk-feed.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { HALT_MOVES } from '../halts.schema.ts'
import { DEBIT_NORMAL } from '../ledger.schema.ts'
import type { AccountType } from '../ledger.schema.ts'

const SEQUENCE = /^[1-9][0-9]{0,14}$/

export const ledgerDeskFeed: DeskFeed = {
  searchables: [
    {
      kind: 'account',
      permission: 'accounts.read',
      table: 'accounts',
      show: (workspace, ids) => sql`
        select id, label as title, concat_ws(' · ', type, foreign_id) as subtitle,
          case when frozen then 'FROZEN' end as state, system_created_at as at,
          case when customer_id is not null then 'customer' end as parent_kind,
          customer_id as parent_id
        from accounts
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
    },
    {
      kind: 'booking',
      permission: 'bookings.read',
      table: 'bookings',
      show: (workspace, ids) => sql`
        select id, 'Booking ' || sequence as title,
          concat_ws(' · ', type, asset, description) as subtitle, null::text as state,
          booked_at as at, reference_type as parent_kind, reference_id as parent_id
        from bookings
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
      lookups: [
        {
          field: 'sequence',
          find: (workspace, text) =>
            SEQUENCE.test(text)
              ? sql`
                select id, sequence::text as matched
                from bookings
                where workspace = ${workspace}
                  and sequence = ${text}::bigint`
              : undefined,
        },
      ],
    },
  ],
  needs: [
    {
      kind: 'halts_set',
      permission: 'desk.read',
      title: 'Halts of withdrawals or trading',
      list: '/desk/halts',
      filter: { state: 'SET' },
      select: (workspace) =>
        sql`
          select count(*)::integer as count, min(set_at) as oldest_at
          from brakes
          where workspace = ${workspace}
            and ${stateIn(HALT_MOVES, 'SET')}`,
    },
  ],
}

/** By type of account, in its normal sign; VENUE also venue by venue. */
type AssetTotals = {
  asset: string
  totals: Record<AccountType, Decimal>
  venues: { venue_id: VenueId; total: Decimal }[]
}

/** The accounts of the house and its venues: three small indexes, none of customers' accounts. */
export const houseAccountsOf = (workspace: WorkspaceId): Query => sql`
  select id, type, venue_id, label
  from accounts
  where workspace = ${workspace}
    and customer_id is null
    and venue_id is null
    and not named
  union all
  select id, type, venue_id, label
  from accounts
  where workspace = ${workspace}
    and named
  union all
  select id, type, venue_id, label
  from accounts
  where workspace = ${workspace}
    and venue_id is not null`

/**
 * What is booked on the accounts of each type, per asset. Every booking balances, so what customers
 * have together is what all other accounts leave: the cost grows with the venues, not with the
 * customers.
 */
export async function assetTotals(reader: Reader, workspace: WorkspaceId): Promise<AssetTotals[]> {
  const rows = await reader.query<{
    asset: string
    type: AccountType
    venue_id: VenueId | null
    total: string
  }>(sql`
    select b.asset, a.type, a.venue_id, b.total
    from (${houseAccountsOf(workspace)}) a
    join balances b on b.workspace = ${workspace}
      and b.account_id = a.id
    order by b.asset, a.type, a.venue_id`)
  return [...Map.groupBy(rows, (row) => row.asset)].map(([asset, of]) => {
    const total = (type: AccountType) =>
      of.filter((row) => row.type === type).reduce((sum, row) => sum + decimal(row.total), 0n)
    const others = {
      VENUE: total('VENUE'),
      TRADING: total('TRADING'),
      HOUSE: total('HOUSE'),
      SUSPENSE: total('SUSPENSE'),
      TRANSIT: total('TRANSIT'),
      MARGIN: total('MARGIN'),
      RISK: total('RISK'),
      FEE: total('FEE'),
      ROUNDING: total('ROUNDING'),
      INCOME: total('INCOME'),
      EXPENSE: total('EXPENSE'),
    }
    const CUSTOMER = Object.entries(others).reduce(
      (rest, [type, held]) => (DEBIT_NORMAL.has(type as AccountType) ? rest + held : rest - held),
      0n,
    )
    return {
      asset,
      totals: { CUSTOMER, ...others },
      venues: of.flatMap((row) =>
        row.type === 'VENUE' && row.venue_id !== null
          ? [{ venue_id: row.venue_id, total: decimal(row.total) }]
          : [],
      ),
    }
  })
}

/** The labels of these accounts. */
export async function accountLabels(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly AccountId[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await reader.query<{ id: string; label: string }>(
    sql`
      select id, label
      from accounts
      where workspace = ${workspace}
        and id = any(${[...new Set(ids)]}::uuid[])`,
  )
  return new Map(rows.map((row) => [row.id, row.label]))
}
