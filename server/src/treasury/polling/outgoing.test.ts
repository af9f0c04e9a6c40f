import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { until } from '../../core/testing.ts'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { CUSTOMERS_IBAN } from '../testing/movements.testing.ts'
import { BTC_ADDRESS, departure, movement, OTHER_BTC_ADDRESS } from '../testing/venue.fixture.ts'
import { POLL_TASK } from '../tasks.ts'
import { hearTransfers } from './hearing.ts'
import { debit, openPolling } from './polling.testing.ts'

describe('what leaves a venue', () => {
  let polling: Awaited<ReturnType<typeof openPolling>>
  before(async () => {
    polling = await openPolling()
  })
  after(() => polling.close())

  it('becomes an EXTERNAL withdrawal on SUSPENSE, once, and is assigned by hand', async () => {
    const { external, externals, place, report } = polling
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.aliceEur)
    await place.fund(bob.account_id, 'EUR', '100')
    const before = await place.total(place.bank.accounts.VENUE)
    await report(place.bank, debit('D1', '40', { reference_text: 'lunch' }))
    const row = await external('D1')
    assert.partialDeepStrictEqual(row, {
      state: 'SUCCESS',
      quantity: '40',
      from_wallet_id: place.wallets.bank.id,
      destination_address: CUSTOMERS_IBAN,
      reference_text: 'lunch',
      fee: '0',
    })
    assert.deepEqual(await place.bookings(row.id), ['WITHDRAWAL EUR D suspense 40, C bank 40'])
    assert.deepEqual(await place.events(row.id), ['withdrawal.discovered', 'withdrawal.succeeded'])
    assert.equal(Number(before) - Number(await place.total(place.bank.accounts.VENUE)), 40)
    await place.db.query(sql`
      update outgoing_cursors
      set cursor = null`)
    await place.later(10_000)
    assert.deepEqual(
      (await externals()).map((withdrawal) => withdrawal.version),
      [row.version],
    )
    const url = `/treasury/withdrawals/${row.id}/assignments`
    assert.equal(
      refusalOf(await place.call('POST', url, [{ account_id: bob.account_id, quantity: '40.01' }])),
      '400 3001 SUM_MISMATCH ',
    )
    const assigned = await place.call<WithdrawalAssignment>('POST', url, [
      { account_id: bob.account_id, quantity: '40' },
    ])
    assert.partialDeepStrictEqual(
      assigned.data,
      { status: 'SUCCESSFUL', source: 'MANUAL' },
      assigned.text,
    )
    assert.equal(await place.total(bob.account_id), '60')
    assert.deepEqual(
      (await place.bookings(row.id))[1],
      'WITHDRAWAL_ASSIGNMENT EUR D Bob 40, C suspense 40',
    )
  })

  it('is matched by the withdrawal matchings', async () => {
    const { external, place, report } = polling
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.aliceEur)
    await place.call('POST', '/accounts/matchings', {
      resource_id: bob.account_id,
      type: 'DESTINATION_WITH_REFERENCE',
      details: {
        asset: 'EUR',
        is_withdrawal_matching: true,
        destination_address: CUSTOMERS_IBAN,
        reference: 'KD-9',
      },
    })
    await report(place.bank, debit('D2', '5', { reference_text: 'for KD-9' }))
    const row = await external('D2')
    assert.deepEqual(await place.bookings(row.id), [
      'WITHDRAWAL EUR D suspense 5, C bank 5',
      'WITHDRAWAL_ASSIGNMENT EUR D Bob 5, C suspense 5',
    ])
    assert.equal(await place.total(bob.account_id), '-5', 'a fact is booked')
  })

  it('is followed until it is final, and what fails leaves nothing behind', async () => {
    const { external, externals, place, report } = polling
    const pending = {
      state: 'PENDING' as const,
      left: false,
      sub_state: 'Initial',
      destination_address: CUSTOMERS_IBAN,
      fee: null,
      fee_asset: null,
    }
    await report(
      place.exchange,
      departure('X1', 'BTC', '0.1', pending),
      departure('X2', 'BTC', '0.2', pending),
      departure('X3', 'BTC', '0.3', { state: 'FAILED', left: false }),
    )
    assert.deepEqual(
      {
        state: (await external('X1')).state,
        bookings: await place.bookings((await external('X1')).id),
      },
      { state: 'PENDING', bookings: [] },
    )
    const finer = { fee: 10n ** 14n, fee_asset: 'BTC', transaction_hash: 'hx1' }
    await report(
      place.exchange,
      departure('X1', 'BTC', '0.1', finer),
      departure('X2', 'BTC', '0.2', { state: 'FAILED', left: false }),
      departure('X4', 'BTC', '0.123456789', finer),
    )
    assert.deepEqual(await place.bookings((await external('X1')).id), [
      'WITHDRAWAL BTC D suspense 0.1, C exchange 0.1',
      'WITHDRAWAL_FEE BTC D fee 0.0001, C exchange 0.0001',
    ])
    assert.deepEqual(
      {
        state: (await external('X2')).state,
        bookings: await place.bookings((await external('X2')).id),
      },
      { state: 'FAILED', bookings: [] },
    )
    assert.ok(!(await externals()).some((withdrawal) => withdrawal.foreign_id === 'X3'))
    assert.equal(
      (await place.bookings((await external('X4')).id))[0],
      'WITHDRAWAL BTC D suspense 0.12345678, D rounding 0.000000009, C exchange 0.123456789',
    )
  })

  it("is not doubled when it was sent from here, by our reference or by the venue's", async () => {
    const { external, externals, place, read, report, send } = polling
    const [count, suspense] = [(await externals()).length, await place.total(place.house.SUSPENSE)]
    const sent = await send(place.routes.bankToAlice, { quantity: '12' })
    await report(place.bank, debit('D3', '12', { external_id: sent.external_id }))
    place.models.bank.finish(sent.external_id, { fee: 0n, fee_asset: 'EUR' })
    await place.later(15_000)
    assert.equal((await read(sent.id)).state, 'SUCCESS')
    // The venue keeps no reference of ours, and its answer was lost: nobody knows yet whose this
    // is.
    place.models.exchange.mode = 'late'
    const lost = await send(place.routes.exchangeToVault, { quantity: '0.7' })
    place.models.exchange.down = true
    const foreign_id =
      place.models.exchange.accepted.get(lost.external_id)?.foreign_id ?? assert.fail()
    await report(
      place.exchange,
      departure(foreign_id, 'BTC', '0.7'),
      departure('X5', 'BTC', '0.01'),
    )
    assert.deepEqual(
      { externals: (await externals()).length, state: (await external('X5')).state },
      { externals: count + 1, state: 'SUCCESS' },
    )
    place.models.exchange.down = false
    await place.later(60_000)
    await place.later(10_000)
    assert.equal((await read(lost.id)).foreign_id, foreign_id)
    assert.equal((await externals()).length, count + 1)
    place.models.exchange.mode = 'accept'
    assert.equal(
      Number(await place.total(place.house.SUSPENSE)),
      Number(suspense) - 12,
      'the payment that nobody was named for',
    )
  })

  it('of one transaction each output is a withdrawal', async () => {
    const { externals, place, report } = polling
    const many = { wallet: '0', transaction_hash: 'many', fee_asset: 'BTC' }
    await report(
      place.vault,
      departure('T1:0', 'BTC', '0.1', { ...many, fee: 10n ** 14n }),
      departure('T1:1', 'BTC', '0.2', { ...many, fee: 0n }),
    )
    const rows = (await externals()).filter((withdrawal) => withdrawal.transaction_hash === 'many')
    assert.deepEqual(rows.map((row) => [row.foreign_id, row.quantity, row.fee]).toSorted(), [
      ['T1:0', '0.1', '0.0001'],
      ['T1:1', '0.2', '0'],
    ])
  })

  it('is an own transfer between two wallets of ours, also when it arrives early', async () => {
    const { external, place, report } = polling
    const suspense = await place.total(place.house.SUSPENSE, 'BTC')
    await report(
      place.exchange,
      departure('X6', 'BTC', '1', {
        state: 'PENDING',
        sub_state: 'Settled',
        transaction_hash: 'own',
        destination_address: BTC_ADDRESS,
      }),
    )
    place.arrives(
      place.vault,
      movement('in-own', 'BTC', '1', {
        wallet: '0',
        protocol: 'BTC',
        transaction_hash: 'own',
        destination_address: BTC_ADDRESS,
        source_address: OTHER_BTC_ADDRESS,
      }),
    )
    await place.later(10_000)
    await report(
      place.exchange,
      departure('X6', 'BTC', '1', {
        transaction_hash: 'own',
        fee: 10n ** 14n,
        fee_asset: 'BTC',
        destination_address: BTC_ADDRESS,
      }),
    )
    assert.deepEqual(await place.bookings((await external('X6')).id), [
      'TRANSFER BTC D transit 1, C exchange 1',
      'WITHDRAWAL_FEE BTC D fee 0.0001, C exchange 0.0001',
    ])
    assert.equal(await place.total(place.house.SUSPENSE, 'BTC'), suspense)
    assert.equal(
      refusalOf(
        await place.call('POST', `/treasury/withdrawals/${(await external('X6')).id}/assignments`, [
          { account_id: place.alice.account_id, quantity: '1' },
        ]),
      ),
      '400 3001 STATE_NOT_ALLOWED ',
    )
  })

  it('is read before its turn where the venue says that something moved', async () => {
    const { db, clock, workspace, exchange, work } = polling.place
    const hear = hearTransfers({ db, clock, log: { error: (_details, text) => assert.fail(text) } })
    const venue = { workspace, id: exchange.id } as VenueRecord
    const waits = async () => {
      const [task] = await db.query<{ due_at: number }>(sql`
        select due_at
        from tasks
        where kind = ${POLL_TASK}
          and subject_id = ${exchange.id}`)
      return (task?.due_at ?? 0) - clock.now()
    }
    await work()
    assert.ok((await waits()) > 2_000)
    hear(venue, { about: 'ORDER', client_order_id: null })
    hear(venue, { about: 'TRANSFERS' })
    await until('it is read now', async () => (await waits()) === 0)
    await work()
    // However much is said, it is not read more often than every two seconds.
    for (let times = 0; times < 3; times += 1) hear(venue, { about: 'ALL' })
    await until('it is read soon', async () => (await waits()) === 2_000)
    // Unless the venue has a pace of its own.
    clock.advance(4_000)
    await work()
    hear(venue, { about: 'ALL' }, 1_000)
    await until('it is read now', async () => (await waits()) === 0)
    await work()
    hear(venue, { about: 'ALL' }, 1_000)
    await until('it is read soon', async () => (await waits()) === 1_000)
  })
})
