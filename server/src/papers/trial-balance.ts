/** The trial balance as PDF. */
import type { MailLanguage } from '../access/index.ts'
import { decimal } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import { figureText, timeText } from '../events/index.ts'
import type { PaperAnswer, Principal } from '../http/index.ts'
import type { TrialBalance } from '../ledger/index.ts'
import { addresseeOf, openSheet } from './paper.ts'
import type { Addressee, PapersApp } from './paper.ts'
import type { Column, Row } from './columns.ts'

export const MOST_LINES = 2_000

type Asked = { principal: Principal; query: { language?: MailLanguage } }

/** Throws RANGE for more lines than a PDF has. */
export async function trialBalancePdf(
  app: PapersApp,
  { principal, query: { language } }: Asked,
  { at, assets }: TrialBalance,
): Promise<PaperAnswer> {
  const rows = assets.reduce((count, { lines }) => count + lines.length + 1, 0)
  if (rows > MOST_LINES)
    throw refuse(
      'RANGE',
      '',
      `this trial balance has ${rows} lines, and a PDF has at most ${MOST_LINES}: ask for JSON`,
    )
  const addressee = await addresseeOf(app, principal.workspace, { customer_id: null, language })
  const { reader, words } = addressee
  const sheet = await openSheet(addressee, { title: words.trial_balance, now: app.clock.now() })
  await sheet.facts([[words.as_of, timeText(at, reader)]])
  sheet.heading(words.balance)
  await sheet.table(columnsOf(addressee), rowsOf(addressee, assets))
  return { name: words.trial_balance, rows: 0, pieces: sheet.pieces() }
}

const columnsOf = ({ words }: Addressee): readonly Column[] => [
  { title: words.asset, width: 70 },
  { title: words.accounts, width: 157 },
  { title: words.debit, width: 140, right: true },
  { title: words.credit, width: 140, right: true },
]

function* rowsOf({ reader, words }: Addressee, assets: TrialBalance['assets']): Generator<Row> {
  for (const { asset, debit, credit, lines } of assets) {
    const figure = (quantity: string) => figureText(quantity, asset, reader)
    const side = (quantity: string) => (decimal(quantity) === 0n ? '' : figure(quantity))
    for (const line of lines)
      yield { cells: [asset, words.types[line.type], side(line.debit), side(line.credit)] }
    yield { strong: true, cells: [asset, words.sum, figure(debit), figure(credit)] }
  }
}
