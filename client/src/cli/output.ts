/** Answers as a table, as JSON, or as CSV. */

export const FORMATS = ['table', 'json', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** What people look for first. */
const FIRST = [
  'sequence',
  'id',
  'kind',
  'type',
  'state',
  'status',
  'side',
  'symbol',
  'asset',
  'quantity',
  'amount',
  'price',
  'label',
  'title',
  'email',
  'counterparty',
  'reference_text',
  'reason',
  'occurred_at',
  'at',
  'system_created_at',
  'created_at',
]
const GAP = '  '
/** A year of four digits, in milliseconds: what is smaller is no time. */
const EARLIEST_TIME = 100_000_000_000

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Layout = { columns: number; chosen?: readonly string[] }

export function tableOf(data: unknown, layout: Layout): string {
  if (Array.isArray(data)) {
    if (data.length === 0) return 'no rows'
    if (!data.every(isRow)) return data.map((value) => textOf('', value)).join('\n')
    return rowsOf(data, layout)
  }
  if (!isRow(data)) return textOf('', data)
  const entries = Object.entries(data).filter(
    ([name]) => layout.chosen === undefined || layout.chosen.includes(name),
  )
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => name.padEnd(width + 2) + textOf(name, value)).join('\n')
}

/** The columns that fit, the most important ones first, none cut. */
function rowsOf(rows: readonly Row[], { columns, chosen }: Layout): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const wanted =
    chosen ??
    [...FIRST.filter((name) => names.includes(name)), ...names.filter(isOther)].filter((name) =>
      rows.some((row) => isTold(row[name])),
    )
  const shown: string[][] = []
  let width = 0
  for (const name of wanted) {
    const cells = [name.toUpperCase(), ...rows.map((row) => textOf(name, row[name]))]
    const own = Math.max(...cells.map((cell) => cell.length)) + GAP.length
    if (chosen === undefined && shown.length > 0 && width + own > columns) continue
    width += own
    shown.push(cells.map((cell) => cell.padEnd(own)))
  }
  const lines = [undefined, ...rows].map((_, index) => shown.map((cells) => cells[index]).join(''))
  return lines.map((line) => line.trimEnd()).join('\n')
}

const isOther = (name: string): boolean => !FIRST.includes(name) && name !== 'workspace'
const isTold = (value: unknown): boolean => value !== null && value !== undefined && value !== ''

/** As people read it: times as dates, and nothing that would steer the terminal. */
function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' && name.endsWith('at') && value > EARLIEST_TIME)
    return new Date(value).toISOString()
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return withoutControls(text)
}

/** Texts come from outside: a payer may write an escape sequence into a reference. */
export const withoutControls = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '·')

/** CSV of rows that the service does not write itself, as safe in spreadsheets as its own. */
export function csvOf(data: unknown): string {
  const rows: readonly Row[] = (Array.isArray(data) ? data : [data]).map((row: unknown) =>
    isRow(row) ? row : { value: row },
  )
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
    .join('')
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  const isFormula = /^[=+@\t\r]/.test(plain) || /^-(?![0-9.]+$)/.test(plain)
  const text = isFormula ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
