/**
 * What a DATEV Buchungsstapel would hold of the bookings of a time in one currency, and what it
 * cannot say. Sources: datev-file.ts.
 */
import { settingsOf } from '../../access/index.ts'
import { decimal, format, sum } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { assetByCode } from '../../ledger/index.ts'
import type { BooksReader } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { fiscalYearOf, dayWriter } from './datev-days.ts'
import type { DatevExport } from './general-ledger.schema.ts'
import { sequencesOf } from './general-ledger.ts'
import { numberOf, numbersOf } from './numbers.ts'
import type { Numbers } from './numbers.ts'

/** Of one Buchungsstapel. */
const MOST_POSTINGS = 99_999
export const MOST_DECIMALS = 2
/** Ten digits before the comma: less than this. */
const AMOUNT_END = decimal('10000000000')

export type DatevQuery = { asset?: string; from?: number; to?: number }
type Client = { consultant: number; client: number; account_length: number }
/** All that is known before the first line is written. */
export type Batch = {
  numbers: Numbers
  client: Client
  fiscal_year: string
  first: number
  end: number
  dayOf(at: number): string
  data: DatevExport
}

/**
 * What the file would hold, with the sums of each number. Throws REQUIRED, RANGE, FORMAT, SCALE
 * and, where an account that moved has no number, CONFLICT.
 */
export async function datevBatch(
  books: BooksReader,
  { asset, from, to }: DatevQuery,
): Promise<Batch> {
  const { reader, workspace } = books
  if (asset === undefined) throw missing('asset', 'which currency the file has')
  if (from === undefined) throw missing('from', 'when its period begins')
  if (to === undefined) throw missing('to', 'when its period ends')
  await assertCurrency(books, asset)
  const settings = await settingsOf(reader, workspace)
  const { datev } = settings.general_ledger
  if (datev === undefined)
    throw refuse(
      'CONFLICT',
      '',
      'the setting general_ledger does not say for which client of DATEV (datev) the file is',
    )
  const { first, end } = await sequencesOf(books, { from, to })
  const dayOf = dayWriter(settings.mail_time_zone)
  const [first_day, last_day] = [dayOf(from), dayOf(to - 1)]
  const fiscal_year = fiscalYearOf(first_day, datev.fiscal_year_start)
  if (fiscalYearOf(last_day, datev.fiscal_year_start) !== fiscal_year)
    throw refuse('RANGE', 'to', 'the period lies in more than one fiscal year: ask for each alone')
  const numbers = await numbersOf(reader, workspace)
  const range = { asset, first, end }
  return {
    numbers,
    client: datev,
    fiscal_year,
    first,
    end,
    dayOf,
    data: {
      file: `EXTF_Buchungsstapel_${asset}_${first_day}_${last_day}.csv`,
      asset,
      first_day,
      last_day,
      bookings: await countOf(books, range),
      numbers: await sumsOf(books, range, { numbers, account_length: datev.account_length }),
    },
  }
}

const missing = (path: string, what: string): Error =>
  refuse('REQUIRED', path, `${path} says ${what}`)

async function assertCurrency({ reader, workspace }: BooksReader, code: string): Promise<void> {
  const { kind, scale } = await assetByCode(reader, workspace, code)
  if (kind !== 'FIAT' || !/^[A-Z]{3}$/.test(code))
    throw refuse(
      'FORMAT',
      'asset',
      `${code} cannot stand in a DATEV file, whose currencies are those of ISO 4217`,
    )
  if (scale > MOST_DECIMALS)
    throw refuse('SCALE', 'asset', `${code} has ${scale} decimals, and DATEV ${MOST_DECIMALS}`)
}

type Range = { asset: string; first: number; end: number }

/** Refuses RANGE for more postings than a file may have. */
async function countOf(
  { reader, workspace }: BooksReader,
  { asset, first, end }: Range,
): Promise<number> {
  const [row] = await reader.query<{ bookings: number; legs: number }>(sql`
    select count(distinct b.sequence)::int as bookings, count(*)::int as legs
    from bookings b
    join legs l on l.workspace = b.workspace
      and l.booking_sequence = b.sequence
    where b.workspace = ${workspace}
      and b.sequence >= ${first}
      and b.sequence < ${end}
      and b.asset = ${asset}`)
  const { bookings = 0, legs = 0 } = row ?? {}
  if (legs - bookings > MOST_POSTINGS)
    throw refuse(
      'RANGE',
      'to',
      `the file would have up to ${legs - bookings} postings, and may have ${MOST_POSTINGS}: ` +
        'ask for a shorter period',
    )
  return bookings
}

type Moved = {
  account_id: string
  account_type: string
  account_label: string
  debit: string
  credit: string
  largest: string
  scale: number
}

async function sumsOf(
  books: BooksReader,
  { asset, first, end }: Range,
  { numbers, account_length }: { numbers: Numbers; account_length: number },
): Promise<DatevExport['numbers']> {
  const moved = await books.reader.query<Moved>(sql`
    select l.account_id, a.type as account_type, a.label as account_label,
      coalesce(sum(l.quantity) filter (where l.type = 'DEBIT'), 0) as debit,
      coalesce(sum(l.quantity) filter (where l.type = 'CREDIT'), 0) as credit,
      max(l.quantity) as largest, max(scale(trim_scale(l.quantity)))::int as scale
    from bookings b
    join legs l on l.workspace = b.workspace
      and l.booking_sequence = b.sequence
    join accounts a on a.workspace = l.workspace
      and a.id = l.account_id
    where b.workspace = ${books.workspace}
      and b.sequence >= ${first}
      and b.sequence < ${end}
      and b.asset = ${asset}
    group by l.account_id, a.type, a.label
    order by l.account_id`)
  const numbered = moved.map((row) => ({
    ...row,
    number: writableNumber(numberOf(numbers, { ...row, asset }), { ...row, account_length }),
  }))
  for (const row of moved) assertWritable(row, asset)
  const byNumber = Map.groupBy(numbered, ({ number }) => number)
  return [...byNumber]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([number, rows]) => ({
      number,
      debit: format(sum(rows.map(({ debit }) => decimal(debit)))),
      credit: format(sum(rows.map(({ credit }) => decimal(credit)))),
    }))
}

function writableNumber(
  number: string | undefined,
  {
    account_type,
    account_label,
    account_length,
  }: { account_type: string; account_label: string; account_length: number },
): string {
  const whose = `the account ${account_label} (${account_type})`
  if (number === undefined)
    throw refuse(
      'CONFLICT',
      '',
      `${whose} moved and has no number: the setting general_ledger gives it, and ` +
        'GET /general-ledger/unnumbered lists all that have none',
    )
  const isFit = /^\d+$/.test(number) && [0, 1].includes(number.length - account_length)
  if (isFit) return number
  throw refuse(
    'FORMAT',
    '',
    `${whose} has the number ${number}, and DATEV takes ${account_length} digits, or one more ` +
      'for persons',
  )
}

function assertWritable({ account_label, largest, scale }: Moved, asset: string): void {
  if (scale > MOST_DECIMALS)
    throw refuse(
      'SCALE',
      'asset',
      `${account_label} has a booking in ${asset} with ${scale} decimals, and DATEV has ` +
        `${MOST_DECIMALS}`,
    )
  if (decimal(largest) >= AMOUNT_END)
    throw refuse(
      'RANGE',
      'asset',
      `${account_label} has a booking of ${largest} ${asset}, and DATEV takes ten digits before ` +
        'the comma',
    )
}
