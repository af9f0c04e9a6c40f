/** A batch outlives the process that prepares or submits it: repeated after its death the same is answered, and each withdrawal is made and sent once. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import type { BatchRequest } from './batches.schema.ts'
import { openFaultWorld, until } from './faults.testing.ts'
import type { FaultWorld } from './faults.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

describe('a batch outlives its process', { timeout: 240_000 }, () => {
  let world: FaultWorld
  before(async () => { world = await openFaultWorld() })
  after(() => world.close())

  /** Asks a process that dies at this point, then a living one the same again. */
  async function dieAndRepeat<Data>(point: string, url: string, body: object): Promise<Data> {
    await world.killApi()
    await world.startApi({ KONTOR_FAILPOINT: point })
    const key = newId()
    await assert.rejects(world.call('POST', url, body, { 'idempotency-key': key }))
    assert.equal(await world.api().exited, 'SIGKILL', `the process dies at ${point}`)
    await world.startApi()
    return world.call<Data>('POST', url, body, { 'idempotency-key': key })
  }

  it('prepared once, submitted once, sent once', async () => {
    const { customer } = world
    const [route] = await world.call<{ id: string }[]>('GET', '/treasury/wallets/routes')
    assert.ok(route !== undefined)
    const balance = async () => (await world.call<Record<string, { total: string; withdrawing: string }>>('GET', `/bookings/accounts/${customer.account_id}/balance`))['BTC']
    const made: Withdrawal[] = []
    const quantities = ['0.0011', '0.0013']
    for (const [index, when] of ['before', 'after'].entries()) {
      const withdrawals: object[] = [quantities[index], '0.0001'].map((quantity) => ({ route_id: route.id, quantity, speed_level: 'DEFAULT', account_id: customer.account_id }))
      const requests: BatchRequest[] = await dieAndRepeat<BatchRequest[]>(`batch.prepare.${when}`, '/treasury/withdrawals/batch/prepare', { withdrawals })
      assert.deepEqual(requests.map((each) => [each.bundled, each.stakes.length]), [[true, 2]])
      const rows: Withdrawal[] = await dieAndRepeat<Withdrawal[]>(`batch.submit.${when}`, '/treasury/withdrawals/batch/submit', { withdrawals: requests })
      assert.deepEqual((await world.call<Withdrawal[]>('POST', '/treasury/withdrawals/batch/submit', { withdrawals: requests })).map((each) => each.id), rows.map((each) => each.id))
      made.push(...rows)
    }
    const all = await world.call<Withdrawal[]>('GET', '/treasury/withdrawals')
    assert.deepEqual(all.map((each) => each.id).toSorted(), made.map((each) => each.id).toSorted())
    assert.deepEqual(await balance(), { total: '3', trading: '2.9974', withdrawing: '2.9974' })

    const worker = world.worker()
    for (const { id } of made) await until('the success of the bundle', async () => (await world.stateOf(id) === 'SUCCESS' ? true : undefined))
    for (const { id } of made) {
      const { received, arrived, bookings } = await world.facts(id)
      assert.deepEqual({ received, arrived, bookings }, { received: 1, arrived: 1, bookings: ['WITHDRAWAL', 'WITHDRAWAL_FEE'] })
    }
    await world.kill(worker)
    assert.deepEqual(await balance(), { total: '2.9974', trading: '2.9974', withdrawing: '2.9974' })
    assert.deepEqual(await world.verify(), [])
  })
})
