/**
 * The partitions of quotes, by the time in their ids. At five hundred a second quotes are 43
 * million a day: they are not deleted one by one, but dropped with their partition. Who takes a
 * quote copies it first (taken-quotes.ts). The service owns no tables: functions of the database
 * make and drop partitions with the owner's rights (0440_quotes_by_time.sql).
 */
import pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { sqlState } from '../../store/db.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { LONGEST_QUOTE_MILLISECONDS } from './quotes.schema.ts'

const HOUR_MILLISECONDS = 3_600_000
const LONGEST_PARTITION_MILLISECONDS = 30 * 24 * HOUR_MILLISECONDS
/** So many tries, because a clock may go on to where there is no partition either. */
const TRIES = 3

type PartitionsApp = { db: Db; clock: Clock }

/**
 * A quarter of the time for which quotes are kept, in whole hours. Then at most a quarter more is
 * stored than is asked for, and a look at all partitions is a look at seven.
 */
export function partitionLength(kept_ms: number): number {
  const hours = Math.ceil(kept_ms / 4 / HOUR_MILLISECONDS)
  return Math.min(Math.max(hours, 1) * HOUR_MILLISECONDS, LONGEST_PARTITION_MILLISECONDS)
}

/** Makes those of now and of twice their length to come. Answers how many were missing. */
export async function makeQuotePartitions(
  { db, clock }: PartitionsApp,
  kept_ms: number,
): Promise<number> {
  const length = partitionLength(kept_ms)
  const now = clock.now()
  return make(db, now, { up_to: now + 2 * length, length })
}

async function make(
  reader: Reader,
  since: number,
  { up_to, length }: { up_to: number; length: number },
): Promise<number> {
  const [row] = await reader.query<{ made: number }>(sql`
    select make_quote_partitions(${since}::bigint, ${up_to}::bigint, ${length}::bigint) as made`)
  return row?.made ?? 0
}

/**
 * Drops partitions whose quotes ended longer ago than this. `busy`: one could not be locked at
 * once, because somebody reads it; who asked for it comes again.
 */
export async function dropOldQuotes(
  { db, clock }: PartitionsApp,
  kept_ms: number,
): Promise<{ dropped: string[]; busy: boolean }> {
  const up_to = clock.now() - kept_ms - LONGEST_QUOTE_MILLISECONDS
  const dropped: string[] = []
  try {
    for (;;) {
      const [row] = await db.query<{ name: string | null }>(
        sql`select drop_quote_partition(${up_to}::bigint) as name`,
      )
      if (row?.name === null || row === undefined) return { dropped, busy: false }
      dropped.push(row.name)
    }
  } catch (error) {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
    return { dropped, busy: true }
  }
}

/**
 * Inserts quotes also where nobody has made a partition for now: a restored database, a clock that
 * was set, workers that were away. `insert` is called again with an id of its own.
 */
export async function withQuotePartition<T>(
  { db, clock }: PartitionsApp,
  insert: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await insert()
    } catch (error) {
      if (tries === TRIES || !isPartitionMissing(error)) throw error
    }
    const now = clock.now()
    await make(db, now, { up_to: now + HOUR_MILLISECONDS, length: HOUR_MILLISECONDS })
  }
}

/** A check of the table has a name. */
const isPartitionMissing = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === CHECK_VIOLATION &&
  error.table === 'quotes' &&
  error.constraint === undefined

const CHECK_VIOLATION = '23514'
const LOCK_NOT_AVAILABLE = '55P03'
