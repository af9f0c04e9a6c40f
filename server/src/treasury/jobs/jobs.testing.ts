/** For tests: jobs of every kind, their runs, and what they sent. */
import assert from 'node:assert/strict'
import { treasuryTasks } from '../index.ts'
import { openMovements } from '../testing/movements.testing.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { DryRun, Job, JobRun } from './jobs.schema.ts'

export const MINUTE = 60_000
export const QUARTER = 15 * MINUTE

type Place = Awaited<ReturnType<typeof openMovements>>

export async function openJobs() {
  const place = await openMovements()
  const { call } = place
  const run = treasuryTasks(place.app)['run_job']
  const list = async () => (await call<Job[]>('GET', '/treasury/jobs')).data
  const save = (body: object) => call<Job>('PUT', '/treasury/jobs', body)
  const runs = async (id: string) => (await call<JobRun[]>('GET', `/treasury/jobs/${id}/runs`)).data
  const lastRun = async (id: string): Promise<JobRun> => {
    const [last] = await runs(id)
    assert.ok(last !== undefined, 'it has run')
    return last
  }
  const create = async (body: object): Promise<Job> => {
    const answer = await call<Job>('POST', '/treasury/jobs', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  return {
    place,
    ...drafts(place),
    create,
    save,
    runs,
    lastRun,
    async createAndRun(body: object): Promise<{ job: Job; run: JobRun }> {
      const job = await create(body)
      await place.work()
      return { job, run: await lastRun(job.id) }
    },
    read: async (id: string): Promise<Job> =>
      (await list()).find((job) => job.id === id) ?? assert.fail(id),
    dryRun: async (id: string) => (await call<DryRun>('POST', `/treasury/jobs/${id}/dry-run`)).data,
    /** Runs each of them at the same time. */
    runAtOnce: (jobs: readonly Job[]) =>
      Promise.all(
        jobs.map((job) =>
          run?.({ workspace: place.workspace, kind: 'run_job', subject_id: job.id, attempts: 1 }),
        ),
      ),
    withdrawal: async (id: string | null) =>
      (await call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data,
    withdrawalsOf: async (id: string) =>
      (await call<Withdrawal[]>('GET', '/treasury/withdrawals')).data.filter(
        (row) => row.job_id === id,
      ),
    /** Leaves venues that answer, and no job that still runs. */
    async stopAll(): Promise<void> {
      for (const fake of [place.vault, place.exchange, place.bank]) fake.down = false
      await failAllSent(place)
      for (const job of await list()) if (job.active) await save({ ...job, active: false })
      await place.later(MINUTE)
    },
  }
}

/** What is in flight fails at its venue. */
async function failAllSent(place: Place): Promise<void> {
  const models = Object.values(place.models)
  for (const model of models) Object.assign(model, { mode: 'accept', down: false })
  const url = '/treasury/withdrawals?state=pending,unknown'
  for (const { external_id, submitted_at } of (await place.call<Withdrawal[]>('GET', url)).data)
    for (const model of models)
      if (submitted_at !== null && model.accepted.has(external_id))
        model.finish(external_id, { state: 'FAILED', sub_state: 'OVER' })
}

function drafts({ routes }: Place) {
  return {
    sweeping: (more: object = {}) => ({
      route: routes.vaultToExchange.id,
      condition_type: 'SWEEPING',
      active: true,
      interval: 15,
      speed_level: 'DEFAULT',
      min_quantity: '0.1',
      conditions: [{ target: '4' }],
      ...more,
    }),
    provision: (more: object = {}) => ({
      route: routes.bankToExchange.id,
      condition_type: 'PROVISION',
      active: true,
      interval: 60,
      speed_level: 'DEFAULT',
      conditions: [{ target: '150000' }],
      ...more,
    }),
    conditional: (more: object = {}) => ({
      route: routes.exchangeToVault.id,
      condition_type: 'CONDITIONAL',
      active: true,
      interval: 240,
      speed_level: 'DEFAULT',
      quantity: '0.5',
      conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '4' }],
      ...more,
    }),
  }
}

/** What came of a run, in a line. */
export function outcome({ state, reason, quantity }: JobRun | DryRun): string {
  return `${state} ${state === 'TRANSFERRED' ? quantity : reason}`
}
