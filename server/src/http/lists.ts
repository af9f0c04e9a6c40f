/**
 * Lists, once for every endpoint, as JSON or CSV: newest first, or oldest first where a list says
 * so. With `limit` the answer is a page and a Link to the next. Without it the whole result is
 * streamed in chunks of constant size, each a short query of its own.
 */
import { Readable } from 'node:stream'
import { refuse } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Reader } from '../store/db.ts'
import { join, raw, sql, where } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { ListQuery } from './endpoint.ts'

export const CHUNK_ROWS = 1000
export const MAXIMUM_PAGE = 10_000

type Page = { items: Json[]; next: string | undefined }

/** Where a row stands in its list; `second` is null where the key alone says it. */
type Key = { key: string | number; second: string | null }

function cursorOf({ key, second }: Key): string {
  return Buffer.from(second === null ? String(key) : `${key} ${second}`).toString('base64url')
}

function keyOf(cursor: string, { type, second }: ListQuery<Json>['key']): Key {
  const text = Buffer.from(cursor, 'base64url').toString()
  const space = text.indexOf(' ')
  const [key, rest] = space < 0 ? [text, null] : [text.slice(0, space), text.slice(space + 1)]
  const isWhole = second === undefined ? rest === null : /^[!-~]{1,100}$/.test(rest ?? '')
  if (isWhole && type === 'uuid' && isId(key)) return { key, second: rest }
  if (isWhole && type === 'bigint' && /^[0-9]{1,15}$/.test(key))
    return { key: Number(key), second: rest }
  throw refuse('FORMAT', 'cursor', 'cursor does not come from this list')
}

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

async function* chunks(
  db: Reader,
  list: ListQuery<Json>,
  cursor: string | undefined,
): AsyncGenerator<Json[]> {
  let after = cursor === undefined ? undefined : keyOf(cursor, list.key)
  const edge = async function* (lines: Json[] | undefined) {
    if (lines !== undefined && lines.length > 0) yield lines
  }
  if (after === undefined) yield* edge(await list.head?.())
  for (;;) {
    const { items, keys } = await chunk(db, list, after, CHUNK_ROWS)
    if (items.length > 0) yield items
    if (items.length < CHUNK_ROWS) break
    after = keys.at(-1)
  }
  yield* edge(await list.tail?.())
}

/**
 * The whole list as one JSON envelope. An error half-way destroys the stream, so that incomplete
 * JSON is never closed.
 */
export async function jsonStream(
  db: Reader,
  list: ListQuery<Json>,
  cursor: string | undefined,
  serialize: (item: Json) => string,
): Promise<Readable> {
  const source = chunks(db, list, cursor)
  const first = await source.next()
  return Readable.from(
    (async function* () {
      yield '{"success":true,"data":['
      let between = ''
      for (let step = first; step.done !== true; step = await source.next()) {
        yield between + step.value.map(serialize).join(',')
        between = ','
      }
      yield ']}'
    })(),
    { objectMode: false, highWaterMark: 1 << 16 },
  )
}

/** The whole list as CSV (RFC 4180): columns as declared, nested values as JSON. */
export async function csvStream(
  db: Reader,
  list: ListQuery<Json>,
  cursor: string | undefined,
  columns: readonly string[],
): Promise<Readable> {
  const source = chunks(db, list, cursor)
  const first = await source.next()
  return Readable.from(
    (async function* () {
      yield csvText([], columns)
      for (let step = first; step.done !== true; step = await source.next())
        yield csvLines(step.value, columns)
    })(),
    { objectMode: false, highWaterMark: 1 << 16 },
  )
}

export function csvText(items: readonly Json[], columns: readonly string[]): string {
  return `${columns.join(',')}\r\n${csvLines(items, columns)}`
}

const csvLines = (items: readonly Json[], columns: readonly string[]) =>
  items.map((item) => csvLine(item, columns)).join('')

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
