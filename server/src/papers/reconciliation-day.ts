/** A reconciled day of a venue as PDF: what both sides said, how it was explained, who signed. */
import { userNames } from '../access/index.ts'
import type { MailLanguage } from '../access/index.ts'
import { decimal } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import type { VenueId } from '../core/ids.ts'
import { figureText, timeText } from '../events/index.ts'
import type { PaperAnswer, Principal } from '../http/index.ts'
import { venueById } from '../venues/index.ts'
import type { Column, Row } from './columns.ts'
import { DAY_WORDS } from './day-words.ts'
import type { DayWords } from './day-words.ts'
import { addresseeOf, openSheet } from './paper.ts'
import type { Addressee, PapersApp } from './paper.ts'

export const MOST_DAY_LINES = 5_000

type Asked = { principal: Principal; query: { language?: MailLanguage } }

/** What the endpoint answers, as far as it is written. */
type Line = Record<'asset' | 'state' | 'ledger' | 'venue' | 'on_the_way' | 'difference', string> & {
  wallet: string | null
  compared_at: number
  break_id: string | null
  break_state: string | null
  note: string | null
  explained_by: string | null
  explained_at: number | null
}
type Signature = { action: string; signed_by: string; signed_at: number; note: string | null }
type Day = {
  venue_id: VenueId
  day: string
  state: string
  compared_at: number | null
  lines: readonly Line[]
  signatures: readonly Signature[]
}

type Written = { day: Day; to: Addressee; words: DayWords; names: ReadonlyMap<string, string> }

/** Throws RANGE for more lines than a PDF has. */
export async function reconciliationDayPdf(
  app: PapersApp,
  { principal: { workspace }, query: { language } }: Asked,
  day: Day,
): Promise<PaperAnswer> {
  if (day.lines.length > MOST_DAY_LINES)
    throw refuse(
      'RANGE',
      '',
      `this day has ${day.lines.length} lines, and a PDF has at most ${MOST_DAY_LINES}: ask for ` +
        'its lines as CSV',
    )
  const to = await addresseeOf(app, workspace, { customer_id: null, language })
  const words = DAY_WORDS[to.reader.language]
  const venue = await venueById(app.db, workspace, day.venue_id)
  const names = await userNames(app.db, workspace, [
    ...day.signatures.map(({ signed_by }) => signed_by),
    ...day.lines.flatMap(({ explained_by }) => explained_by ?? []),
  ])
  const written = { day, to, words, names }
  const sheet = await openSheet(to, { title: words.title, wide: true, now: app.clock.now() })
  await sheet.facts([
    [words.venue, venue.label],
    [words.day, day.day],
    [
      words.compared,
      day.compared_at === null ? words.not_compared : timeText(day.compared_at, to.reader),
    ],
    [words.state, day.state === 'OPEN' ? words.open : words.signed_off],
  ])
  if (day.lines.length === 0) sheet.note(words.none_compared)
  else {
    sheet.heading(words.lines)
    await sheet.table(lineColumns(written), lineRows(written))
  }
  if (day.signatures.length > 0) {
    sheet.heading(words.signatures)
    await sheet.table(signatureColumns(words), signatureRows(written))
  }
  const name = `${words.title} ${venue.label} ${day.day}`
  return { name, rows: 0, pieces: sheet.pieces() }
}

const lineColumns = ({ to, words }: Written): readonly Column[] => [
  { title: to.words.asset, width: 50 },
  { title: words.wallet, width: 118 },
  { title: words.venue_held, width: 104, right: true },
  { title: words.books, width: 104, right: true },
  { title: words.in_flight, width: 90, right: true },
  { title: words.difference, width: 90, right: true },
  { title: words.explained, width: 198 },
]

function* lineRows({ day, to: { reader }, words, names }: Written): Generator<Row> {
  const start = Date.parse(day.day)
  for (const line of day.lines) {
    const figure = (quantity: string) => figureText(quantity, line.asset, reader)
    const stale =
      line.compared_at < start ? `${words.compared}: ${timeText(line.compared_at, reader)}` : ''
    yield {
      ...(decimal(line.difference) === 0n ? {} : { strong: true }),
      cells: [
        line.asset,
        line.wallet ?? '',
        figure(line.venue),
        figure(line.ledger),
        decimal(line.on_the_way) === 0n ? '' : figure(line.on_the_way),
        decimal(line.difference) === 0n ? '' : figure(line.difference),
        [explanationOf(line, { reader, words, names }), stale]
          .filter((text) => text !== '')
          .join('\n'),
      ],
    }
  }
}

type Explaining = Pick<Written, 'words' | 'names'> & Pick<Addressee, 'reader'>

function explanationOf(line: Line, { reader, words, names }: Explaining): string {
  if (line.break_id === null) return line.state === 'CHECKING' ? words.went_away : ''
  if (line.break_state === 'OPEN') return words.still_open
  const at = timeText(line.explained_at ?? 0, reader)
  if (line.explained_by === null) return words.resolved(at)
  const who = names.get(line.explained_by) ?? line.explained_by
  return `${line.note ?? ''}\n${words.explained_by(who, at)}`
}

const signatureColumns = (words: DayWords): readonly Column[] => [
  { title: words.state, width: 110 },
  { title: words.by, width: 190 },
  { title: words.at, width: 150 },
  { title: words.note, width: 304 },
]

function* signatureRows({ day, to: { reader }, words, names }: Written): Generator<Row> {
  for (const { action, signed_by, signed_at, note } of day.signatures)
    yield {
      cells: [
        action === 'REOPENED' ? words.reopened : words.signed_off,
        names.get(signed_by) ?? signed_by,
        timeText(signed_at, reader),
        note ?? '',
      ],
    }
}
