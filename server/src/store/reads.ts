/**
 * Reads as data, so that what one request needs of several modules travels in one statement and is
 * of one moment. Each module gives its statement and what follows from the rows; a request that
 * needs several asks for all at once.
 */
import { mustExist } from '../core/assert.ts'
import { ApiError } from '../core/errors.ts'
import type { Reader } from './db.ts'
import { join, raw, sql, statement } from './sql.ts'
import type { Query } from './sql.ts'

/**
 * `answer` may throw what refuses the request. Rows that are read together come as JSON, whose
 * numbers are not exact: a numeric is selected as text.
 */
export type Read<Answer> = { query: Query; answer(rows: readonly never[]): Answer }

/**
 * A read of rows of one table. `mark` is a query for what changes with each of them, far cheaper
 * than their columns.
 */
type MarkedRead<Answer> = Read<Answer> & { mark: Query }

/**
 * Reads `columns` `from` a table under its conditions. The mark goes by the places of the rows, as
 * two plans may find the same rows in another order.
 */
export function markedRead<Answer>(
  columns: Query,
  from: Query,
  answer: Read<Answer>['answer'],
): MarkedRead<Answer> {
  return {
    query: sql`
      select ${columns}
      from ${from}`,
    mark: sql`
      select string_agg(xmin::text || ctid::text, ' ' order by ctid)
      from ${from}`,
    answer,
  }
}

/** In the order of the names, so that of several refusals the first named one counts. */
type Reads<Answers> = { [Name in keyof Answers]: Read<Answers[Name]> }
type MarkedReads<Answers> = { [Name in keyof Answers]: MarkedRead<Answers[Name]> }
export type AnswersOf<All> = {
  [Name in keyof All]: All[Name] extends Read<infer Answer> ? Answer : never
}

export async function readOne<Answer>(
  reader: Reader,
  { query, answer }: Read<Answer>,
): Promise<Answer> {
  return answer((await reader.query(query)) as never[])
}

export async function readAll<Answers extends object>(
  reader: Reader,
  reads: Reads<Answers>,
): Promise<Answers> {
  const [rows] = await reader.query<Rows>(sql`select ${columnsOf(reads)}`)
  return answersOf(reads, mustExist(rows, 'one row, as there is no table'))
}

type Rows = Record<string, never[]>

const named = (reads: object) => Object.entries(reads) as [string, Read<unknown>][]

function columnsOf(reads: object): Query {
  return join(
    named(reads).map(
      ([name, { query }]) =>
        sql`(select coalesce(json_agg(r), '[]') from (${query}) r) as ${raw(name)}`,
    ),
    ', ',
  )
}

function answersOf<Answers extends object>(reads: Reads<Answers>, rows: Rows): Answers {
  return Object.fromEntries(
    named(reads).map(([name, { answer }]) => [name, answer(rows[name] ?? [])]),
  ) as Answers
}

/** What was read last, and the marks of its rows. */
type Reading<Answers> = { answers: Answers; marks: readonly (string | null)[] }

/** By the values of the marks' statements; one memory for one set of reads. */
export type ReadMemory<Answers> = Map<string, Reading<Answers>>

const REMEMBERED_READINGS = 5_000

type InsertWithReads<Answers, Made> = {
  reads: MarkedReads<Answers>
  memory: ReadMemory<Answers>
  /** Leaves the answers as they are. May throw what refuses the request. */
  make(answers: Answers): Made
  /** `insert into … select … where` the condition holds. */
  insert(made: Made, condition: Query): Query
}

/**
 * Inserts what is made of the answers, mostly in one round trip. Answers that are remembered are
 * taken to be still true, and the statement that inserts compares the marks: where they differ it
 * inserts nothing, and the row is made again of what is read now.
 */
export async function insertWithReads<Answers extends object, Made>(
  reader: Reader,
  { reads, memory, make, insert }: InsertWithReads<Answers, Made>,
): Promise<Made> {
  const marks = sql`array[${join(
    Object.values<MarkedRead<unknown>>(reads).map(({ mark }) => sql`(${mark})`),
    ', ',
  )}]`
  const key = JSON.stringify(statement(marks).values)
  let standing = madeFromMemory(memory.get(key), make)
  for (;;) {
    if (standing !== undefined) {
      const { made } = standing
      const written = await reader.query(
        sql`${insert(made, sql`${marks} = ${standing.marks}`)} returning 1`,
      )
      if (written.length > 0) return made
    }
    const [rows] = await reader.query<Rows & Pick<Reading<Answers>, 'marks'>>(
      sql`select ${columnsOf(reads)}, ${marks} as marks`,
    )
    const row = mustExist(rows, 'one row, as there is no table')
    const reading = { answers: answersOf(reads, row), marks: row.marks }
    remember(memory, key, reading)
    standing = { made: make(reading.answers), marks: reading.marks }
  }
}

/** A refusal by remembered answers does not count: they may have changed. */
function madeFromMemory<Answers, Made>(
  before: Reading<Answers> | undefined,
  make: (answers: Answers) => Made,
): { made: Made; marks: Reading<Answers>['marks'] } | undefined {
  if (before === undefined) return undefined
  try {
    return { made: make(before.answers), marks: before.marks }
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

function remember<Answers>(
  memory: ReadMemory<Answers>,
  key: string,
  reading: Reading<Answers>,
): void {
  memory.delete(key)
  memory.set(key, reading)
  const [oldest] = memory.keys()
  if (memory.size > REMEMBERED_READINGS && oldest !== undefined) memory.delete(oldest)
}
