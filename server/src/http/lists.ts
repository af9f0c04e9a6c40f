/**
 * Lists, once for every endpoint, as JSON or CSV: newest first, or oldest first where a list says
 * so. With `limit` the answer is a page and a Link to the next. Without it the whole result is
 * streamed. Both are read in chunks of constant size, each a short query of its own.
 */
import { refuse } from '../core/errors.ts'
import { UUID_PATTERN } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Reader } from '../store/db.ts'
import { join, raw, sql, where } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { ListOrder, ListQuery } from './endpoint.ts'

export const CHUNK_ROWS = 1000
const PIECE_ROWS = 100
export const MAXIMUM_PAGE = 10_000

const UUID = UUID_PATTERN.slice(1, -1)
/** What the cursors of a list look like. */
export const CURSOR_PATTERNS: Readonly<Record<ListOrder, string>> = {
  id: `^${UUID}$`,
  sequence: '^[0-9]{1,15}$',
  'id and text': `^${UUID}\\.[!-~]{1,83}$`,
  'sequence and text': '^[0-9]{1,15}\\.[!-~]{1,83}$',
}

type Page = { items: Json[]; next: string | undefined }

/** Where a row stands in its list; `second` is null where the key alone says it. */
type Key = { key: string | number; second: string | null }

const cursorOf = ({ key, second }: Key): string => (second === null ? `${key}` : `${key}.${second}`)

export function orderOf({ type, second }: ListQuery<Json>['key']): ListOrder {
  const key = type === 'bigint' ? 'sequence' : 'id'
  return second === undefined ? key : `${key} and text`
}

function keyOf(cursor: string, order: ListQuery<Json>['key']): Key {
  const text = [cursor, formerly(cursor)].find((one) => patternOf(order).test(one))
  if (text === undefined) throw refuse('FORMAT', 'cursor', 'cursor does not come from this list')
  const [key = '', second] = text.split(/\.(.*)/)
  return { key: order.type === 'bigint' ? Number(key) : key, second: second ?? null }
}

const patternOf = (order: ListQuery<Json>['key']) => new RegExp(CURSOR_PATTERNS[orderOf(order)])

/** As releases up to 0.1 wrote it: a walk through a list may outlast an upgrade. */
const formerly = (cursor: string): string =>
  Buffer.from(cursor, 'base64url').toString().replace(' ', '.')

/** The rows after this one. An index serves the key alone; `second` only tells its rows apart. */
function rowsAfter({ column, type, order, second }: ListQuery<Json>['key'], after: Key): Query[] {
  const sign = order === 'oldest first' ? '>' : '<'
  const key = sql`${after.key}${raw(`::${type}`)}`
  if (second === undefined) return [sql`${raw(column)} ${raw(sign)} ${key}`]
  return [
    sql`${raw(column)} ${raw(`${sign}=`)} ${key}`,
    sql`(${raw(column)}, ${raw(second)}) ${raw(sign)} (${key}, ${after.second ?? ''}::text)`,
  ]
}

const nameOf = (column: string): string => column.split('.').at(-1) ?? column

async function chunk(
  db: Reader,
  list: ListQuery<Json>,
  after: Key | undefined,
  count: number,
): Promise<{ items: Json[]; keys: Key[] }> {
  const { column, second } = list.key
  const rows = await db.query<Record<string, Json>>(chunkQuery(list, after, count))
  const keys = rows.map((row): Key => ({
    key: row[nameOf(column)] as string | number,
    second: second === undefined ? null : String(row[nameOf(second)]),
  }))
  return { items: await itemsOf(list, rows), keys }
}

function chunkQuery(
  { select, merged = [], conditions, key }: ListQuery<Json>,
  after: Key | undefined,
  count: number,
): Query {
  const direction = raw(key.order === 'oldest first' ? 'asc' : 'desc')
  const first = (nameIn: (column: string) => string) => {
    const columns = key.second === undefined ? [key.column] : [key.column, key.second]
    const order = columns.map((column) => sql`${raw(nameIn(column))} ${direction}`)
    return sql`
      order by ${join(order, ', ')}
      limit ${count}`
  }
  const wanted = after === undefined ? conditions : [...conditions, ...rowsAfter(key, after)]
  const rowsOf = (part: Query) => sql`${part} ${where(wanted)} ${first((column) => column)}`
  if (merged.length === 0) return rowsOf(select)
  // Without a limit of its own, a part that is large is read and sorted whole.
  const parts = [select, ...merged].map((part) => sql`(${rowsOf(part)})`)
  return sql`
    select *
    from (${join(parts, ' union all ')}) as parts
    ${first(nameOf)}`
}

/** The rows with which the list begins. */
export const firstRows = (list: ListQuery<Json>, count: number): Query =>
  chunkQuery(list, undefined, count)

async function itemsOf(
  { enrich, item }: ListQuery<Json>,
  rows: Record<string, Json>[],
): Promise<Json[]> {
  if (enrich !== undefined) return enrich(rows as never[])
  return item === undefined ? rows : rows.map((row) => item(row as never))
}

export async function page(
  db: Reader,
  list: ListQuery<Json>,
  limit: number,
  cursor: string | undefined,
): Promise<Page> {
  const after = cursor === undefined ? undefined : keyOf(cursor, list.key)
  const { items, keys } = await chunk(db, list, after, limit + 1)
  const last = keys[limit - 1]
  const more = items.length > limit && last !== undefined
  const [head, tail] = [
    cursor === undefined ? await list.head?.() : undefined,
    more ? undefined : await list.tail?.(),
  ]
  return {
    items: [...(head ?? []), ...items.slice(0, limit), ...(tail ?? [])],
    next: more ? cursorOf(last) : undefined,
  }
}

/** How the items of a list are written. */
type Format = {
  begin: string
  between: string
  end: string
  write(items: readonly Json[]): string
}

type Reading = {
  db: Reader
  list: ListQuery<Json>
  cursor: string | undefined
  format: Format
  /** Does the work of a chunk when it is its turn. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  onRows(count: number): void
}

/** A page as text in pieces, each of a few rows, and the cursor of the next page. */
export async function pageInPieces(
  reading: Reading,
  limit: number,
): Promise<{ pieces: string[]; next: string | undefined }> {
  const { list, cursor, format } = reading
  const pieces = [format.begin]
  const write = (items: readonly Json[]) => {
    for (const piece of piecesOf(items, format))
      pieces.push(pieces.length === 1 ? piece : format.between + piece)
  }
  if (cursor === undefined) write((await list.head?.()) ?? [])
  let last = cursor === undefined ? undefined : keyOf(cursor, list.key)
  for (let left = limit; ;) {
    // One more than the page says whether there is a next.
    const count = Math.min(left + 1, CHUNK_ROWS + 1)
    const { items, keys } = await chunkInTurn(reading, last, count)
    write(items.slice(0, left))
    last = keys[Math.min(items.length, left) - 1] ?? last
    if (items.length > left) return { pieces: [...pieces, format.end], next: nextOf(last) }
    left -= items.length
    if (items.length < count) break
  }
  write((await list.tail?.()) ?? [])
  return { pieces: [...pieces, format.end], next: undefined }
}

const nextOf = (last: Key | undefined): string | undefined =>
  last === undefined ? undefined : cursorOf(last)

async function chunkInTurn(
  { db, list, inTurn, onRows }: Reading,
  after: Key | undefined,
  count: number,
): ReturnType<typeof chunk> {
  const found = await inTurn(() => chunk(db, list, after, count))
  onRows(found.items.length)
  return found
}

async function* chunks(reading: Reading): AsyncGenerator<Json[]> {
  const { list, cursor } = reading
  let after = cursor === undefined ? undefined : keyOf(cursor, list.key)
  const edge = async function* (lines: Json[] | undefined) {
    if (lines !== undefined && lines.length > 0) yield lines
  }
  if (after === undefined) yield* edge(await list.head?.())
  for (;;) {
    const { items, keys } = await chunkInTurn(reading, after, CHUNK_ROWS)
    if (items.length > 0) yield items
    if (items.length < CHUNK_ROWS) break
    after = keys.at(-1)
  }
  yield* edge(await list.tail?.())
}

/**
 * The whole list. It begins once the first chunk has been read. An error half-way ends the text
 * with that error, so that incomplete JSON is never closed.
 */
export async function listInPieces(reading: Reading): Promise<AsyncGenerator<string>> {
  const { format } = reading
  const source = chunks(reading)
  const first = await source.next()
  return (async function* () {
    yield format.begin
    let between = ''
    for (let step = first; step.done !== true; step = await source.next())
      for (const piece of piecesOf(step.value, format)) {
        yield between + piece
        between = format.between
      }
    if (format.end !== '') yield format.end
  })()
}

/** Small enough that a slow reader takes each in time. */
function* piecesOf(items: readonly Json[], { write }: Format): Generator<string> {
  for (let start = 0; start < items.length; start += PIECE_ROWS)
    yield write(items.slice(start, start + PIECE_ROWS))
}

/** Items in the envelope. */
export const jsonFormat = (serialize: (item: Json) => string): Format => ({
  begin: '{"success":true,"data":[',
  between: ',',
  end: ']}',
  write: (items) => items.map(serialize).join(','),
})

/** CSV (RFC 4180): columns as declared, nested values as JSON. */
export const csvFormat = (columns: readonly string[]): Format => ({
  begin: `${columns.join(',')}\r\n`,
  between: '',
  end: '',
  write: (items) => items.map((item) => csvLine(item, columns)).join(''),
})

function csvLine(item: Json, columns: readonly string[]): string {
  const fields = item as Record<string, Json | undefined>
  return `${columns.map((column) => csvField(fields[column])).join(',')}\r\n`
}

/**
 * A text that a spreadsheet would run as a formula gets a leading apostrophe; numbers stay as they
 * are.
 */
function csvField(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  const plain = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe =
    /^[=+@\t\r]/.test(plain) || (plain.startsWith('-') && !/^-[0-9.]+$/.test(plain))
      ? `'${plain}`
      : plain
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
