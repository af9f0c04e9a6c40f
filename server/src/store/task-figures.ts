/** What is due, and what fails, by kind of task. */
import type { Clock } from '../core/clock.ts'
import { figures } from '../core/figures.ts'
import type { Figures } from '../core/figures.ts'
import type { Reader } from './db.ts'
import { sql } from './sql.ts'

/** Of each kind no more are counted. */
const COUNTED_AT_MOST = 1_000

type KindRow = { kind: string; due: number; oldest_due_at: number | null; failing: number }

export function taskFigures(reader: Reader, clock: Clock): Figures {
  const labels = ['kind']
  return figures({
    name: 'tasks',
    gauges: {
      kontor_task_age_seconds: { help: 'For how long the oldest due task has been due', labels },
      kontor_tasks_due: { help: `Tasks that are due, at most ${COUNTED_AT_MOST}`, labels },
      kontor_tasks_failing: {
        help: `Tasks whose last run failed, at most ${COUNTED_AT_MOST}`,
        labels,
      },
    },
    async read() {
      const now = clock.now()
      const rows = await readKinds(reader, now)
      const of = (value: (row: KindRow) => number) =>
        rows.map((row) => ({ labels: { kind: row.kind }, value: value(row) }))
      return {
        kontor_task_age_seconds: of(({ oldest_due_at }) => (now - (oldest_due_at ?? now)) / 1000),
        kontor_tasks_due: of(({ due }) => due),
        kontor_tasks_failing: of(({ failing }) => failing),
      }
    },
  })
}

/** The index leads from one kind to the next. */
const readKinds = (reader: Reader, now: number): Promise<KindRow[]> =>
  reader.query<KindRow>(sql`
    with recursive kinds as (
      select min(kind) as kind
      from tasks
      union all
      select (
        select min(kind)
        from tasks
        where tasks.kind > kinds.kind
      )
      from kinds
      where kinds.kind is not null
    )
    select kinds.kind, due.count as due, due.oldest_due_at, failing.count as failing
    from kinds
    cross join lateral (
      select count(*)::integer as count, min(due_at) as oldest_due_at
      from (
        select due_at
        from tasks
        where tasks.kind = kinds.kind
          and due_at <= ${now}
        order by due_at
        limit ${COUNTED_AT_MOST}
      ) as counted
    ) as due
    cross join lateral (
      select count(*)::integer as count
      from (
        select 1
        from tasks
        where tasks.kind = kinds.kind
          and last_error is not null
        limit ${COUNTED_AT_MOST}
      ) as counted
    ) as failing
    where kinds.kind is not null`)
