/**
 * Every leg of every booking of a time, with its number in the bank's own chart of accounts. A leg
 * without one is there too, and says so: what the export holds is what the ledger has.
 */
import { assertPeriod } from '../../http/index.ts'
import type { ListQuery } from '../../http/index.ts'
import { firstUnbookedSequence, nextSequence } from '../../ledger/index.ts'
import type { BooksReader } from '../../ledger/index.ts'
import { raw, sql } from '../../store/sql.ts'
import type { GeneralLedgerLine } from './general-ledger.schema.ts'
import { numberOf, numbersOf } from './numbers.ts'

type Period = { from?: number; to?: number }

/** The bookings of the period: from the first to before the end. Throws RANGE. */
export async function sequencesOf(
  books: BooksReader,
  period: Period,
): Promise<{ first: number; end: number }> {
  assertPeriod(period)
  const { from, to } = period
  return {
    first: from === undefined ? 0 : await firstUnbookedSequence(books, from, 'from'),
    end:
      to === undefined
        ? await nextSequence(books.reader, books.workspace)
        : await firstUnbookedSequence(books, to, 'to'),
  }
}

/**
 * `leg` as text, since a list is ordered by text beside its sequence. Leg by leg: merged with the
 * bookings, all that are newer than the key would be read.
 */
const LINES = raw(`
  select g.booking_sequence, g.leg, g.booking_id, g.booked_at, g.value_date, g.type, g.account_id,
    g.account_type, g.account_label, g.asset, g.side, g.quantity, g.reference_type, g.reference_id,
    g.description
  from (
    select l.workspace, l.booking_sequence, lpad(l.leg_no::text, 5, '0') as leg, b.id as booking_id,
      b.booked_at, b.value_date, b.type, l.account_id, a.type as account_type,
      a.label as account_label, b.asset, l.type as side, l.quantity, b.reference_type,
      b.reference_id, b.description
    from legs l
    cross join lateral (
      select *
      from bookings
      where workspace = l.workspace
        and sequence = l.booking_sequence
      limit 1
    ) b
    cross join lateral (
      select type, label
      from accounts
      where workspace = l.workspace
        and id = l.account_id
      limit 1
    ) a
  ) as g`)

type LineRow = Omit<GeneralLedgerLine, 'sequence' | 'leg' | 'number' | 'reason'> & {
  booking_sequence: number
  leg: string
  side: 'DEBIT' | 'CREDIT'
  quantity: string
}

export async function generalLedger(
  books: BooksReader,
  { assets, ...period }: Period & { assets?: string[] },
): Promise<ListQuery<GeneralLedgerLine>> {
  const { reader, workspace } = books
  const { first, end } = await sequencesOf(books, period)
  const numbers = await numbersOf(reader, workspace)
  return {
    select: LINES,
    conditions: [
      sql`g.workspace = ${workspace}`,
      sql`g.booking_sequence >= ${first}`,
      sql`g.booking_sequence < ${end}`,
      ...(assets === undefined ? [] : [sql`g.asset = any(${assets})`]),
    ],
    key: { column: 'g.booking_sequence', type: 'bigint', order: 'oldest first', second: 'g.leg' },
    item: ({ booking_sequence, leg, side, quantity, ...row }: LineRow) => {
      const number = numberOf(numbers, row) ?? null
      return {
        ...row,
        sequence: booking_sequence,
        leg: Number(leg),
        number,
        reason: number === null ? ('NO_NUMBER' as const) : null,
        debit: side === 'DEBIT' ? quantity : null,
        credit: side === 'CREDIT' ? quantity : null,
      }
    },
  }
}
