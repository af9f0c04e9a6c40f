/**
 * Reads as data, so that what one request needs of several modules travels in one statement and is of one moment:
 * each module says its statement and what follows from the rows, whoever needs them asks for all at once.
 */
import type { Reader } from './db.ts'
import { join, raw, sql } from './sql.ts'
import type { Query } from './sql.ts'

/** `answer` may throw what refuses the request. Rows asked together come as JSON, whose numbers are not exact: a numeric is selected as text. */
export type Read<Answer> = { query: Query; answer(rows: readonly never[]): Answer }

export async function readOne<Answer>(reader: Reader, { query, answer }: Read<Answer>): Promise<Answer> {
  return answer(await reader.query(query) as never[])
}

/** In the order of the names, so that of several refusals the first named one counts. */
export async function readAll<Answers extends object>(reader: Reader, reads: { [Name in keyof Answers]: Read<Answers[Name]> }): Promise<Answers> {
  const named = Object.entries(reads) as [string, Read<unknown>][]
  const columns = named.map(([name, { query }]) => sql`(select coalesce(json_agg(r), '[]') from (${query}) r) as ${raw(name)}`)
  const [row] = await reader.query<Record<string, never[]>>(sql`select ${join(columns, ', ')}`)
  return Object.fromEntries(named.map(([name, { answer }]) => [name, answer(row?.[name] ?? [])])) as Answers
}
