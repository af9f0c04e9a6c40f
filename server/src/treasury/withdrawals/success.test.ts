import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refusalOf } from '../../http/testing.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { CUSTOMERS_ADDRESS } from '../testing/movements.testing.ts'
import { movement } from '../testing/venue.fixture.ts'
import { openWithdrawals } from './withdrawals.testing.ts'

describe('what a withdrawal that has left books', () => {
  let withdrawals: Awaited<ReturnType<typeof openWithdrawals>>
  before(async () => {
    withdrawals = await openWithdrawals()
  })
  after(async () => {
    assert.deepEqual(await withdrawals.place.verify(), [])
    await withdrawals.place.close()
  })

  const succeedOfNobody = async () => {
    const made = await withdrawals.request(withdrawals.routes.payout, {})
    await withdrawals.place.work()
    withdrawals.models.vault.finish(made.data.external_id, {})
    await withdrawals.place.later(1000)
    return made.data.id
  }

  const deposit = async (foreign_id: string): Promise<Deposit> => {
    const url = `/treasury/deposits?foreign_id=${foreign_id}`
    return (await withdrawals.place.call<Deposit[]>('GET', url)).data[0] ?? assert.fail(foreign_id)
  }

  it('lets the customer bear the fee where the workspace says so', async () => {
    const { funded, models, place, request, routes } = withdrawals
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    const bob = await funded('1.0003')
    assert.equal(
      refusalOf(await request(routes.payout, { account_id: bob.account_id, quantity: '1.0002' })),
      '400 3001 INSUFFICIENT_BALANCE quantity',
    )
    const made = await request(routes.payout, { account_id: bob.account_id })
    assert.equal(await place.balance(bob.account_id, 'BTC'), '1.0003/1.0002')
    await place.work()
    models.vault.finish(made.data.external_id, { fee: 100_000_000_000_000n, fee_asset: 'BTC' })
    await place.later(1000)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '0.0002/0')
    assert.deepEqual(await place.bookings(made.data.id), [
      'WITHDRAWAL BTC D Bob 1, C vault 1',
      'WITHDRAWAL_FEE BTC D Bob 0.0001, C vault 0.0001',
    ])
    await place.settings({ fee_borne_by: 'HOUSE' })
  })

  it('keeps a withdrawal without an account on SUSPENSE until it is assigned', async () => {
    const { assign, funded, place } = withdrawals
    const id = await succeedOfNobody()
    assert.deepEqual(await place.bookings(id), ['WITHDRAWAL BTC D suspense 1, C vault 1'])
    const poor = await funded('0.5')
    const bob = await funded()
    assert.equal(
      refusalOf(
        await assign(id, [{ account_id: poor.account_id, quantity: '0.6', third_party: true }]),
      ),
      '400 3001 INSUFFICIENT_BALANCE ',
    )
    assert.equal(
      refusalOf(
        await assign(id, [
          { account_id: bob.account_id, quantity: '0.6' },
          { account_id: bob.account_id, quantity: '0.6' },
        ]),
      ),
      '400 3001 SUM_MISMATCH ',
    )
    assert.equal(
      (await assign(id, [{ account_id: bob.account_id, quantity: '0.6' }])).data.status,
      'SUCCESSFUL',
    )
    assert.equal(
      (
        await assign(id, [
          { account_id: bob.account_id, quantity: '0.1' },
          { account_id: poor.account_id, quantity: '0.3', third_party: true },
        ])
      ).status,
      200,
    )
    assert.equal(await place.balance(place.house.SUSPENSE, 'BTC'), '0/0')
    assert.equal(await place.balance(bob.account_id, 'BTC'), '2.3/0')
  })

  it('assigns a withdrawal without an account by the matchings', async () => {
    const { assignments, funded, place } = withdrawals
    const bob = await funded()
    const matching = await place.call('POST', '/accounts/matchings', {
      resource_id: bob.account_id,
      type: 'DESTINATION_WITHOUT_REFERENCE',
      details: {
        asset: 'BTC',
        is_withdrawal_matching: true,
        destination_address: CUSTOMERS_ADDRESS.toUpperCase(),
      },
    })
    assert.equal(matching.status, 200, matching.text)
    const matched = await succeedOfNobody()
    assert.deepEqual(await place.bookings(matched), [
      'WITHDRAWAL BTC D suspense 1, C vault 1',
      'WITHDRAWAL_ASSIGNMENT BTC D Bob 1, C suspense 1',
    ])
    assert.deepEqual(
      (await assignments(matched)).map(({ status, source, matching_id }) => ({
        status,
        source,
        matching_id,
      })),
      [{ status: 'SUCCESSFUL', source: 'MATCHING', matching_id: matching.data['id'] }],
    )
    assert.equal(
      (await place.call('DELETE', `/accounts/matchings/${String(matching.data['id'])}`)).status,
      200,
    )
  })

  it('holds what is assigned in flight, and books it with the end', async () => {
    const { assign, funded, models, place, request, routes } = withdrawals
    const bob = await funded()
    const made = await request(routes.payout, { quantity: '2' })
    await place.work()
    const assigned = await assign(made.data.id, [{ account_id: bob.account_id, quantity: '1.5' }])
    assert.partialDeepStrictEqual(assigned.data, { status: 'PENDING', decided_at: null })
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1.5')
    assert.equal(
      refusalOf(
        await place.call('PATCH', `/treasury/withdrawals/${made.data.id}/assignments`, {
          id: assigned.data.id,
          status: 'SUCCESSFUL',
        }),
      ),
      '400 3001 STATE_NOT_ALLOWED status',
    )
    models.vault.finish(made.data.external_id, {})
    await place.later(1000)
    assert.deepEqual(await place.bookings(made.data.id), [
      'WITHDRAWAL BTC D Bob 1.5, D suspense 0.5, C vault 2',
    ])
    assert.equal(await place.balance(bob.account_id, 'BTC'), '1.5/0')
    await assign(made.data.id, [{ account_id: bob.account_id, quantity: '0.5' }])
    assert.equal(await place.balance(place.house.SUSPENSE, 'BTC'), '0/0')
  })

  it('moves own money by TRANSIT, a difference on arrival is a fee', async () => {
    const { assign, models, place, request, routes } = withdrawals
    const made = await request(routes.vaultToExchange, { quantity: '2' })
    await place.work()
    models.vault.finish(made.data.external_id, {
      transaction_hash: 'own-1',
      fee: 20_000_000_000_000n,
      fee_asset: 'BTC',
    })
    await place.later(1000)
    assert.equal(await place.balance(place.house.TRANSIT, 'BTC'), '2/0')
    assert.equal(
      refusalOf(
        await assign(made.data.id, [{ account_id: place.alice.account_id, quantity: '1' }]),
      ),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    place.arrives(place.exchange, movement('in-1', 'BTC', '1.9', { transaction_hash: 'OWN-1' }))
    await place.later(10_000)
    const arrived = await deposit('in-1')
    assert.partialDeepStrictEqual(arrived, {
      state: 'SUCCESSFUL',
      related_withdrawal_id: made.data.id,
    })
    assert.deepEqual(await place.bookings(arrived.id), [
      'TRANSFER BTC D exchange 1.9, C transit 1.9',
      'TRANSFER_FEE BTC D fee 0.1, C transit 0.1',
    ])
    assert.deepEqual(await place.bookings(made.data.id), [
      'TRANSFER BTC D transit 2, C vault 2',
      'WITHDRAWAL_FEE BTC D fee 0.00002, C vault 0.00002',
    ])
    assert.equal(await place.balance(place.house.TRANSIT, 'BTC'), '0/0')
  })

  it('waits for the transaction of an own transfer', async () => {
    const { models, place, request, routes } = withdrawals
    const made = await request(routes.vaultToExchange, { quantity: '1.25' })
    await place.work()
    place.arrives(place.exchange, movement('in-2', 'BTC', '1.25', { transaction_hash: 'own-2' }))
    await place.later(10_000)
    assert.equal((await deposit('in-2')).state, 'PENDING')
    models.vault.finish(made.data.external_id, { transaction_hash: 'own-2' })
    await place.later(10_000)
    await place.later(10_000)
    assert.equal((await deposit('in-2')).state, 'SUCCESSFUL')
  })

  it('waits for a transaction that replaces that of an own transfer', async () => {
    const { models, place, request, routes } = withdrawals
    const made = await request(routes.vaultToExchange, { quantity: '1.26' })
    const { external_id } = made.data
    await place.work()
    const stuck = { foreign_id: 'stuck', transaction_hash: 'own-3' }
    models.vault.finish(external_id, { state: 'PENDING', ...stuck })
    await place.later(10_000)
    place.arrives(place.exchange, movement('in-5', 'BTC', '1.26', { transaction_hash: 'own-4' }))
    await place.later(10_000)
    assert.equal((await deposit('in-5')).state, 'PENDING')
    models.vault.finish(external_id, {
      foreign_id: 'boost',
      transaction_hash: 'own-4',
      former: [stuck],
    })
    await place.later(10_000)
    await place.later(10_000)
    assert.partialDeepStrictEqual(await deposit('in-5'), {
      state: 'SUCCESSFUL',
      related_withdrawal_id: made.data.id,
    })
  })

  it('knows an own transfer by a transaction that was to be replaced and confirmed', async () => {
    const { models, place, request, routes } = withdrawals
    const made = await request(routes.vaultToExchange, { quantity: '1.27' })
    await place.work()
    const stuck = { foreign_id: 'stuck too', transaction_hash: 'own-5' }
    const boost = { foreign_id: 'boost too', transaction_hash: 'own-6', former: [stuck] }
    models.vault.finish(made.data.external_id, { state: 'PENDING', ...boost })
    await place.later(10_000)
    place.arrives(place.exchange, movement('in-6', 'BTC', '1.27', { transaction_hash: 'OWN-5' }))
    await place.later(10_000)
    assert.partialDeepStrictEqual(await deposit('in-6'), {
      related_withdrawal_id: made.data.id,
    })
  })

  it('knows an own transfer at a bank by its amount and source', async () => {
    const { models, place, request, routes } = withdrawals
    const wire = await request(routes.bankToExchange, { quantity: '250.5' })
    await place.work()
    models.bank.finish(wire.data.external_id, {})
    place.arrives(
      place.exchange,
      movement('in-3', 'EUR', '250.5', {
        source_address: place.wallets.bank.address,
        transaction_hash: 'refid',
      }),
      movement('in-4', 'EUR', '250.5', { source_address: 'FR1420041010050500013M02606' }),
    )
    await place.later(10_000)
    assert.equal((await deposit('in-3')).state, 'SUCCESSFUL')
    assert.equal((await deposit('in-4')).state, 'UNASSIGNED')
    assert.equal(await place.balance(place.house.TRANSIT, 'EUR'), '0/0')
  })

  it('gives a returned payment back to the accounts that paid it', async () => {
    const { models, place, request, routes } = withdrawals
    const eve = await place.customer('Eve')
    await place.belongsTo(eve, place.wallets.aliceEur)
    await place.fund(eve.account_id, 'EUR', '100')
    const made = await request(routes.bankToAlice, { account_id: eve.account_id, quantity: '80' })
    assert.equal(made.status, 200, made.text)
    await place.work()
    models.bank.finish(made.data.external_id, {})
    await place.later(1000)
    assert.equal(await place.balance(eve.account_id, 'EUR'), '20/0')
    place.arrives(
      place.bank,
      movement('return-1', 'EUR', '80', {
        wallet: place.wallets.bank.address,
        related_external_id: made.data.external_id,
      }),
    )
    await place.later(10_000)
    const arrived = await deposit('return-1')
    assert.partialDeepStrictEqual(arrived, {
      state: 'SUCCESSFUL',
      related_withdrawal_id: made.data.id,
    })
    assert.equal(await place.balance(eve.account_id, 'EUR'), '100/0')
  })
})
