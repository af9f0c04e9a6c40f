/**
 * After the database was set back: every venue is read, what is open is looked up, and what venues
 * know and Kontor did not is booked, by the workers that run, or by one of this command. Then a
 * person sees what was found, and releases the halts.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { App } from './app.ts'
import type { WorkspaceId } from './core/ids.ts'
import { releaseAfterSetBack } from './ledger/index.ts'
import { MAXIMUM_LINES, showReport } from './restore-report.ts'
import type { Reader } from './store/db.ts'
import { sql } from './store/sql.ts'
import { stateIn, stateNotIn } from './store/states.ts'
import { putTasks } from './store/tasks.ts'
import { EXECUTION_TASK, isStopInDoubt, TRADES_TASK } from './trading/index.ts'
import { JOB_TASK, POLL_TASK, WITHDRAWAL_MOVES, WITHDRAWAL_TASK } from './treasury/index.ts'
import { VENUE_MOVES } from './venues/index.ts'
import { startWorker } from './worker.ts'

type Context = {
  app: App
  say(line: string): void
  /** Whether a person says yes. `whole`: every venue was heard, and all was looked up. */
  agree(question: string, whole: boolean): Promise<boolean>
  /** How long it is waited for what is not known yet. */
  patience_ms?: number
}

/**
 * A job whose tick is over makes it up under the halt, and so for nothing: in the time that is lost
 * it may have paid already.
 */
const KINDS = [POLL_TASK, TRADES_TASK, WITHDRAWAL_TASK, EXECUTION_TASK, JOB_TASK]
/** How long a worker that runs would leave them undone at most. */
const WORKER_MILLISECONDS = 5_000
const PATIENCE_MILLISECONDS = 300_000
const LOOK_MILLISECONDS = 250
/** A venue that has not answered within this time does not answer. */
const SILENT_MILLISECONDS = 30_000

/** Answers the exit code: 0 when the halts are released, or nothing was to do. */
export async function afterRestore({
  app,
  say,
  agree,
  patience_ms = PATIENCE_MILLISECONDS,
}: Context): Promise<number> {
  await app.history.start()
  const since = await app.history.noticedAt()
  if (since === 0) {
    say('this database has not been set back: there is nothing to do')
    return 0
  }
  say(`set back, noticed at ${new Date(since).toISOString()}: asking every venue`)
  const begun_at = app.clock.now()
  const undone = await walk(app, since, patience_ms)
  const silent = await silentVenues(app.db, begun_at)
  for (const venue of silent) say(`${venue} does not answer: what it knows is not known here`)
  for (const line of undone) say(`not done yet: ${line}`)
  for (const { id, name } of await workspacesOf(app.db)) {
    say(`workspace ${name}:`)
    await showReport(app.db, { workspace: id, since }, say)
  }
  const whole = undone.length + silent.length === 0
  if (!whole) say('not everything is known: better run it again later')
  say('compare it with the venues; what is UNKNOWN or EXTERNAL needs a person')
  if (!(await agree('Release the halts on withdrawals and trading?', whole))) {
    say('the halts stay set')
    return 1
  }
  const reason = 'npm run after-restore: a person has agreed'
  const released = await app.db.tx(async (tx) => {
    const [same] = await tx.query(sql`
      select
      from history
      where set_back_at = ${since}
      for update`)
    return same && releaseAfterSetBack(tx, app.clock, { by: 'after-restore', reason })
  })
  if (released === undefined) {
    say('the database was set back again meanwhile: nothing is released. Run this once more')
    return 1
  }
  say(`${released} halts released`)
  return 0
}

/** A stop that waits may have triggered in the time that is lost. */
async function askAboutStops({ db, clock }: App, since: number): Promise<void> {
  const stops = await db.query<{ workspace: WorkspaceId; id: string }>(sql`
    select workspace, id
    from executions
    where ${isStopInDoubt(since)}`)
  const due_at = clock.now()
  await putTasks(
    db,
    stops.map(({ workspace, id }) => ({ workspace, kind: EXECUTION_TASK, subject_id: id, due_at })),
  )
}

type Place = { kind: string; subject_id: string; workspace: WorkspaceId; fence: number }

/** Makes everything due, and waits until it has been done. Answers what has not. */
async function walk(app: App, since: number, patience_ms: number): Promise<string[]> {
  await askAboutStops(app, since)
  const places = await hasten(app)
  const started = Date.now()
  let worker: Awaited<ReturnType<typeof startWorker>> | undefined
  try {
    for (;;) {
      const tasks = await undoneTasks(app.db, places)
      const undone = [...tasks, ...(await notLookedUp(app.db, since))]
      const age = Date.now() - started
      if (undone.length === 0 || age > patience_ms) return undone
      // No service runs.
      if (age > WORKER_MILLISECONDS && tasks.length === Math.min(places.length, MAXIMUM_LINES))
        worker ??= await startWorker(app)
      await pause(LOOK_MILLISECONDS)
    }
  } finally {
    await worker?.stop()
  }
}

/** `fence` counts how often each was claimed. */
const hasten = ({ db, clock }: App): Promise<Place[]> =>
  db.query<Place>(sql`
    update tasks
    set due_at = case when leased_until is null then least(due_at, ${clock.now()}) else due_at end,
      put_at = case when leased_until is null then null else ${clock.now()}::bigint end
    where kind = any(${KINDS})
    returning workspace, kind, subject_id, fence`)

/** Each is done when it was claimed after it had been hastened, and the claim has ended. */
async function undoneTasks(reader: Reader, places: readonly Place[]): Promise<string[]> {
  const rows = await reader.query<{ line: string }>(sql`
    select tasks.kind || ' ' || tasks.subject_id || coalesce(': ' || last_error, '') as line
    from unnest(
      ${places.map((place) => place.workspace)}::uuid[],
      ${places.map((place) => place.kind)}::text[],
      ${places.map((place) => place.subject_id)}::uuid[],
      ${places.map((place) => place.fence)}::bigint[]
    ) as place (workspace, kind, subject_id, fence)
    join tasks using (workspace, kind, subject_id)
    where tasks.fence <= place.fence
      or last_error is not null
      or (tasks.fence = place.fence + 1 and leased_until is not null)
    order by line
    limit ${MAXIMUM_LINES}`)
  return rows.map((row) => row.line)
}

async function notLookedUp(reader: Reader, since: number): Promise<string[]> {
  const lines: string[] = []
  for (const { id: workspace } of await workspacesOf(reader)) {
    const rows = await reader.query<{ line: string }>(sql`
      select 'withdrawal ' || id || ' is not looked up' as line
      from withdrawals
      where workspace = ${workspace}
        and ${stateIn(WITHDRAWAL_MOVES, 'PENDING')}
        and origin <> 'EXTERNAL'
        and foreign_id is null
        and system_created_at < ${since}
        and coalesce(looked_up_at, 0) < ${since}
      order by id
      limit ${MAXIMUM_LINES}`)
    const stops = await reader.query<{ line: string }>(sql`
      select 'the venue of stop ' || id || ' is not asked' as line
      from executions
      where workspace = ${workspace}
        and ${isStopInDoubt(since)}
      order by id
      limit ${MAXIMUM_LINES}`)
    lines.push(...[...rows, ...stops].map((row) => row.line))
  }
  return lines
}

async function silentVenues(reader: Reader, begun_at: number): Promise<string[]> {
  const until = Date.now() + SILENT_MILLISECONDS
  for (;;) {
    const rows = await reader.query<{ label: string }>(sql`
      select label
      from venues
      where ${stateNotIn(VENUE_MOVES, ['DISABLED'])}
        and coalesce(last_seen_at, 0) < ${begun_at}
      order by label`)
    if (rows.length === 0 || Date.now() > until) return rows.map((row) => row.label)
    await pause(LOOK_MILLISECONDS)
  }
}

const workspacesOf = (reader: Reader): Promise<{ id: WorkspaceId; name: string }[]> =>
  reader.query(sql`
    select id, name
    from workspaces
    order by name, id`)
