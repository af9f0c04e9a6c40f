/**
 * Never sent twice, never lost: the sending process is killed before and after every await of its flow, for each thing the
 * venue may do, and another one continues. The vault counts what it was asked.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { openFaultWorld, until } from './faults.testing.ts'
import type { FaultWorld } from './faults.testing.ts'
import { SENDING_STEPS } from './withdrawal-sending.ts'
import { WITHDRAWAL_MOVES } from './withdrawals.schema.ts'
import type { WithdrawalState } from './withdrawals.schema.ts'

const POINTS = SENDING_STEPS.flatMap((step) => [`withdrawal.${step}.before`, `withdrawal.${step}.after`])
/** Of a refused one nothing has to be looked for. */
const ENDS_WITH = POINTS.indexOf('withdrawal.record.after') + 1
const MAXIMUM_STARTS = 60
const KILLED_WITHIN_MILLISECONDS = 60_000

const OUTCOMES = [
  { outcome: 'accepted', points: POINTS, ends: 'SUCCESS', hold: 'captured', arrived: 1, bookings: ['WITHDRAWAL', 'WITHDRAWAL_FEE'] },
  { outcome: 'time-out after accept', points: POINTS, ends: 'SUCCESS', hold: 'captured', arrived: 1, bookings: ['WITHDRAWAL', 'WITHDRAWAL_FEE'] },
  { outcome: 'refused', points: POINTS.slice(0, ENDS_WITH), ends: 'REJECTED', hold: 'released', arrived: 0, bookings: [] },
] as const

describe('a withdrawal outlives the process that sends it', { timeout: 540_000 }, () => {
  let world: FaultWorld
  before(async () => { world = await openFaultWorld() })
  after(() => world.close())

  /** Runs one worker until it dies at this point while it works on this withdrawal. */
  async function dieAt(point: string, id: string): Promise<void> {
    const worker = world.worker(point, id)
    const late = AbortSignal.timeout(KILLED_WITHIN_MILLISECONDS)
    const signal = await Promise.race([worker.exited, new Promise<'late'>((resolve) => { late.addEventListener('abort', () => { resolve('late') }) })])
    if (signal !== 'SIGKILL') await world.kill(worker)
    assert.equal(signal, 'SIGKILL', `the worker dies at ${point}`)
  }

  for (const { outcome, points, ends, hold, arrived, bookings } of OUTCOMES) {
    it(`${outcome}: sent once, ended once, wherever the process dies`, async () => {
      await world.mode(outcome)
      const killed: { point: string; id: string }[] = []
      for (const point of points) {
        const id = await world.withdraw()
        await dieAt(point, id)
        killed.push({ point, id })
      }
      const worker = world.worker()
      for (const { point, id } of killed) {
        await until(`the end of the withdrawal killed at ${point}`, async () => (WITHDRAWAL_MOVES[await world.stateOf(id) as WithdrawalState].length === 0 ? true : undefined))
        const { state, received, ...facts } = await world.facts(id)
        assert.deepEqual({ point, state, ...facts }, { point, id, state: ends, arrived, hold, bookings: [...bookings] })
        // What was refused while nobody lived to note it has to be asked for again: nothing had left.
        if (arrived === 1) assert.equal(received, 1, `the vault was asked ${received} times for the one killed at ${point}`)
        else assert.ok(received >= 1)
      }
      await world.kill(worker)
      assert.deepEqual(await world.verify(), [])
    })
  }

  it('a request whose answer was lost is made once', async () => {
    await world.mode('accepted')
    const ids: string[] = []
    for (const point of ['withdrawal.create.before', 'withdrawal.create.after']) {
      await world.killApi()
      await world.startApi({ KONTOR_FAILPOINT: point })
      const key = newId()
      await assert.rejects(world.withdraw(key, '0.002'))
      assert.equal(await world.api().exited, 'SIGKILL')
      await world.startApi()
      ids.push(await world.withdraw(key, '0.002'))
    }
    const made = await world.call<{ id: string; quantity: string }[]>('GET', '/treasury/withdrawals?state=pending')
    assert.deepEqual(made.filter((each) => each.quantity === '0.002').map((each) => each.id).toSorted(), ids.toSorted())
    assert.ok(world.starts() <= MAXIMUM_STARTS, `${world.starts()} starts`)
  })
})
