/** A stuck transaction, what takes its place, and what helps it along. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import type { Customer } from '../../customers/index.ts'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import type { Outgoing, TransferReport } from '../../venues/index.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { CUSTOMERS_ADDRESS } from '../testing/movements.testing.ts'
import { balance, departure, movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openPolling, tokenPayout } from './polling.testing.ts'

const FIRST = { foreign_id: 'first', transaction_hash: '0xA1' }

describe('a stuck transaction', () => {
  let polling: Awaited<ReturnType<typeof openPolling>>
  let payer: Customer
  before(async () => {
    polling = await openPolling()
    payer = polling.place.alice
    await polling.place.fund(payer.account_id, 'BTC', '3')
  })
  after(() => polling.close())

  const told = (row: Withdrawal, report: Partial<TransferReport>) => {
    polling.models.vault.finish(row.external_id, { state: 'PENDING', ...report })
    return polling.place.later(60_000)
  }
  const pay = async (quantity: string): Promise<Withdrawal> => {
    const { place, read, send } = polling
    const made = await send(place.routes.payout, { quantity, account_id: payer.account_id })
    await place.later(1_000)
    return read(made.id)
  }
  const out = (foreign_id: string, quantity: string, more: Partial<Outgoing>) =>
    departure(foreign_id, 'BTC', quantity, {
      wallet: '0',
      destination_address: CUSTOMERS_ADDRESS,
      fee_asset: 'BTC',
      ...more,
    })

  it('is UNKNOWN while undecided; its replacement is the same withdrawal, paid once', async () => {
    const { externals, place, read } = polling
    const count = (await externals()).length
    const sent = await pay('0.5')
    const first = { ...FIRST, foreign_id: sent.foreign_id ?? '' }
    await told(sent, { ...first, sub_state: 'CONFIRMING' })
    // The replacement is read while the first one is in the mempool.
    const boost = { transaction_hash: '0xA2', former: [first], external_id: sent.external_id }
    await place.leaves(place.vault, out('boost', '0.5', { ...boost, state: 'PENDING' }))
    assert.partialDeepStrictEqual(await read(sent.id), {
      state: 'PENDING',
      foreign_id: 'boost',
      transaction_hash: '0xA2',
      former_transactions: [first],
    })
    await told(sent, { foreign_id: 'boost', ...boost, state: 'UNKNOWN', sub_state: 'FAILED' })
    assert.equal((await read(sent.id)).state, 'UNKNOWN')
    assert.match(await place.balance(payer.account_id, 'BTC'), /^3\/0\.5/)
    const again = { foreign_id: 'again', transaction_hash: '0xA3' }
    const former = [first, { foreign_id: 'boost', transaction_hash: '0xa2' }]
    const done = { ...again, former, state: 'SUCCESS', fee: decimal('0.0007'), fee_asset: 'BTC' }
    await told(sent, { ...done, state: 'SUCCESS' })
    const row = await read(sent.id)
    assert.partialDeepStrictEqual(row, {
      state: 'SUCCESS',
      fee: '0.0007',
      foreign_id: 'again',
      former_transactions: former,
    })
    assert.deepEqual(await place.bookings(sent.id), [
      'WITHDRAWAL BTC D Alice 0.5, C vault 0.5',
      'WITHDRAWAL_FEE BTC D fee 0.0007, C vault 0.0007',
    ])
    assert.equal(await place.balance(payer.account_id, 'BTC'), '2.5/0')
    // Read again, the old ones and the new one.
    await place.leaves(
      place.vault,
      out('again', '0.5', { ...again, former, external_id: sent.external_id, fee: done.fee }),
      out('boost', '0.5', { ...boost, former: [], state: 'UNKNOWN', left: false }),
    )
    assert.equal((await read(sent.id)).version, row.version)
    assert.equal((await externals()).length, count)
  })

  it('that a payment of nothing takes the place of is CANCELED, released once', async () => {
    const { place, read } = polling
    const sent = await pay('0.4')
    const first = { foreign_id: sent.foreign_id ?? '', transaction_hash: '0xB1' }
    await told(sent, first)
    const drop = { foreign_id: 'drop', transaction_hash: '0xB2', former: [first] }
    await told(sent, {
      ...drop,
      state: 'CANCELED',
      reason: 'dropped by a payment of nothing',
      fee: decimal('0.0003'),
      fee_asset: 'BTC',
    })
    assert.partialDeepStrictEqual(await read(sent.id), {
      state: 'CANCELED',
      foreign_id: 'drop',
      former_transactions: [first],
      fee: '0.0003',
    })
    assert.deepEqual(await place.bookings(sent.id), [
      'WITHDRAWAL_FEE BTC D fee 0.0003, C vault 0.0003',
    ])
    await place.leaves(
      place.vault,
      out('drop', '0.4', {
        ...drop,
        external_id: sent.external_id,
        state: 'CANCELED',
        left: false,
        fee: decimal('0.0003'),
      }),
    )
    assert.equal((await place.bookings(sent.id)).length, 1)
    assert.equal(await place.balance(payer.account_id, 'BTC'), '2.5/0')
    const open = await place.db.query(sql`
      select state
      from holds
      where cause_id = ${sent.id}`)
    assert.deepEqual(open, [{ state: 'ENDED' }])
  })

  it('of a token is CANCELED by nothing of the coin, whose fee is booked', async () => {
    const { models, place, read, send } = polling
    const route = await tokenPayout(place, payer)
    await place.fund(payer.account_id, 'USDC', '500')
    const sent = await send(route, { quantity: '125.5', account_id: payer.account_id })
    await place.later(1_000)
    const first = { foreign_id: (await read(sent.id)).foreign_id ?? '', transaction_hash: '0x71' }
    await told(sent, first)
    const fee = { fee: decimal('0.0011'), fee_asset: 'ETH' }
    const drop = { foreign_id: 'nothing', transaction_hash: '0x72', former: [first], ...fee }
    const end = { external_id: sent.external_id, state: 'CANCELED' as const, left: false }
    models.vault.finish(sent.external_id, { ...drop, state: 'CANCELED' })
    // What left is read first, and the withdrawal's own task ends it.
    for (const _reading of [1, 2])
      await place.leaves(
        place.vault,
        departure('nothing', 'USDC', '125.5', { ...drop, ...end, wallet: '0', protocol: 'ETH' }),
      )
    assert.partialDeepStrictEqual(await read(sent.id), {
      state: 'CANCELED',
      asset: 'USDC',
      foreign_id: 'nothing',
      former_transactions: [first],
      fee: '0.0011',
      fee_asset: 'ETH',
    })
    assert.deepEqual(await place.bookings(sent.id), [
      'WITHDRAWAL_FEE ETH D fee 0.0011, C vault 0.0011',
    ])
    assert.equal(await place.balance(payer.account_id, 'USDC'), '500/0')
  })

  it('that was made outside stays one withdrawal through its replacement', async () => {
    const { external, externals, place } = polling
    const count = (await externals()).length
    const first = { foreign_id: 'E1', transaction_hash: '0xE1' }
    await place.leaves(place.vault, out('E1', '0.11', { ...first, state: 'PENDING' }))
    const boost = { transaction_hash: '0xE2', former: [first] }
    await place.leaves(place.vault, out('E2', '0.11', { ...boost, state: 'PENDING' }))
    const { id, version } = await external('E2')
    await place.leaves(place.vault, out('E1', '0.11', { ...first, state: 'UNKNOWN', left: false }))
    assert.partialDeepStrictEqual(await external('E2'), { id, version, state: 'PENDING' })
    await place.leaves(place.vault, out('E2', '0.11', { ...boost, fee: decimal('0.0002') }))
    assert.partialDeepStrictEqual(await external('E2'), {
      id,
      state: 'SUCCESS',
      fee: '0.0002',
      former_transactions: [first],
    })
    assert.equal((await externals()).length, count + 1)
  })

  it('that a child helps along costs a second fee, and is paid once', async () => {
    const { externals, place, read } = polling
    const count = (await externals()).length
    const sent = await pay('0.2')
    const fee = decimal('0.0001')
    await told(sent, { transaction_hash: '0xC1', state: 'SUCCESS', fee, fee_asset: 'BTC' })
    const child = { kind: 'CHARGE' as const, external_id: sent.external_id, fee_asset: null }
    await place.leaves(place.vault, departure('child', 'BTC', '0.0004', child))
    assert.equal((await read(sent.id)).fee, '0.0005')
    assert.deepEqual(await place.bookings(sent.id), [
      'WITHDRAWAL BTC D Alice 0.2, C vault 0.2',
      'WITHDRAWAL_FEE BTC D fee 0.0001, C vault 0.0001',
      'WITHDRAWAL_FEE BTC D fee 0.0004, C vault 0.0004',
    ])
    assert.equal((await externals()).length, count)
  })

  it('that is sent again under its own id keeps its former hash, and is paid once', async () => {
    const { place, read } = polling
    const sent = await pay('0.1')
    const foreign_id = sent.foreign_id ?? ''
    await told(sent, { foreign_id, transaction_hash: '0xM1' })
    await told(sent, { foreign_id, transaction_hash: '0xM2', state: 'SUCCESS' })
    assert.partialDeepStrictEqual(await read(sent.id), {
      state: 'SUCCESS',
      foreign_id,
      transaction_hash: '0xM2',
      former_transactions: [{ foreign_id, transaction_hash: '0xM1' }],
    })
    assert.deepEqual(await place.bookings(sent.id), ['WITHDRAWAL BTC D Alice 0.1, C vault 0.1'])
  })

  it('that has left and was not taken is no success, and never FAILED', async () => {
    const { place, read } = polling
    const sent = await pay('0.3')
    await told(sent, {
      transaction_hash: '0xD1',
      state: 'UNKNOWN',
      sub_state: 'COMPLETED/COMPLETED_BUT_3RD_PARTY_FAILED',
      not_credited: true,
    })
    assert.partialDeepStrictEqual(await read(sent.id), {
      state: 'UNKNOWN',
      reason_code: 'NOT_CREDITED',
    })
    const resolve = (state: string) =>
      place.call<Withdrawal>('POST', `/treasury/withdrawals/${sent.id}/resolve`, {
        state,
        evidence: 'the exchange',
      })
    assert.equal(refusalOf(await resolve('FAILED')), '400 3001 CONFLICT state')
    assert.match(await place.balance(payer.account_id, 'BTC'), /\/0\.3/)
    assert.equal((await resolve('SUCCESS')).status, 200)
  })

  it('of the gas station is a transfer of the house, whoever owns the wallet', async () => {
    const { external, place } = polling
    const { alice, house, vault, wallet } = place
    vault.balances.push(balance('BTC', '0', { wallet: '7', protocol: 'BTC' }))
    const to = await wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
      venue_id: vault.id,
      service_id: vault.service_id,
      customer_id: alice.id,
      account_id: alice.account_id,
      configuration: { vault_id: '7' },
    })
    const before = [
      await place.total(alice.account_id, 'BTC'),
      await place.total(house.SUSPENSE, 'BTC'),
    ]
    const fuel = { transaction_hash: '0xF1', destination_address: to.address }
    await place.leaves(
      vault,
      departure('fuel', 'BTC', '0.01', { ...fuel, wallet: '0', to_wallet: '7' }),
    )
    place.arrives(
      vault,
      movement('fuel:0', 'BTC', '0.01', { ...fuel, wallet: '7', protocol: 'BTC' }),
    )
    await place.later(10_000)
    assert.deepEqual(await place.bookings((await external('fuel')).id), [
      'TRANSFER BTC D transit 0.01, C vault 0.01',
    ])
    const deposits = (await place.call<Deposit[]>('GET', '/treasury/deposits')).data
    const [arrived] = deposits.filter((deposit) => deposit.foreign_id === 'fuel:0')
    assert.equal(arrived?.state, 'SUCCESSFUL')
    assert.deepEqual(await place.bookings(arrived?.id ?? ''), [
      'TRANSFER BTC D vault 0.01, C transit 0.01',
    ])
    assert.deepEqual(
      [await place.total(alice.account_id, 'BTC'), await place.total(house.SUSPENSE, 'BTC')],
      before,
    )
  })

  it('in a deposit: what is frozen waits for its release, and is credited then', async () => {
    const { place } = polling
    const told = async (state: 'PENDING' | 'PENDING_REVIEW' | 'FINAL') => {
      place.arrives(
        place.vault,
        movement('frozen', 'BTC', '0.25', { state, wallet: '0', transaction_hash: '0xFF' }),
      )
      await place.later(10_000)
      const deposits = (await place.call<Deposit[]>('GET', '/treasury/deposits')).data
      return deposits.find((deposit) => deposit.foreign_id === 'frozen') ?? assert.fail()
    }
    assert.equal((await told('PENDING')).state, 'PENDING')
    const frozen = await told('PENDING_REVIEW')
    assert.partialDeepStrictEqual(frozen, {
      state: 'PENDING_REVIEW',
      reason_code: 'FROZEN_BY_VENUE',
    })
    assert.deepEqual(await place.bookings(frozen.id), [])
    const released = await told('FINAL')
    assert.partialDeepStrictEqual(released, { state: 'UNASSIGNED', reason_code: null })
    const booked = await place.bookings(frozen.id)
    assert.deepEqual(booked, ['DEPOSIT BTC D vault 0.25, C suspense 0.25'])
    // Frozen after it was credited, it is there all the same.
    assert.equal((await told('PENDING_REVIEW')).state, 'UNASSIGNED')
    assert.deepEqual(await place.bookings(frozen.id), booked)
    assert.deepEqual(await place.events(frozen.id), [
      'deposit.detected',
      'deposit.frozen',
      'deposit.received',
    ])
  })
})
