/**
 * The books as of a time: balances of an account, the trial balance. The time is that of booking,
 * which nobody can choose, not the value date; `at` means what was booked before it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { absolute, decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { accountById } from '../accounts/accounts.ts'
import { sequenceAt } from '../bookings.ts'
import { ACCOUNT_TYPES, DEBIT_NORMAL } from '../ledger.schema.ts'
import type { AccountType } from '../ledger.schema.ts'
import type { TrialBalance } from './books.schema.ts'
import { lastMark, totalsByType, withMark } from './marks.ts'
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
  let holder: string | undefined
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const known = await sequenceAt(reader, workspace, at)
    if (known !== Number.MAX_SAFE_INTEGER) return known
    const lane = await laneNow(reader, workspace)
    // Who begins to book after the first look books later than `at`.
    if (lane.holder === null || (holder !== undefined && lane.holder !== holder))
      return Math.min(lane.next, await sequenceAt(reader, workspace, at))
    holder = lane.holder
    await pause(LOOK_AGAIN_MILLISECONDS)
  }
  throw new Error(`one transaction has held the lane of ${workspace} for too long`)
}

const LOOK_AGAIN_MILLISECONDS = 5
/** Longer than the server lets a transaction hold the lane without doing anything. */
const MOST_LOOKS = 4_000

/** The next booking's sequence. An answer that reads only what is below it shows one moment. */
export async function nextSequence(reader: Reader, workspace: WorkspaceId): Promise<number> {
  return (await laneNow(reader, workspace)).next
}

/**
 * The next sequence, and the transaction that holds the lane and may be about to book. Read without
 * a lock, for which all bookings would wait: the row names who has locked it.
 */
async function laneNow(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<{ next: number; holder: string | null }> {
  const lane = only(
    await reader.query<{ next: number; holder: string | null }>(
      sql`
        select booking_sequence + 1 as next,
          case when ${isRunning(sql`xmax::text::bigint`)} then xmax::text end as holder
        from lanes
        where workspace = ${workspace}`,
    ),
  )
  return mustExist(lane, 'a workspace has its lane')
}

/**
 * Whether a transaction has not ended for this statement. It is named by the last 32 bits of its
 * number, as a row names it; 0 is none.
 */
const isRunning = (transaction: Query): Query => sql`
  ${transaction} <> 0
    and (
      (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - ${transaction} - 1) & 4294967295
        >= 2147483648
      or ${transaction} in (
        select running.number::text::bigint & 4294967295
        from pg_snapshot_xip(pg_current_snapshot()) as running (number)
      )
    )`

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
    ${withMark(marked)}
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
  const totals = at === undefined ? await totalsNow(books) : await totalsOf(books, at, 'at')
  const { clock } = books
  return { at: at ?? clock.now(), assets: columnsOfAssets(totals) }
}

/** Of totals in the order of their assets. */
export const columnsOfAssets = (totals: readonly TypeTotal[]): TrialBalance['assets'] =>
  [...Map.groupBy(totals, (total) => total.asset)].map(columnsOfAsset)

/** What was booked before `at`. Throws RANGE for `path`. */
export async function totalsOf(books: BooksReader, at: number, path: string): Promise<TypeTotal[]> {
  const { reader, workspace } = books
  const end = await firstUnbookedSequence(books, at, path)
  return totalsByType(reader, workspace, await lastMark(reader, workspace, end), end)
}

/** Of the balances: nothing of what was booked is read. */
async function totalsNow({ reader, workspace }: BooksReader): Promise<TypeTotal[]> {
  const rows = await reader.query<{ asset: string; type: AccountType; total: string }>(sql`
    select b.asset, a.type, sum(b.total) as total
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    where b.workspace = ${workspace}
    group by b.asset, a.type
    order by b.asset, a.type`)
  return rows.map((row) => ({ ...row, total: decimal(row.total) }))
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
