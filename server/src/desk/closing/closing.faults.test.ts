/** A period is closed and reopened once and wholly, wherever the process dies. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { repeat } from '../../core/service.testing.ts'
import { openFaultWorld } from '../../treasury/testing/faults.testing.ts'
import type { FaultWorld } from '../../treasury/testing/faults.testing.ts'
import type { Period, ShownPeriod } from './periods.schema.ts'

describe('closing outlives the processes', { timeout: 500_000 }, () => {
  let world: FaultWorld
  before(async () => {
    world = await openFaultWorld()
  })
  after(() => world.close())

  const periods = () => world.call<Period[]>('GET', '/periods')
  const openFrom = async () =>
    (await world.call<{ value: number | null }>('GET', '/settings/open_period_from')).value

  /** The process dies before it has answered, and the same request is repeated. */
  async function killedAt(point: string, path: string, body: object): Promise<ShownPeriod> {
    const headers = { 'idempotency-key': newId() }
    const ask = () => world.call<ShownPeriod>('POST', path, body, headers)
    const before = { periods: await periods(), from: await openFrom() }
    await world.killApi()
    await world.startApi({ KONTOR_FAILPOINT: point })
    const dying = world.api()
    await assert.rejects(ask())
    assert.equal(await dying.exited, 'SIGKILL', point)
    await world.startApi()
    assert.deepEqual({ periods: await periods(), from: await openFrom() }, before, point)
    const done = await repeat(ask)
    assert.deepEqual(await ask(), done)
    return done
  }

  it('at each point, with the setting, or not at all', async () => {
    for (const [index, when] of ['before', 'after'].entries()) {
      const last_day = `2026-01-0${index + 1}`
      const closed = await killedAt(`period.close.${when}`, '/periods', { last_day })
      assert.equal(await openFrom(), Date.parse(last_day) + 86_400_000)
      const path = `/periods/${closed.id}/reopen`
      const reopened = await killedAt(`period.reopen.${when}`, path, { reason: 'killed' })
      assert.equal(reopened.state, 'REOPENED')
      assert.equal(await openFrom(), null)
      assert.equal((await periods()).length, index + 1)
    }
    assert.deepEqual(await world.verify(), [])
  })
})
