/** What a case decides about goes on or ends once, wherever the process dies that decides it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { apiClient, repeat } from '../core/service.testing.ts'
import { systemClock } from '../core/clock.ts'
import { until } from '../core/testing.ts'
import { loadList, readListFiles } from '../screening/index.ts'
import type { ScreeningCase } from '../screening/index.ts'
import { openFaultWorld } from '../treasury/testing/faults.testing.ts'
import type { FaultWorld } from '../treasury/testing/faults.testing.ts'
import { listNaming } from './compliance.testing.ts'

const OFFICER = { email: 'compliance@example.com', password: 'only for these faults' }

describe('cases outlive the processes that decide them', { timeout: 500_000 }, () => {
  let world: FaultWorld
  const officer = apiClient(OFFICER)
  before(async () => {
    world = await openFaultWorld()
    await world.call('POST', '/users', {
      ...OFFICER,
      roles: ['COMPLIANCE'],
      must_change_password: false,
    })
    const read = readListFiles(listNaming({ name: 'T, F' }))
    await world.db.tx((tx) =>
      loadList({ tx, clock: systemClock }, world.workspace, read, {
        by: 'test',
        smaller: true,
      }),
    )
    await world.call('PUT', '/settings/screening', {
      value: { withdrawals: true, lists: ['OFAC_SDN'] },
      version: 1,
    })
  })
  after(() => world.close())

  const restart = async (point?: string) => {
    await world.killApi()
    await world.startApi(point === undefined ? {} : { KONTOR_FAILPOINT: point })
    await officer.connect((await world.api().ready).port)
  }
  const caseOf = async (id: string) =>
    until('its case', async () => {
      const cases = await officer.call<ScreeningCase[]>('GET', `/screening/cases?record_id=${id}`)
      assert.ok(cases.length < 2)
      return cases[0]
    })

  for (const point of ['screening.decide.before', 'screening.decide.after'])
    for (const decision of ['CLEAR', 'REFUSE'] as const)
      it(`${decision} counts once, killed at ${point}`, async () => {
        await restart(point)
        const id = await world.withdraw()
        const dying = world.worker('withdrawal.screen.after', id)
        assert.equal(await dying.exited, 'SIGKILL')
        const found = await caseOf(id)
        const headers = { 'idempotency-key': newId() }
        const decide = () =>
          officer.call<ScreeningCase>(
            'POST',
            `/screening/cases/${found.id}/decision`,
            { decision, reason: 'another person' },
            headers,
          )
        const api = world.api()
        await assert.rejects(decide())
        assert.equal(await api.exited, 'SIGKILL', point)
        await restart()
        const state = decision === 'CLEAR' ? 'CLEARED' : 'REFUSED'
        assert.equal((await repeat(decide)).state, state)
        const end = decision === 'CLEAR' ? 'SUCCESS' : 'CANCELED'
        const worker = world.worker()
        await until('its end', async () => ((await world.stateOf(id)) === end ? true : undefined))
        await world.kill(worker)
        const sent = decision === 'CLEAR' ? 1 : 0
        assert.partialDeepStrictEqual(await world.facts(id), {
          received: sent,
          arrived: sent,
          hold: sent === 1 ? 'captured' : 'released',
        })
        assert.deepEqual(await world.verify(), [])
      })
})
