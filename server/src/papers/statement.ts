/** The statement of an account as PDF: per asset what the statement's lines say, and their sums. */
import type { MailLanguage } from '../access/index.ts'
import { decimal, format, sum } from '../core/decimal.ts'
import type { AccountId } from '../core/ids.ts'
import {
  figureText,
  shortReference,
  shortTimeText,
  timeText,
  valueDateText,
} from '../events/index.ts'
import type { ListQuery, PaperAnswer, Principal } from '../http/index.ts'
import { accountById } from '../ledger/index.ts'
import type { StatementLine } from '../ledger/index.ts'
import { readLines } from './lines.ts'
import { addresseeOf, openSheet } from './paper.ts'
import type { Addressee, PapersApp } from './paper.ts'
import type { Column, Row } from './columns.ts'

/** More would be held in memory at once, for the number of the last page. */
export const MOST_BOOKINGS = 2_000

type Asked = {
  principal: Principal
  params: { account_id: AccountId }
  query: { from?: number; to?: number; language?: MailLanguage }
}

/** Throws RANGE when the period has too many bookings. */
export async function statementPdf(
  app: PapersApp,
  { principal, params, query }: Asked,
  list: ListQuery<StatementLine>,
): Promise<PaperAnswer> {
  const { workspace } = principal
  const now = app.clock.now()
  const account = await accountById(app.db, workspace, params.account_id)
  const lines = await readLines(app, list, { most: MOST_BOOKINGS, form: 'a PDF' })
  const { customer_id } = account
  const addressee = await addresseeOf(app, workspace, { customer_id, language: query.language })
  const { reader, words, customer } = addressee
  const sheet = await openSheet(addressee, { title: words.statement, wide: true, now })
  const [from, to] = [query.from ?? account.system_created_at, query.to ?? now]
  const maySeeCustomers = principal.permissions.has('customers.read')
  await sheet.facts([
    [words.account, `${account.label} (${shortReference('account', account.id)})`],
    [words.customer_number, (maySeeCustomers && customer?.foreign_id) || ''],
    [words.period, words.period_of(timeText(from, reader), timeText(to, reader))],
  ])
  const byAsset = Map.groupBy(lines, ({ asset }) => asset)
  if (byAsset.size === 0) sheet.note(words.nothing_booked)
  for (const [asset, ofAsset] of byAsset) {
    sheet.heading(asset)
    await sheet.table(columnsOf(addressee), rowsOf(addressee, asset, ofAsset))
  }
  return { name: words.statement, rows: lines.length, pieces: sheet.pieces() }
}

const columnsOf = ({ words }: Addressee): readonly Column[] => [
  { title: words.booked, width: 86 },
  { title: words.value_date, width: 86 },
  { title: words.entry, width: 118 },
  { title: words.description, width: 164 },
  { title: words.debit, width: 100, right: true },
  { title: words.credit, width: 100, right: true },
  { title: words.balance, width: 100, right: true },
]

function* rowsOf(
  addressee: Addressee,
  asset: string,
  lines: readonly StatementLine[],
): Generator<Row> {
  const { reader, words } = addressee
  const figure = (quantity: string | null) =>
    quantity === null ? '' : figureText(quantity, asset, reader)
  const total = (side: 'debit' | 'credit') =>
    format(sum(lines.map((line) => decimal(line[side] ?? '0'))))
  const closing = lines.findLast(({ line }) => line === 'CLOSING')
  for (const line of lines) {
    if (line === closing) continue
    const { booked_at, value_date, description, debit, credit, balance } = line
    yield {
      ...(line.line === 'OPENING' ? { strong: true } : {}),
      cells: [
        shortTimeText(booked_at, reader),
        value_date === null ? '' : valueDateText(value_date, reader),
        entryOf(line, addressee),
        description ?? '',
        figure(debit),
        figure(credit),
        figure(balance),
      ],
    }
  }
  const sums = [words.sum, '', figure(total('debit')), figure(total('credit')), '']
  yield { strong: true, cells: ['', '', ...sums] }
  if (closing === undefined) return
  const end = [words.closing, '', '', '', figure(closing.balance)]
  yield { strong: true, cells: [shortTimeText(closing.booked_at, reader), '', ...end] }
}

function entryOf({ line, type }: StatementLine, { words }: Addressee): string {
  if (line === 'OPENING') return words.opening
  return type === null ? '' : words.entries[type]
}
