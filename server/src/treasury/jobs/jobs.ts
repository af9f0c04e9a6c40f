/**
 * Transfer jobs: rules that move money between two wallets again and again. The rules that a job
 * must meet are in checks.ts, its runs in runs.ts.
 */
import { stateIn } from '../../store/states.ts'
import type { ApiKeyId, JobId, JobRunId, TreasuryRouteId, WorkspaceId } from '../../core/ids.ts'
import { mustExist } from '../../core/assert.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import {
  closed,
  id,
  nullable,
  oneOf,
  text,
  time,
  Type,
  withIdempotentReplay,
} from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { askedBy, retryOnStale } from '../../ledger/index.ts'
import type { Change, Guard } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf, updateGuardedRow } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { JOB_TASK } from '../tasks.ts'
import { routeById } from '../routes/routes.ts'
import { checkJob } from './checks.ts'
import type { CheckedJob } from './checks.ts'
import { JOB_MOVES, JOB_STATES, JobRecord, JobRunRecord } from './jobs.schema.ts'
import type { ChangeJobBody, Job, JobBody, JobRun, JobState } from './jobs.schema.ts'
import { warningsOf } from './warnings.ts'

export const MINUTE_MILLISECONDS = 60_000

const TRANSFER_JOBS = tableOf('transfer_jobs', JobRecord, {
  inside: {
    state: oneOf(JOB_STATES),
    route_id: id<TreasuryRouteId>(),
    limited_by: nullable(id<ApiKeyId>()),
  },
  computed: ['route', 'active', 'next_run_at', 'last_run', 'warnings'],
})
export const JOB_SCHEDULES = tableOf(
  'job_schedules',
  closed({
    workspace: id<WorkspaceId>(),
    id: id('The job'),
    state: oneOf(JOB_STATES),
    next_run_at: nullable(time()),
    last_run_id: nullable(id<JobRunId>()),
    system_updated_at: time(),
    system_updated_by: nullable(text()),
    version: Type.Integer(),
  }),
)
export const JOB_RUNS = tableOf('job_runs', JobRunRecord)

const JOB_FIELDS = columnsOf(Type.Omit(JobRecord, ['last_run', 'warnings']), {
  of: 'j',
  computed: {
    route: sql`j.route_id`,
    active: sql`${stateIn(JOB_MOVES, 'ACTIVE', 'j.state')}`,
    next_run_at: sql`s.next_run_at`,
  },
})
export const JOB_COLUMNS = sql`
  ${JOB_FIELDS}, j.limited_by, s.last_run_id, s.version as schedule_version`
export const JOBS_WITH_SCHEDULES = raw(
  'transfer_jobs j join job_schedules s on s.workspace = j.workspace and s.id = j.id',
)
export const RUN_COLUMNS = columnsOf(JobRunRecord)

export type JobRow = Omit<Job, 'last_run' | 'warnings'> & {
  /** The program whose limits hold for its runs: the one that last wrote it. */
  limited_by: ApiKeyId | null
  last_run_id: string | null
  schedule_version: number
}

/** Throws 4004. */
export async function jobRow(reader: Reader, workspace: WorkspaceId, id: JobId): Promise<JobRow> {
  const rows = await reader.query<JobRow>(sql`
    select ${JOB_COLUMNS}
    from ${JOBS_WITH_SCHEDULES}
    where j.workspace = ${workspace}
      and j.id = ${id}`)
  const row = only(rows)
  if (row === undefined) throw notFound('transfer job', id, 'job_id')
  return row
}

/** As answered, with the last run of each and its warnings. */
export async function jobShapes(reader: Reader, rows: readonly JobRow[]): Promise<Job[]> {
  const [first] = rows
  if (first === undefined) return []
  const ids = rows.flatMap((row) => row.last_run_id ?? [])
  const runs = await reader.query<JobRun>(sql`
    select ${RUN_COLUMNS}
    from job_runs
    where workspace = ${first.workspace}
      and id = any(${ids}::uuid[])`)
  const runById = new Map(runs.map((run) => [run.id, run]))
  const warnings = await warningsOf(reader, first.workspace, rows)
  return rows.map(({ last_run_id, schedule_version: _ours, limited_by: _key, ...job }) => ({
    ...job,
    last_run: runById.get(last_run_id ?? '') ?? null,
    warnings: warnings.get(job.id) ?? [],
  }))
}

const jobEvent = (type: 'created' | 'changed', job: JobRow) => {
  const { id, route, condition_type, active, interval } = job
  const data = { route, condition_type, active, interval }
  return { type: `job.${type}` as const, resource_id: id, data }
}

const stateOf = ({ active }: { active: boolean }): JobState => (active ? 'ACTIVE' : 'INACTIVE')

/** What a request says of a job, when it is created and when it is changed. */
const requestedFields = ({ api_key }: Caller, body: JobBody, checked: CheckedJob) => ({
  route: body.route,
  condition_type: body.condition_type,
  active: body.active,
  interval: body.interval,
  speed_level: body.speed_level,
  limited_by: api_key?.id ?? null,
  ...checked,
})

const storedFields = (job: JobRow) => ({
  route_id: job.route,
  condition_type: job.condition_type,
  interval: job.interval,
  speed_level: job.speed_level,
  fee: job.fee,
  min_quantity: job.min_quantity,
  quantity: job.quantity,
  conditions: job.conditions,
  limited_by: job.limited_by,
})

/** An active job is due at once. Refused as `checkJob` says. */
export function createJob(caller: Caller, app: TreasuryApp, body: JobBody): Promise<Job> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const checked = await checkJob(app, workspace, body)
    const now = app.clock.now()
    const id = newId()
    const job: JobRow = {
      id,
      workspace,
      ...requestedFields(caller, body, checked),
      next_run_at: body.active ? now : null,
      last_run_id: null,
      schedule_version: 1,
      system_created_at: now,
      system_created_by: by,
      system_updated_at: now,
      system_updated_by: by,
      version: 1,
    }
    const state = stateOf(job)
    const { next_run_at } = job
    const stamp = { by, now }
    return commitJob(caller, app, job, {
      rows: [
        insertRow(TRANSFER_JOBS, { workspace, id, state, ...storedFields(job) }, stamp),
        insertRow(JOB_SCHEDULES, { workspace, id, state, next_run_at }, stamp),
      ],
      events: [jobEvent('created', job)],
    })
  })
}

/**
 * Replaces the job. Activated it is due at once. Deactivated it stops, also a run that has begun
 * and stored nothing yet; what a run has stored goes on. Refused as `checkJob` says, and
 * STALE_VERSION.
 */
export function changeJob(caller: Caller, app: TreasuryApp, body: ChangeJobBody): Promise<Job> {
  return withIdempotentReplay(app, caller.workspace, caller.idempotency, async () => {
    const changed = await retryOnStale(() => changeOnce(caller, app, body))
    if ('stale' in changed)
      throw refuse(
        'STALE_VERSION',
        'version',
        `the transfer job has changed: its version is ${changed.stale}`,
      )
    return changed
  })
}

/**
 * `stale`: the job is no longer the one that the caller read. A run in between does not count, and
 * is waited for.
 */
async function changeOnce(
  caller: Caller,
  app: TreasuryApp,
  body: ChangeJobBody,
): Promise<Job | { stale: number }> {
  const { workspace, by } = caller
  const known = await jobRow(app.db, workspace, body.id)
  if (body.version !== undefined && body.version !== known.version) return { stale: known.version }
  const checked = await checkJob(app, workspace, body)
  const now = app.clock.now()
  const job: JobRow = {
    ...known,
    ...requestedFields(caller, body, checked),
    next_run_at: body.active ? nextAfterChange(known, body, now) : null,
    system_updated_at: now,
    system_updated_by: by,
    version: known.version + 1,
  }
  const where = { workspace, id: known.id }
  const { next_run_at } = job
  return commitJob(caller, app, job, {
    guards: [jobGuard(known, job), scheduleGuard(known)],
    rows: [
      updateGuardedRow(TRANSFER_JOBS, { where, set: storedFields(job) }),
      // A check ties the state of the schedule to its time: both change in one statement.
      updateGuardedRow(JOB_SCHEDULES, { where, set: { state: stateOf(job), next_run_at } }),
    ],
    events: [jobEvent('changed', job)],
  })
}

const jobGuard = (known: JobRow, job: JobRow): Guard => {
  const [before, after] = [stateOf(known), stateOf(job)]
  return {
    table: 'transfer_jobs',
    resource: 'transfer job',
    id: known.id,
    version: known.version,
    ...(before === after ? { from: [before] } : move(JOB_MOVES, before, after)),
  }
}

/** The schedule must still be as it was read with the job: no run was recorded since. */
export const scheduleGuard = (job: JobRow): Guard => ({
  table: 'job_schedules',
  resource: 'schedule of transfer job',
  id: job.id,
  from: [stateOf(job)],
  version: job.schedule_version,
})

/** Another interval counts from the last tick. Everything else leaves the next one where it is. */
function nextAfterChange(known: JobRow, { interval }: ChangeJobBody, now: number): number {
  if (!known.active || known.next_run_at === null) return now
  if (interval === known.interval) return known.next_run_at
  const last =
    known.last_run_id === null ? now : known.next_run_at - known.interval * MINUTE_MILLISECONDS
  return Math.max(now, last + interval * MINUTE_MILLISECONDS)
}

async function commitJob(
  caller: Caller,
  app: TreasuryApp,
  job: JobRow,
  change: Pick<Change, 'guards' | 'rows' | 'events'>,
): Promise<Job> {
  const { workspace, by } = caller
  const { from_wallet } = await routeById(app.db, workspace, job.route, 'route')
  const [shape] = await jobShapes(app.db, [job])
  const record = mustExist(shape, 'one job has one shape')
  const { id: subject_id, next_run_at: due_at } = job
  const committed = await app.lane.commit({
    workspace,
    class: 'command',
    by,
    ...change,
    tasks: due_at === null ? [] : [{ kind: JOB_TASK, subject_id, due_at }],
    // Its runs move; how much is judged then.
    moves: [{ asset: from_wallet.asset, quantity: 0n, route_id: job.route }],
    ...askedBy(caller, { data: record }),
  })
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Job)
    : record
}
