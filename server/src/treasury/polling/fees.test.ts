/** What a withdrawal costs is booked once, whenever and however the venue reports it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { departure } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { debit, openPolling } from './polling.testing.ts'

describe('fees', () => {
  let polling: Awaited<ReturnType<typeof openPolling>>
  before(async () => {
    polling = await openPolling()
  })
  after(() => polling.close())

  it('what a failed withdrawal cost is booked, as the venue reports it', async () => {
    const { place, read, send } = polling
    const sent = await send(place.routes.vaultToExchange, { quantity: '0.2' })
    place.models.vault.finish(sent.external_id, {
      state: 'FAILED',
      sub_state: 'FAILED',
      fee: decimal('0.003'),
      fee_asset: 'BTC',
    })
    await place.later(15_000)
    assert.deepEqual(
      {
        state: (await read(sent.id)).state,
        fee: (await read(sent.id)).fee,
        bookings: await place.bookings(sent.id),
      },
      {
        state: 'FAILED',
        fee: '0.003',
        bookings: ['WITHDRAWAL_FEE BTC D fee 0.003, C vault 0.003'],
      },
    )
    const { foreign_id } = place.models.vault.accepted.get(sent.external_id) ?? assert.fail()
    const failed = departure(foreign_id, 'BTC', '0.2', {
      state: 'FAILED',
      left: false,
      external_id: sent.external_id,
      wallet: '0',
      fee_asset: 'BTC',
    })
    await place.leaves(place.vault, { ...failed, fee: decimal('0.003') }, { ...failed, fee: null })
    assert.equal((await place.bookings(sent.id)).length, 1)
  })

  it('what a failed withdrawal cost is booked, as a person knows it', async () => {
    const { place, read, send } = polling
    place.models.vault.mode = 'late'
    place.models.vault.down = true
    const unseen = await send(place.routes.vaultToExchange, { quantity: '0.21' })
    const resolved = await place.call<Withdrawal>(
      'POST',
      `/treasury/withdrawals/${unseen.id}/resolve`,
      { state: 'FAILED', evidence: 'block explorer', fee: '0.001' },
    )
    assert.deepEqual(
      {
        state: resolved.data.state,
        fee: (await read(unseen.id)).fee,
        bookings: await place.bookings(unseen.id),
      },
      {
        state: 'FAILED',
        fee: '0.001',
        bookings: ['WITHDRAWAL_FEE BTC D fee 0.001, C vault 0.001'],
      },
      resolved.text,
    )
    place.models.vault.mode = 'accept'
    place.models.vault.down = false
  })

  it('a later or changed fee is booked to whoever bears the fee', async () => {
    const { place, read, send } = polling
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.alice)
    await place.fund(bob.account_id, 'BTC', '2')
    const sent = await send(place.routes.payout, { quantity: '1', account_id: bob.account_id })
    await place.settings({ fee_borne_by: 'HOUSE' })
    place.models.vault.finish(sent.external_id, {
      fee: null,
      fee_asset: null,
      transaction_hash: 'paid-later',
    })
    await place.later(15_000)
    assert.partialDeepStrictEqual(await read(sent.id), { state: 'SUCCESS', fee: null })
    const { foreign_id } = place.models.vault.accepted.get(sent.external_id) ?? assert.fail()
    const seen = departure(foreign_id, 'BTC', '1', {
      external_id: sent.external_id,
      wallet: '0',
      transaction_hash: 'paid-later',
      fee_asset: 'BTC',
    })
    await place.leaves(place.vault, seen)
    await place.leaves(place.vault, { ...seen, fee: decimal('0.0003') })
    await place.leaves(place.vault, { ...seen, fee: decimal('0.0003') })
    await place.leaves(place.vault, { ...seen, fee: decimal('0.0002') })
    assert.deepEqual((await place.bookings(sent.id)).slice(1), [
      'WITHDRAWAL_FEE BTC D Bob 0.0003, C vault 0.0003',
      'WITHDRAWAL_FEE BTC C Bob 0.0001, D vault 0.0001',
    ])
    assert.deepEqual(
      { fee: (await read(sent.id)).fee, total: await place.total(bob.account_id, 'BTC') },
      { fee: '0.0002', total: '0.9998' },
    )
    assert.deepEqual(
      (await place.events(sent.id)).filter((event) => event === 'withdrawal.fee_adjusted').length,
      2,
    )
  })

  it('what failed at a cost and left after all costs what the venue tells in all', async () => {
    const { lateOf, place, send } = polling
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.alice)
    await place.fund(bob.account_id, 'BTC', '1')
    const sent = await send(place.routes.payout, { quantity: '0.5', account_id: bob.account_id })
    place.models.vault.finish(sent.external_id, {
      state: 'FAILED',
      fee: decimal('0.003'),
      fee_asset: 'BTC',
    })
    await place.later(15_000)
    const { foreign_id } = place.models.vault.accepted.get(sent.external_id) ?? assert.fail()
    const left = departure(foreign_id, 'BTC', '0.5', {
      external_id: sent.external_id,
      wallet: '0',
      fee: decimal('0.003'),
      fee_asset: 'BTC',
    })
    for (const fee of ['0.003', '0.003', '0.004'])
      await place.leaves(place.vault, { ...left, fee: decimal(fee) })
    assert.deepEqual(await place.bookings(sent.id), [
      'WITHDRAWAL_FEE BTC D fee 0.003, C vault 0.003',
    ])
    assert.deepEqual(await place.bookings((await lateOf(sent.id)).id), [
      'WITHDRAWAL BTC D Bob 0.5, C vault 0.5',
      'WITHDRAWAL_FEE BTC D fee 0.001, C vault 0.001',
    ])
  })

  describe('a charge of a withdrawal', () => {
    let sent: Withdrawal
    const charge = (id: string, external_id: string | null, quantity: string) =>
      debit(id, quantity, { kind: 'CHARGE', external_id, destination_address: null })

    after(() => polling.place.settings({ fee_borne_by: 'HOUSE' }))

    it('is its fee, borne by the customer where the workspace says so', async () => {
      const { place, read, report, send } = polling
      await place.settings({ fee_borne_by: 'CUSTOMER' })
      place.bank.fee = 12n * 10n ** 18n
      await place.fund(place.alice.account_id, 'EUR', '1000')
      const start = Number(await place.total(place.alice.account_id))
      sent = await send(place.routes.bankToAlice, {
        quantity: '100',
        account_id: place.alice.account_id,
      })
      assert.equal(await place.balance(place.alice.account_id, 'EUR'), `${start}/112`)
      await report(place.bank, charge('C1', sent.external_id, '12.5'))
      place.models.bank.finish(sent.external_id, {})
      await place.later(15_000)
      assert.deepEqual(
        {
          state: (await read(sent.id)).state,
          fee: (await read(sent.id)).fee,
          balance: await place.balance(place.alice.account_id, 'EUR'),
        },
        { state: 'SUCCESS', fee: '12.5', balance: `${start - 112.5}/0` },
      )
    })

    it('is added to the fee when it comes later, once', async () => {
      const { place, read, report } = polling
      await report(place.bank, charge('C2', sent.external_id, '0.5'))
      await place.db.query(sql`
        update outgoing_cursors
        set cursor = null`)
      await place.later(10_000)
      assert.equal((await read(sent.id)).fee, '13')
      assert.deepEqual(await place.bookings(sent.id), [
        'WITHDRAWAL EUR D Alice 100, C bank 100',
        'WITHDRAWAL_FEE EUR D Alice 12.5, C bank 12.5',
        'WITHDRAWAL_FEE EUR D Alice 0.5, C bank 0.5',
      ])
      assert.ok((await place.events(sent.id)).includes('withdrawal.fee_adjusted'))
      await place.settings({ fee_borne_by: 'HOUSE' })
    })

    it('is booked also when the bank refuses the payment', async () => {
      const { place, read, report, send } = polling
      const refused = await send(place.routes.bankToAlice, { quantity: '7' })
      await report(place.bank, charge('C3', refused.external_id, '2'))
      place.models.bank.finish(refused.external_id, { state: 'REJECTED', sub_state: 'RJCT' })
      await place.later(15_000)
      assert.deepEqual(
        {
          state: (await read(refused.id)).state,
          fee: (await read(refused.id)).fee,
          bookings: await place.bookings(refused.id),
        },
        { state: 'REJECTED', fee: '2', bookings: ['WITHDRAWAL_FEE EUR D fee 2, C bank 2'] },
      )
    })

    it('in another asset is a cost beside the fee, booked with the end or after it', async () => {
      const { place, read, report, send } = polling
      const apart = await send(place.routes.bankToAlice, { quantity: '8' })
      const inBitcoin = (id: string) => ({ ...charge(id, apart.external_id, '0.5'), asset: 'BTC' })
      await report(place.bank, inBitcoin('C5'))
      place.models.bank.finish(apart.external_id, {})
      await place.later(15_000)
      await report(place.bank, inBitcoin('C6'), charge('C7', apart.external_id, '1'))
      assert.partialDeepStrictEqual(await read(apart.id), { fee: '1', fee_asset: 'EUR' })
      assert.deepEqual(await place.bookings(apart.id), [
        'WITHDRAWAL EUR D suspense 8, C bank 8',
        ...['BTC D fee 0.5, C bank 0.5', 'BTC D fee 0.5, C bank 0.5', 'EUR D fee 1, C bank 1'].map(
          (text) => `WITHDRAWAL_FEE ${text}`,
        ),
      ])
    })

    it('that names none is a cost of the house', async () => {
      const { external, place, report } = polling
      await report(place.bank, charge('C4', null, '9'))
      const row = await external('C4')
      assert.deepEqual(await place.bookings(row.id), ['WITHDRAWAL_FEE EUR D fee 9, C bank 9'])
      assert.equal(
        refusalOf(
          await place.call('POST', `/treasury/withdrawals/${row.id}/assignments`, [
            { account_id: place.alice.account_id, quantity: '9' },
          ]),
        ),
        '400 3001 STATE_NOT_ALLOWED ',
      )
    })
  })
})
