/** One transfer for one tick, wherever the process that runs the job dies; against the simulated vault, which counts. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../core/decimal.ts'
import { openFaultWorld, until } from './faults.testing.ts'
import type { FaultWorld } from './faults.testing.ts'
import { RUN_STEPS } from './job-runs.ts'
import type { DryRun, Job, JobRun } from './jobs.schema.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

const POINTS = RUN_STEPS.flatMap((step) => [`job.${step}.before`, `job.${step}.after`])

describe('a run outlives the process that does it', { timeout: 300_000 }, () => {
  let world: FaultWorld
  let route = ''
  before(async () => {
    world = await openFaultWorld()
    route = (await world.call<{ id: string }[]>('GET', '/treasury/wallets/routes'))[0]?.id ?? ''
  })
  after(() => world.close())

  const runs = (id: string) => world.call<JobRun[]>('GET', `/treasury/jobs/${id}/runs`)
  const create = (body: object) => world.call<Job>('POST', '/treasury/jobs', { route, active: true, interval: 15, speed_level: 'DEFAULT', ...body })

  it('one run, one withdrawal, sent once', async () => {
    const killed: { point: string; id: string }[] = []
    for (const [index, point] of POINTS.entries()) {
      const { id } = await create({ condition_type: 'CONDITIONAL', quantity: `0.02${index + 1}`, conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '0.5' }] })
      assert.equal(await world.worker(point, id).exited, 'SIGKILL', `the worker dies at ${point}`)
      killed.push({ point, id })
    }
    const worker = world.worker()
    for (const { point, id } of killed) {
      const [run] = await until(`the run killed at ${point}`, async () => { const all = await runs(id); return all.length > 0 ? all : undefined })
      assert.deepEqual([run?.state, run?.reason], ['TRANSFERRED', null], `${point}: ${run?.explanation}`)
      await until(`the transfer of the run killed at ${point}`, async () => (await world.stateOf(run?.withdrawal_id ?? '') === 'SUCCESS' ? true : undefined))
      const { received, arrived, bookings } = await world.facts(run?.withdrawal_id ?? '')
      assert.deepEqual([received, arrived, bookings], [1, 1, ['WITHDRAWAL', 'WITHDRAWAL_FEE']], point)
      const made = (await world.call<Withdrawal[]>('GET', '/treasury/withdrawals')).filter((each) => each.job_id === id)
      assert.deepEqual([made.length, made[0]?.origin, made[0]?.job_run_id, (await runs(id)).length], [1, 'JOB', run?.id, 1], point)
    }

    // The venue shows a moment later what has left; until then it is counted.
    const settled = (id: string) => until('a settled balance', async () => {
      const dry = await world.call<DryRun>('POST', `/treasury/jobs/${id}/dry-run`)
      return dry.reserved === '0' ? dry : undefined
    })
    const sweep = await create({ active: false, condition_type: 'SWEEPING', min_quantity: '0.1', conditions: [{ target: '0.5' }] })
    const expected = await settled(sweep.id)
    await world.call('PUT', '/treasury/jobs', { ...sweep, active: true })
    const [swept] = await until('the sweep', async () => { const all = await runs(sweep.id); return all.length > 0 ? all : undefined })
    const out = ({ quantity, fee_estimate }: DryRun | JobRun) => format(decimal(quantity ?? '0') + decimal(fee_estimate ?? '0'))
    assert.ok(swept !== undefined && swept.state === 'TRANSFERRED', swept?.explanation)
    assert.equal(out(swept), out(expected), 'the venue\'s fee moves, what leaves does not')
    await until('its transfer', async () => (await world.stateOf(swept.withdrawal_id ?? '') === 'SUCCESS' ? true : undefined))
    const rest = await settled(sweep.id)
    assert.equal(rest.state, 'SKIPPED', rest.explanation)
    assert.ok(Number(rest.balance_from) >= 0.5 && Number(rest.balance_from) < 0.51, `${rest.balance_from}: the target, and what the fee did not take`)

    await world.kill(worker)
    assert.deepEqual(await world.verify(), [])
  })
})
