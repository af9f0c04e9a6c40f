/** Transfer jobs: what is asked to be moved again and again. Runs are in job-runs.ts. */
import { decimal, format } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import { amountOf, assetByCode, retryOnStale } from '../../ledger/index.ts'
import type { Asset, Change } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { currentEstimate } from '../routes/fees.ts'
import { needsDestination } from './decision.ts'
import type { Condition, Rule } from './decision.ts'
import { JOB_STATES } from './jobs.schema.ts'
import type {
  ChangeJobBody,
  ConditionBody,
  ConditionType,
  Job,
  JobBody,
  JobRun,
} from './jobs.schema.ts'
import { warningsOf } from './warnings.ts'
import { routeById, senderOf } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import { JOB_TASK } from '../tasks.ts'
import type { TreasuryApp } from '../app.ts'

export const MINUTE_MILLISECONDS = 60_000

export const JOB_COLUMNS = raw(`
    j.id, j.workspace, j.route_id as route, j.condition_type, j.state = 'ACTIVE' as active,
      j.interval, j.speed_level, j.fee, j.min_quantity, j.quantity, j.conditions, s.next_run_at,
      s.last_run_id, s.version as schedule_version, j.system_created_at, j.system_created_by,
      j.system_updated_at, j.system_updated_by, j.version`)
export const JOBS_WITH_SCHEDULES = raw(
  'transfer_jobs j join job_schedules s on s.workspace = j.workspace and s.id = j.id',
)
export const RUN_COLUMNS = raw(`
    id, workspace, job_id, state, reason, explanation, scheduled_at, started_at, finished_at, asset,
      balance_from, reserved, balance_to, in_flight, fee_estimate, fee_asset, quantity,
      withdrawal_id, system_created_at, system_created_by, system_updated_at, system_updated_by,
      version`)

export type JobRow = Omit<Job, 'last_run' | 'warnings'> & {
  last_run_id: string | null
  schedule_version: number
}

/** Throws 4004. */
export async function jobRow(reader: Reader, workspace: WorkspaceId, id: string): Promise<JobRow> {
  const row = only(
    await reader.query<JobRow>(
      sql`
        select ${JOB_COLUMNS}
        from ${JOBS_WITH_SCHEDULES}
        where j.workspace = ${workspace}
          and j.id = ${id}`,
    ),
  )
  if (row === undefined) throw notFound('transfer job', id, 'job_id')
  return row
}

/** As answered, with the last run of each and what speaks against it. */
export async function jobShapes(reader: Reader, rows: readonly JobRow[]): Promise<Job[]> {
  const [first] = rows
  if (first === undefined) return []
  const ids = rows.flatMap((row) => (row.last_run_id === null ? [] : [row.last_run_id]))
  const runs = new Map(
    (
      await reader.query<JobRun>(
        sql`
          select ${RUN_COLUMNS}
          from job_runs
          where workspace = ${first.workspace}
            and id = any(${ids}::uuid[])`,
      )
    ).map((run) => [run.id, run]),
  )
  const warnings = await warningsOf(reader, first.workspace, rows)
  return rows.map(({ last_run_id, schedule_version: _ours, ...job }) => ({
    ...job,
    last_run: runs.get(last_run_id ?? '') ?? null,
    warnings: warnings.get(job.id) ?? [],
  }))
}

type CheckedJob = {
  fee: string | null
  min_quantity: string | null
  quantity: string | null
  conditions: ConditionBody[]
}

/**
 * Every rule of a job's fields. Refused: SCALE, REQUIRED, CONFLICT (a field that belongs to another
 * kind), UNSUPPORTED_BY_VENUE (nothing can be sent from there, nobody tells the destination's
 * balance, no CUSTOM fee); 2003 when the venue is needed for that.
 */
async function checkJob(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: JobBody,
): Promise<CheckedJob> {
  const route = await routeById(app.db, workspace, body.route, 'route')
  await senderOf(app, route.from_wallet, 'route')
  const asset = await assetByCode(app.db, workspace, route.from_wallet.asset)
  const checked = {
    ...checkAmounts(body, asset),
    conditions: body.conditions.map((condition, index) =>
      checkCondition(body.condition_type, condition, asset, index),
    ),
  }
  if (body.condition_type !== 'CONDITIONAL' && body.conditions.length > 1)
    throw refuse(
      'CONFLICT',
      'conditions',
      `${body.condition_type} takes exactly one condition, with target`,
    )
  if (
    needsDestination(ruleOf({ ...checked, condition_type: body.condition_type })) &&
    route.to_wallet.venue_id === null
  ) {
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'route',
      'the destination is an EXTERNAL wallet: nobody tells its balance',
    )
  }
  const fee = await checkFee(app, route, body)
  return { ...checked, fee }
}

function checkAmounts(body: JobBody, asset: Asset): Pick<CheckedJob, 'min_quantity' | 'quantity'> {
  if (body.condition_type !== 'CONDITIONAL') {
    if (body.quantity !== undefined)
      throw refuse(
        'CONFLICT',
        'quantity',
        `quantity belongs to CONDITIONAL; ${body.condition_type} moves what the balances ask for`,
      )
    return {
      min_quantity: format(amountOf(body.min_quantity ?? '0', asset, 'min_quantity')),
      quantity: null,
    }
  }
  if (body.min_quantity !== undefined)
    throw refuse(
      'CONFLICT',
      'min_quantity',
      'min_quantity does not belong to CONDITIONAL: it moves exactly quantity',
    )
  if (body.quantity === undefined)
    throw refuse('REQUIRED', 'quantity', 'quantity is required with CONDITIONAL')
  return { min_quantity: null, quantity: format(amountOf(body.quantity, asset, 'quantity')) }
}

const FIELDS_OF: Readonly<Record<ConditionType, readonly (keyof ConditionBody)[]>> = {
  SWEEPING: ['target'],
  PROVISION: ['target'],
  CONDITIONAL: ['balance_side', 'predicate', 'quantity'],
}

function checkCondition(
  condition_type: ConditionType,
  body: ConditionBody,
  asset: Asset,
  index: number,
): ConditionBody {
  const at = `conditions[${index}]`
  const wanted = FIELDS_OF[condition_type]
  const missing = wanted.find((field) => body[field] === undefined)
  if (missing !== undefined)
    throw refuse(
      'REQUIRED',
      `${at}.${missing}`,
      `${at}.${missing} is required with ${condition_type}`,
    )
  const other = (Object.keys(body) as (keyof ConditionBody)[]).find(
    (field) => body[field] !== undefined && !wanted.includes(field),
  )
  if (other !== undefined)
    throw refuse(
      'CONFLICT',
      `${at}.${other}`,
      `${at}.${other} does not belong to ${condition_type}: it takes ${wanted.join(', ')}`,
    )
  const amount = (field: 'target' | 'quantity') =>
    format(amountOf(body[field] ?? '', asset, `${at}.${field}`))
  return condition_type === 'CONDITIONAL'
    ? { ...body, quantity: amount('quantity') }
    : { target: amount('target') }
}

async function checkFee(
  app: TreasuryApp,
  route: Route,
  { speed_level, fee, quantity, min_quantity }: JobBody,
): Promise<string | null> {
  if (speed_level !== 'CUSTOM') {
    if (fee !== undefined)
      throw refuse(
        'CONFLICT',
        'fee',
        `fee belongs to speed_level CUSTOM; ${speed_level} costs what the venue says`,
      )
    return null
  }
  if (fee === undefined) throw refuse('REQUIRED', 'fee', 'fee is required with speed_level CUSTOM')
  const about =
    [quantity, min_quantity].map((each) => decimal(each ?? '0')).find((each) => each > 0n) ??
    decimal('1')
  const { custom } = await currentEstimate(app, route, about)
  if (!custom)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'speed_level',
      'the venue takes no fee of your own: use DEFAULT, FAST or SLOW',
    )
  return format(decimal(fee))
}

/** The fields of a stored or checked job as its decision reads them. */
export function ruleOf(
  job: Pick<JobRow, 'condition_type' | 'min_quantity' | 'quantity' | 'conditions'>,
): Rule {
  if (job.condition_type !== 'CONDITIONAL')
    return {
      condition_type: job.condition_type,
      target: decimal(job.conditions[0]?.target ?? '0'),
      min_quantity: decimal(job.min_quantity ?? '0'),
    }
  const conditions = job.conditions.map((condition): Condition => ({
    side: condition.balance_side ?? 'from',
    predicate: condition.predicate ?? 'GT',
    quantity: decimal(condition.quantity ?? '0'),
  }))
  return { condition_type: 'CONDITIONAL', conditions, quantity: decimal(job.quantity ?? '0') }
}

const jobEvent = (type: 'created' | 'changed', job: JobRow) => {
  const { id, route, condition_type, active, interval } = job
  return {
    type: `job.${type}` as const,
    resource_id: id,
    data: { route, condition_type, active, interval },
  }
}

/** An active job is due at once. Refused as `checkJob` says. */
export function createJob(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: JobBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Job> {
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const checked = await checkJob(app, workspace, body)
    const id = newId()
    const now = app.clock.now()
    const { active, condition_type, interval, route, speed_level } = body
    const job: JobRow = {
      id,
      workspace,
      route,
      condition_type,
      active,
      interval,
      speed_level,
      ...checked,
      next_run_at: active ? now : null,
      last_run_id: null,
      schedule_version: 1,
      system_created_at: now,
      system_created_by: by,
      system_updated_at: now,
      system_updated_by: by,
      version: 1,
    }
    const state = active ? 'ACTIVE' : 'INACTIVE'
    const [record] = await jobShapes(app.db, [job])
    return commitJob(
      app,
      {
        workspace,
        class: 'command',
        by,
        rows: [
          sql`
            insert into transfer_jobs (
              workspace, id, state, route_id, condition_type, interval, speed_level, fee,
              min_quantity, quantity, conditions, system_created_at, system_created_by,
              system_updated_at, system_updated_by
            )
            values (
              ${workspace}, ${id}, ${state}, ${route}, ${condition_type}, ${interval},
              ${speed_level}, ${job.fee}, ${job.min_quantity}, ${job.quantity},
              ${JSON.stringify(job.conditions)}::jsonb, ${now}, ${by}, ${now}, ${by}
            )`,
          sql`
            insert into job_schedules (
              workspace, id, state, next_run_at, system_updated_at, system_updated_by
            )
            values (${workspace}, ${id}, ${state}, ${job.next_run_at}, ${now}, ${by})`,
        ],
        events: [jobEvent('created', job)],
        tasks: active ? [{ kind: JOB_TASK, subject_id: id, due_at: now }] : [],
      },
      record as Job,
      idempotency,
    )
  })
}

/**
 * Replaces the job. Activated it is due at once; deactivated it stops, also a run that has begun
 * and stored nothing yet. What a run has stored goes its way. Refused as `checkJob` says, and
 * STALE_VERSION.
 */
export function changeJob(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: ChangeJobBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Job> {
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const changed = await retryOnStale(() => changeOnce(app, workspace, body, by, idempotency))
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
 * `stale`: the job is no longer the one that the caller read. A run in between is no such change,
 * and is waited for.
 */
async function changeOnce(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: ChangeJobBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Job | { stale: number }> {
  const known = await jobRow(app.db, workspace, body.id)
  if (body.version !== undefined && body.version !== known.version) return { stale: known.version }
  const checked = await checkJob(app, workspace, body)
  const now = app.clock.now()
  const { active, condition_type, interval, route, speed_level } = body
  const job: JobRow = {
    ...known,
    route,
    condition_type,
    active,
    interval,
    speed_level,
    ...checked,
    next_run_at: active ? nextAfterChange(known, body, now) : null,
    system_updated_at: now,
    system_updated_by: by,
    version: known.version + 1,
  }
  const state = active ? 'ACTIVE' : 'INACTIVE'
  const [record] = await jobShapes(app.db, [job])
  return commitJob(
    app,
    {
      workspace,
      class: 'command',
      by,
      guards: [
        {
          table: 'transfer_jobs',
          resource: 'transfer job',
          id: known.id,
          from: JOB_STATES,
          to: state,
          version: known.version,
        },
        {
          table: 'job_schedules',
          resource: 'schedule of transfer job',
          id: known.id,
          from: JOB_STATES,
          version: known.schedule_version,
        },
      ],
      rows: [
        sql`
          update transfer_jobs
          set route_id = ${route}, condition_type = ${condition_type}, interval = ${interval},
            speed_level = ${speed_level}, fee = ${job.fee}, min_quantity = ${job.min_quantity},
            quantity = ${job.quantity}, conditions = ${JSON.stringify(job.conditions)}::jsonb
          where workspace = ${workspace}
            and id = ${known.id}`,
        sql`
          update job_schedules
          set state = ${state}, next_run_at = ${job.next_run_at}
          where workspace = ${workspace}
            and id = ${known.id}`,
      ],
      events: [jobEvent('changed', job)],
      tasks:
        job.next_run_at === null
          ? []
          : [{ kind: JOB_TASK, subject_id: known.id, due_at: job.next_run_at }],
    },
    record as Job,
    idempotency,
  )
}

/** Another interval counts from the last tick; everything else leaves the next one where it is. */
function nextAfterChange(known: JobRow, { interval }: ChangeJobBody, now: number): number {
  if (!known.active || known.next_run_at === null) return now
  if (interval === known.interval) return known.next_run_at
  const last =
    known.last_run_id === null ? now : known.next_run_at - known.interval * MINUTE_MILLISECONDS
  return Math.max(now, last + interval * MINUTE_MILLISECONDS)
}

async function commitJob(
  app: TreasuryApp,
  change: Change,
  record: Job,
  idempotency: Idempotency | undefined,
): Promise<Job> {
  const committed = await app.lane.commit({
    ...change,
    ...(idempotency === undefined
      ? {}
      : { idempotency: { ...idempotency, reply: { data: record } } }),
  })
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Job)
    : record
}
