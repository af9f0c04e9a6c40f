/**
 * The row in which the database keeps its history: who it is, how often it was advanced, and who is
 * at work with it.
 */
import { mustExist } from '../core/assert.ts'
import type { Db, Reader } from './db.ts'
import { sql } from './sql.ts'
import type { Query } from './sql.ts'

export type HistoryRow = {
  id: string
  counter: number
  earlier: string[]
  set_back_at: number | null
  work_since: number | null
  unwatched_until: number | null
  at_work: boolean
  server: string
}

/** Later nobody is at work. */
const SIGNED_SECONDS = 20

const SERVER = sql`
  (select system_identifier from pg_control_system())::text
    || '/' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)`

/** That somebody who sends is at work with this very server, or was a moment ago. */
const AT_WORK = sql`
  coalesce(
    work_server = ${SERVER}
      and worked_at > clock_timestamp() - make_interval(secs => ${SIGNED_SECONDS}),
    false
  )`

/**
 * Where nobody was at work before, what was made before this start is in doubt; what may have been
 * lost before the start of who has no folder stays so.
 */
export async function sign(
  { db, folder }: { db: Db; folder?: string },
  row: HistoryRow,
  started_at: number,
): Promise<void> {
  const unwatched_until = folder === undefined ? started_at : null
  await db.query(sql`
    update history
    set work_since = case when ${AT_WORK} then work_since else ${started_at}::bigint end,
      unwatched_until = greatest(unwatched_until, ${unwatched_until}::bigint),
      work_server = ${SERVER},
      worked_at = clock_timestamp()
    where ${isUnbroken(row)}`)
}

export async function readHistory(reader: Reader): Promise<HistoryRow> {
  const [row] = await reader.query<HistoryRow>(sql`
    select id, counter, earlier, set_back_at, work_since, unwatched_until, ${AT_WORK} as at_work,
      ${SERVER} as server
    from history`)
  return mustExist(row, 'the migrations make the history')
}

export const isUnbroken = ({ id, counter, server }: HistoryRow): Query => sql`
  id = ${id}::uuid
  and counter >= ${counter}
  and ${SERVER} = ${server}`
