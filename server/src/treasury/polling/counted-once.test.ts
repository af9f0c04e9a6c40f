import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Answer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { openMovements } from '../testing/movements.testing.ts'
import {
  BTC_ADDRESS,
  departure,
  IBAN,
  movement,
  OTHER_BTC_ADDRESS,
} from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

/**
 * Movements that are seen from two sides, or by a person and the venue, and are one all the same.
 */
describe('what moved once is counted once', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(async () => {
    assert.deepEqual(await place.verify(), [])
    await place.close()
  })

  const code = (answer: Answer<unknown>) =>
    `${answer.status} ${answer.error_code} ${answer.error_details?.[0]?.code} ` +
    `${answer.error_details?.[0]?.path}`
  const read = async (id: string) =>
    (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const withdrawals = async () =>
    (await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')).data
  const deposit = async (foreign_id: string) =>
    (await place.call<Deposit[]>('GET', '/treasury/deposits')).data.find(
      (row) => row.foreign_id === foreign_id,
    ) ?? assert.fail(`${foreign_id} is a deposit`)
  const resolve = (id: string, body: object) =>
    place.call<Withdrawal>('POST', `/treasury/withdrawals/${id}/resolve`, {
      evidence: "the venue's support",
      ...body,
    })
  const ask = async (route: { id: string }, body: object) => {
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${route.id}/withdrawals`,
      { speed_level: 'DEFAULT', ...body },
    )
    assert.equal(made.status, 200, made.text)
    await place.work()
    return read(made.data.id)
  }
  const unknown = async (model: 'exchange' | 'bank', route: { id: string }, body: object) => {
    place.models[model].mode = 'late'
    place.models[model].down = true
    const made = await ask(route, body)
    place.models[model].mode = 'accept'
    assert.equal(made.state, 'UNKNOWN')
    return made
  }

  it("a withdrawal resolved without the venue's reference, when the venue lists it", async () => {
    const left = await unknown('exchange', place.routes.exchangeToVault, { quantity: '0.25' })
    assert.equal((await resolve(left.id, { state: 'SUCCESS' })).status, 200)
    const known = (await withdrawals()).length
    const listed = departure('listed', 'BTC', '0.25', {
      destination_address: BTC_ADDRESS,
      fee: 10n ** 14n,
      fee_asset: 'BTC',
      transaction_hash: 'feed',
      occurred_at: left.submitted_at ?? 0,
    })
    // Told at each of its states, it costs its fee once.
    for (const state of ['PENDING', 'SUCCESS', 'SUCCESS'] as const) {
      place.exchange.outgoing.push({ ...listed, state })
      await place.later(10_000)
    }
    const row = await read(left.id)
    assert.deepEqual(
      [(await withdrawals()).length, row.foreign_id, row.transaction_hash, row.fee],
      [known, 'listed', 'feed', '0.0001'],
    )
    assert.deepEqual(await place.bookings(left.id), [
      'TRANSFER BTC D transit 0.25, C exchange 0.25',
      'WITHDRAWAL_FEE BTC D fee 0.0001, C exchange 0.0001',
    ])
    place.exchange.outgoing.push(
      departure('another', 'BTC', '0.25', { occurred_at: left.submitted_at ?? 0 }),
    )
    await place.later(10_000)
    assert.equal((await withdrawals()).length, known + 1, 'one like it is another')
    place.models.exchange.down = false
  })

  it('an own transfer is in flight again when its arrival is taken back', async () => {
    const sent = await ask(place.routes.vaultToExchange, { quantity: '0.44' })
    place.models.vault.finish(sent.external_id, {
      fee: 0n,
      fee_asset: 'BTC',
      transaction_hash: 'reorganised',
    })
    await place.later(15_000)
    const arrives = async (id: string, state: 'FINAL' | 'REVERSED') => {
      place.arrives(
        place.exchange,
        movement(id, 'BTC', '0.44', {
          transaction_hash: 'reorganised',
          destination_address: OTHER_BTC_ADDRESS,
          state,
        }),
      )
      await place.later(10_000)
      const [row] = await place.db.query<{ arrived: boolean }>(
        sql`
          select arrived_at is not null as arrived
          from withdrawals
          where id = ${sent.id}`,
      )
      return [(await deposit(id)).state, row?.arrived]
    }
    assert.deepEqual(
      [
        await arrives('in-5', 'FINAL'),
        await arrives('in-5', 'REVERSED'),
        await arrives('in-6', 'FINAL'),
      ],
      [
        ['SUCCESSFUL', true],
        ['REVERSED', false],
        ['SUCCESSFUL', true],
      ],
    )
  })

  it('a payment that came back before its sending was known is not released as well', async () => {
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.aliceEur)
    await place.fund(bob.account_id, 'EUR', '100')
    const left = await unknown('bank', place.routes.bankToAlice, {
      quantity: '40',
      account_id: bob.account_id,
    })
    assert.equal(await place.balance(bob.account_id, 'EUR'), '100/40')
    place.arrives(
      place.bank,
      movement('R1', 'EUR', '40', { wallet: IBAN, related_external_id: left.external_id }),
    )
    await place.later(10_000)
    assert.deepEqual(
      [(await deposit('R1')).related_withdrawal_id, await place.balance(bob.account_id, 'EUR')],
      [left.id, '140/40'],
    )
    assert.equal(code(await resolve(left.id, { state: 'FAILED' })), '400 3001 CONFLICT state')
    assert.equal((await resolve(left.id, { state: 'SUCCESS' })).status, 200)
    assert.equal(await place.balance(bob.account_id, 'EUR'), '100/0')
    // A bank tells our reference: what does not carry it is another payment, however alike.
    const known = (await withdrawals()).length
    const alike = {
      wallet: IBAN,
      destination_address: left.destination_address,
      occurred_at: place.clock.now(),
    }
    place.bank.outgoing.push(
      departure('debit', 'EUR', '40', { ...alike, external_id: left.external_id }),
      departure('debit-again', 'EUR', '40', alike),
    )
    await place.later(10_000)
    assert.equal((await withdrawals()).length, known + 1)
    place.models.bank.down = false
  })

  it('a return booked while somebody resolves it as never sent belongs to nobody', async () => {
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.aliceEur)
    await place.fund(bob.account_id, 'EUR', '100')
    const left = await unknown('bank', place.routes.bankToAlice, {
      quantity: '41',
      account_id: bob.account_id,
    })
    place.arrives(
      place.bank,
      movement('R2', 'EUR', '41', { wallet: IBAN, related_external_id: left.external_id }),
    )
    const { lane } = place.app
    const { commit } = lane
    let answer: Answer<Withdrawal> | undefined
    lane.commit = async (change) => {
      if (change.guards?.some((guard) => guard.table === 'deposits') === true) {
        lane.commit = commit
        answer = await resolve(left.id, { state: 'FAILED' })
      }
      return commit(change)
    }
    await place.later(10_000)
    assert.deepEqual(
      [answer?.status, (await deposit('R2')).related_withdrawal_id, (await deposit('R2')).state],
      [200, null, 'UNASSIGNED'],
    )
    assert.equal(await place.balance(bob.account_id, 'EUR'), '100/0')
    place.models.bank.down = false
  })

  it('one venue reference for two withdrawals at once: one takes it, one is refused', async () => {
    const [one, other] = [
      await unknown('exchange', place.routes.exchangeToVault, { quantity: '0.11' }),
      await unknown('exchange', place.routes.exchangeToVault, { quantity: '0.12' }),
    ]
    const { lane } = place.app
    const { commit } = lane
    let faster: Answer<Withdrawal> | undefined
    lane.commit = async (change) => {
      lane.commit = commit
      faster = await resolve(other.id, { state: 'SUCCESS', foreign_id: 'the-same' })
      return commit(change)
    }
    assert.equal(
      code(await resolve(one.id, { state: 'SUCCESS', foreign_id: 'the-same' })),
      '400 3001 DUPLICATE foreign_id',
    )
    assert.equal(faster?.status, 200)
    assert.equal((await resolve(one.id, { state: 'SUCCESS', foreign_id: 'its-own' })).status, 200)
    place.models.exchange.down = false
  })

  it('an own transfer that comes back, less what the bank kept', async () => {
    const transit = await place.total(place.house.TRANSIT, 'EUR')
    const sent = await ask(place.routes.bankToExchange, { quantity: '500' })
    place.models.bank.finish(sent.external_id, { fee: 0n, fee_asset: 'EUR' })
    await place.later(15_000)
    assert.equal((await read(sent.id)).state, 'SUCCESS')
    place.arrives(
      place.bank,
      movement('R3', 'EUR', '490', { wallet: IBAN, related_external_id: sent.external_id }),
    )
    await place.later(10_000)
    assert.deepEqual(await place.bookings((await deposit('R3')).id), [
      'TRANSFER EUR D bank 490, C transit 490',
      'TRANSFER_FEE EUR D fee 10, C transit 10',
    ])
    assert.equal(await place.total(place.house.TRANSIT, 'EUR'), transit)
  })

  it('a payment made outside between two venues of ours, related by a person', async () => {
    const [transit, suspense] = [
      await place.total(place.house.TRANSIT, 'EUR'),
      await place.total(place.house.SUSPENSE, 'EUR'),
    ]
    place.arrives(place.exchange, movement('in-1', 'EUR', '77', { occurred_at: place.clock.now() }))
    await place.later(10_000)
    assert.equal((await deposit('in-1')).state, 'UNASSIGNED')
    place.bank.outgoing.push(
      departure('out-1', 'EUR', '77', {
        wallet: IBAN,
        destination_address: place.wallets.exchangeEur.address,
        occurred_at: place.clock.now() - 15_000,
      }),
    )
    await place.later(10_000)
    const [made] = (await withdrawals()).filter((row) => row.foreign_id === 'out-1')
    const related = await place.call(
      'POST',
      `/treasury/deposits/${(await deposit('in-1')).id}/relate`,
      { withdrawal_id: made?.id },
    )
    assert.equal(related.status, 200, related.text)
    assert.deepEqual(
      [
        await place.total(place.house.TRANSIT, 'EUR'),
        await place.total(place.house.SUSPENSE, 'EUR'),
      ],
      [transit, suspense],
    )
    // The next deposit of just this much is somebody's, not the transfer's.
    place.arrives(place.exchange, movement('in-2', 'EUR', '77', { occurred_at: place.clock.now() }))
    await place.later(10_000)
    assert.equal((await deposit('in-2')).state, 'UNASSIGNED')
  })

  it('a deposit from before an own transfer was sent is not its arrival', async () => {
    const earlier = place.clock.now() - 3_600_000
    const sent = await ask(place.routes.bankToExchange, { quantity: '600' })
    place.models.bank.finish(sent.external_id, { fee: 0n, fee_asset: 'EUR' })
    place.arrives(
      place.exchange,
      movement('in-3', 'EUR', '600', { occurred_at: earlier }),
      movement('in-4', 'EUR', '600', { occurred_at: place.clock.now() + 5_000 }),
    )
    await place.later(15_000)
    assert.deepEqual(
      [
        (await deposit('in-3')).state,
        (await deposit('in-4')).state,
        (await deposit('in-4')).related_withdrawal_id,
      ],
      ['UNASSIGNED', 'SUCCESSFUL', sent.id],
    )
  })
})
