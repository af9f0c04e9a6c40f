/**
 * The collection of a route is made once at its venue, wherever the process that asks for it dies,
 * and whether or not the answer arrives.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { repeat } from '../../core/service.testing.ts'
import { until } from '../../core/testing.ts'
import { openFaultWorld } from '../testing/faults.testing.ts'
import type { FaultWorld } from '../testing/faults.testing.ts'
import type { RouteRecord } from './routes.schema.ts'

const COLLECTION = 'destination_external_account_id'
/** The save asks at once: the process that dies is the one that answers it. */
const CASES = [
  { point: 'route.collect.before', loss: false },
  { point: 'route.collect.after', loss: false },
  { point: 'route.collect.after', loss: true },
] as const

describe('a collection outlives the process that has it made', { timeout: 500_000 }, () => {
  let world: FaultWorld
  before(async () => {
    world = await openFaultWorld()
  })
  after(() => world.close())

  it('at every point, with and without the answer', async () => {
    const [standing] = await world.call<RouteRecord[]>('GET', '/treasury/wallets/routes')
    assert.ok(standing !== undefined)
    const saved: { label: string; id: string }[] = []
    for (const [index, { point, loss }] of CASES.entries()) {
      const label = `killed ${index}`
      const { address } = await world.sandbox.control<{ address: string }>(
        'POST',
        'chain/addresses',
        { protocol: 'BTC' },
      )
      const to = await world.call<{ id: string }>('POST', '/treasury/wallets', {
        type: 'CUSTOMER',
        asset: 'BTC',
        address,
        label,
        account_id: world.customer.account_id,
        customer_id: world.customer.id,
        access_type: 'EXTERNAL',
      })
      await world.killApi()
      await world.startApi({ KONTOR_FAILPOINT: point })
      if (loss)
        await world.sandbox.fault('fireblocks', 'create_external_wallet', 'TIMEOUT_AFTER_ACCEPT')
      const dying = world.api()
      const headers = { 'idempotency-key': newId() }
      const save = (): Promise<RouteRecord> =>
        world.call<RouteRecord>(
          'POST',
          '/treasury/wallets/routes',
          {
            from_wallet_id: standing.from_wallet_id,
            to_wallet_id: to.id,
            protocol: 'BTC',
            label,
            transfer: { from: { [COLLECTION]: '' }, to: {} },
          },
          headers,
        )
      await assert.rejects(save())
      assert.equal(await dying.exited, 'SIGKILL', point)
      await world.startApi()
      const again = await repeat(save)
      const routes = await world.call<RouteRecord[]>(
        'GET',
        `/treasury/wallets/routes?to_wallet_id=${to.id}`,
      )
      assert.deepEqual(
        routes.map((route) => route.id),
        [again.id],
        'the save was committed first, and its repeat answers what it made',
      )
      saved.push({ label, id: again.id })
    }
    const worker = world.worker()
    for (const { label, id } of saved) {
      const made = await until(
        `the collection of ${label}`,
        async () =>
          (await world.call<RouteRecord[]>('GET', `/treasury/wallets/routes?id=${id}`))[0]?.transfer
            .from[COLLECTION],
      )
      const { external_wallets } = await world.sandbox.control<{
        external_wallets: { id: string; name: string }[]
      }>('GET', 'fireblocks')
      assert.deepEqual(
        external_wallets
          .filter((externalWallet) => externalWallet.name === label)
          .map((externalWallet) => externalWallet.id),
        [made],
        label,
      )
    }
    await world.kill(worker)
  })
})
