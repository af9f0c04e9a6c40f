/**
 * Marks: what each account and each type of account held at regular numbers of bookings. They keep
 * the cost of any past moment the same, however much has been booked.
 */
import type { Clock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Db, Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { DEBIT_NORMAL } from '../ledger.schema.ts'
import type { AccountType } from '../ledger.schema.ts'

const MARK_BOOKINGS = 50_000

// The newest bookings lie beyond the planner's statistics, which then takes a range of them for one
// row: joined as two ranges, every booking would be compared with every leg. `offset 0` keeps this
// a look at the index for each booking.
export const LEGS_OF_EACH = raw(`
  select account_id, booking_sequence, leg_no, type, quantity, balance_after
  from legs
  where workspace = b.workspace
    and booking_sequence = b.sequence
  offset 0`)

/**
 * Marks the books of every workspace that has booked enough since its last mark; answers how many
 * marks it made. Safe in several processes.
 */
export async function markBooks(
  app: { db: Db; clock: Clock },
  every: number = MARK_BOOKINGS,
): Promise<number> {
  let marks = 0
  for (;;) {
    const due = await app.db.query<{ workspace: WorkspaceId; last: number }>(sql`
      select l.workspace, coalesce(m.sequence, 0) as last
      from lanes l
      left join lateral (
        select sequence
        from book_marks
        where workspace = l.workspace
        order by sequence desc
        limit 1
      ) m on true
      where l.booking_sequence >= coalesce(m.sequence, 0) + ${every}`)
    if (due.length === 0) return marks
    for (const { workspace, last } of due)
      if (await markBooksOf(app, workspace, last, last + every)) marks += 1
  }
}

async function markBooksOf(
  { db, clock }: { db: Db; clock: Clock },
  workspace: WorkspaceId,
  last: number,
  upto: number,
): Promise<boolean> {
  return db.tx(async (tx) => {
    const mine = await tx.query(
      sql`
        insert into book_marks (workspace, sequence, marked_at)
        values (${workspace}, ${upto}, ${clock.now()})
        on conflict do nothing
        returning 1`,
    )
    if (mine.length === 0) return false
    await tx.query(sql`
      insert into balance_marks (workspace, account_id, asset, sequence, total)
      select distinct on (l.account_id, b.asset) ${workspace}::uuid, l.account_id, b.asset,
        ${upto}::bigint, l.balance_after
      from bookings b
      cross join lateral (${LEGS_OF_EACH}) l
      where b.workspace = ${workspace}
        and b.sequence > ${last}
        and b.sequence <= ${upto}
      order by l.account_id, b.asset, l.booking_sequence desc, l.leg_no desc`)
    const totals = await totalsByType(tx, workspace, last, upto + 1)
    await tx.query(sql`
      insert into trial_marks (workspace, sequence, asset, account_type, total)
      select ${workspace}, ${upto}, *
      from unnest(
        ${totals.map((total) => total.asset)}::text[], ${totals.map((total) => total.type)}::text[],
        ${totals.map((total) => format(total.total))}::numeric[]
      )`)
    return true
  })
}

export type TypeTotal = { asset: string; type: AccountType; total: Decimal }

/**
 * What the accounts of each type hold together after all bookings before `end`: the mark at `from`
 * and what was booked since.
 */
export async function totalsByType(
  reader: Reader,
  workspace: WorkspaceId,
  from: number,
  end: number,
): Promise<TypeTotal[]> {
  const rows = await reader.query<{ asset: string; type: AccountType; total: string }>(sql`
    select asset, type, sum(total) as total
    from (
      select asset, account_type as type, total
      from trial_marks
      where workspace = ${workspace}
        and sequence = ${from}
      union all
      select b.asset, a.type,
        sum(
          case when (l.type = 'DEBIT') = (
          a.type = any(${[...DEBIT_NORMAL]}::text[])
        ) then l.quantity else -l.quantity end
        )
      from bookings b
      cross join lateral (${LEGS_OF_EACH}) l
      join accounts a on a.workspace = b.workspace
        and a.id = l.account_id
      where b.workspace = ${workspace}
        and b.sequence > ${from}
        and b.sequence < ${end}
      group by b.asset, a.type
    ) as parts
    group by asset, type
    order by asset, type`)
  return rows.map((row) => ({ ...row, total: decimal(row.total) }))
}

/** Joins to a row `b` of balances what its last mark says, as `m.total`. `marked`: `lastMark`. */
export const withMark = (marked: number): Query => sql`
  left join lateral (
    select total
    from balance_marks
    where workspace = b.workspace
      and account_id = b.account_id
      and asset = b.asset
      and sequence <= ${marked}
    order by sequence desc
    limit 1
  ) m on true`

/** The last booking that is marked before `end`. */
export async function lastMark(
  reader: Reader,
  workspace: WorkspaceId,
  end: number,
): Promise<number> {
  const last = only(
    await reader.query<{ sequence: number }>(
      sql`
        select sequence
        from book_marks
        where workspace = ${workspace}
          and sequence < ${end}
        order by sequence desc
        limit 1`,
    ),
  )
  return last?.sequence ?? 0
}
