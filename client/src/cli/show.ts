/** Shows what the service answered, as it was asked for. */
import { nextCursor } from '../client.ts'
import type { Client } from '../index.ts'
import { formatOf } from './arguments.ts'
import type { Typed, Values } from './arguments.ts'
import { call } from './call.ts'
import { unknownColumn, withColumns } from './csv.ts'
import type { Operation } from './operation.ts'
import { chosenOf, csvOf, tableOf } from './output.ts'
import type { Format } from './output.ts'
import { Problem } from './problem.ts'
import { TABLES } from './special.ts'
import type { Terminal } from './terminal.ts'

const PAGE_ROWS = '50'

type Row = Readonly<Record<string, unknown>>

export type Layout = {
  format: Format
  /** What `--columns` names, in this order. */
  chosen: readonly string[] | undefined
  /** Where the rows are within the one record of the answer, and which columns count. */
  table: (typeof TABLES)[string] | undefined
}

/** Throws Problem for a column that there is not, before anything is sent or done. */
export function layoutOf({ id, columns }: Pick<Operation, 'id' | 'columns'>, values: Values) {
  const named = values['columns']
  const layout: Layout = { format: formatOf(values), chosen: undefined, table: TABLES[id] }
  if (typeof named !== 'string') return layout
  const typed = named.split(',').map((name) => name.trim())
  if (columns === undefined) return { ...layout, chosen: typed }
  const chosen = typed.map((name) => name.toLowerCase())
  const unknown = chosen.find((name) => !columns.includes(name))
  if (unknown !== undefined) throw new Problem('usage', unknownColumn(unknown, columns))
  return { ...layout, chosen }
}

type Asked = {
  operation: Operation
  typed: Typed
  layout: Layout
  terminal: Terminal
  kontor: Client
}

export async function showAnswer(asked: Asked): Promise<void> {
  const { operation, typed, layout, terminal, kontor } = asked
  if (layout.format === 'csv' && operation.csv === true) return showCsv(asked)
  const signal = terminal.leaving
  if (operation.paged !== true)
    return show(await call(operation, typed, kontor, { signal }), layout, terminal)
  const whole = typed.values['all'] === true
  const limit = whole ? {} : { limit: PAGE_ROWS }
  const request = { params: typed.params, query: { ...limit, ...typed.query }, signal } as never
  if (whole) {
    const rows: unknown[] = []
    for await (const row of kontor.all(operation.path as never, request)) rows.push(row)
    return show(rows, layout, terminal)
  }
  const { items, next } = await kontor.page(operation.path as never, request)
  await show(items, layout, terminal)
  noteMore(next, terminal)
}

/** As the service writes it, piece by piece. */
async function showCsv({ operation, typed, layout, terminal, kontor }: Asked): Promise<void> {
  const { params, query, values } = typed
  const limit = operation.paged === true && values['all'] !== true ? { limit: PAGE_ROWS } : {}
  const response = await kontor.open(
    operation.path as never,
    {
      params,
      query: { ...limit, ...query },
      accept: 'text/csv',
      signal: terminal.leaving,
    } as never,
  )
  const pieces = textIn(response)
  const shown = layout.chosen === undefined ? pieces : withColumns(pieces, layout.chosen)
  for await (const piece of shown) await terminal.write(piece)
  noteMore(nextCursor(response), terminal)
}

async function* textIn(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) yield decoder.decode(piece, { stream: true })
}

function noteMore(next: string | undefined, terminal: Terminal): void {
  if (next !== undefined) terminal.note(`there are more rows: use --all, or --cursor ${next}`)
}

export async function show(data: unknown, layout: Layout, terminal: Terminal): Promise<void> {
  const { format, chosen, table } = layout
  const { columns } = terminal
  if (table === undefined) {
    if (format === 'table') return terminal.print(tableOf(data, { columns, ...chosenIn(chosen) }))
    if (format === 'csv') return terminal.write(csvOf(data, chosen))
    return terminal.print(JSON.stringify(chosenOf(data, chosen), null, 2))
  }
  const { [table.rows]: rows, ...head } = data as Record<string, Row[]>
  if (format === 'csv') return terminal.write(csvOf(rows, chosen))
  if (format === 'json') {
    const whole = { ...head, [table.rows]: chosenOf(rows, chosen) }
    return terminal.print(JSON.stringify(whole, null, 2))
  }
  const shown = chosen ?? table.shown.filter((name) => isTold(rows, name))
  await terminal.print(tableOf(head, { columns }))
  return terminal.print(`\n${tableOf(rows, { columns, chosen: shown })}`)
}

const isTold = (rows: readonly Row[] = [], name: string): boolean =>
  rows.some((row) => row[name] !== null && row[name] !== undefined)

const chosenIn = (chosen: readonly string[] | undefined) => (chosen === undefined ? {} : { chosen })
