/**
 * The runs of transfer jobs, worked off by one task per job that no two processes run at a time:
 *
 *   load     the job and its schedule
 *   assess   what the run moves, or the reason why nothing (assessment.ts)
 *   record   the run, its withdrawal and the next tick, in one commit
 *
 * Nothing is stored before the last step: a process that dies leaves the whole run or none.
 * Versions tell what happened meanwhile: that of the schedule (another run, an edit) and those of
 * both pools (another job's transfer). Then the run begins anew. Every run leaves a record, also
 * when it moved nothing.
 */
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { JobId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import { isLimitExceeded, isPolicyDenied, retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { createdBy, insertRow, updateGuardedRow } from '../../store/rows.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { assess } from './assessment.ts'
import type { Assessment } from './assessment.ts'
import { JOB_RUNS, JOB_SCHEDULES, jobRow, MINUTE_MILLISECONDS, scheduleGuard } from './jobs.ts'
import type { JobRow } from './jobs.ts'
import { STATE_OF_REASON } from './jobs.schema.ts'
import type { DryRun, JobRun } from './jobs.schema.ts'

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
  const started_at = app.clock.now()
  const run_id = newId(started_at)
  const assessed = await step('assess', job.id, () => assess(app, job, run_id))
  const now = app.clock.now()
  const interval = job.interval * MINUTE_MILLISECONDS
  const next_run_at = scheduled_at + (Math.floor((now - scheduled_at) / interval) + 1) * interval
  const run = { id: run_id, scheduled_at, started_at, finished_at: now, next_run_at }
  await step('record', job.id, async () => {
    try {
      await app.lane.commit(runChange(job, run, assessed))
    } catch (error) {
      if (!isLimitExceeded(error) && !isPolicyDenied(error)) throw error
      await app.lane.commit(runChange(job, run, beyondLimits(assessed, error.message)))
    }
  })
  return next_run_at
}

/** What it would have moved is more than the API key that wrote the job, or the policy, allows. */
function beyondLimits({ transfer: _not, ...measured }: Assessment, why: string): Assessment {
  const reason = 'REFUSED' as const
  return { ...measured, state: STATE_OF_REASON[reason], reason, explanation: why.slice(0, 1000) }
}

type Times = Pick<JobRun, 'id' | 'scheduled_at' | 'started_at' | 'finished_at'> & {
  next_run_at: number
}

function runChange(job: JobRow, { next_run_at, ...times }: Times, assessed: Assessment): Change {
  const { workspace, id: job_id, limited_by } = job
  const { transfer, ...measurement } = assessed
  const withdrawal_id = transfer?.withdrawal_id ?? null
  const { id: run_id, finished_at: now } = times
  const stamp = { by: TREASURY_WORKER, now }
  const run: JobRun = {
    ...times,
    workspace,
    job_id,
    ...measurement,
    withdrawal_id,
    ...createdBy(stamp),
  }
  const { state, reason, quantity, asset, explanation } = run
  return {
    ...transfer?.change,
    workspace,
    class: 'command',
    by: TREASURY_WORKER,
    ...(limited_by === null ? {} : { api_key: { id: limited_by, standing: true } }),
    guards: [scheduleGuard(job), ...(transfer?.turns ?? []), ...(transfer?.change.guards ?? [])],
    rows: [
      ...(transfer?.change.rows ?? []),
      insertRow(JOB_RUNS, run, stamp),
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
        data: { job_run_id: run_id, reason, quantity, asset, withdrawal_id, explanation },
      },
    ],
  }
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
