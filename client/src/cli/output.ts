/** Answers as a table, as JSON, or as CSV. */
import { csvField } from '../csv.ts'

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

/** `1 payout`, `2 payouts`. */
export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

type Layout = { columns: number; chosen?: readonly string[] }

export function tableOf(data: unknown, layout: Layout): string {
  if (Array.isArray(data)) {
    if (data.length === 0) return 'no rows'
    if (!data.every(isRow)) return data.map((value) => textOf('', value)).join('\n')
    return rowsOf(data, layout)
  }
  if (!isRow(data)) return textOf('', data)
  return recordOf(picked(data, layout.chosen), layout)
}

/** Field by field. What has rows of its own follows as a table. */
function recordOf(record: Row, { columns }: Layout): string {
  const entries = Object.entries(record).flatMap(([name, value]) => fieldsOf(name, value))
  const width = Math.max(0, ...entries.map(([name]) => name.length)) + GAP.length
  const hanging = `\n${' '.repeat(width)}`
  const lines = entries.map(
    ([name, value]) =>
      name.padEnd(width) +
      (isList(value) ? wrapped(value, columns - width).join(hanging) : textOf(name, value)),
  )
  const tables = Object.entries(record).flatMap(([name, value]) =>
    isTable(value) ? [`\n${name.toUpperCase()}\n${rowsOf(value, { columns })}`] : [],
  )
  return [...lines, ...tables].map((line) => line.trimEnd()).join('\n')
}

/** `workspace` with a name in it is `workspace.name`. */
function fieldsOf(name: string, value: unknown): [string, unknown][] {
  if (isTable(value)) return []
  if (!isRow(value) || Object.keys(value).length === 0) return [[name, value]]
  return Object.entries(value).flatMap(([own, inner]) => fieldsOf(`${name}.${own}`, inner))
}

const isTable = (value: unknown): value is Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow)
const isList = (value: unknown): value is unknown[] => Array.isArray(value) && !isTable(value)

/** The items with commas, in lines that fit. */
function wrapped(items: readonly unknown[], columns: number): string[] {
  const lines: string[] = []
  for (const [index, item] of items.entries()) {
    const text = textOf('', item) + (index === items.length - 1 ? '' : ',')
    const last = lines.at(-1)
    if (last === undefined || last.length + text.length + 1 > columns) lines.push(text)
    else lines[lines.length - 1] = `${last} ${text}`
  }
  return lines
}

/** Only these columns, in their order. */
export function chosenOf(data: unknown, chosen: readonly string[] | undefined): unknown {
  if (Array.isArray(data)) return data.map((row: unknown) => chosenOf(row, chosen))
  return isRow(data) ? picked(data, chosen) : data
}

function picked(row: Row, chosen: readonly string[] | undefined): Row {
  if (chosen === undefined) return row
  return Object.fromEntries(chosen.flatMap((name) => (name in row ? [[name, row[name]]] : [])))
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
export function csvOf(data: unknown, chosen?: readonly string[]): string {
  const rows: readonly Row[] = (Array.isArray(data) ? data : [data]).map((row: unknown) =>
    isRow(row) ? row : { value: row },
  )
  const names = chosen ?? [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(csvField).join(',')}\r\n`)
    .join('')
}
