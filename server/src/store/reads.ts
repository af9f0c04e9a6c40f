/**
 * Reads as data, so that what one request needs of several modules travels in one statement and is of one moment:
 * each module says its statement and what follows from the rows, whoever needs them asks for all at once.
 */
import { present } from '../core/assert.ts'
import { ApiError } from '../core/errors.ts'
import type { Reader } from './db.ts'
import { join, raw, sql, statement } from './sql.ts'
import type { Query } from './sql.ts'

/** `answer` may throw what refuses the request. Rows asked together come as JSON, whose numbers are not exact: a numeric is selected as text. */
export type Read<Answer> = { query: Query; answer(rows: readonly never[]): Answer }

/** In the order of the names, so that of several refusals the first named one counts. */
export type Reads<Answers> = { [Name in keyof Answers]: Read<Answers[Name]> }

export type AnswersOf<All> = { [Name in keyof All]: All[Name] extends Read<infer Answer> ? Answer : never }

export async function readOne<Answer>(reader: Reader, { query, answer }: Read<Answer>): Promise<Answer> {
  return answer(await reader.query(query) as never[])
}

export async function readAll<Answers extends object>(reader: Reader, reads: Reads<Answers>): Promise<Answers> {
  const [row] = await reader.query<Rows>(selectOf(reads))
  return answersOf(reads, row)
}

type Rows = Record<string, never[]>

const named = (reads: object) => Object.entries(reads) as [string, Read<unknown>][]

function selectOf(reads: object): Query {
  return sql`select ${join(named(reads).map(([name, { query }]) => sql`(select coalesce(json_agg(r), '[]') from (${query}) r) as ${raw(name)}`), ', ')}`
}

function answersOf<Answers extends object>(reads: Reads<Answers>, rows: Rows | undefined): Answers {
  return Object.fromEntries(named(reads).map(([name, { answer }]) => [name, answer(rows?.[name] ?? [])])) as Answers
}

/** What was told last, and the mark by which the database knows whether it would still tell the same. */
type Reading<Answers> = { answers: Answers; mark: Buffer }

/** By the values that were asked with; one memory for one set of reads. */
export type ReadMemory<Answers> = Map<string, Reading<Answers>>

const REMEMBERED_READINGS = 5_000

export type InsertOf<Answers, Made> = {
  reads: Reads<Answers>
  memory: ReadMemory<Answers>
  /** Leaves the answers as they are. May throw what refuses the request. */
  make(answers: Answers): Made
  /** `insert into … select … from` the given source. */
  insert(made: Made, source: Query): Query
}

/**
 * Inserts what is made of the answers. What was told before is taken to hold still, and the statement that inserts compares:
 * where it does not, it inserts nothing and tells anew, and it is made again. So what is written stands on what holds as it
 * is written, in one round trip mostly.
 */
export async function insertOf<Answers extends object, Made>(reader: Reader, { reads, memory, make, insert }: InsertOf<Answers, Made>): Promise<Made> {
  const select = selectOf(reads)
  const marked = sql`told as (${select}), marked as materialized (select *, sha256(convert_to(concat(${raw(Object.keys(reads).join(', '))}), 'UTF8')) as mark from told)`
  const key = JSON.stringify(statement(select).values)
  const told = async (query: Query): Promise<{ made: Made; mark: Buffer } | undefined> => {
    const [rows] = await reader.query<Rows & { mark: Buffer }>(query)
    if (rows === undefined) return undefined
    const [answers, { mark }] = [answersOf(reads, rows), rows]
    remember(memory, key, { answers, mark })
    return { made: make(answers), mark }
  }
  let standing = madeBefore(memory.get(key), make) ?? present(await told(sql`with ${marked} select * from marked`), 'a selection without a table has one row')
  for (;;) {
    const { made, mark } = standing
    const anew = await told(sql`with ${marked}, written as (${insert(made, sql`marked where mark = ${mark}`)}) select * from marked where mark <> ${mark}`)
    if (anew === undefined) return made
    standing = anew
  }
}

/** A refusal counts only by what holds now. */
function madeBefore<Answers, Made>(before: Reading<Answers> | undefined, make: (answers: Answers) => Made): { made: Made; mark: Buffer } | undefined {
  if (before === undefined) return undefined
  try {
    return { made: make(before.answers), mark: before.mark }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function remember<Answers>(memory: ReadMemory<Answers>, key: string, reading: Reading<Answers>): void {
  memory.delete(key)
  memory.set(key, reading)
  const [oldest] = memory.keys()
  if (memory.size > REMEMBERED_READINGS && oldest !== undefined) memory.delete(oldest)
}
