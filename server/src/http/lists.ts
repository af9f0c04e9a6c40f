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
import { raw, sql, where } from '../store/sql.ts'
import type { ListQuery } from './endpoint.ts'

export const CHUNK_ROWS = 1000
export const MAXIMUM_PAGE = 10_000

type Page = { items: Json[]; next: string | undefined }

type Key = string | number

function cursorOf(key: Key): string {
  return Buffer.from(String(key)).toString('base64url')
}

function keyOf(cursor: string, type: 'uuid' | 'bigint'): Key {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  if (type === 'uuid' && isId(text)) return text
  if (type === 'bigint' && /^[0-9]{1,15}$/.test(text)) return Number(text)
  throw refuse('FORMAT', 'cursor', 'cursor does not come from this list')
}

async function chunk(
  db: Reader,
  list: ListQuery<Json>,
  after: Key | undefined,
  count: number,
): Promise<{ items: Json[]; keys: Key[] }> {
  const column = raw(list.key.column)
  const ascending = list.key.order === 'oldest first'
  const conditions =
    after === undefined
      ? list.conditions
      : [
          ...list.conditions,
          sql`${column} ${raw(ascending ? '>' : '<')} ${after}${raw(`::${list.key.type}`)}`,
        ]
  const rows = await db.query<Record<string, Json>>(sql`
    ${list.select}
    ${where(conditions)}
    order by ${column} ${raw(ascending ? 'asc' : 'desc')}
    limit ${count}`)
  const name = list.key.column.split('.').at(-1) ?? list.key.column
  const keys = rows.map((row) => row[name] as Key)
  return { items: await itemsOf(list, rows), keys }
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
  const after = cursor === undefined ? undefined : keyOf(cursor, list.key.type)
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
  let after = cursor === undefined ? undefined : keyOf(cursor, list.key.type)
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
