/**
 * Over HTTP, against the sandbox: what somebody knows before the books do. The broker pays only
 * when it is told to.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../store/sql.ts'
import { openSettlementWorld, partOf } from './settlements.testing.ts'
import type { Customer, SettlementWorld } from './settlements.testing.ts'
import type { Settlement } from './settlements.schema.ts'

describe('parts that are confirmed by hand', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
    await world.sandbox.control('POST', 'prime/payouts/automatic', { on: false })
  })
  after(() => world.close())

  /** All wallets that are not the broker's, or back to the house. */
  const giveWalletsTo = (customer: Customer | undefined) =>
    world.database.db.query(
      customer === undefined
        ? sql`
          update wallets
          set type = 'VENUE', customer_id = null
          where workspace = ${world.workspace}
            and type = 'CUSTOMER'`
        : sql`
          update wallets
          set type = 'CUSTOMER', customer_id = ${customer.id}
          where workspace = ${world.workspace}
            and type = 'VENUE'
            and venue_id <> ${world.prime.id}`,
    )

  it('what the venue paid before anybody waited for it is named by hand', async () => {
    await world.trade(alice, 'BUY', '0.01')
    await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.01' })
    const deposit = await world.until('its deposit', async () =>
      (
        await world.call<{ id: string; state: string; quantity: string }[]>(
          'GET',
          '/treasury/deposits',
        )
      ).find(({ state, quantity }) => state === 'UNASSIGNED' && quantity === '0.01'),
    )
    const claimed = await world.claim()
    const covered = await world.cover(claimed.id)
    const [received, given] = [partOf(covered, 'INCOMING'), partOf(covered, 'OUTGOING')]
    const begun = await world.initiate(claimed.id, { part_ids: [given.id] })
    assert.deepEqual(begun.parts.map((part) => part.state).toSorted(), ['INITIATED', 'OPEN'])
    assert.equal(
      await world.refusal('POST', `/settlements/${claimed.id}/parts/${given.id}/confirm`, {
        note: 'paid',
        deposit_id: deposit.id,
      }),
      '3001 CONFLICT',
    )
    const url = `/settlements/${claimed.id}/parts/${received.id}/confirm`
    const confirm = () =>
      world.call<Settlement>(
        'POST',
        url,
        { note: 'came early', deposit_id: deposit.id },
        { 'idempotency-key': 'early' },
      )
    const confirmed = await confirm()
    assert.deepEqual(await confirm(), confirmed)
    assert.equal(partOf(confirmed, 'INCOMING').deposit_id, deposit.id)
    assert.equal(await world.refusal('POST', url, { note: 'again' }), '3001 STATE_NOT_ALLOWED')
    await world.settled(claimed.id)
    assert.deepEqual(await world.totals('SUSPENSE'), {})
    const { state } = await world.call<{ state: string }>('GET', `/treasury/deposits/${deposit.id}`)
    assert.equal(state, 'SUCCESSFUL')
    await world.assertAllSettled()
  })

  type Deposit = { id: string; state: string; quantity: string; settlement_id: string | null }
  const findNobodys = (quantity: string) =>
    world.until('a deposit of nobody', async () => {
      const deposits = await world.call<Deposit[]>('GET', '/treasury/deposits?state=UNASSIGNED')
      return deposits.find((deposit) => deposit.quantity === quantity)
    })
  const unseen = async () => {
    const settlements = await world.call<Settlement[]>('GET', '/settlements?unseen=true')
    return settlements.map(({ id }) => id)
  }
  /** A purchase whose settlement is initiated. */
  const begin = async (amount: string) => {
    await world.trade(alice, 'BUY', amount)
    const { id } = await world.claim()
    await world.cover(id)
    const begun = await world.initiate(id)
    return { id, url: `/settlements/${id}/parts/${partOf(begun, 'INCOMING').id}` }
  }
  type Begun = Awaited<ReturnType<typeof begin>>
  const seen = async ({ id }: Begun) => {
    const { state, arrival, deposit_id } = partOf(await world.settlement(id), 'INCOMING')
    return { state, arrival, deposit_id }
  }

  describe('one deposit that pays two settlements', () => {
    let one: Begun
    let two: Begun
    let both: Deposit
    before(async () => {
      one = await begin('0.01')
      two = await begin('0.005')
      await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.015' })
      both = await findNobodys('0.015')
    })

    it('is the money of neither alone, so both are confirmed without it', async () => {
      const body = { note: 'both at once', deposit_id: both.id }
      assert.equal(await world.refusal('POST', `${one.url}/confirm`, body), '3001 ABOVE_MAXIMUM')
      assert.equal(
        await world.refusal('POST', `${one.url}/arrival`, body),
        '3001 STATE_NOT_ALLOWED',
      )
      for (const { url } of [one, two])
        await world.call('POST', `${url}/confirm`, { note: 'both at once' })
      for (const { id } of [one, two]) await world.settled(id)
      assert.deepEqual(await seen(one), {
        state: 'CONFIRMED_MANUALLY',
        arrival: 'EXPECTED',
        deposit_id: null,
      })
      assert.deepEqual(await world.totals('VENUE', world.prime.id), { BTC: '0.015' })
      assert.deepEqual(await unseen(), [two.id, one.id])
    })

    it('is a need after a day', async () => {
      assert.equal(await world.needed('settlements_unseen'), 0)
      await world.database.db.query(
        sql`
          update settlement_parts
          set completed_at = completed_at - 86400000
          where workspace = ${world.workspace}
            and settlement_id in (${one.id}, ${two.id})`,
      )
      assert.equal(await world.needed('settlements_unseen'), 2)
    })

    it('is named as the money of one, once', async () => {
      const name = () =>
        world.call<Settlement>(
          'POST',
          `${one.url}/arrival`,
          { note: 'both at once', deposit_id: both.id },
          { 'idempotency-key': 'both' },
        )
      const named = await name()
      assert.deepEqual(await name(), named)
      assert.deepEqual(await seen(one), {
        state: 'CONFIRMED_MANUALLY',
        arrival: 'ARRIVED',
        deposit_id: both.id,
      })
      assert.deepEqual(await unseen(), [two.id])
      assert.equal(await world.needed('settlements_unseen'), 1)
      const { state, settlement_id } = await world.call<Deposit>(
        'GET',
        `/treasury/deposits/${both.id}`,
      )
      assert.deepEqual({ state, settlement_id }, { state: 'SUCCESSFUL', settlement_id: one.id })
      assert.deepEqual(await world.totals('SUSPENSE'), {})
      assert.equal(
        await world.refusal('POST', `${two.url}/arrival`, { note: 'again', deposit_id: both.id }),
        '3001 STATE_NOT_ALLOWED',
      )
    })

    it('is waited for no more with the other', async () => {
      await world.call('POST', `${two.url}/drop`, { note: 'it came with the other' })
      assert.deepEqual(await seen(two), {
        state: 'CONFIRMED_MANUALLY',
        arrival: 'DROPPED',
        deposit_id: null,
      })
      assert.deepEqual(await unseen(), [])
      assert.equal(await world.needed('settlements_unseen'), 0)
      assert.equal(
        await world.refusal('POST', `${two.url}/drop`, { note: 'again' }),
        '3001 STATE_NOT_ALLOWED',
      )
      await world.assertAllSettled()
      await world.agree('BTC')
    })
  })

  it('what comes although nobody waits for it any more is named', async () => {
    const begun = await begin('0.01')
    await world.call('POST', `${begun.url}/confirm`, { note: 'set off, they said' })
    await world.call('POST', `${begun.url}/drop`, { note: 'set off, they said' })
    await world.settled(begun.id)
    await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.01' })
    const late = await findNobodys('0.01')
    assert.deepEqual(await world.totals('SUSPENSE'), { BTC: '0.01' })
    assert.deepEqual(await world.totals('VENUE', world.prime.id), { BTC: '0.01' })
    await world.call('POST', `${begun.url}/arrival`, {
      note: 'they paid after all',
      deposit_id: late.id,
    })
    assert.deepEqual(await seen(begun), {
      state: 'CONFIRMED_MANUALLY',
      arrival: 'DROPPED',
      deposit_id: late.id,
    })
    assert.deepEqual(await world.totals('SUSPENSE'), {})
    await world.assertAllSettled()
    await world.agree('BTC')
  })

  it("a part that no route leads to, as none does through a customer's wallet", async () => {
    await world.trade(alice, 'BUY', '0.01')
    const claimed = await world.claim()
    const { parts } = await world.cover(claimed.id)
    await giveWalletsTo(alice)
    assert.deepEqual(
      (await world.cover(claimed.id)).parts.map((part) => part.route_id),
      [null, null],
    )
    assert.equal(
      await world.refusal('PUT', `/settlements/${claimed.id}/parts`, {
        parts: parts.map(({ venue_id, asset, quantity, route_id }) => ({
          venue_id,
          asset,
          quantity,
          route_id,
        })),
      }),
      '3001 CONFLICT',
    )
    await giveWalletsTo(undefined)
    const begun = await world.initiate(claimed.id)
    assert.equal(begun.state, 'TRANSFERRING')
    assert.deepEqual(
      begun.parts.map(({ state, route_id }) => ({ state, route_id })),
      [
        { state: 'OPEN', route_id: null },
        { state: 'OPEN', route_id: null },
      ],
    )
    assert.equal(await world.needed('settlements_waiting'), 0)
    await world.database.db.query(
      sql`
        update settlements
        set system_updated_at = system_updated_at - 86400000
        where workspace = ${world.workspace}
          and id = ${claimed.id}`,
    )
    assert.equal(await world.needed('settlements_waiting'), 1)
    const states: string[] = []
    for (const part of begun.parts) {
      const url = `/settlements/${claimed.id}/parts/${part.id}/confirm`
      const note = 'set off against what they owe elsewhere'
      states.push((await world.call<Settlement>('POST', url, { note })).state)
    }
    assert.deepEqual(states, ['PARTIALLY_SETTLED', 'SETTLED'])
    assert.deepEqual(await world.totals('TRADING', world.prime.id), {})
    assert.equal(await world.unsettled(alice, 'BTC'), 0n)
    assert.deepEqual(await world.verify(), [])
  })
})
