/**
 * The books as of a time: balances of an account, the trial balance. The time is that of booking,
 * which nobody can choose, not the value date; `at` means what was booked before it.
 */
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { absolute, decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { accountById } from '../accounts/accounts.ts'
import { sequenceAt } from '../bookings.ts'
import { ACCOUNT_TYPES, DEBIT_NORMAL } from '../ledger.schema.ts'
import type { TrialBalance } from './books.schema.ts'
import { lastMark, totalsByType } from './marks.ts'
import type { TypeTotal } from './marks.ts'

/** Whose books are read. */
export type BooksReader = { reader: Reader; clock: Clock; workspace: WorkspaceId }

type AssetColumns = TrialBalance['assets'][number]

/**
 * The first sequence not yet booked at that time. Refuses RANGE for a time to come: what will be
 * booked by then nobody knows.
 */
export async function firstUnbookedSequence(
  { reader, clock, workspace }: BooksReader,
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
export async function nextSequence(reader: Reader, workspace: WorkspaceId): Promise<number> {
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

export type AssetTotal = { asset: string; total: Decimal }

/** What the account held before the booking `end`, per asset. */
export async function totalsBefore(
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
  books: BooksReader,
  account_id: AccountId,
  at: number,
): Promise<Record<string, { withdrawing: null; trading: null; total: string }>> {
  const { reader, workspace } = books
  await accountById(reader, workspace, account_id)
  const end = await firstUnbookedSequence(books, at, 'at')
  const totals = await totalsBefore(reader, workspace, account_id, end)
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
  books: BooksReader,
  at: number | undefined,
): Promise<TrialBalance> {
  const { reader, clock, workspace } = books
  const end =
    at === undefined ? Number.MAX_SAFE_INTEGER : await firstUnbookedSequence(books, at, 'at')
  const totals = await totalsByType(reader, workspace, await lastMark(reader, workspace, end), end)
  const assets = [...Map.groupBy(totals, (total) => total.asset)].map(columnsOfAsset)
  return { at: at ?? clock.now(), assets }
}

function columnsOfAsset([asset, totals]: [string, readonly TypeTotal[]]): AssetColumns {
  const lines = totals
    .filter(({ total }) => total !== 0n)
    .toSorted((a, b) => ACCOUNT_TYPES.indexOf(a.type) - ACCOUNT_TYPES.indexOf(b.type))
    .map(({ type, total }) => ({
      type,
      figure: absolute(total),
      debit: DEBIT_NORMAL.has(type) === total > 0n,
    }))
  const column = (debit: boolean) =>
    sum(lines.filter((line) => line.debit === debit).map(({ figure }) => figure))
  return {
    asset,
    debit: format(column(true)),
    credit: format(column(false)),
    lines: lines.map(({ type, figure, debit }) => ({
      type,
      debit: debit ? format(figure) : '0',
      credit: debit ? '0' : format(figure),
    })),
  }
}
