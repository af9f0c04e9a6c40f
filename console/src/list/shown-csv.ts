/**
 * The rows of a list as a person reads them, for a spreadsheet: the columns that are shown, names
 * instead of ids, local times, and amounts with the decimals of their currency.
 */
import type { NamedKind } from '../api/names.ts'
import { t } from '../language/index.ts'
import { zoneName } from '../parts/periods.ts'
import { wordsOf } from '../parts/status.tsx'
import { storedWords } from '../parts/record-words.ts'
import { localTime } from '../parts/local-time.ts'
import { valueOf } from './columns.tsx'
import type { Column, NameOf } from './columns.tsx'
import { lineOf, withDecimals } from './csv-text.ts'

type Field<Row> = { title: string; text(row: Row): string }

/** An amount has its currency in a column of its own, so that amounts can be added up. */
function fieldsOf<Row>(column: Column<Row>, nameOf: NameOf): Field<Row>[] {
  const { title, kind = 'text', asset, text } = column
  if (text !== undefined) return [{ title, text: (row) => text(row, nameOf) }]
  const textOf = (write: (value: string, row: Row) => string) => (row: Row) => {
    const value = valueOf(column, row)
    if (value === null || value === undefined) return ''
    return write(typeof value === 'object' ? JSON.stringify(value) : String(value), row)
  }
  switch (kind) {
    case 'amount': {
      const amount = textOf((value, row) => withDecimals(value, asset?.(row)))
      if (asset === undefined) return [{ title, text: amount }]
      const currency = textOf((_value, row) => asset(row) ?? '')
      return [
        { title, text: amount },
        { title: t('{{title}}: currency', { title }), text: currency },
      ]
    }
    case 'time':
      return [
        { title: `${title} (${zoneName()})`, text: textOf((value) => localTime(Number(value))) },
      ]
    case 'flag':
      return [{ title, text: textOf((value) => (value === 'true' ? t('Yes') : t('No'))) }]
    case 'status':
      return [{ title, text: textOf(wordsOf) }]
    case 'said':
      return [{ title, text: textOf(storedWords) }]
    // What is not drawn stands there as it is: BTC is no word of the API.
    case 'text':
      return [{ title, text: textOf(column.render === undefined ? (value) => value : wordsOf) }]
    case 'id':
    case 'number':
      return [{ title, text: textOf((value) => value) }]
    default:
      return [{ title, text: textOf((value) => nameOf(kind, value)) }]
  }
}

/** Which names the file needs. */
export function namesIn<Row>(columns: readonly Column<Row>[]): readonly NamedKind[] {
  const plain = new Set(['text', 'said', 'id', 'amount', 'time', 'status', 'flag', 'number'])
  const kinds = columns.flatMap(({ kind = 'text', text, names = [] }) =>
    text !== undefined || plain.has(kind) ? names : [kind as NamedKind],
  )
  return [...new Set(kinds)]
}

/** The lines of the file. Columns of buttons, which have no value, are left out. */
export function shownCsv<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  nameOf: NameOf,
): string[] {
  const fields = columns
    .filter(
      (column) =>
        column.render === undefined ||
        column.text !== undefined ||
        rows.some((row) => valueOf(column, row) !== undefined),
    )
    .flatMap((column) => fieldsOf(column, nameOf))
  return [
    lineOf(fields.map(({ title }) => title)),
    ...rows.map((row) => lineOf(fields.map(({ text }) => text(row)))),
  ]
}
