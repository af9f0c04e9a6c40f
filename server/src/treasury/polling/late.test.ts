/** What has happened at a venue is booked, also after a deposit or withdrawal had ended here. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { balancesOf } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Incoming, Outgoing } from '../../venues/index.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { pollTask } from './poll.ts'
import type { Deposit } from '../deposits/deposits.schema.ts'
import { CUSTOMERS_IBAN, openMovements } from '../testing/movements.testing.ts'
import { connectVenueTask } from '../opening/opening.ts'
import {
  balance,
  BTC_ADDRESS,
  departure,
  IBAN,
  movement,
  openWorkplace,
  OTHER_BTC_ADDRESS,
} from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

describe('late facts', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(async () => {
    assert.deepEqual(await place.verify(), [])
    await place.close()
  })

  const debit = (foreign_id: string, quantity: string, more: Partial<Outgoing> = {}) =>
    departure(foreign_id, 'EUR', quantity, {
      wallet: IBAN,
      fee: 0n,
      fee_asset: 'EUR',
      destination_address: CUSTOMERS_IBAN,
      ...more,
    })
  const withdrawals = async () =>
    (await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')).data
  const read = async (id: string) =>
    (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const lateOf = async (id: string): Promise<Withdrawal> => {
    const found = (await withdrawals()).filter(
      (withdrawal) => withdrawal.related_withdrawal_id === id,
    )
    assert.equal(found.length, 1)
    return found[0] as Withdrawal
  }
  const send = async (route: { id: string }, body: object) => {
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${route.id}/withdrawals`,
      { speed_level: 'DEFAULT', ...body },
    )
    assert.equal(made.status, 200, made.text)
    await place.work()
    return made.data
  }

  it('a refused payment that leaves is booked once, and returned once', async () => {
    const bob = await place.customer('Bob')
    await place.fund(bob.account_id, 'EUR', '50')
    const sent = await send(place.routes.bankToAlice, {
      quantity: '40',
      account_id: bob.account_id,
    })
    place.models.bank.finish(sent.external_id, { state: 'REJECTED', sub_state: 'RJCT' })
    await place.later(15_000)
    assert.equal(await place.balance(bob.account_id, 'EUR'), '50/0')
    await place.fund(bob.account_id, 'EUR', '1')
    const next = await send(place.routes.bankToAlice, {
      quantity: '51',
      account_id: bob.account_id,
    })
    await place.leaves(place.bank, debit('L1', '40', { external_id: sent.external_id }))
    const late = await lateOf(sent.id)
    assert.deepEqual(
      [late.state, late.origin, late.account_id, late.quantity],
      ['SUCCESS', 'EXTERNAL', bob.account_id, '40'],
    )
    assert.deepEqual(await place.bookings(late.id), ['WITHDRAWAL EUR D Bob 40, C bank 40'])
    const [assignment] = (
      await place.call<WithdrawalAssignment[]>(
        'GET',
        `/treasury/withdrawals/${late.id}/assignments`,
      )
    ).data
    assert.deepEqual(
      [assignment?.status, assignment?.source, assignment?.quantity],
      ['SUCCESSFUL', 'ROUTE', '40'],
    )
    assert.deepEqual(
      [
        (await read(sent.id)).state,
        (await place.events(sent.id)).at(-1),
        await place.bookings(sent.id),
      ],
      ['REJECTED', 'withdrawal.sent_after_end', []],
    )
    // The hold of the next one stands: the fact is booked below it, and told.
    assert.equal(await place.balance(bob.account_id, 'EUR'), '11/51')
    assert.ok((await place.events(bob.account_id)).includes('account.overdrawn'))
    await place.leavesAgain()
    assert.equal((await lateOf(sent.id)).version, late.version)
    place.models.bank.finish(next.external_id, { state: 'FAILED' })

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
      [returned?.state, returned?.related_withdrawal_id, await place.total(bob.account_id)],
      ['SUCCESSFUL', late.id, '51'],
    )
  })

  it('of several owners each part; of a part of it nobody until it is assigned', async () => {
    const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
    for (const row of [bob, eve]) await place.fund(row.account_id, 'EUR', '100')
    const end = async () => {
      const sent = await send(place.routes.bankToAlice, { quantity: '30' })
      await place.call('POST', `/treasury/withdrawals/${sent.id}/assignments`, [
        { account_id: bob.account_id, quantity: '10' },
        { account_id: eve.account_id, quantity: '20' },
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
      [await place.total(bob.account_id), await place.total(eve.account_id)],
      ['90', '80'],
    )
  })

  it('an own transfer that failed and left stays one, also when a person resolved it', async () => {
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
    assert.deepEqual([late.foreign_id, (await read(sent.id)).foreign_id], [foreign_id, foreign_id])
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
    assert.deepEqual([arrived?.state, arrived?.related_withdrawal_id], ['SUCCESSFUL', late.id])

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
    assert.deepEqual(
      [
        (await lateOf(lost.id)).state,
        (await read(lost.id)).state,
        (await read(lost.id)).foreign_id,
      ],
      ['SUCCESS', 'FAILED', 'found-late'],
    )
    const count = (await withdrawals()).length
    await place.leavesAgain()
    assert.equal((await withdrawals()).length, count)
  })

  it('what a failed withdrawal cost is booked, as the venue or a person tells it', async () => {
    const sent = await send(place.routes.vaultToExchange, { quantity: '0.2' })
    place.models.vault.finish(sent.external_id, {
      state: 'FAILED',
      sub_state: 'FAILED',
      fee: decimal('0.003'),
      fee_asset: 'BTC',
    })
    await place.later(15_000)
    assert.deepEqual(
      [(await read(sent.id)).state, (await read(sent.id)).fee, await place.bookings(sent.id)],
      ['FAILED', '0.003', ['WITHDRAWAL_FEE BTC D fee 0.003, C vault 0.003']],
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
    place.models.vault.mode = 'late'
    place.models.vault.down = true
    const unseen = await send(place.routes.vaultToExchange, { quantity: '0.21' })
    const resolved = await place.call<Withdrawal>(
      'POST',
      `/treasury/withdrawals/${unseen.id}/resolve`,
      { state: 'FAILED', evidence: 'block explorer', fee: '0.001' },
    )
    assert.deepEqual(
      [resolved.data.state, (await read(unseen.id)).fee, await place.bookings(unseen.id)],
      ['FAILED', '0.001', ['WITHDRAWAL_FEE BTC D fee 0.001, C vault 0.001']],
      resolved.text,
    )
    place.models.vault.mode = 'accept'
    place.models.vault.down = false
  })

  it('a later or changed fee is booked to whoever bears the fee', async () => {
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    const bob = await place.customer('Bob')
    await place.fund(bob.account_id, 'BTC', '2')
    const sent = await send(place.routes.payout, { quantity: '1', account_id: bob.account_id })
    await place.settings({ fee_borne_by: 'HOUSE' })
    place.models.vault.finish(sent.external_id, {
      fee: null,
      fee_asset: null,
      transaction_hash: 'paid-later',
    })
    await place.later(15_000)
    assert.deepEqual([(await read(sent.id)).state, (await read(sent.id)).fee], ['SUCCESS', null])
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
      [(await read(sent.id)).fee, await place.total(bob.account_id, 'BTC')],
      ['0.0002', '0.9998'],
    )
    assert.deepEqual(
      (await place.events(sent.id)).filter((event) => event === 'withdrawal.fee_adjusted').length,
      2,
    )
  })

  it('what failed at a cost and left after all costs what the venue tells in all', async () => {
    const bob = await place.customer('Bob')
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
    assert.deepEqual(
      [await place.bookings(sent.id), await place.bookings((await lateOf(sent.id)).id)],
      [
        ['WITHDRAWAL_FEE BTC D fee 0.003, C vault 0.003'],
        ['WITHDRAWAL BTC D Bob 0.5, C vault 0.5', 'WITHDRAWAL_FEE BTC D fee 0.001, C vault 0.001'],
      ],
    )
  })

  it('a failed deposit that arrives as a return is linked to its withdrawal', async () => {
    const bob = await place.customer('Bob')
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
      [
        deposit?.state,
        deposit?.related_withdrawal_id,
        deposit?.reference_text,
        await place.total(bob.account_id),
      ],
      ['SUCCESSFUL', sent.id, 'returned', '50'],
    )
  })

  it('a failed deposit that arrives is settled; an older report changes nothing', async () => {
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
      [deposit.state, deposit.quantity, deposit.reason_code, await place.total(bob.account_id)],
      ['SUCCESSFUL', '69', null, '69'],
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

it('what the venue reverses of its opening balance is taken out again, once', async () => {
  const place = await openWorkplace()
  const { exchange, workspace, db } = place
  try {
    const task = { workspace, subject_id: exchange.id, attempts: 1 }
    exchange.balances = [balance('BTC', '5')]
    exchange.incoming = [
      movement('in', 'BTC', '2'),
      movement('never', 'BTC', '9', { state: 'FAILED' }),
    ]
    exchange.outgoing = [
      departure('out', 'BTC', '1', { state: 'PENDING', fee: decimal('0.1'), fee_asset: 'BTC' }),
    ]
    await connectVenueTask(place.app)({ ...task, kind: 'connect_venue' })
    const booked = async () =>
      format(
        (await balancesOf(db, workspace, exchange.accounts.VENUE)).find(
          (balance) => balance.asset === 'BTC',
        )?.total ?? 0n,
      )
    const poll = async () => {
      await pollTask(place.app)({ ...task, kind: 'poll_venue' })
      return booked()
    }
    assert.equal(await poll(), '5')
    exchange.incoming.push(
      movement('in', 'BTC', '2', { state: 'REVERSED' }),
      movement('never', 'BTC', '9', { state: 'FAILED' }),
    )
    assert.equal(await poll(), '3')
    exchange.outgoing.push(
      departure('out', 'BTC', '1', {
        state: 'FAILED',
        left: false,
        fee: decimal('0.02'),
        fee_asset: 'BTC',
      }),
    )
    assert.equal(await poll(), '4.08')
    await db.query(sql`
      update incoming_cursors
      set cursor = null`)
    await db.query(sql`
      update outgoing_cursors
      set cursor = null`)
    assert.equal(await poll(), '4.08')
    const types = await db.query<{ type: string }>(
      sql`
        select type
        from bookings
        where workspace = ${workspace}
        order by sequence`,
    )
    assert.deepEqual(
      types.map((type) => type.type),
      ['OPENING', 'REVERSAL', 'REVERSAL'],
    )
    assert.equal(
      (
        await db.query(
          sql`
            select 1
            from events
            where workspace = ${workspace}
              and type = 'venue.opening_balance_adjusted'`,
        )
      ).length,
      2,
    )
  } finally {
    await place.close()
  }
})
