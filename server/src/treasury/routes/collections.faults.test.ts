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

const ROUTES = '/treasury/wallets/routes'
const COLLECTION = 'destination_external_account_id'
/** The save asks at once: the process that dies is the one that answers it. */
const CASES = [
  { point: 'route.collect.before', loss: false },
  { point: 'route.collect.after', loss: false },
  { point: 'route.collect.after', loss: true },
] as const

describe('a collection outlives the process that has it made', { timeout: 500_000 }, () => {
  let world: FaultWorld
  let from_wallet_id: string
  before(async () => {
    world = await openFaultWorld()
    const [standing] = await world.call<RouteRecord[]>('GET', ROUTES)
    assert.ok(standing !== undefined)
    from_wallet_id = standing.from_wallet_id
  })
  after(() => world.close())

  /** The route that is saved by the process that dies. */
  const draft = (label: string, to_wallet_id: string) => ({
    from_wallet_id,
    to_wallet_id,
    protocol: 'BTC',
    label,
    transfer: { from: { [COLLECTION]: '' }, to: {} },
  })

  async function createCustomersWallet(label: string): Promise<{ id: string }> {
    const { address } = await world.sandbox.control<{ address: string }>(
      'POST',
      'chain/addresses',
      { protocol: 'BTC' },
    )
    return world.call<{ id: string }>('POST', '/treasury/wallets', {
      type: 'CUSTOMER',
      asset: 'BTC',
      address,
      label,
      account_id: world.customer.account_id,
      customer_id: world.customer.id,
      access_type: 'EXTERNAL',
    })
  }

  const saved: { label: string; id: string }[] = []
  for (const [index, { point, loss }] of CASES.entries())
    it(`is saved once, killed at ${point}, ${loss ? 'without' : 'with'} the answer`, async () => {
      const label = `killed ${index}`
      const to = await createCustomersWallet(label)
      await world.killApi()
      await world.startApi({ KONTOR_FAILPOINT: point })
      if (loss)
        await world.sandbox.fault('fireblocks', 'create_external_wallet', 'TIMEOUT_AFTER_ACCEPT')
      const dying = world.api()
      const headers = { 'idempotency-key': newId() }
      const save = (): Promise<RouteRecord> =>
        world.call('POST', ROUTES, draft(label, to.id), headers)
      await assert.rejects(save())
      assert.equal(await dying.exited, 'SIGKILL', point)
      await world.startApi()
      const again = await repeat(save)
      const routes = await world.call<RouteRecord[]>('GET', `${ROUTES}?to_wallet_id=${to.id}`)
      assert.deepEqual(
        routes.map((route) => route.id),
        [again.id],
        'the save was committed first, and its repeat answers what it made',
      )
      saved.push({ label, id: again.id })
    })

  it('is made once by the worker', async () => {
    assert.equal(saved.length, CASES.length)
    const worker = world.worker()
    for (const { label, id } of saved) {
      const made = await until(
        `the collection of ${label}`,
        async () =>
          (await world.call<RouteRecord[]>('GET', `${ROUTES}?id=${id}`))[0]?.transfer.from[
            COLLECTION
          ],
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
