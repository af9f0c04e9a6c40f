/**
 * The books as people read them: balances as of a time, the trial balance, an account's statement.
 * All are of the time of booking, which nobody can choose, not of the value date; `at` means what
 * was booked before it. A mark every so many bookings keeps the cost of any past moment the same.
 */
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { accountById } from '../accounts/accounts.ts'
import { sequenceAt } from '../bookings.ts'
import type { StatementLine, TrialBalance } from './books.schema.ts'
import { ACCOUNT_TYPES, DEBIT_NORMAL } from '../ledger.schema.ts'
import type { AccountType, BookingType } from '../ledger.schema.ts'

const MARK_BOOKINGS = 50_000

// The newest bookings lie beyond the planner's statistics, which then takes a range of them for one
// row: joined as two ranges, every booking would be compared with every leg. `offset 0` keeps this
// a look at the index for each booking.
const LEGS_OF_EACH = raw(
  'select account_id, booking_sequence, leg_no, type, quantity, balance_after from legs where workspace = b.workspace and booking_sequence = b.sequence offset 0',
)

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

type TypeTotal = { asset: string; type: AccountType; total: Decimal }

/**
 * What the accounts of each type hold together after all bookings before `end`: the mark at `from`
 * and what was booked since.
 */
async function totalsByType(
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

async function lastMark(reader: Reader, workspace: WorkspaceId, end: number): Promise<number> {
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

/**
 * The first sequence not yet booked at that time. Refuses RANGE for a time to come: what will be
 * booked by then nobody knows.
 */
async function firstUnbookedSequence(
  reader: Reader,
  clock: Clock,
  workspace: WorkspaceId,
  at: number,
  path: string,
): Promise<number> {
  if (at > clock.now())
    throw refuse('RANGE', path, `${path} ${new Date(at).toISOString()} lies in the future`)
  const known = await sequenceAt(reader, workspace, at)
  if (known !== Number.MAX_SAFE_INTEGER) return known
  // Nothing that is committed is later: what is being booked now may be earlier.
  const next = await nextSequence(reader, workspace)
  return Math.min(next, await sequenceAt(reader, workspace, at))
}

/**
 * Of what will be booked, once that is committed which is being booked now; before it, all of one
 * answer is of the same moment.
 */
async function nextSequence(reader: Reader, workspace: WorkspaceId): Promise<number> {
  const lane = only(
    await reader.query<{ next: number }>(
      sql`
        select booking_sequence + 1 as next
        from lanes
        where workspace = ${workspace}
        for share`,
    ),
  )
  return mustExist(lane, 'a workspace has its lane').next
}

type AssetTotal = { asset: string; total: Decimal }

async function totalsBefore(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  end: number,
): Promise<AssetTotal[]> {
  const marked = await lastMark(reader, workspace, end)
  const rows = await reader.query<{ asset: string; total: string | null }>(sql`
    select b.asset, coalesce(l.balance_after, m.total) as total
    from balances b
    left join lateral (
      select total
      from balance_marks
      where workspace = b.workspace
        and account_id = b.account_id
        and asset = b.asset
        and sequence <= ${marked}
      order by sequence desc
      limit 1
    ) m on true
    left join (
      select distinct on (k.asset) k.asset, s.balance_after
      from legs s
      join bookings k on k.workspace = s.workspace
        and k.sequence = s.booking_sequence
      where s.workspace = ${workspace}
        and s.account_id = ${account_id}
        and s.booking_sequence > ${marked}
        and s.booking_sequence < ${end}
      order by k.asset, s.booking_sequence desc, s.leg_no desc
    ) l on l.asset = b.asset
    where b.workspace = ${workspace}
      and b.account_id = ${account_id}
    order by b.asset`)
  return rows.flatMap((row) =>
    row.total === null ? [] : [{ asset: row.asset, total: decimal(row.total) }],
  )
}

/**
 * What was booked on the account before `at`, per asset in its normal sign; what was blocked then
 * is not kept. Throws 4004, RANGE.
 */
export async function balancesAt(
  reader: Reader,
  clock: Clock,
  workspace: WorkspaceId,
  account_id: AccountId,
  at: number,
): Promise<Record<string, { withdrawing: null; trading: null; total: string }>> {
  await accountById(reader, workspace, account_id)
  const totals = await totalsBefore(
    reader,
    workspace,
    account_id,
    await firstUnbookedSequence(reader, clock, workspace, at, 'at'),
  )
  return Object.fromEntries(
    totals.map(({ asset, total }) => [
      asset,
      { withdrawing: null, trading: null, total: format(total) },
    ]),
  )
}

/**
 * Debit and credit balances by type of account; per asset both columns have the same sum. Throws
 * RANGE.
 */
export async function trialBalance(
  reader: Reader,
  clock: Clock,
  workspace: WorkspaceId,
  at: number | undefined,
): Promise<TrialBalance> {
  const end =
    at === undefined
      ? Number.MAX_SAFE_INTEGER
      : await firstUnbookedSequence(reader, clock, workspace, at, 'at')
  const totals = await totalsByType(reader, workspace, await lastMark(reader, workspace, end), end)
  const assets = [...Map.groupBy(totals, (total) => total.asset)].map(([asset, of]) => {
    const lines = of
      .filter((typeTotal) => typeTotal.total !== 0n)
      .toSorted((a, b) => ACCOUNT_TYPES.indexOf(a.type) - ACCOUNT_TYPES.indexOf(b.type))
      .map(({ type, total }) => ({ type, total, debit: DEBIT_NORMAL.has(type) === total > 0n }))
    const column = (debit: boolean) =>
      lines
        .filter((line) => line.debit === debit)
        .reduce((sum, { total }) => sum + (total < 0n ? -total : total), 0n)
    return {
      asset,
      debit: format(column(true)),
      credit: format(column(false)),
      lines: lines.map(({ type, total, debit }) => {
        const figure = format(total < 0n ? -total : total)
        return { type, debit: debit ? figure : '0', credit: debit ? '0' : figure }
      }),
    }
  })
  return { at: at ?? clock.now(), assets }
}

type StatementRow = {
  booking_sequence: number
  id: string
  type: BookingType
  asset: string
  booked_at: number
  value_date: number
  reference_type: string | null
  reference_id: string | null
  description: string | null
}

const STATEMENT = raw(`
    select distinct on (l.booking_sequence) l.booking_sequence, b.id, b.type, b.asset, b.booked_at,
      b.value_date, b.reference_type, b.reference_id, b.description
    from legs l
    join bookings b on b.workspace = l.workspace
      and b.sequence = l.booking_sequence`)

/**
 * Opening balances, every booking with the balance after it, closing balances; oldest first. Throws
 * 4004, RANGE.
 */
export async function statementOf(
  reader: Reader,
  clock: Clock,
  workspace: WorkspaceId,
  account_id: AccountId,
  { from = 0, to, assets }: { from?: number; to?: number; assets?: string[] },
): Promise<ListQuery<StatementLine>> {
  await accountById(reader, workspace, account_id)
  if (to !== undefined && from >= to) throw refuse('RANGE', 'from', 'from must lie before to')
  const first = await firstUnbookedSequence(reader, clock, workspace, from, 'from')
  const end =
    to === undefined
      ? await nextSequence(reader, workspace)
      : await firstUnbookedSequence(reader, clock, workspace, to, 'to')
  const edge = async (
    line: 'OPENING' | 'CLOSING',
    sequence: number,
    at: number,
  ): Promise<StatementLine[]> => {
    const [known, closing] = await Promise.all([
      totalsBefore(reader, workspace, account_id, sequence),
      line === 'CLOSING' ? [] : totalsBefore(reader, workspace, account_id, end),
    ])
    const shown = [...new Set([...known, ...closing].map((assetTotal) => assetTotal.asset))]
      .filter((each) => assets?.includes(each) ?? true)
      .toSorted()
    return shown.map((each) => ({
      line,
      asset: each,
      booked_at: at,
      balance: format(known.find((total) => total.asset === each)?.total ?? 0n),
      sequence: null,
      booking_id: null,
      type: null,
      value_date: null,
      debit: null,
      credit: null,
      reference_type: null,
      reference_id: null,
      description: null,
    }))
  }
  return {
    select: STATEMENT,
    conditions: [
      sql`l.workspace = ${workspace}`,
      sql`l.account_id = ${account_id}`,
      sql`l.booking_sequence >= ${first}`,
      sql`l.booking_sequence < ${end}`,
      ...(assets === undefined ? [] : [sql`b.asset = any(${assets})`]),
    ],
    key: { column: 'l.booking_sequence', type: 'bigint', order: 'oldest first' },
    head: () => edge('OPENING', first, from),
    tail: () => edge('CLOSING', end, to ?? clock.now()),
    enrich: (rows: StatementRow[]) => withMovements(reader, workspace, account_id, rows),
  }
}

/** An account that a booking names twice has one line with what moved in all. */
async function withMovements(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  rows: StatementRow[],
): Promise<StatementLine[]> {
  const legs = await reader.query<{
    booking_sequence: number
    type: 'DEBIT' | 'CREDIT'
    quantity: string
    balance_after: string
  }>(sql`
    select booking_sequence, type, quantity, balance_after
    from legs
    where workspace = ${workspace}
      and account_id = ${account_id}
      and booking_sequence = any(${rows.map((row) => row.booking_sequence)}::bigint[])
    order by booking_sequence, leg_no`)
  const bySequence = Map.groupBy(legs, (leg) => leg.booking_sequence)
  return rows.map(({ booking_sequence, id, ...row }) => {
    const moved = bySequence.get(booking_sequence) ?? []
    const side = (type: 'DEBIT' | 'CREDIT') => {
      const sum = moved
        .filter((leg) => leg.type === type)
        .reduce((total, leg) => total + decimal(leg.quantity), 0n)
      return sum === 0n ? null : format(sum)
    }
    return {
      line: 'BOOKING',
      ...row,
      sequence: booking_sequence,
      booking_id: id,
      debit: side('DEBIT'),
      credit: side('CREDIT'),
      balance: format(decimal(moved.at(-1)?.balance_after ?? '0')),
    }
  })
}
