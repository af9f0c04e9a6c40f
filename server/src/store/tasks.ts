/**
 * Due work. A task is a row (workspace, kind, subject) with the domain time at which its subject must be looked at
 * again. Any worker process claims due tasks under a lease; a lease of a dead process runs out and another process
 * continues. A handler must be safe to run again: what it may do only once is guarded by the subject's own state.
 *
 * `fence` numbers the claims: who lost its lease to another changes nothing any more. A process that was asleep longer
 * than its leases does not take what it is still doing itself for a dead one's. A put that comes while the handler runs
 * is kept in `put_at`, because the handler may have read its subject before: the task stays and runs again.
 *
 * Every other claim takes the latest due first: what has just become due need not wait behind a backlog (thousands of
 * questions that all came due while a venue was down), and the backlog still gets half of the work.
 */
import { NO_WORKSPACE } from '../core/ids.ts'
import type { Clock } from '../core/clock.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Db, Reader } from './db.ts'
import { raw, sql } from './sql.ts'

export type TaskKey = { workspace: WorkspaceId; kind: string; subject_id: string }
export type TaskDraft = TaskKey & { due_at: number }

/** When to come back (domain time, ms), or that there is nothing more to do. */
export type TaskResult = { again_at: number } | 'done'

export type TaskHandler = (task: TaskKey & { attempts: number }) => Promise<TaskResult>

export type TaskRunner = {
  /** Looks for due work now instead of at the next poll. */
  wake(): void
  /** Claims nothing more and waits for what runs. */
  stop(): Promise<void>
}

export type TaskRunnerOptions = {
  handlers: Record<string, TaskHandler>
  concurrency?: number
  lease_ms?: number
  poll_ms?: number
  onError(task: TaskKey, error: unknown): void
}

/**
 * The next turn of what is looked at every so often: each subject has a moment of its own within the interval, so that what
 * began together (the venues of a start, the routes of a batch) is not looked at together for ever. A quarter of an interval
 * lies between two turns at least: a venue that answers slowly is not asked without a pause.
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

const LEASE_MILLISECONDS = 15_000
const POLL_MILLISECONDS = 500
const BACK_OFF_FIRST_MILLISECONDS = 250
const BACK_OFF_LONGEST_MILLISECONDS = 60_000
const TASK_CHANNEL = 'tasks'

/**
 * Makes the task due at `due_at` or earlier, and tells the workers. `quietly` for what is due only later, where the poll finds
 * it in time: transactions that notify commit one after the other, the others many at once.
 */
export async function putTasks(
  tx: Reader,
  drafts: readonly TaskDraft[],
  how: 'loudly' | 'quietly' = 'loudly',
): Promise<void> {
  if (drafts.length > 0) await tx.query(putTasksQuery(drafts, how))
}

export function putTasksQuery(drafts: readonly TaskDraft[], how: 'loudly' | 'quietly' = 'loudly') {
  const byKey = new Map<string, TaskDraft>()
  for (const draft of drafts) {
    const key = `${draft.workspace} ${draft.kind} ${draft.subject_id}`
    const known = byKey.get(key)
    if (known === undefined || draft.due_at < known.due_at) byKey.set(key, draft)
  }
  // In one order, so that two writers of the same tasks wait instead of deadlocking.
  const rows = [...byKey.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return sql`
    with put as (
      insert into tasks (workspace, kind, subject_id, due_at)
      select * from unnest(${rows.map((row) => row.workspace)}::uuid[], ${rows.map((row) => row.kind)}::text[],
        ${rows.map((row) => row.subject_id)}::uuid[], ${rows.map((row) => row.due_at)}::bigint[])
      on conflict (workspace, kind, subject_id) do update set
        due_at = case when tasks.leased_until is null then least(tasks.due_at, excluded.due_at) else tasks.due_at end,
        put_at = case when tasks.leased_until is null then null else least(tasks.put_at, excluded.due_at) end
      returning 1
    ) ${how === 'loudly' ? sql`select pg_notify(${TASK_CHANNEL}, ${[...new Set(rows.map((row) => row.kind))].join()}) from put limit 1` : raw('select 1')}`
}

type ClaimedTask = TaskKey & { attempts: number; fence: number }

/** Asked of those alone whose lease has ended. */
const notAmong = (own: readonly TaskKey[]) => sql`not exists (
  select from unnest(${own.map((taskKey) => taskKey.workspace)}::uuid[], ${own.map((taskKey) => taskKey.kind)}::text[], ${own.map((taskKey) => taskKey.subject_id)}::uuid[]) as own (workspace, kind, subject_id)
  where (own.workspace, own.kind, own.subject_id) = (tasks.workspace, tasks.kind, tasks.subject_id))`

/** Never one of `own`: what the caller itself still does, though its lease may have ended. */
export async function claimTasks(
  db: Reader,
  clock: Clock,
  kinds: readonly string[],
  count: number,
  leaseMilliseconds: number,
  first: 'oldest' | 'latest' = 'oldest',
  own: readonly TaskKey[] = [],
): Promise<ClaimedTask[]> {
  const order = raw(first === 'oldest' ? 'asc' : 'desc')
  // Kind by kind, each by its index: another group's backlog is not read through.
  return db.query<ClaimedTask>(sql`
    with due as (
      select task.workspace, task.kind, task.subject_id from unnest(${kinds}::text[]) as wanted (kind) cross join lateral (
        select workspace, kind, subject_id, due_at from tasks
        where tasks.kind = wanted.kind and due_at <= ${clock.now()} and (leased_until is null or (leased_until < now() and ${notAmong(own)}))
        order by due_at ${order} limit ${count} for update skip locked
      ) as task order by task.due_at ${order} limit ${count}
    )
    update tasks set leased_until = now() + make_interval(secs => ${leaseMilliseconds / 1000}::double precision), fence = tasks.fence + 1,
      attempts = tasks.attempts + 1, put_at = null
    from due where (tasks.workspace, tasks.kind, tasks.subject_id) = (due.workspace, due.kind, due.subject_id)
    returning tasks.workspace, tasks.kind, tasks.subject_id, tasks.attempts, tasks.fence`)
}

const ownedBy = (task: ClaimedTask) =>
  sql`workspace = ${task.workspace} and kind = ${task.kind} and subject_id = ${task.subject_id} and fence = ${task.fence}`

async function finish(db: Reader, task: ClaimedTask, result: TaskResult): Promise<void> {
  if (result !== 'done') {
    await db.query(sql`
      update tasks set due_at = least(${result.again_at}::bigint, put_at), put_at = null, leased_until = null, attempts = 0, last_error = null
      where ${ownedBy(task)}`)
    return
  }
  const gone = await db.query(
    sql`delete from tasks where ${ownedBy(task)} and put_at is null returning 1`,
  )
  // A statement of its own: it must see the put that the delete waited for.
  if (gone.length === 0)
    await db.query(
      sql`update tasks set due_at = put_at, put_at = null, leased_until = null, attempts = 0, last_error = null where ${ownedBy(task)} and put_at is not null`,
    )
}

async function fail(db: Reader, clock: Clock, task: ClaimedTask, error: unknown): Promise<void> {
  const delay = Math.min(
    BACK_OFF_LONGEST_MILLISECONDS,
    BACK_OFF_FIRST_MILLISECONDS * 2 ** Math.min(task.attempts - 1, 12),
  )
  await db.query(sql`
    update tasks set due_at = least(${clock.now() + delay}::bigint, put_at), put_at = null, leased_until = null,
      last_error = ${String(error instanceof Error ? error.message : error).slice(0, 500)}
    where ${ownedBy(task)}`)
}

async function renew(db: Reader, task: ClaimedTask, leaseMilliseconds: number): Promise<void> {
  await db.query(
    sql`update tasks set leased_until = now() + make_interval(secs => ${leaseMilliseconds / 1000}::double precision) where ${ownedBy(task)} and leased_until is not null`,
  )
}

/** Gives back what was claimed and not begun. */
async function releaseTask(db: Reader, task: ClaimedTask): Promise<void> {
  await db.query(
    sql`update tasks set due_at = least(due_at, put_at), put_at = null, leased_until = null, attempts = attempts - 1 where ${ownedBy(task)}`,
  )
}

/** Runs due tasks until stopped. Errors of a handler are reported and the task is tried again with growing pauses. */
export function runTasks(db: Db, clock: Clock, options: TaskRunnerOptions): TaskRunner {
  const {
    handlers,
    concurrency = 8,
    lease_ms = LEASE_MILLISECONDS,
    poll_ms = POLL_MILLISECONDS,
    onError,
  } = options
  const kinds = Object.keys(handlers)
  const running = new Map<Promise<void>, TaskKey>()
  let stopped = false
  let signal: () => void = () => undefined
  let woken = false
  let claims = 0

  const wake = () => {
    woken = true
    signal()
  }
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, woken ? 0 : poll_ms)
      signal = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const work = async (task: ClaimedTask) => {
    const heartbeat = setInterval(() => {
      renew(db, task, lease_ms).catch((error: unknown) => {
        onError(task, error)
      })
    }, lease_ms / 3)
    try {
      const handler = handlers[task.kind]
      if (handler === undefined) throw new Error(`no handler for task ${task.kind}`)
      await finish(db, task, await handler(task))
    } catch (error) {
      onError(task, error)
      await fail(db, clock, task, error).catch((failure: unknown) => {
        onError(task, failure)
      })
    } finally {
      clearInterval(heartbeat)
    }
  }

  const loop = (async () => {
    while (!stopped) {
      woken = false
      const free = concurrency - running.size
      let claimed: ClaimedTask[] = []
      if (free > 0) {
        try {
          claims += 1
          claimed = await claimTasks(
            db,
            clock,
            kinds,
            free,
            lease_ms,
            claims % 2 === 1 ? 'oldest' : 'latest',
            [...running.values()],
          )
        } catch (error) {
          onError({ workspace: NO_WORKSPACE, kind: 'claim', subject_id: '' }, error)
        }
      }
      for (const task of claimed) {
        // Stopped while the claim was on its way: another process need not wait for the lease to end.
        const run: Promise<void> = (
          stopped
            ? releaseTask(db, task).catch((error: unknown) => {
                onError(task, error)
              })
            : work(task)
        ).finally(() => {
          running.delete(run)
          wake()
        })
        running.set(run, task)
      }
      if (claimed.length === 0 && !stopped) await pause()
    }
    await Promise.all(running.keys())
  })()

  return {
    wake,
    stop: async () => {
      stopped = true
      signal()
      await loop
    },
  }
}

const LISTEN_AGAIN_MILLISECONDS = 1_000

/** Calls `wake` whenever tasks were put by any process, with their kinds; with none when it cannot be known. Only a hint: what a lost connection does not tell, the poll finds. */
export function listenForTasks(
  db: Db,
  wake: (kinds: readonly string[] | undefined) => void,
): { stop(): Promise<void> } {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let current: Promise<{ end(): Promise<void> } | undefined> = listen()

  async function listen(): Promise<{ end(): Promise<void> } | undefined> {
    let lost = false
    const again = () => {
      if (lost || stopped) return
      lost = true
      timer = setTimeout(() => {
        current = listen()
      }, LISTEN_AGAIN_MILLISECONDS)
    }
    try {
      const client = await db.connect()
      client.on('error', again)
      client.on('end', again)
      client.on('notification', ({ payload = '' }) => {
        wake(payload === '' ? undefined : payload.split(','))
      })
      await client.query(`listen ${TASK_CHANNEL}`)
      wake(undefined)
      return client
    } catch {
      again()
      return undefined
    }
  }

  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await (await current)?.end()
    },
  }
}
