import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { BTC_ADDRESS, movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { WithdrawalRectification } from './rectifications.schema.ts'
import { openRectifications, to } from './rectifications.testing.ts'

describe('rectifications of a withdrawal', () => {
  let world: Awaited<ReturnType<typeof openRectifications>>
  before(async () => {
    world = await openRectifications()
  })
  after(() => world.place.close())

  it('are paid by its account, in a shared booking and in one of its own', async () => {
    const { ofWithdrawal, place } = world
    const [bob, carol] = [await place.customer('Bob'), await place.customer('Carol')]
    const balances = () =>
      Promise.all([bob, carol].map(({ account_id }) => place.balance(account_id, 'BTC')))
    await place.belongsTo(bob, place.wallets.alice)
    await place.fund(bob.account_id, 'BTC', '2')
    await place.fund(carol.account_id, 'BTC', '0.5')
    const { id, external_id } = await payOut(bob)
    const origins = await assignmentsOf(id)
    const byThirdParty = (quantity: string) =>
      to(carol.account_id, quantity).map((target) => ({ ...target, third_party: true }))
    const toCarol = { origins, targets: byThirdParty('1') }
    assert.equal(refusalOf(await ofWithdrawal(id, toCarol)), '400 3001 STATE_NOT_ALLOWED ')
    await place.work()
    place.models.vault.finish(external_id, {})
    await place.later(1000)
    assert.equal(refusalOf(await ofWithdrawal(id, toCarol)), '400 3001 INSUFFICIENT_BALANCE ')
    const split = await ofWithdrawal(id, {
      origins,
      targets: [...byThirdParty('0.4'), ...to(bob.account_id, '0.6')],
    })
    assert.equal(split.status, 200, split.text)
    assert.deepEqual(await balances(), ['1.4/0', '0.1/0'])
    const again = await ofWithdrawal(id, {
      reason: 'OTHER',
      note: 'it was Bob after all',
      origins: split.data.targets.slice(0, 1).map((target) => target.id),
      targets: to(bob.account_id, '0.4'),
    })
    assert.equal(again.status, 200, again.text)
    assert.equal(again.data.withdrawal_id, id)
    assert.deepEqual(
      again.data.targets.map((target) => target.withdrawal_id),
      [id],
    )
    assert.deepEqual(await balances(), ['1/0', '0.5/0'])
    assert.deepEqual(await place.bookings(id), [
      'WITHDRAWAL BTC D Bob 1, C vault 1',
      'RECTIFICATION BTC D suspense 1, C Bob 1',
      'RECTIFICATION BTC D Carol 0.4, C suspense 0.4',
      'RECTIFICATION BTC D Bob 0.6, C suspense 0.6',
      'REVERSAL BTC D suspense 0.4, C Carol 0.4',
      'RECTIFICATION BTC D Bob 0.4, C suspense 0.4',
    ])
    assert.deepEqual(await rectificationsOf(id), [again.data.id, split.data.id])
    const events = await place.events(id)
    assert.equal(events.filter((event) => event.endsWith('rectified')).length, 2)
    assert.deepEqual(await place.verify(), [])
  })

  async function payOut({ account_id }: { account_id: string }): Promise<Withdrawal> {
    const { place } = world
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
      { quantity: '1', speed_level: 'DEFAULT', account_id },
    )
    return made.data
  }
  const assignmentsOf = async (id: string) =>
    (
      await world.place.call<WithdrawalAssignment[]>(
        'GET',
        `/treasury/withdrawals/${id}/assignments`,
      )
    ).data.map((row) => row.id)
  const rectificationsOf = async (id: string) =>
    (
      await world.place.call<WithdrawalRectification[]>(
        'GET',
        `/treasury/withdrawals/${id}/rectifications`,
      )
    ).data.map((row) => row.id)

  it('are refused for an own transfer', async () => {
    const { ofWithdrawal, place } = world
    place.arrives(
      place.vault,
      movement('own-1', 'BTC', '1', { wallet: '0', destination_address: BTC_ADDRESS }),
    )
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${place.routes.vaultToExchange.id}/withdrawals`,
      { quantity: '1', speed_level: 'DEFAULT' },
    )
    assert.equal(
      refusalOf(
        await ofWithdrawal(made.data.id, {
          origins: [newId()],
          targets: [{ account_id: place.alice.account_id, quantity: '1' }],
        }),
      ),
      '400 3001 STATE_NOT_ALLOWED ',
    )
  })
})
