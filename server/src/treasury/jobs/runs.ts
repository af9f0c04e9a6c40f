/**
 * The runs of transfer jobs, worked off by one task per job that no two processes run at a time:
 *
 *   load      the job and its schedule
 *   measure   what its venues show, and what is in flight
 *   decide    a quantity, or the reason why nothing moves
 *   draft     the withdrawal, checked like any other
 *   store     the run, its withdrawal and the next tick, in one commit
 *
 * Nothing is stored before the last step: a process that dies leaves the whole run or none.
 * Versions tell what happened meanwhile: that of the schedule (another run, an edit) and those of
 * both pools (another job's transfer). Then the run begins anew. Every run leaves a record, also
 * when it moved nothing.
 */
import { stateIn } from '../../store/states.ts'
import { WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'
import type { JobId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { settingsOf } from '../../access/index.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import { closed, id as uuid, nullable, oneOf, text, time, Type } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { assetByCode, retryOnStale } from '../../ledger/index.ts'
import type { Change, Guard } from '../../ledger/index.ts'
import { insertRow, insertRows, tableOf, updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { isUnreachable } from '../../venues/index.ts'
import { currentEstimate } from '../routes/fees.ts'
import { decideRun, needsDestination, wantedTransfer } from './decision.ts'
import type { Refusal, Rule, Terms } from './decision.ts'
import { inFlightTo, poolOf, reservedIn, balanceIn, readBalances } from './measuring.ts'
import type { BalancePool, BalanceReading } from './measuring.ts'
import { ruleOf } from './checks.ts'
import { JOB_RUNS, JOB_SCHEDULES, jobRow, MINUTE_MILLISECONDS, scheduleGuard } from './jobs.ts'
import type { JobRow } from './jobs.ts'
import { STATE_OF_REASON } from './jobs.schema.ts'
import type { DryRun, JobRun, RunReason } from './jobs.schema.ts'
import { routeById } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import type { TreasuryApp } from '../app.ts'
import { limitsOf, withdrawalDraft } from '../withdrawals/withdrawals.ts'

const WORKER = 'treasury'
/** The steps of a run, in order; each has a failpoint before and after it. */
const RUN_STEPS = ['load', 'assess', 'record'] as const
const step = <T>(
  name: (typeof RUN_STEPS)[number],
  subject: string,
  work: () => Promise<T>,
): Promise<T> => withFailpoints(`job.${name}`, subject, work)

export const jobTask =
  (app: TreasuryApp): TaskHandler =>
  ({ workspace, subject_id }) =>
    retryOnStale(async () => {
      const job = await step('load', subject_id, () => jobRow(app.db, workspace, subject_id))
      if (job.next_run_at === null) return 'done'
      if (job.next_run_at > app.clock.now()) return { again_at: job.next_run_at }
      const again_at = await runJob(app, job, job.next_run_at)
      return { again_at }
    })

/** Answers when the next run is due: missed ticks are this one. */
async function runJob(app: TreasuryApp, job: JobRow, scheduled_at: number): Promise<number> {
  const { workspace, id: job_id } = job
  const started_at = app.clock.now()
  const run_id = newId(started_at)
  const assessed = await step('assess', job_id, () => assess(app, job, run_id))
  const now = app.clock.now()
  const interval = job.interval * MINUTE_MILLISECONDS
  const next_run_at = scheduled_at + (Math.floor((now - scheduled_at) / interval) + 1) * interval
  const { transfer, ...measurement } = assessed
  const withdrawal_id = transfer?.withdrawal_id ?? null
  const run: JobRun = {
    id: run_id,
    workspace,
    job_id,
    scheduled_at,
    started_at,
    finished_at: now,
    ...measurement,
    withdrawal_id,
    system_created_at: now,
    system_created_by: WORKER,
    system_updated_at: now,
    system_updated_by: WORKER,
    version: 1,
  }
  const { state, reason, quantity } = run
  await step('record', job_id, () =>
    app.lane.commit({
      ...transfer?.change,
      workspace,
      class: 'command',
      by: WORKER,
      guards: [scheduleGuard(job), ...(transfer?.turns ?? [])],
      rows: [
        ...(transfer?.change.rows ?? []),
        insertRow(JOB_RUNS, run, { by: WORKER, now }),
        updateGuardedRow(JOB_SCHEDULES, {
          where: { workspace, id: job_id },
          set: { next_run_at, last_run_id: run_id },
        }),
      ],
      events: [
        ...(transfer?.change.events ?? []),
        {
          type: `job.${EVENT_OF[state]}`,
          resource_id: job_id,
          data: {
            job_run_id: run_id,
            reason,
            quantity,
            asset: run.asset,
            withdrawal_id,
            explanation: run.explanation,
          },
        },
      ],
    }),
  )
  return next_run_at
}

const EVENT_OF = { TRANSFERRED: 'transferred', SKIPPED: 'skipped', FAILED: 'failed' } as const

/** POST …/dry-run: the run as it would be recorded now, whether it is due or not. */
export async function dryRun(
  { workspace }: Caller,
  app: TreasuryApp,
  job_id: JobId,
): Promise<DryRun> {
  const job = await jobRow(app.db, workspace, job_id)
  const { transfer: _notSent, ...measurement } = await assess(app, job, newId())
  return { job_id, ...measurement }
}

type Measurement = Omit<DryRun, 'job_id'>
type Transfer = { withdrawal_id: WithdrawalId; change: Change; turns: Guard[] }
type Assessment = Measurement & { transfer?: Transfer }

/** What a refusal does to a run: it is the outcome, never an error. */
async function assess(app: TreasuryApp, job: JobRow, run_id: string): Promise<Assessment> {
  const route = await routeById(app.db, job.workspace, job.route, 'route')
  const measurement: Measurement = {
    asset: route.from_wallet.asset,
    balance_from: null,
    reserved: null,
    balance_to: null,
    in_flight: null,
    fee_estimate: null,
    fee_asset: null,
    quantity: null,
    state: 'SKIPPED',
    reason: null,
    explanation: '',
  }
  const ended = ({ reason, why }: Refusal): Assessment => ({
    ...measurement,
    state: STATE_OF_REASON[reason],
    reason,
    explanation: why.slice(0, 1000),
  })
  try {
    const drafted = await draftTransfer(app, job, { route, run_id, measurement })
    if ('reason' in drafted) return ended(drafted)
    const { why, transfer } = drafted
    return { ...measurement, state: 'TRANSFERRED', explanation: why.slice(0, 1000), transfer }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    return ended(refusal)
  }
}

type Run = { route: Route; run_id: string; measurement: Measurement }

/**
 * Measures and decides, up to the change that makes the withdrawal. `measurement` fills on the way.
 */
async function draftTransfer(
  app: TreasuryApp,
  job: JobRow,
  { route, run_id, measurement }: Run,
): Promise<{ why: string; transfer: Transfer } | Refusal> {
  const unknown = await unknownTransferOf(app, job)
  if (unknown !== undefined)
    return {
      reason: 'IN_FLIGHT_UNKNOWN',
      why:
        `the outcome of withdrawal ${unknown} of this job is not known: ` +
        'nothing more is sent until it is known',
    }
  const rule = ruleOf(job)
  const measured = await measure(app, route, rule, measurement)
  const { scale } = await assetByCode(app.db, job.workspace, route.from_wallet.asset)
  const wanted = wantedTransfer(rule, measured, scale)
  if ('reason' in wanted) return wanted

  const terms = await termsOf(app, job, route, { measured, quantity: wanted.quantity })
  const { fee, fee_asset } = terms
  Object.assign(measurement, { fee_estimate: format(fee), fee_asset })
  const decision = decideRun(rule, measured, { ...terms, scale })
  if ('reason' in decision) return decision

  const quantity = format(decision.quantity)
  Object.assign(measurement, { quantity })
  const { withdrawal, change } = await withdrawalDraft({ by: WORKER }, app, route, {
    quantity,
    speed_level: job.speed_level,
    fee: format(fee),
    requested_by: { origin: 'JOB', job_id: job.id, job_run_id: run_id },
  })
  const transfer = { withdrawal_id: withdrawal.id, change, turns: measured.turns }
  return { why: decision.why, transfer }
}

/** The fee and the limits of the transfer. */
async function termsOf(
  app: TreasuryApp,
  job: JobRow,
  route: Route,
  { measured, quantity }: { measured: MeasuredBalances; quantity: Decimal },
): Promise<Omit<Terms, 'scale'>> {
  const { asset: fee_asset, speed_levels } = await currentEstimate(app, route, quantity)
  const fee = job.speed_level === 'CUSTOM' ? decimal(job.fee ?? '0') : speed_levels[job.speed_level]
  const fee_balance =
    fee_asset === route.from_wallet.asset
      ? null
      : await availableAt(app, measured.reading, measured.from, fee_asset)
  const { job_fee_share } = await settingsOf(app.db, job.workspace)
  const limits = await limitsOf(app.db, route)
  return { fee, fee_asset, fee_balance, fee_share: decimal(job_fee_share), ...limits }
}

const REASON_OF: Readonly<Partial<Record<string, RunReason>>> = {
  HALTED: 'HALTED',
  NOT_ALLOWLISTED: 'NOT_ALLOWLISTED',
  BELOW_MINIMUM: 'BELOW_VENUE_MINIMUM',
  ABOVE_MAXIMUM: 'ABOVE_VENUE_MAXIMUM',
}

/** Undefined for what is no answer of ours: the run is tried again. */
function refusalOf(error: unknown): Refusal | undefined {
  if (isUnreachable(error)) return { reason: 'VENUE_UNAVAILABLE', why: error.message }
  if (!(error instanceof ApiError) || error.kind !== 'BadRequest') return undefined
  const code = error.details[0]?.code
  // What changed meanwhile is read anew, not recorded.
  if (code === 'STALE_VERSION') return undefined
  return {
    reason: REASON_OF[code ?? ''] ?? 'REFUSED',
    why: `${code ?? 'refused'}: ${error.message}`,
  }
}

async function unknownTransferOf(
  app: TreasuryApp,
  { workspace, id }: JobRow,
): Promise<string | undefined> {
  const [row] = await app.db.query<{ id: string }>(
    sql`
      select id
      from withdrawals
      where workspace = ${workspace}
        and ${stateIn(WITHDRAWAL_MOVES, 'UNKNOWN')}
        and job_id = ${id}
      order by id
      limit 1`,
  )
  return row?.id
}

type MeasuredBalances = {
  source: Decimal
  destination: Decimal | null
  from: BalancePool
  reading: BalanceReading
  turns: Guard[]
}

/**
 * Puts what it saw into `measurement` as it goes. The turns are read first: whoever transfers after
 * that is met at the commit.
 */
async function measure(
  app: TreasuryApp,
  route: Route,
  rule: Rule,
  measurement: Measurement,
): Promise<MeasuredBalances> {
  const { workspace, from_wallet, to_wallet } = route
  const { db } = app
  if (from_wallet.venue_id === null)
    throw new ApiError(
      'BadRequest',
      'the source is an EXTERNAL wallet: nothing can be sent from it',
    )
  const from = await poolOf(db, from_wallet, from_wallet.venue_id)
  const to =
    to_wallet.venue_id === null ? undefined : await poolOf(db, to_wallet, to_wallet.venue_id)
  const turns = await turnGuards(app, workspace, [
    from.turn,
    ...(to === undefined ? [] : [to.turn]),
  ])

  const reading = await readBalances(app, workspace, from.venue_id)
  const free = balanceIn(reading, from, 'free')
  const reserved = await reservedIn(db, reading, from)
  Object.assign(measurement, { balance_from: format(free), reserved: format(reserved) })
  const destination =
    to === undefined ? null : await measureDestination(app, to, needsDestination(rule), measurement)
  return { source: free - reserved, destination, from, reading, turns }
}

async function measureDestination(
  app: TreasuryApp,
  to: BalancePool,
  needed: boolean,
  measurement: Measurement,
): Promise<Decimal | null> {
  try {
    const reading = await readBalances(app, to.workspace, to.venue_id)
    const total = balanceIn(reading, to, 'total')
    const in_flight = await inFlightTo(app.db, reading, to)
    Object.assign(measurement, { balance_to: format(total), in_flight: format(in_flight) })
    return total + in_flight
  } catch (error) {
    // Told for the record only: the money may be swept while nobody tells what is there.
    if (isUnreachable(error) && !needed) return null
    throw error
  }
}

/** What the place has of another asset, for the fee. */
async function availableAt(
  app: TreasuryApp,
  reading: BalanceReading,
  from: BalancePool,
  asset: string,
): Promise<Decimal> {
  const place = { ...from, protocol: null, asset }
  return balanceIn(reading, place, 'free') - (await reservedIn(app.db, reading, place))
}

/** One row per pool, whose version counts the transfers of jobs. */
const JOB_TURNS = tableOf(
  'job_turns',
  closed({
    workspace: uuid(),
    id: uuid("The pool's first wallet"),
    state: oneOf(['OPEN']),
    system_updated_at: time(),
    system_updated_by: nullable(text()),
    version: Type.Integer(),
  }),
)

/** A transfer between these places is stored only when no other run's was since. */
async function turnGuards(
  app: TreasuryApp,
  workspace: WorkspaceId,
  places: readonly string[],
): Promise<Guard[]> {
  const ids = [...new Set(places)]
  const read = () =>
    app.db.query<{ id: string; version: number }>(
      sql`
        select id, version
        from job_turns
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
    )
  let rows = await read()
  if (rows.length < ids.length) {
    const now = app.clock.now()
    const turns = ids.map((id) => ({ workspace, id, state: 'OPEN' as const }))
    await app.db.query(sql`
      ${insertRows(JOB_TURNS, turns, { by: WORKER, now })}
      on conflict do nothing`)
    rows = await read()
  }
  return rows.map(({ id, version }) => ({
    table: 'job_turns',
    resource: 'turn of wallet',
    id,
    from: ['OPEN'],
    version,
  }))
}
