/**
 * Due times that lie too far ahead. A process whose clock was wrong may have put off what is due
 * every few seconds to tomorrow. A task is looked at early rather than late: its handler knows what
 * is still to wait for.
 */
import type { Clock } from '../core/clock.ts'
import type { Db, Reader } from './db.ts'
import { sql } from './sql.ts'

/** By kind, the longest that a task waits for its next turn, in milliseconds. */
export type LongestWaits = Readonly<Record<string, number>>

const LOOK_EVERY_MILLISECONDS = 60_000
/** Of one kind at once; the rest follows at the next look. */
const AT_ONCE = 1_000

/** Makes each task of these kinds due at `now` plus its wait, or earlier; answers how many were. */
export async function limitDueTimes(
  reader: Reader,
  now: number,
  waits: LongestWaits,
): Promise<number> {
  const rows = await reader.query(sql`
    with late as (
      select task.workspace, task.kind, task.subject_id, wanted.latest
      from unnest(
        ${Object.keys(waits)}::text[],
        ${Object.values(waits).map((wait) => now + wait)}::bigint[]
      ) as wanted (kind, latest)
      cross join lateral (
        select workspace, kind, subject_id
        from tasks
        where tasks.kind = wanted.kind
          and due_at > wanted.latest
          and leased_until is null
        order by due_at desc
        limit ${AT_ONCE}
        for update skip locked
      ) as task
    )
    update tasks
    set due_at = late.latest
    from late
    where (tasks.workspace, tasks.kind, tasks.subject_id)
      = (late.workspace, late.kind, late.subject_id)
    returning 1`)
  return rows.length
}

type Keeping = {
  waits: LongestWaits
  /** False while the clock is not to be believed. */
  mayLook(): boolean
  onError(error: unknown): void
}

/** Looks once a minute until stopped. */
export function keepDueTimes(
  db: Db,
  clock: Clock,
  { waits, mayLook, onError }: Keeping,
): { stop(): Promise<void> } {
  let looking: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    if (mayLook())
      looking = looking.then(() => limitDueTimes(db, clock.now(), waits)).catch(onError)
  }, LOOK_EVERY_MILLISECONDS)
  return {
    async stop() {
      clearInterval(timer)
      await looking
    },
  }
}
