/**
 * Due work. A task is a row (workspace, kind, subject) with the domain time at which its subject
 * must be looked at again. Any worker process claims due tasks under a lease; when a process dies,
 * its leases run out and another process continues.
 *
 * A handler must be safe to run again: what it may do only once is guarded by the subject's own
 * state.
 *
 * `fence` numbers the claims: a process that lost its lease to another changes nothing any more.
 * `put_at` keeps a put that comes while the handler runs. The handler may have read its subject
 * before, so the task stays and runs again.
 */
import { Type } from 'typebox'
import type { Clock } from '../core/clock.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { storableText } from '../core/storable.ts'
import type { Hinting, Reader } from './db.ts'
import type { Hint } from './hints.ts'
import { insertRows, tableOf } from './rows.ts'
import { raw, sql } from './sql.ts'
import type { Query } from './sql.ts'

export type TaskKey = { workspace: WorkspaceId; kind: string; subject_id: string }
type TaskDraft = TaskKey & { due_at: number }

const TASKS = tableOf(
  'tasks',
  Type.Object({
    workspace: Type.Unsafe<WorkspaceId>({ 'x-column': 'uuid' }),
    kind: Type.String(),
    subject_id: Type.String({ 'x-column': 'uuid' }),
    due_at: Type.Integer(),
  }),
)

/** When to come back (domain time, ms), or that there is nothing more to do. */
export type TaskResult = { again_at: number } | 'done'

export type TaskHandler = (task: TaskKey & { attempts: number }) => Promise<TaskResult>

/**
 * The next turn of a subject that is polled. Each has a moment of its own within the interval, so
 * that subjects that began together (the venues of a start, the routes of a batch) do not stay
 * together.
 *
 * At least a quarter of an interval lies between two turns: a venue that answers slowly gets a
 * pause.
 */
export function nextPollAt(
  { subject_id }: Pick<TaskKey, 'subject_id'>,
  now: number,
  every_ms: number,
): number {
  const own = Number.parseInt(subject_id.slice(-8), 16) % every_ms
  const until = every_ms - ((((now - own) % every_ms) + every_ms) % every_ms)
  return now + (until < every_ms / 4 ? Math.floor(every_ms / 2) : until)
}

const BACK_OFF_FIRST_MILLISECONDS = 250
const BACK_OFF_LONGEST_MILLISECONDS = 60_000
const LONGEST_ERROR = 500
/** Listeners hear here of the kinds that were put. */
export const TASK_CHANNEL = 'tasks'

/** `quietly` is for what is due only later, where the poll finds it in time. */
type Notice = 'loudly' | 'quietly'

/** Makes the tasks due at `due_at` or earlier, and tells the workers. */
export async function putTasks(
  tx: Hinting,
  drafts: readonly TaskDraft[],
  how: Notice = 'loudly',
): Promise<void> {
  if (drafts.length === 0) return
  await tx.query(putTasksQuery(drafts))
  if (how === 'loudly') tx.hint(taskHint(drafts))
}

/** Tells the workers that these have been put. */
export const taskHint = (drafts: readonly Pick<TaskDraft, 'kind'>[]): Hint => ({
  channel: TASK_CHANNEL,
  payload: [...new Set(drafts.map((draft) => draft.kind))].toSorted().join(),
})

/** Makes those of the tasks that there are due at `due_at` or earlier, and notifies the workers. */
export async function hastenTasks(tx: Hinting, drafts: readonly TaskDraft[]): Promise<void> {
  const rows = earliestByKey(drafts)
  if (rows.length === 0) return
  await tx.query(sql`
    with sooner as (
      select task.workspace, task.kind, task.subject_id, draft.due_at
      from unnest(
        ${rows.map((row) => row.workspace)}::uuid[],
        ${rows.map((row) => row.kind)}::text[],
        ${rows.map((row) => row.subject_id)}::uuid[],
        ${rows.map((row) => row.due_at)}::bigint[]
      ) with ordinality as draft (workspace, kind, subject_id, due_at, place)
      join tasks as task using (workspace, kind, subject_id)
      order by draft.place
      for update of task
    )
    update tasks
    set ${dueBy('sooner')}
    from sooner
    where (tasks.workspace, tasks.kind, tasks.subject_id)
      = (sooner.workspace, sooner.kind, sooner.subject_id)`)
  tx.hint(taskHint(rows))
}

/** The workers hear of it by `taskHint`, or find it when they look. */
export function putTasksQuery(drafts: readonly TaskDraft[]): Query {
  const rows = earliestByKey(drafts)
  return sql`
    ${insertRows(TASKS, rows, { by: null, now: 0 })}
    on conflict (workspace, kind, subject_id) do update
    set ${dueBy('excluded')}`
}

/** A task is only ever made due earlier; one that runs, once more after that. */
const dueBy = (draft: 'sooner' | 'excluded'): Query => sql`
  due_at = case
      when tasks.leased_until is null then least(tasks.due_at, ${raw(draft)}.due_at)
      else tasks.due_at
    end,
    put_at = case
      when tasks.leased_until is null then null
      else least(tasks.put_at, ${raw(draft)}.due_at)
    end`

/** In one order, so that two writers of the same tasks wait instead of deadlocking. */
function earliestByKey(drafts: readonly TaskDraft[]): TaskDraft[] {
  const byKey = new Map<string, TaskDraft>()
  for (const draft of drafts) {
    const key = `${draft.workspace} ${draft.kind} ${draft.subject_id}`
    const known = byKey.get(key)
    if (known === undefined || draft.due_at < known.due_at) byKey.set(key, draft)
  }
  return [...byKey.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { workspace, kind, subject_id, due_at }]) => ({
      workspace,
      kind,
      subject_id,
      due_at,
    }))
}

export type ClaimedTask = TaskKey & { attempts: number; fence: number }

type Claim = {
  kinds: readonly string[]
  count: number
  lease_ms: number
  first?: 'oldest' | 'latest'
  /** Not claimed: what the caller itself still does, though its lease may have ended. */
  own?: readonly TaskKey[]
}

export async function claimTasks(
  db: Reader,
  clock: Clock,
  { kinds, count, lease_ms, first = 'oldest', own = [] }: Claim,
): Promise<ClaimedTask[]> {
  const order = raw(first === 'oldest' ? 'asc' : 'desc')
  // Kind by kind, each by its index: another group's backlog is not read through.
  return db.query<ClaimedTask>(sql`
    with due as (
      select task.workspace, task.kind, task.subject_id
      from unnest(${kinds}::text[]) as wanted (kind)
      cross join lateral (
        select workspace, kind, subject_id, due_at
        from tasks
        where tasks.kind = wanted.kind
          and due_at <= ${clock.now()}
          and (leased_until is null or (leased_until < now() and ${isNotAmong(own)}))
        order by due_at ${order}
        limit ${count}
        for update skip locked
      ) as task
      order by task.due_at ${order}
      limit ${count}
    )
    update tasks
    set leased_until = ${leaseEnd(lease_ms)},
      fence = tasks.fence + 1,
      attempts = tasks.attempts + 1,
      put_at = null
    from due
    where (tasks.workspace, tasks.kind, tasks.subject_id)
      = (due.workspace, due.kind, due.subject_id)
    returning tasks.workspace, tasks.kind, tasks.subject_id, tasks.attempts, tasks.fence`)
}

/** Of tasks whose lease has ended; others are not compared. */
const isNotAmong = (own: readonly TaskKey[]): Query => sql`
  not exists (
    select
    from unnest(
      ${own.map((task) => task.workspace)}::uuid[],
      ${own.map((task) => task.kind)}::text[],
      ${own.map((task) => task.subject_id)}::uuid[]
    ) as own (workspace, kind, subject_id)
    where (own.workspace, own.kind, own.subject_id)
      = (tasks.workspace, tasks.kind, tasks.subject_id)
  )`

const leaseEnd = (lease_ms: number): Query =>
  sql`now() + make_interval(secs => ${lease_ms / 1000}::double precision)`

const isClaimed = (task: ClaimedTask): Query => sql`
  workspace = ${task.workspace}
    and kind = ${task.kind}
    and subject_id = ${task.subject_id}
    and fence = ${task.fence}`

/** Ends a claim with the result of its handler. */
export async function finishTask(db: Reader, task: ClaimedTask, result: TaskResult): Promise<void> {
  if (result !== 'done') {
    await db.query(sql`
      update tasks
      set due_at = least(${result.again_at}::bigint, put_at),
        put_at = null,
        leased_until = null,
        attempts = 0,
        last_error = null
      where ${isClaimed(task)}`)
    return
  }
  const gone = await db.query(sql`
    delete from tasks
    where ${isClaimed(task)} and put_at is null
    returning 1`)
  // A statement of its own: it must see the put that the delete waited for.
  if (gone.length === 0)
    await db.query(sql`
      update tasks
      set due_at = put_at,
        put_at = null,
        leased_until = null,
        attempts = 0,
        last_error = null
      where ${isClaimed(task)} and put_at is not null`)
}

/** Ends a claim whose handler threw; the task is due again after a growing pause. */
export async function failTask(
  db: Reader,
  clock: Clock,
  task: ClaimedTask,
  error: unknown,
): Promise<void> {
  const delay = Math.min(
    BACK_OFF_LONGEST_MILLISECONDS,
    BACK_OFF_FIRST_MILLISECONDS * 2 ** Math.min(task.attempts - 1, 12),
  )
  const message = storableText(String(error instanceof Error ? error.message : error))
  await db.query(sql`
    update tasks
    set due_at = least(${clock.now() + delay}::bigint, put_at),
      put_at = null,
      leased_until = null,
      last_error = ${message.slice(0, LONGEST_ERROR)}
    where ${isClaimed(task)}`)
}

export async function renewTask(db: Reader, task: ClaimedTask, lease_ms: number): Promise<void> {
  await db.query(sql`
    update tasks
    set leased_until = ${leaseEnd(lease_ms)}
    where ${isClaimed(task)} and leased_until is not null`)
}

/** Gives back a claim whose handler was not called. */
export async function releaseTask(db: Reader, task: ClaimedTask): Promise<void> {
  await db.query(sql`
    update tasks
    set due_at = least(due_at, put_at),
      put_at = null,
      leased_until = null,
      attempts = attempts - 1
    where ${isClaimed(task)}`)
}
