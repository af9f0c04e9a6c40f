/** Whose wallets a payment may use: single ones, batches and transfer jobs. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import type { WalletId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import type { BatchRequest } from '../batches/batches.schema.ts'
import type { Customer } from '../../customers/index.ts'
import type { Job, JobRun } from '../jobs/jobs.schema.ts'
import { walletById } from '../wallets/rows.ts'
import { openThirdParties } from './third-parties.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

const REFUSED = '400 3001 WALLET_OF_ANOTHER_CUSTOMER'
const NOT_PERMITTED = '403 1003 PERMISSION_REQUIRED '

describe("another customer's wallet", () => {
  let world: Awaited<ReturnType<typeof openThirdParties>>
  before(async () => {
    world = await openThirdParties()
  })
  after(async () => {
    assert.deepEqual(await world.place.verify(), [])
    await world.place.close()
  })

  it('is paid only by a third-party payment, which the caller may make', async () => {
    const { alice, balances, bob, pay, read, routes, succeed, unpermitted } = world
    const { account_id } = alice
    assert.equal(
      refusalOf(await pay(routes.houseToBob, { account_id })),
      `${REFUSED} treasury_route_id`,
    )
    const named = { account_id, third_party: true }
    const denied = await unpermitted(() => pay(routes.houseToBob, named))
    assert.equal(refusalOf(denied), NOT_PERMITTED)
    assert.match(denied.text, /treasury\.withdrawals\.third_party/)
    assert.deepEqual(await balances(), ['3/0', '3/0'])
    const made = await pay(routes.houseToBob, named)
    assert.equal(made.status, 200, made.text)
    await succeed(made.data)
    assert.partialDeepStrictEqual(await read(made.data.id), { state: 'SUCCESS', third_party: true })
    assert.deepEqual(await balances(), ['2.9/0', '3/0'])
    const own = await unpermitted(() =>
      pay(routes.houseToBob, { account_id: bob.account_id, third_party: false }),
    )
    assert.partialDeepStrictEqual(own.data, { state: 'PENDING', third_party: false }, own.text)
    await succeed(own.data)
    assert.deepEqual(await balances(), ['2.9/0', '2.9/0'])
  })

  it('is never paid from, whoever asks', async () => {
    const { bob, pay, routes } = world
    for (const route of [routes.aliceToAlice, routes.aliceToBob, routes.aliceToHouse])
      for (const third_party of [false, true])
        assert.equal(
          refusalOf(await pay(route, { account_id: bob.account_id, third_party })),
          `${REFUSED} treasury_route_id`,
        )
  })

  it('is not paid from when it becomes theirs while the venue is asked for the fee', async (t) => {
    const { alice, bob, pay, place, routes } = world
    const wallet = (id: WalletId) => walletById(place.db, place.workspace, id)
    const give = async ({ id, account_id }: Customer) => {
      const known = await wallet(routes.aliceToAlice.from_wallet_id)
      const next = { ...known, customer_id: id, account_id }
      const given = await place.call('PUT', `/treasury/wallets/${known.id}`, next)
      assert.equal(given.status, 200, given.text)
    }
    const { venues } = place.app
    const connect = venues.connect.bind(venues)
    t.mock.method(venues, 'connect', async (...at: Parameters<typeof connect>) => {
      const { venue, adapter } = await connect(...at)
      const transfers = adapter.transfers ?? assert.fail()
      const estimateFee: typeof transfers.estimateFee = async (order) => {
        t.mock.restoreAll()
        await give(bob)
        return transfers.estimateFee(order)
      }
      return { venue, adapter: { ...adapter, transfers: { ...transfers, estimateFee } } }
    })
    assert.equal(
      refusalOf(await pay(routes.aliceToAlice, { account_id: alice.account_id })),
      `${REFUSED} treasury_route_id`,
    )
    await give(alice)
    const { id, version } = place.wallets.vault
    assert.equal((await wallet(id)).version, version, 'a payment is no change of its wallet')
  })

  it('gets nothing from a customer whom the payment does not name', async () => {
    const { pay, routes } = world
    const unnamed = await pay(routes.aliceToBob)
    assert.equal(refusalOf(unnamed), `${REFUSED} treasury_route_id`)
    for (const third_party of [false, true])
      assert.equal(
        refusalOf(await pay(routes.aliceToBobsVault, { third_party })),
        `${REFUSED} treasury_route_id`,
        'an own transfer changes no owner',
      )
  })

  it('stands in the way of no payment between a customer and the house', async () => {
    const { alice, bob, pay, routes, succeed } = world
    for (const [route, body] of [
      [routes.aliceToAlice, { account_id: alice.account_id }],
      [routes.aliceToAlice, {}],
      [routes.aliceToHouse, {}],
      [routes.houseToBobsVault, {}],
      [routes.houseToBobsVault, { account_id: bob.account_id }],
      [routes.houseToBob, {}],
    ] as const) {
      const made = await pay(route, body)
      assert.equal(made.status, 200, made.text)
      await succeed(made.data)
    }
  })

  describe('in a batch', () => {
    const prepare = (withdrawals: readonly object[]) =>
      world.place.call<BatchRequest[]>('POST', '/treasury/withdrawals/batch/prepare', {
        withdrawals: withdrawals.map((item) => ({
          quantity: '0.1',
          speed_level: 'DEFAULT',
          ...item,
        })),
      })
    const submit = (withdrawals: readonly object[]) =>
      world.place.call<Withdrawal[]>('POST', '/treasury/withdrawals/batch/submit', { withdrawals })
    const total = (balance = '') => decimal(balance.split('/')[0] ?? '')
    const items = () => {
      const { alice, bob, routes } = world
      return {
        own: { route_id: routes.houseToBob.id, account_id: bob.account_id },
        alices: { route_id: routes.houseToBob.id, account_id: alice.account_id },
        fromAlices: { route_id: routes.aliceToBob.id, account_id: bob.account_id },
      }
    }

    it('refuses all for the item that it names', async () => {
      const { balances, unpermitted } = world
      const { own, alices, fromAlices } = items()
      const before = await balances()
      const refused = `${REFUSED} withdrawals[1].route_id`
      assert.equal(refusalOf(await prepare([own, alices])), refused)
      assert.equal(refusalOf(await prepare([own, { ...fromAlices, third_party: true }])), refused)
      const named = [own, { ...alices, third_party: true }]
      assert.equal(refusalOf(await unpermitted(() => prepare(named))), NOT_PERMITTED)
      assert.deepEqual(await balances(), before)
    })

    it('keeps third-party payments apart, and submits them as permitted', async () => {
      const { balances, place, succeed, unpermitted } = world
      const { own, alices } = items()
      const before = await balances()
      const prepared = await prepare([own, { ...alices, third_party: true }, own])
      assert.deepEqual(
        prepared.data.map(({ stakes }) => stakes.map((stake) => stake.third_party ?? false)),
        [[false, false], [true]],
      )
      assert.equal(refusalOf(await unpermitted(() => submit(prepared.data))), NOT_PERMITTED)
      const made = await submit(prepared.data)
      assert.deepEqual(
        made.data.map((row) => row.third_party),
        [false, true],
      )
      for (const row of made.data) await succeed(row)
      const spent = (await balances()).map((text, index) => total(before[index]) - total(text))
      assert.deepEqual(spent.map(format), ['0.1', '0.2'])
      assert.deepEqual(await place.verify(), [])
    })

    it('asks again when it is submitted: the wallet may have changed hands', async () => {
      const { alice, bob, bobs, place } = world
      const { own } = items()
      const { data } = await prepare([own, { ...own, note: 'second' }])
      await place.belongsTo(alice, bobs)
      assert.equal(refusalOf(await submit(data)), `${REFUSED} withdrawals[0].stakes[0].route_id`)
      await place.belongsTo(bob, bobs)
      assert.equal((await submit(data)).status, 200)
    })
  })

  it('is no end of a transfer job that begins at a customer of its own', async () => {
    const { alice, bob, place, routes } = world
    const job = (route: { id: string }) =>
      place.call<Job>('POST', '/treasury/jobs', {
        route: route.id,
        condition_type: 'CONDITIONAL',
        active: true,
        interval: 15,
        speed_level: 'DEFAULT',
        quantity: '0.1',
        conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '0.05' }],
      })
    for (const route of [routes.aliceToBob, routes.aliceToBobsVault])
      assert.equal(refusalOf(await job(route)), `${REFUSED} route`)
    await place.belongsTo(alice, world.bobs)
    const made = await job(routes.aliceToBob)
    assert.equal(made.status, 200, made.text)
    await place.belongsTo(bob, world.bobs)
    place.vault.balances = place.vault.balances.map((row) => ({ ...row, wallet: '7' }))
    await place.work()
    const { data } = await place.call<JobRun[]>('GET', `/treasury/jobs/${made.data.id}/runs`)
    assert.partialDeepStrictEqual(data[0], { state: 'FAILED', reason: 'REFUSED' })
    assert.match(data[0]?.explanation ?? '', /WALLET_OF_ANOTHER_CUSTOMER/)
  })
})
