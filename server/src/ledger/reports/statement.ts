/** The statement of an account: what moved on it between two times of booking. */
import { decimal, format } from '../../core/decimal.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { assertPeriod } from '../../http/index.ts'
import type { ListQuery } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { accountById } from '../accounts/accounts.ts'
import type { BookingType } from '../ledger.schema.ts'
import { firstUnbookedSequence, nextSequence, totalsBefore } from './books.ts'
import type { AssetTotal, BooksReader } from './books.ts'
import type { StatementLine } from './books.schema.ts'

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
  books: BooksReader,
  account_id: AccountId,
  { assets, ...period }: { from?: number; to?: number; assets?: string[] },
): Promise<ListQuery<StatementLine>> {
  const { reader, clock, workspace } = books
  const account = await accountById(reader, workspace, account_id)
  assertPeriod(period)
  const { from, to } = period
  const first = await firstUnbookedSequence(books, from ?? 0, 'from')
  const end =
    to === undefined
      ? await nextSequence(reader, workspace)
      : await firstUnbookedSequence(books, to, 'to')
  const isShown = (asset: string) => assets?.includes(asset) ?? true
  const totalsAt = (sequence: number) => totalsBefore(reader, workspace, account_id, sequence)
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
    head: async () => {
      const [opening, closing] = await Promise.all([totalsAt(first), totalsAt(end)])
      const shown = [...opening, ...closing].map(({ asset }) => asset).filter(isShown)
      return edgeLines('OPENING', from ?? account.system_created_at, shown, opening)
    },
    tail: async () => {
      const closing = await totalsAt(end)
      const shown = closing.map(({ asset }) => asset).filter(isShown)
      return edgeLines('CLOSING', to ?? clock.now(), shown, closing)
    },
    enrich: (rows: StatementRow[]) => withMovements(reader, workspace, account_id, rows),
  }
}

/** The balance of each of these assets at one edge of the period. */
function edgeLines(
  line: 'OPENING' | 'CLOSING',
  booked_at: number,
  assets: readonly string[],
  totals: readonly AssetTotal[],
): StatementLine[] {
  return [...new Set(assets)].toSorted().map((asset) => ({
    line,
    asset,
    booked_at,
    balance: format(totals.find((total) => total.asset === asset)?.total ?? 0n),
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

export type BookedCredit = {
  sequence: number
  batch_no: number
  reference_id: string | null
  asset: string
  /** What the account was credited with; negative is a debit. */
  credit: string
}

/** What these bookings moved on the account, for who tells several of them as one. */
export const creditsOn = (
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  sequences: readonly number[],
): Promise<BookedCredit[]> =>
  reader.query<BookedCredit>(sql`
    select b.sequence, b.batch_no, b.reference_id, b.asset,
      sum(case when l.type = 'CREDIT' then l.quantity else -l.quantity end) as credit
    from legs l
    join bookings b on b.workspace = l.workspace
      and b.sequence = l.booking_sequence
    where l.workspace = ${workspace}
      and l.account_id = ${account_id}
      and l.booking_sequence = any(${sequences}::bigint[])
    group by b.workspace, b.sequence`)
