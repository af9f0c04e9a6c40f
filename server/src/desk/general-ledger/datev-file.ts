/**
 * The bookings of a time in one currency as a DATEV Buchungsstapel: format EXTF 700, category 21,
 * version 13.
 *
 * Fields: DATEV eG, "DATEV-Format", header and Buchungsstapel
 * (https://developer.datev.de/datev/platform/de/dtvf/formate/header and …/formate/buchungsstapel).
 * Names and order of the 125 columns were compared with two public implementations of it,
 * ledermann/datev (columns 1 to 116) and ameax/datev-extf. What is used: docs/ledger.md, "DATEV".
 */
import { decimal, format, least, scaleOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { PaperAnswer } from '../../http/index.ts'
import type { BooksReader } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { COLUMNS, line } from './datev-lines.ts'
import type { Field } from './datev-lines.ts'
import { MOST_DECIMALS } from './datev.ts'
import type { Batch } from './datev.ts'
import { numberOf } from './numbers.ts'

const BOOKINGS_A_PIECE = 500

type Leg = { number: string; side: 'DEBIT' | 'CREDIT'; quantity: Decimal }
type Posting = { debit: string; credit: string; amount: Decimal }

/** A booking of several legs as pairs: on each number the same sums, on each side. */
export function postingsOf(legs: readonly Leg[]): Posting[] {
  const [debits, credits] = (['DEBIT', 'CREDIT'] as const).map((side) =>
    legs.filter((leg) => leg.side === side).map(({ number, quantity }) => ({ number, quantity })),
  )
  const postings: Posting[] = []
  let debit = debits?.shift()
  let credit = credits?.shift()
  while (debit !== undefined && credit !== undefined) {
    const amount = least(debit.quantity, credit.quantity)
    postings.push({ debit: debit.number, credit: credit.number, amount })
    debit.quantity -= amount
    credit.quantity -= amount
    if (debit.quantity === 0n) debit = debits?.shift()
    if (credit.quantity === 0n) credit = credits?.shift()
  }
  return postings
}

/** The file. */
export const datevFile = (books: BooksReader, batch: Batch, now: number): PaperAnswer => ({
  name: batch.data.file.replace(/\.csv$/, ''),
  rows: batch.data.bookings,
  pieces: piecesOf(books, batch, now),
})

async function* piecesOf(books: BooksReader, batch: Batch, now: number): AsyncGenerator<Buffer> {
  yield Buffer.from(headerOf(batch, now) + line(COLUMNS), 'latin1')
  let after = batch.first - 1
  for (;;) {
    const bookings = await bookingsAfter(books, batch, after)
    const last = bookings.at(-1)
    if (last === undefined) return
    yield Buffer.from(bookings.flatMap((booking) => linesOf(batch, booking)).join(''), 'latin1')
    after = last.sequence
  }
}

type BookedLeg = {
  account_id: string
  account_type: string
  side: 'DEBIT' | 'CREDIT'
  quantity: string
}
type Booked = {
  sequence: number
  type: string
  booked_at: number
  description: string | null
  legs: BookedLeg[]
}

const bookingsAfter = (
  { reader, workspace }: BooksReader,
  { end, data: { asset } }: Batch,
  after: number,
): Promise<Booked[]> =>
  reader.query<Booked>(sql`
    select b.sequence, b.type, b.booked_at, b.description, l.legs
    from (
      select *
      from bookings
      where workspace = ${workspace}
        and sequence > ${after}
        and sequence < ${end}
        and asset = ${asset}
      order by sequence
      limit ${BOOKINGS_A_PIECE}
    ) as b
    cross join lateral (
      select jsonb_agg(
        jsonb_build_object(
          'account_id', l.account_id, 'account_type', a.type, 'side', l.type,
          'quantity', trim_scale(l.quantity)::text
        )
        order by l.leg_no
      ) as legs
      from legs l
      join accounts a on a.workspace = l.workspace
        and a.id = l.account_id
      where l.workspace = b.workspace
        and l.booking_sequence = b.sequence
    ) as l
    order by b.sequence`)

function linesOf({ numbers, dayOf, data: { asset } }: Batch, booking: Booked): string[] {
  const legs = booking.legs.map(({ side, quantity, ...account }) => ({
    side,
    quantity: decimal(quantity),
    number: numberOf(numbers, { ...account, asset }) ?? '',
  }))
  const [, month = '', day = ''] = dayOf(booking.booked_at).split('-')
  const said = [booking.type, booking.description].filter((text) => text !== null).join(' ')
  const rest: Field[] = Array.from({ length: COLUMNS.length - 14 }, () => null)
  return postingsOf(legs).map(({ debit, credit, amount }) =>
    line([
      { digits: amountText(amount) },
      'S',
      null,
      null,
      null,
      null,
      { digits: debit },
      { digits: credit },
      null,
      { digits: `${day}${month}` },
      String(booking.sequence),
      null,
      null,
      said.slice(0, 60),
      ...rest,
    ]),
  )
}

/** With two decimals and a comma, as DATEV has them. */
function amountText(amount: Decimal): string {
  const [whole, fraction = ''] = format(amount).split('.')
  return `${whole},${fraction.padEnd(Math.max(MOST_DECIMALS, scaleOf(amount)), '0')}`
}

const digits = (text: string | number): Field => ({ digits: String(text) })
const dayDigits = (day: string): Field => digits(day.replaceAll('-', ''))

/** The 31 fields of the first line. What is null stays empty. */
function headerOf({ client, fiscal_year, data }: Batch, now: number): string {
  const made = new Date(now).toISOString().replaceAll(/\D/g, '')
  return line([
    'EXTF',
    digits(700),
    digits(21),
    'Buchungsstapel',
    digits(13),
    digits(made),
    null,
    null,
    null,
    null,
    digits(client.consultant),
    digits(client.client),
    dayDigits(fiscal_year),
    digits(client.account_length),
    dayDigits(data.first_day),
    dayDigits(data.last_day),
    `Kontor ${data.first_day}`,
    null,
    digits(1),
    digits(0),
    digits(0),
    data.asset,
    ...Array.from({ length: 9 }, () => null),
  ])
}
