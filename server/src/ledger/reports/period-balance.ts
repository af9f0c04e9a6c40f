/**
 * The trial balance of a period: what is booked up to a place in the chain, without what has a
 * value date of later. Cost: the bookings since the last mark, and those since the period ended.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { sequenceAt } from '../bookings.ts'
import { DEBIT_NORMAL } from '../ledger.schema.ts'
import type { AccountType } from '../ledger.schema.ts'
import type { TrialBalance } from './books.schema.ts'
import { columnsOfAssets } from './books.ts'
import { lastMark, LEGS_OF_EACH, totalsByType } from './marks.ts'
import type { TypeTotal } from './marks.ts'

type ChainEnd = { last_sequence: number; batch_no: number; chain_hash: string }

/** Where the chain of bookings stands. Nothing up to there changes any more. */
export async function chainEnd(reader: Reader, workspace: WorkspaceId): Promise<ChainEnd> {
  const row = only(
    await reader.query<ChainEnd>(sql`
      select booking_sequence as last_sequence, batch_no, encode(last_hash, 'hex') as chain_hash
      from lanes
      where workspace = ${workspace}`),
  )
  return mustExist(row, 'a workspace has its lane')
}

export async function periodBalance(
  reader: Reader,
  workspace: WorkspaceId,
  { upto, ends_at }: { upto: number; ends_at: number },
): Promise<TrialBalance['assets']> {
  const mark = await lastMark(reader, workspace, upto + 1)
  const all = await totalsByType(reader, workspace, mark, upto + 1)
  const later = await totalsOfLater(reader, workspace, {
    first: await sequenceAt(reader, workspace, ends_at),
    upto,
    ends_at,
  })
  const keyOf = ({ asset, type }: TypeTotal) => `${asset} ${type}`
  const ofLater = new Map(later.map((total) => [keyOf(total), total.total]))
  return columnsOfAssets(
    all.map((one) => ({ ...one, total: one.total - (ofLater.get(keyOf(one)) ?? 0n) })),
  )
}

/** Booked since the period ended, or before and ahead of their value date. */
async function totalsOfLater(
  reader: Reader,
  workspace: WorkspaceId,
  { first, upto, ends_at }: { first: number; upto: number; ends_at: number },
): Promise<TypeTotal[]> {
  const rows = await reader.query<{ asset: string; type: AccountType; total: string }>(sql`
    select b.asset, a.type,
      sum(
        case when (l.type = 'DEBIT') = (
          a.type = any(${[...DEBIT_NORMAL]}::text[])
        ) then l.quantity else -l.quantity end
      ) as total
    from (
      select workspace, sequence, asset
      from bookings
      where workspace = ${workspace}
        and sequence >= ${first}
        and sequence <= ${upto}
        and value_date >= ${ends_at}
      union all
      select workspace, sequence, asset
      from bookings
      where workspace = ${workspace}
        and value_date >= ${ends_at}
        and value_date > booked_at
        and sequence < ${Math.min(first, upto + 1)}
    ) b
    cross join lateral (${LEGS_OF_EACH}) l
    join accounts a on a.workspace = b.workspace
      and a.id = l.account_id
    group by b.asset, a.type`)
  return rows.map((row) => ({ ...row, total: decimal(row.total) }))
}
