/**
 * What a venue says against what is booked: it is booked where it is clear, and left to a person (a
 * break) where it is not.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { sql } from '../../store/sql.ts'
import type { Outgoing } from '../../venues/index.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { CUSTOMERS_ADDRESS, openMovements } from '../testing/movements.testing.ts'
import { BTC_ADDRESS, departure, movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

describe('what a venue says against the books', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(async () => {
    assert.deepEqual(await place.verify(), [])
    await place.close()
  })

  const withdrawals = async (foreign_id: string) =>
    (await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')).data.filter(
      (row) => row.foreign_id === foreign_id,
    )
  const deposits = async (query: string) =>
    (await place.call<Deposit[]>('GET', `/treasury/deposits?${query}`)).data
  /** Sent, of unknown outcome, and resolved by a person. */
  const resolved = async (route: { id: string }, body: object, resolution: object) => {
    const model =
      route === place.routes.exchangeToVault ? place.models.exchange : place.models.vault
    Object.assign(model, { mode: 'late', down: true })
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${route.id}/withdrawals`,
      { speed_level: 'DEFAULT', ...body },
    )
    await place.work()
    const answer = await place.call<Withdrawal>(
      'POST',
      `/treasury/withdrawals/${made.data.id}/resolve`,
      { evidence: 'support', ...resolution },
    )
    assert.equal(answer.status, 200, answer.text)
    Object.assign(model, { mode: 'accept', down: false })
    return answer.data
  }

  describe('a withdrawal outside that failed before it was ever seen', () => {
    const failed = (foreign_id: string, more: Partial<Outgoing> = {}) =>
      departure(foreign_id, 'BTC', '0.7', {
        wallet: '0',
        state: 'FAILED',
        left: false,
        sub_state: 'REVERTED',
        external_id: 'made-at-the-desk',
        fee: decimal('0.0005'),
        fee_asset: 'BTC',
        ...more,
      })

    it('is integrated with what it cost, once', async () => {
      await place.leaves(place.vault, failed('F1'))
      await place.leavesAgain()
      const [found, ...more] = await withdrawals('F1')
      assert.ok(found)
      assert.deepEqual(
        {
          more,
          state: found.state,
          origin: found.origin,
          fee: found.fee,
          sub_state: found.sub_state,
        },
        { more: [], state: 'FAILED', origin: 'EXTERNAL', fee: '0.0005', sub_state: 'REVERTED' },
      )
      assert.deepEqual(await place.bookings(found.id), [
        'WITHDRAWAL_FEE BTC D fee 0.0005, C vault 0.0005',
      ])
      assert.deepEqual(await place.events(found.id), ['withdrawal.discovered', 'withdrawal.failed'])
    })

    it('is nothing when it cost nothing, and not told when it was before the books', async () => {
      await place.leaves(place.vault, failed('F2', { fee: 0n }), failed('F3', { fee: null }))
      place.vault.outgoing.push(failed('F4', { occurred_at: 1 }))
      await place.later(10_000)
      for (const id of ['F2', 'F3', 'F4']) assert.deepEqual(await withdrawals(id), [])
    })

    it('is linked to one resolved as FAILED; one resolved as SUCCESS is ambiguous', async () => {
      const lost = await resolved(
        place.routes.exchangeToVault,
        { quantity: '0.31' },
        { state: 'FAILED', fee: '0.0002' },
      )
      await place.leaves(
        place.exchange,
        departure('F5', 'BTC', '0.31', {
          state: 'FAILED',
          left: false,
          destination_address: BTC_ADDRESS,
          fee: decimal('0.0005'),
          fee_asset: 'BTC',
        }),
      )
      const [found] = await withdrawals('F5')
      assert.partialDeepStrictEqual(found, { id: lost.id, fee: '0.0005' })
      assert.deepEqual(await place.bookings(lost.id), [
        'WITHDRAWAL_FEE BTC D fee 0.0002, C exchange 0.0002',
        'WITHDRAWAL_FEE BTC D fee 0.0003, C exchange 0.0003',
      ])
      const gone = await resolved(
        place.routes.exchangeToVault,
        { quantity: '0.32' },
        { state: 'SUCCESS' },
      )
      const before = await place.bookings(gone.id)
      await place.leaves(
        place.exchange,
        departure('F6', 'BTC', '0.32', {
          state: 'FAILED',
          left: false,
          destination_address: BTC_ADDRESS,
          fee: decimal('0.0005'),
          fee_asset: 'BTC',
        }),
      )
      assert.deepEqual(
        { withdrawals: await withdrawals('F6'), bookings: await place.bookings(gone.id) },
        { withdrawals: [], bookings: before },
      )
    })
  })

  describe('a withdrawal that a person resolved as SUCCESS and the venue tells as failed', () => {
    const told = (row: Withdrawal, foreign_id: string, more: Partial<Outgoing> = {}) =>
      departure(foreign_id, row.asset, row.quantity, {
        wallet: '0',
        state: 'FAILED',
        left: false,
        sub_state: 'DROPPED',
        external_id: row.external_id,
        ...more,
      })

    it('returns once as a deposit that names it, in parts, with its fee', async () => {
      const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
      for (const row of [bob, eve]) await place.fund(row.account_id, 'BTC', '1')
      const gone = await resolved(
        place.routes.payout,
        { quantity: '0.5' },
        { state: 'SUCCESS', fee: '0.0002' },
      )
      await place.call<WithdrawalAssignment>(
        'POST',
        `/treasury/withdrawals/${gone.id}/assignments`,
        [
          { account_id: bob.account_id, quantity: '0.2', third_party: true },
          { account_id: eve.account_id, quantity: '0.3', third_party: true },
        ],
      )
      const vault = await place.total(place.vault.accounts.VENUE, 'BTC')
      assert.equal(await place.total(bob.account_id, 'BTC'), '0.8')
      assert.equal(await place.total(eve.account_id, 'BTC'), '0.7')
      await place.leaves(place.vault, told(gone, 'N1', { fee: 0n, fee_asset: 'BTC' }))
      await place.leavesAgain()
      const [back, ...more] = await deposits('foreign_id=out:N1')
      assert.ok(back)
      assert.deepEqual(
        {
          more,
          state: back.state,
          related_withdrawal_id: back.related_withdrawal_id,
          quantity: back.quantity,
          reference_text: back.reference_text,
        },
        {
          more: [],
          state: 'SUCCESSFUL',
          related_withdrawal_id: gone.id,
          quantity: '0.5',
          reference_text: 'FAILED at the venue: DROPPED',
        },
      )
      assert.deepEqual(await place.bookings(back.id), [
        'DEPOSIT BTC D vault 0.5, C suspense 0.5',
        'DEPOSIT_ASSIGNMENT BTC D suspense 0.2, C Bob 0.2',
        'DEPOSIT_ASSIGNMENT BTC D suspense 0.3, C Eve 0.3',
      ])
      assert.equal(await place.total(bob.account_id, 'BTC'), '1')
      assert.equal(await place.total(eve.account_id, 'BTC'), '1')
      assert.equal(
        decimal(await place.total(place.vault.accounts.VENUE, 'BTC')) - decimal(vault),
        decimal('0.5002'),
      )
      const events = await place.events(gone.id)
      for (const type of ['withdrawal.failed_after_success', 'withdrawal.fee_adjusted'])
        assert.equal(events.filter((event) => event === type).length, 1, type)
      const [failed] = await place.app.db.query<{ data: Record<string, unknown> }>(sql`
        select data
        from events
        where resource_id = ${gone.id}
          and type = 'withdrawal.failed_after_success'`)
      assert.equal(failed?.data['reported'], 'FAILED at the venue: DROPPED')
      assert.equal(failed.data['deposit_id'], back.id)
      assert.equal(failed.data['alert'], true)
      assert.deepEqual(
        { withdrawals: (await withdrawals('N1')).length, events: await place.events(back.id) },
        {
          withdrawals: 0,
          events: ['deposit.detected', 'deposit.received', 'deposit.assigned', 'deposit.assigned'],
        },
      )
    })

    it('leaves TRANSIT when it comes back, unless it arrived or was reported', async () => {
      const transit = await place.total(place.house.TRANSIT, 'BTC')
      const gone = await resolved(
        place.routes.vaultToExchange,
        { quantity: '0.6' },
        { state: 'SUCCESS' },
      )
      assert.equal(
        decimal(await place.total(place.house.TRANSIT, 'BTC')) - decimal(transit),
        decimal('0.6'),
      )
      await place.leaves(place.vault, told(gone, 'N2'))
      const [back] = await deposits('foreign_id=out:N2')
      assert.deepEqual(
        {
          state: back?.state,
          related_withdrawal_id: back?.related_withdrawal_id,
          total: await place.total(place.house.TRANSIT, 'BTC'),
        },
        { state: 'SUCCESSFUL', related_withdrawal_id: gone.id, total: transit },
      )
      assert.deepEqual(await place.bookings(back?.id ?? ''), [
        'TRANSFER BTC D vault 0.6, C transit 0.6',
      ])

      const arrived = await resolved(
        place.routes.vaultToExchange,
        { quantity: '0.61' },
        { state: 'SUCCESS', transaction_hash: 'arrived' },
      )
      place.arrives(
        place.exchange,
        movement('arrived', 'BTC', '0.61', { transaction_hash: 'arrived' }),
      )
      await place.later(10_000)
      await place.leaves(place.vault, told(arrived, 'N3'))
      const sent = await place.call<Withdrawal>(
        'POST',
        `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
        { speed_level: 'DEFAULT', quantity: '0.1' },
      )
      await place.work()
      place.models.vault.finish(sent.data.external_id, { fee: 0n, fee_asset: 'BTC' })
      await place.later(20_000)
      await place.leaves(
        place.vault,
        told({ ...sent.data }, 'N4', { destination_address: CUSTOMERS_ADDRESS }),
      )
      for (const id of ['N3', 'N4']) assert.deepEqual(await deposits(`foreign_id=out:${id}`), [])
    })
  })
})
