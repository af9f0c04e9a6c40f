/**
 * What compliance lets go on goes on once, and what it refuses ends once, wherever the process dies
 * that is told of it: a decision about a case, or the data that travel with coins.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { apiClient, repeat } from '../core/service.testing.ts'
import { systemClock } from '../core/clock.ts'
import { until } from '../core/testing.ts'
import { loadList, readListFiles } from '../screening/index.ts'
import type { ScreeningCase } from '../screening/index.ts'
import { dataOf2023 } from '../travel-rule/ivms101.testing.ts'
import type { Deposit } from '../treasury/index.ts'
import { openFaultWorld } from '../treasury/testing/faults.testing.ts'
import type { FaultWorld } from '../treasury/testing/faults.testing.ts'
import type { Withdrawal } from '../treasury/index.ts'
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
      value: { withdrawals: true, deposits: true, lists: ['OFAC_SDN'] },
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

  /** A coin to the wallet that is matched to `F T`, whom the list names. */
  async function arrives(quantity: string): Promise<string> {
    const wallets = await world.call<{ address: string; access_type: string }[]>(
      'GET',
      '/treasury/wallets',
    )
    const to = wallets.find(({ access_type }) => access_type === 'INTERNAL')
    await world.sandbox.control('POST', 'chain/send', {
      asset: 'BTC',
      quantity,
      to_address: to?.address,
    })
    return to?.address ?? assert.fail()
  }
  const depositOf = async (quantity: string) =>
    (await world.call<Deposit[]>('GET', '/treasury/deposits')).find(
      (row) => row.quantity === quantity,
    )

  it('a deposit is held, and assigned once it is cleared, wherever its worker dies', async () => {
    await restart()
    const quantity = '0.0417'
    const destination_address = await arrives(quantity)
    await world.call('POST', '/accounts/matchings', {
      resource_id: world.customer.account_id,
      type: 'DESTINATION_WITHOUT_REFERENCE',
      details: { asset: 'BTC', is_withdrawal_matching: false, destination_address },
    })
    for (const point of ['deposit.settle.before', 'deposit.settle.after'])
      assert.equal(await world.worker(point).exited, 'SIGKILL', point)
    const held = (await depositOf(quantity)) ?? assert.fail('it is stored')
    assert.partialDeepStrictEqual(held, { state: 'UNASSIGNED', reason_code: 'SCREENING_HIT' })
    const found = await caseOf(held.id)
    await officer.call('POST', `/screening/cases/${found.id}/decision`, {
      decision: 'CLEAR',
      reason: 'another person',
    })
    for (const point of ['deposit.settle.before', 'deposit.settle.after'])
      assert.equal(await world.worker(point).exited, 'SIGKILL', point)
    assert.partialDeepStrictEqual(await depositOf(quantity), {
      state: 'SUCCESSFUL',
      assigned_quantity: quantity,
      reason_code: null,
    })
    const assigned = await world.call<unknown[]>('GET', `/treasury/deposits/${held.id}/assignments`)
    assert.equal(assigned.length, 1)
    assert.deepEqual(await world.verify(), [])
  })

  describe('travel-rule data', () => {
    before(async () => {
      await restart()
      await world.call('PUT', '/settings/screening', {
        value: { withdrawals: false, deposits: false, lists: ['OFAC_SDN'] },
        version: 2,
      })
      await world.call('PUT', '/settings/travel_rule', {
        value: { withdrawals: true, thresholds: [] },
        version: 1,
      })
    })

    for (const point of ['withdrawal.travel_rule.before', 'withdrawal.travel_rule.after'])
      it(`let it go on once, killed at ${point}`, async () => {
        const id = await world.withdraw()
        await restart(point)
        const read = () => officer.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)
        const first = world.worker()
        const { destination_address } = await until('its wait', async () => {
          const row = await read()
          return row.reason_code === 'TRAVEL_RULE_DATA' ? row : undefined
        })
        await world.kill(first)
        const headers = { 'idempotency-key': newId() }
        const body = { ivms101_2023: dataOf2023(destination_address) }
        const give = () =>
          officer.call('POST', `/treasury/withdrawals/${id}/travel-rule`, body, headers)
        const api = world.api()
        await assert.rejects(give())
        assert.equal(await api.exited, 'SIGKILL', point)
        await restart()
        await repeat(give)
        const { data } = await officer.call<{ data: object[] }>(
          'GET',
          `/treasury/withdrawals/${id}/travel-rule`,
        )
        assert.equal(data.length, 1)
        const worker = world.worker()
        await until('its end', async () =>
          (await world.stateOf(id)) === 'SUCCESS' ? true : undefined,
        )
        await world.kill(worker)
        assert.partialDeepStrictEqual(await world.facts(id), {
          received: 1,
          arrived: 1,
          hold: 'captured',
        })
        assert.deepEqual(await world.verify(), [])
      })
  })
})
