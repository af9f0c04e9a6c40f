/** What has happened at a venue is booked, also after a deposit or withdrawal had ended here. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import type { Customer } from '../../customers/index.ts'
import type { Incoming, Outgoing } from '../../venues/index.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { CUSTOMERS_IBAN } from '../testing/movements.testing.ts'
import {
  BTC_ADDRESS,
  departure,
  IBAN,
  movement,
  OTHER_BTC_ADDRESS,
} from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openPolling } from './polling.testing.ts'

describe('late facts', () => {
  let polling: Awaited<ReturnType<typeof openPolling>>
  before(async () => {
    polling = await openPolling()
  })
  after(() => polling.close())

  const debit = (foreign_id: string, quantity: string, more: Partial<Outgoing> = {}) =>
    departure(foreign_id, 'EUR', quantity, {
      wallet: IBAN,
      fee: 0n,
      fee_asset: 'EUR',
      destination_address: CUSTOMERS_IBAN,
      ...more,
    })

  describe('a refused payment that leaves', () => {
    let bob: Customer
    let sent: Withdrawal
    let next: Withdrawal
    let late: Withdrawal

    it('is booked to the account that it was blocked for', async () => {
      const { lateOf, place, read, send } = polling
      bob = await place.customer('Bob')
      await place.belongsTo(bob, place.wallets.aliceEur)
      await place.fund(bob.account_id, 'EUR', '50')
      sent = await send(place.routes.bankToAlice, {
        quantity: '40',
        account_id: bob.account_id,
      })
      place.models.bank.finish(sent.external_id, { state: 'REJECTED', sub_state: 'RJCT' })
      await place.later(15_000)
      assert.equal(await place.balance(bob.account_id, 'EUR'), '50/0')
      await place.fund(bob.account_id, 'EUR', '1')
      next = await send(place.routes.bankToAlice, {
        quantity: '51',
        account_id: bob.account_id,
      })
      await place.leaves(place.bank, debit('L1', '40', { external_id: sent.external_id }))
      late = await lateOf(sent.id)
      assert.partialDeepStrictEqual(late, {
        state: 'SUCCESS',
        origin: 'EXTERNAL',
        account_id: bob.account_id,
        quantity: '40',
      })
      assert.deepEqual(await place.bookings(late.id), ['WITHDRAWAL EUR D Bob 40, C bank 40'])
      const [assignment] = (
        await place.call<WithdrawalAssignment[]>(
          'GET',
          `/treasury/withdrawals/${late.id}/assignments`,
        )
      ).data
      assert.partialDeepStrictEqual(assignment, {
        status: 'SUCCESSFUL',
        source: 'ROUTE',
        quantity: '40',
      })
      assert.deepEqual(
        {
          state: (await read(sent.id)).state,
          at: (await place.events(sent.id)).at(-1),
          bookings: await place.bookings(sent.id),
        },
        { state: 'REJECTED', at: 'withdrawal.sent_after_end', bookings: [] },
      )
      // The hold of the next one stands: the fact is booked below it, and told.
      assert.equal(await place.balance(bob.account_id, 'EUR'), '11/51')
      assert.ok((await place.events(bob.account_id)).includes('account.overdrawn'))
    })

    it('is booked once', async () => {
      const { lateOf, place } = polling
      await place.leavesAgain()
      assert.equal((await lateOf(sent.id)).version, late.version)
      place.models.bank.finish(next.external_id, { state: 'FAILED' })
    })

    it('is returned to the same account', async () => {
      const { place } = polling
      place.arrives(
        place.bank,
        movement('L1-return', 'EUR', '40', {
          wallet: IBAN,
          related_external_id: sent.external_id,
          source_address: CUSTOMERS_IBAN,
        }),
      )
      await place.later(10_000)
      const [returned] = (
        await place.call<Deposit[]>('GET', '/treasury/deposits?foreign_id=L1-return')
      ).data
      assert.deepEqual(
        {
          state: returned?.state,
          related_withdrawal_id: returned?.related_withdrawal_id,
          total: await place.total(bob.account_id),
        },
        { state: 'SUCCESSFUL', related_withdrawal_id: late.id, total: '51' },
      )
    })
  })

  it('of several owners each part; of a part of it nobody until it is assigned', async () => {
    const { lateOf, place, send } = polling
    const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
    for (const row of [bob, eve]) await place.fund(row.account_id, 'EUR', '100')
    const end = async () => {
      const sent = await send(place.routes.bankToAlice, { quantity: '30' })
      await place.call('POST', `/treasury/withdrawals/${sent.id}/assignments`, [
        { account_id: bob.account_id, quantity: '10', third_party: true },
        { account_id: eve.account_id, quantity: '20', third_party: true },
      ])
      place.models.bank.finish(sent.external_id, { state: 'FAILED', sub_state: 'CANC' })
      await place.later(15_000)
      return sent
    }
    const [whole, part] = [await end(), await end()]
    await place.leaves(
      place.bank,
      debit('L2', '30', { external_id: whole.external_id }),
      debit('L3', '29', { external_id: part.external_id }),
    )
    assert.deepEqual(await place.bookings((await lateOf(whole.id)).id), [
      'WITHDRAWAL EUR D Bob 10, D Eve 20, C bank 30',
    ])
    assert.deepEqual(await place.bookings((await lateOf(part.id)).id), [
      'WITHDRAWAL EUR D suspense 29, C bank 29',
    ])
    assert.deepEqual(
      { bob: await place.total(bob.account_id), eve: await place.total(eve.account_id) },
      { bob: '90', eve: '80' },
    )
  })

  it('an own transfer that failed and left stays one', async () => {
    const { lateOf, place, read, send } = polling
    const sent = await send(place.routes.exchangeToVault, { quantity: '0.3' })
    const { foreign_id } = place.models.exchange.accepted.get(sent.external_id) ?? assert.fail()
    place.models.exchange.finish(sent.external_id, { state: 'FAILED', sub_state: 'Failure' })
    await place.later(15_000)
    await place.leaves(
      place.exchange,
      departure(foreign_id, 'BTC', '0.3', {
        destination_address: BTC_ADDRESS,
        transaction_hash: 'late-own',
        fee: decimal('0.0001'),
        fee_asset: 'BTC',
      }),
    )
    const late = await lateOf(sent.id)
    assert.equal(late.foreign_id, foreign_id)
    assert.equal((await read(sent.id)).foreign_id, foreign_id)
    assert.deepEqual(await place.bookings(late.id), [
      'TRANSFER BTC D transit 0.3, C exchange 0.3',
      'WITHDRAWAL_FEE BTC D fee 0.0001, C exchange 0.0001',
    ])
    place.arrives(
      place.vault,
      movement('in-late-own', 'BTC', '0.3', {
        wallet: '0',
        protocol: 'BTC',
        transaction_hash: 'late-own',
        destination_address: BTC_ADDRESS,
        source_address: OTHER_BTC_ADDRESS,
      }),
    )
    await place.later(10_000)
    const [arrived] = (
      await place.call<Deposit[]>('GET', '/treasury/deposits?foreign_id=in-late-own')
    ).data
    assert.partialDeepStrictEqual(arrived, { state: 'SUCCESSFUL', related_withdrawal_id: late.id })
  })

  it('an own transfer that a person resolved as failed and left is linked, once', async () => {
    const { lateOf, place, read, send, withdrawals } = polling
    place.models.exchange.mode = 'lost'
    place.models.exchange.down = true
    const lost = await send(place.routes.exchangeToVault, { quantity: '0.4' })
    await place.call('POST', `/treasury/withdrawals/${lost.id}/resolve`, {
      state: 'FAILED',
      evidence: 'support says so',
    })
    place.models.exchange.mode = 'accept'
    place.models.exchange.down = false
    await place.leaves(
      place.exchange,
      departure('found-late', 'BTC', '0.4', { destination_address: BTC_ADDRESS }),
    )
    assert.equal((await lateOf(lost.id)).state, 'SUCCESS')
    assert.partialDeepStrictEqual(await read(lost.id), {
      state: 'FAILED',
      foreign_id: 'found-late',
    })
    const count = (await withdrawals()).length
    await place.leavesAgain()
    assert.equal((await withdrawals()).length, count)
  })

  it('a failed deposit that arrives as a return is linked to its withdrawal', async () => {
    const { place, send } = polling
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.aliceEur)
    await place.fund(bob.account_id, 'EUR', '50')
    const sent = await send(place.routes.bankToAlice, {
      quantity: '33',
      account_id: bob.account_id,
    })
    place.models.bank.finish(sent.external_id, {})
    await place.later(15_000)
    for (const more of [
      { state: 'PENDING' },
      { state: 'FAILED' },
      { state: 'FINAL', related_external_id: sent.external_id, reference_text: 'returned' },
    ] as const) {
      place.arrives(place.bank, movement('R2', 'EUR', '33', { wallet: IBAN, ...more }))
      await place.later(10_000)
    }
    const [deposit] = (await place.call<Deposit[]>('GET', '/treasury/deposits?foreign_id=R2')).data
    assert.deepEqual(
      {
        state: deposit?.state,
        related_withdrawal_id: deposit?.related_withdrawal_id,
        reference_text: deposit?.reference_text,
        total: await place.total(bob.account_id),
      },
      {
        state: 'SUCCESSFUL',
        related_withdrawal_id: sent.id,
        reference_text: 'returned',
        total: '50',
      },
    )
  })

  it('a failed deposit that arrives is settled; an older report changes nothing', async () => {
    const { place } = polling
    const bob = await place.customer('Bob')
    const PAYER = 'AT611904300234573201'
    await place.call('POST', '/accounts/matchings', {
      resource_id: bob.account_id,
      type: 'SOURCE_WITHOUT_REFERENCE',
      details: { asset: 'EUR', is_withdrawal_matching: false, source_address: PAYER },
    })
    const seen = async (state: Incoming['state'], quantity = '70') => {
      place.arrives(
        place.bank,
        movement('R1', 'EUR', quantity, { wallet: IBAN, source_address: PAYER, state }),
      )
      await place.later(10_000)
      const [deposit] = (await place.call<Deposit[]>('GET', '/treasury/deposits?foreign_id=R1'))
        .data
      return deposit as Deposit
    }
    await seen('PENDING')
    assert.equal((await seen('FAILED')).state, 'FAILED')
    assert.equal((await seen('PENDING')).state, 'FAILED')
    const deposit = await seen('FINAL', '69')
    assert.deepEqual(
      {
        state: deposit.state,
        quantity: deposit.quantity,
        reason_code: deposit.reason_code,
        total: await place.total(bob.account_id),
      },
      { state: 'SUCCESSFUL', quantity: '69', reason_code: null, total: '69' },
    )
    assert.deepEqual(await place.events(deposit.id), [
      'deposit.detected',
      'deposit.failed',
      'deposit.reinstated',
      'deposit.received',
      'deposit.assigned',
    ])
    assert.equal((await seen('FINAL', '69')).version, deposit.version)
  })
})
