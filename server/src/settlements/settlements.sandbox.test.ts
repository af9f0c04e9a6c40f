/**
 * Over HTTP, against the sandbox: a trade on credit, both sides of it moved, and what is in
 * between.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { openSettlementWorld, partOf } from './settlements.testing.ts'
import type { Customer, Fill, SettlementWorld } from './settlements.testing.ts'
import type { Settlement } from './settlements.schema.ts'

const showNet = ({ asset, direction, quantity }: Settlement['nets'][number]) => ({
  asset,
  direction,
  quantity,
})
const show = <Row, Name extends keyof Row>(row: Row, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]))

describe('settlements at a venue that is paid after the trade', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
  })
  after(() => world.close())

  let claimed: Settlement

  it('nothing to settle is refused', async () => {
    assert.equal(
      await world.refusal('POST', '/settlements', {
        timerange_from: 1_000_000_000_000,
        timerange_to: 1_900_000_000_000,
      }),
      '3001 RANGE',
    )
    assert.equal(
      await world.refusal('POST', '/settlements', {
        timerange_from: 1_900_000_000_000,
        timerange_to: 1_000_000_000_000,
      }),
      '3001 RANGE',
    )
  })

  it('bought is traded at once, and what it comes to is covered', async () => {
    await world.trade(alice, 'BUY', '0.2')
    assert.deepEqual(await world.balance(alice, 'BTC'), {
      total: '1.2',
      trading: '1.2',
      withdrawing: '1',
    })
    const { EUR, BTC, ...others } = await world.totals('TRADING', world.prime.id)
    assert.ok(
      EUR !== undefined && decimal(EUR) > 0n && BTC === '-0.2' && Object.keys(others).length === 0,
      'TRADING says what is owed',
    )
    await world.agree()

    claimed = await world.claim()
    const { state, parts } = claimed
    assert.deepEqual({ state, parts }, { state: 'PREPARING', parts: [] })
    assert.deepEqual(claimed.nets.map(showNet), [
      { asset: 'BTC', direction: 'INCOMING', quantity: '0.2' },
      { asset: 'EUR', direction: 'OUTGOING', quantity: EUR },
    ])
    assert.equal(
      await world.refusal('POST', `/settlements/${claimed.id}/initiate`, {}),
      '3001 STATE_NOT_ALLOWED',
    )
    const ready = await world.cover(claimed.id)
    assert.equal(ready.state, 'READY')
    assert.ok(ready.parts.every((part) => part.state === 'OPEN' && part.route_id !== null))
  })

  it('a fill that is taken back changes what it comes to: it is covered anew', async () => {
    const { id } = claimed
    const takenBack = (busted: boolean) =>
      world.database.db.query(
        sql`
          update fills
          set busted = ${busted}
          where settlement_id = ${id}`,
      )
    await takenBack(true)
    assert.equal(await world.refusal('POST', `/settlements/${id}/initiate`, {}), '3001 CONFLICT')
    assert.deepEqual((await world.cover(id)).nets, [])
    await takenBack(false)
    assert.equal(await world.refusal('POST', `/settlements/${id}/initiate`, {}), '3001 CONFLICT')
    assert.deepEqual((await world.cover(id)).nets, claimed.nets)
  })

  it('it is withdrawn once both sides have moved', async () => {
    const begun = await world.initiate(claimed.id)
    assert.equal(begun.state, 'TRANSFERRING')
    assert.deepEqual(
      begun.parts.map((part) => part.state),
      ['INITIATED', 'INITIATED'],
    )
    assert.equal(
      await world.refusal('POST', `/settlements/${claimed.id}/cancel`, {}),
      '3001 STATE_NOT_ALLOWED',
    )

    const settled = await world.settled(claimed.id)
    assert.ok(
      settled.completed_at !== null &&
        settled.parts.every((part) => part.state === 'SUCCESS' && part.deposit_id !== null),
    )
    const { withdrawal_id } = partOf(settled, 'OUTGOING')
    type Movement = { origin?: string; state: string; settlement_id: string }
    const withdrawal = await world.call<Movement>('GET', `/treasury/withdrawals/${withdrawal_id}`)
    assert.deepEqual(show(withdrawal, 'origin', 'state', 'settlement_id'), {
      origin: 'SETTLEMENT',
      state: 'SUCCESS',
      settlement_id: claimed.id,
    })
    const { deposit_id } = partOf(settled, 'INCOMING')
    const deposit = await world.call<Movement>('GET', `/treasury/deposits/${deposit_id}`)
    assert.deepEqual(show(deposit, 'state', 'settlement_id'), {
      state: 'SUCCESSFUL',
      settlement_id: claimed.id,
    })
    const fills = await world.call<Fill[]>('GET', `/settlements/${claimed.id}/fills`)
    assert.ok(
      fills.length > 0 &&
        fills.every(
          (fill) => fill.settlement_state === 'SETTLED' && fill.settlement_id === claimed.id,
        ),
    )
    assert.deepEqual(await world.balance(alice, 'BTC'), {
      total: '1.2',
      trading: '1.2',
      withdrawing: '1.2',
    })
    await world.assertAllSettled()
    await world.agree()
  })

  it('what is owed with nothing left to settle is a need', async () => {
    const leftOver = () => world.needed('settlements_left_over')
    assert.equal(await leftOver(), 0)
    await world.bookByHand('TRADING', 'HOUSE')
    assert.equal(await leftOver(), 1)
    await world.bookByHand('HOUSE', 'TRADING')
    assert.equal(await leftOver(), 0)
  })

  it('each step is published', async () => {
    const types = (await world.call<{ type: string; resource_id: string }[]>('GET', '/events'))
      .filter((event) => event.type.startsWith('settlement.'))
      .map((event) => event.type)
      .toSorted()
    assert.deepEqual(types, [
      'settlement.changed',
      'settlement.changed',
      'settlement.changed',
      'settlement.created',
      'settlement.initiated',
      'settlement.part_settled',
      'settlement.part_settled',
      'settlement.settled',
    ])
  })

  it('fills are taken in and left out while it is prepared; canceled it frees them', async () => {
    const bob = await world.customer('SIMPLE')
    await world.trade(alice, 'SELL', '0.05')
    await world.trade(bob, 'BUY', '0.02')
    const claimed = await world.claim()
    const available = () =>
      world.call<Fill[]>(
        'GET',
        `/settlements/${claimed.id}/available-fills?venue_id=${world.prime.id}`,
      )
    const fills = await available()
    const [first] = fills
    assert.ok(
      first !== undefined &&
        fills.length >= 2 &&
        fills.every((fill) => fill.settlement_id === claimed.id),
    )
    assert.equal(
      await world.refusal('GET', `/settlements/${claimed.id}/available-fills`),
      '3001 REQUIRED',
    )
    const change = (body: object) =>
      world.call<Settlement>('PATCH', `/settlements/${claimed.id}/fills`, body)
    const less = await change({ leave: [first.id], version: claimed.version })
    assert.notDeepEqual(less.nets, claimed.nets)
    assert.deepEqual(
      (await available()).map(({ id, settlement_id }) => ({ id, settlement_id })),
      fills.map(({ id }) => ({ id, settlement_id: id === first.id ? null : claimed.id })),
    )
    assert.equal(
      await world.refusal('PATCH', `/settlements/${claimed.id}/fills`, { leave: [first.id] }),
      '3001 CONFLICT',
    )
    const other = await world.claim()
    assert.equal(
      await world.refusal('PATCH', `/settlements/${claimed.id}/fills`, { take: [first.id] }),
      '3001 CONFLICT',
    )
    await world.call('POST', `/settlements/${other.id}/cancel`, { reason: 'not now' })
    assert.deepEqual((await change({ take: [first.id] })).nets, claimed.nets)
    assert.equal(
      await world.refusal('PATCH', `/settlements/${claimed.id}/fills`, {
        leave: [first.id],
        version: claimed.version,
      }),
      '3001 STALE_VERSION',
    )
    const canceled = await world.call<Settlement>('POST', `/settlements/${claimed.id}/cancel`, {})
    assert.equal(canceled.state, 'CANCELED')
    assert.equal(
      (await world.call<Fill>('GET', `/settlements/fills/${first.id}`)).settlement_state,
      'UNSETTLED',
    )
  })

  it('of two that want the same fills each gets a fill at most once', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() =>
        world.ask<Settlement>('POST', '/settlements', {
          timerange_from: 1_000_000_000_000,
          timerange_to: 4_000_000_000_000,
        }),
      ),
    )
    const made = answers.filter((answer) => answer.success)
    assert.equal(made.length, 1)
    assert.ok(
      answers
        .filter((answer) => !answer.success)
        .every((answer) => answer.error_details?.[0]?.code === 'RANGE'),
    )
    await world.call('POST', `/settlements/${made[0]?.data.id}/cancel`, {})
  })

  let ready: Settlement

  it('sold and bought are netted, and covered by the parts that somebody wants', async () => {
    await world.sandbox.control('POST', 'prime/payouts/automatic', { on: false })
    const key = newId()
    const claimed = await world.claim({ 'idempotency-key': key })
    assert.deepEqual(await world.claim({ 'idempotency-key': key }), claimed)
    const [btc, eur] = claimed.nets
    assert.deepEqual(btc && showNet(btc), {
      asset: 'BTC',
      direction: 'OUTGOING',
      quantity: '0.03',
    })
    assert.deepEqual(
      { asset: eur?.asset, direction: eur?.direction },
      { asset: 'EUR', direction: 'INCOMING' },
    )
    const btcPart = (quantity: string, label: string) => ({
      venue_id: world.prime.id,
      asset: 'BTC',
      quantity,
      route_id: routeOf(label),
    })
    assert.equal(
      await world.refusal('PUT', `/settlements/${claimed.id}/parts`, {
        parts: [{ venue_id: world.prime.id, asset: 'BTC', quantity: '0.02' }],
      }),
      '3001 SUM_MISMATCH',
    )
    const routes = await world.call<{ id: string; label: string }[]>(
      'GET',
      '/treasury/wallets/routes',
    )
    const routeOf = (label: string) => routes.find((route) => route.label === label)?.id
    assert.equal(
      await world.refusal('PUT', `/settlements/${claimed.id}/parts`, {
        parts: [btcPart('0.03', 'Prime to vault BTC')],
      }),
      '3001 CONFLICT',
    )
    const proposed = await world.cover(claimed.id)
    const paid = proposed.parts.find((part) => part.asset === 'EUR')
    assert.ok(paid !== undefined)
    assert.equal((await world.cover(claimed.id, { parts: [] })).state, 'PREPARING')
    const { venue_id, asset, quantity, route_id } = paid
    ready = await world.cover(claimed.id, {
      parts: [
        btcPart('0.01', 'Vault to Prime BTC'),
        btcPart('0.02', 'Vault to Prime BTC'),
        { venue_id, asset, quantity, route_id },
      ],
    })
    assert.equal(ready.state, 'READY')
    assert.equal(ready.parts.length, 3)
  })

  it('one of them is confirmed by hand, and its money comes later', async () => {
    const { id } = await world.initiate(ready.id)
    await world.until('both outgoing parts', async () => {
      const { state, parts } = await world.settlement(id)
      return state === 'PARTIALLY_SETTLED' &&
        parts.every((part) => part.direction === 'INCOMING' || part.state === 'SUCCESS')
        ? true
        : undefined
    })
    const waiting = partOf(ready, 'INCOMING')
    const { quantity } = waiting
    const confirmed = await world.call<Settlement>(
      'POST',
      `/settlements/${id}/parts/${waiting.id}/confirm`,
      { note: "the broker's statement says so" },
    )
    assert.equal(confirmed.state, 'SETTLED')
    assert.equal(
      confirmed.parts.find((part) => part.id === waiting.id)?.state,
      'CONFIRMED_MANUALLY',
    )
    assert.deepEqual(await world.totals('TRADING', world.prime.id), {})
    assert.deepEqual(await world.totals('VENUE', world.prime.id), { EUR: quantity })
    assert.equal(await world.unsettled(alice, 'EUR'), 0n)

    await world.sandbox.control('POST', 'prime/payouts', { asset: 'EUR', quantity })
    await world.until('the money', async () =>
      Object.keys(await world.totals('VENUE', world.prime.id)).length === 0 ? true : undefined,
    )
    await world.assertAllSettled()
  })
})
