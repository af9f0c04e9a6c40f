/** Whose a withdrawal may become, by whose wallets it used. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { CAROLS } from '../batches/shared-transactions.testing.ts'
import { departure } from '../testing/venue.fixture.ts'
import { openThirdParties } from '../withdrawals/third-parties.testing.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { WithdrawalRectification } from './rectifications.schema.ts'

const REFUSED = '400 3001 WALLET_OF_ANOTHER_CUSTOMER'
const NOT_PERMITTED = '403 1003 PERMISSION_REQUIRED '

describe("a withdrawal over another customer's wallet", () => {
  let world: Awaited<ReturnType<typeof openThirdParties>>
  before(async () => {
    world = await openThirdParties()
  })
  after(async () => {
    assert.deepEqual(await world.place.verify(), [])
    await world.place.close()
  })

  const assign = (id: string, ...parts: object[]) =>
    world.place.call<WithdrawalAssignment>(
      'POST',
      `/treasury/withdrawals/${id}/assignments`,
      parts.map((part) => ({ quantity: '0.1', ...part })),
    )
  const ownersOf = async (id: string) => {
    const url = `/treasury/withdrawals/${id}/assignments`
    const { data } = await world.place.call<WithdrawalAssignment[]>('GET', url)
    return data.map((assignment) => assignment.account_id)
  }
  const paid = async (route: { id: string }, body: object = {}): Promise<Withdrawal> => {
    const { data } = await world.pay(route, body)
    await world.succeed(data)
    return data
  }
  /** What left the vault without us. */
  const left = async (foreign_id: string, more: Parameters<typeof departure>[3]) => {
    const { place } = world
    await place.leaves(place.vault, departure(foreign_id, 'BTC', '0.1', more))
    const { data } = await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')
    return data.find((row) => row.foreign_id === foreign_id) ?? assert.fail(foreign_id)
  }

  it('is assigned only as a third-party payment, each time, and is one from then on', async () => {
    const { alice, bob, read, routes, unpermitted } = world
    const { id } = await paid(routes.houseToBob)
    const toAlice = { account_id: alice.account_id, quantity: '0.04' }
    assert.equal(refusalOf(await assign(id, toAlice)), `${REFUSED} [0].account_id`)
    const both = [{ account_id: bob.account_id, quantity: '0.06' }, toAlice]
    assert.equal(refusalOf(await assign(id, ...both)), `${REFUSED} [1].account_id`)
    const named = { ...toAlice, third_party: true }
    assert.equal(refusalOf(await unpermitted(() => assign(id, named))), NOT_PERMITTED)
    assert.equal((await read(id)).third_party, false)
    assert.equal((await assign(id, named)).data.status, 'SUCCESSFUL')
    assert.equal((await read(id)).third_party, true)
    assert.equal(refusalOf(await assign(id, toAlice)), `${REFUSED} [0].account_id`)
  })

  it('is never of somebody else than whose wallet it left', async () => {
    const { bob, routes } = world
    const { id } = await paid(routes.aliceToAlice)
    const toBob = { account_id: bob.account_id, third_party: true }
    assert.equal(refusalOf(await assign(id, toBob)), `${REFUSED} [0].account_id`)
    assert.deepEqual(await ownersOf(id), [world.alice.account_id], 'the wallet says whose it is')
  })

  it('is rectified to another customer only as a third-party payment', async () => {
    const { alice, bob, place, read, routes, unpermitted } = world
    const rectify = async (id: string, target: object, query = '') => {
      const url = `/treasury/withdrawals/${id}/`
      const { data } = await place.call<WithdrawalAssignment[]>('GET', `${url}assignments`)
      return place.call<WithdrawalRectification>('POST', `${url}rectifications${query}`, {
        reason: 'WRONG_ACCOUNT',
        origins: data
          .filter((assignment) => assignment.rectification_id === null)
          .map((assignment) => assignment.id),
        targets: [{ quantity: '0.1', ...target }],
      })
    }
    const bobs = await paid(routes.houseToBob, { account_id: bob.account_id })
    const toAlice = { account_id: alice.account_id }
    const refused = `${REFUSED} targets[0].account_id`
    assert.equal(refusalOf(await rectify(bobs.id, toAlice)), refused)
    assert.equal(refusalOf(await rectify(bobs.id, toAlice, '?dry_run=true')), refused)
    const named = { ...toAlice, third_party: true }
    assert.equal(refusalOf(await unpermitted(() => rectify(bobs.id, named))), NOT_PERMITTED)
    assert.equal((await rectify(bobs.id, named)).status, 200)
    assert.equal((await read(bobs.id)).third_party, true)
    const dave = await place.customer('Dave')
    await place.fund(dave.account_id, 'BTC', '1')
    const toDave = { account_id: dave.account_id }
    assert.equal(refusalOf(await rectify(bobs.id, toDave)), refused, 'permitted once for Alice')
    const alices = await paid(routes.aliceToAlice, { account_id: alice.account_id })
    const toBob = { account_id: bob.account_id, third_party: true }
    assert.equal(refusalOf(await rectify(alices.id, toBob)), refused)
  })

  it('waits on SUSPENSE when a matching names somebody else', async () => {
    const { alice, place, read, routes } = world
    const made = await place.call('POST', '/accounts/matchings', {
      resource_id: alice.account_id,
      type: 'DESTINATION_WITHOUT_REFERENCE',
      details: { asset: 'BTC', is_withdrawal_matching: true, destination_address: CAROLS },
    })
    assert.equal(made.status, 200, made.text)
    const asked = await paid(routes.houseToBob)
    const outside = await left('outside-1', { wallet: '0', destination_address: CAROLS })
    for (const { id } of [asked, outside]) {
      assert.partialDeepStrictEqual(await read(id), {
        state: 'SUCCESS',
        reason_code: 'WALLET_OF_ANOTHER_CUSTOMER',
      })
      assert.deepEqual(await place.bookings(id), ['WITHDRAWAL BTC D suspense 0.1, C vault 0.1'])
    }
    const whole = { account_id: alice.account_id, third_party: true }
    assert.equal((await assign(asked.id, whole)).status, 200)
    assert.partialDeepStrictEqual(await read(asked.id), { reason_code: null, reason: null })
    const url = `/accounts/matchings/${String(made.data['id'])}`
    assert.equal((await place.call('DELETE', url)).status, 200)
  })

  it('is told by the address or by the place in the vault when it was made outside', async () => {
    const { alice, bob } = world
    const reached = await left('outside-2', { wallet: '0', destination_address: CAROLS })
    const toAlice = { account_id: alice.account_id }
    assert.equal(refusalOf(await assign(reached.id, toAlice)), `${REFUSED} [0].account_id`)
    const departed = await left('outside-3', { wallet: '7', destination_address: 'elsewhere' })
    assert.deepEqual(await ownersOf(departed.id), [alice.account_id])
    const toBob = { account_id: bob.account_id, third_party: true }
    assert.equal(refusalOf(await assign(departed.id, toBob)), `${REFUSED} [0].account_id`)
  })

  it('is decided by the same rule', async () => {
    const { alice, place, routes } = world
    await place.settings({ compliance: true })
    const { id } = await paid(routes.houseToBob)
    const assigned = await assign(id, { account_id: alice.account_id, third_party: true })
    assert.equal(assigned.data.status, 'PENDING', assigned.text)
    const decide = () =>
      place.call<WithdrawalAssignment>('PATCH', `/treasury/withdrawals/${id}/assignments`, {
        id: assigned.data.id,
        status: 'SUCCESSFUL',
      })
    const setThirdParty = (value: boolean) =>
      place.db.query(sql`
        update withdrawals
        set third_party = ${value}
        where id = ${id}`)
    await setThirdParty(false)
    assert.equal(refusalOf(await decide()), `${REFUSED} id`)
    await setThirdParty(true)
    assert.equal((await decide()).data.status, 'SUCCESSFUL')
    await place.settings({ compliance: false })
  })
})
