/**
 * Over HTTP, against the sandbox: a trade on credit, both sides of it moved, and what is in
 * between.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, sum } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { openSettlementWorld } from './settlements.testing.ts'
import type { Customer, SettlementWorld } from './settlements.testing.ts'
import type { Settlement } from './settlements.schema.ts'

type Fill = {
  id: string
  venue_id: string
  base_asset: string
  quantity: string
  settlement_state: string
  settlement_id: string | null
}
type Position = {
  venue_id: string
  asset: string
  ledger: string
  venue: string
  difference: string
  state: string
}

describe('settlements at a venue that is paid after the trade', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
  })
  after(() => world.close())

  const cover = (id: string, body: object = {}) =>
    world.call<Settlement>('PUT', `/settlements/${id}/parts`, body)
  const initiate = (id: string, body: object = {}) =>
    world.call<Settlement>('POST', `/settlements/${id}/initiate`, body)
  const refusal = async (method: string, url: string, body?: unknown) => {
    const { error_code, error_details } = await world.ask(method, url, body)
    return [error_code, error_details?.[0]?.code]
  }
  const needed = async (kind: string) =>
    (await world.call<{ needs: { kind: string; count: number }[] }>('GET', '/overview')).needs.find(
      (need) => need.kind === kind,
    )?.count
  const settledBooks = async () => {
    assert.deepEqual(
      [
        await world.totals('TRADING', world.prime.id),
        await world.totals('VENUE', world.prime.id),
        await world.totals('TRANSIT'),
        await world.openHolds(),
      ],
      [{}, {}, {}, 0],
    )
    assert.deepEqual(await world.verify(), [])
  }
  /** 5 EUR by hand between the house and the broker's account of trades. */
  const book = async (debit: 'HOUSE' | 'TRADING', credit: 'HOUSE' | 'TRADING') => {
    const accounts = await world.call<{ id: string; type: string; venue_id: string | null }[]>(
      'GET',
      '/accounts',
    )
    const leg = (of: string, type: string) => ({
      account_id: accounts.find(
        (account) => account.type === of && (of === 'HOUSE' || account.venue_id === world.prime.id),
      )?.id,
      type,
      quantity: '5',
    })
    await world.call('POST', '/bookings', {
      asset: 'EUR',
      legs: [leg(debit, 'DEBIT'), leg(credit, 'CREDIT')],
    })
  }
  /** In one asset or in all; a venue that did not answer in time is compared again. */
  const agree = (asset?: string) =>
    world.until('venues and books to agree', async () => {
      const differing = (await world.call<Position[]>('POST', '/desk/reconciliation/run')).filter(
        (position) => position.difference !== '0',
      )
      return differing.every((position) => asset !== undefined && position.asset !== asset)
        ? true
        : undefined
    })

  it('nothing to settle is refused', async () => {
    assert.deepEqual(
      await refusal('POST', '/settlements', {
        timerange_from: 1_000_000_000_000,
        timerange_to: 1_900_000_000_000,
      }),
      [3001, 'RANGE'],
    )
    assert.deepEqual(
      await refusal('POST', '/settlements', {
        timerange_from: 1_900_000_000_000,
        timerange_to: 1_000_000_000_000,
      }),
      [3001, 'RANGE'],
    )
  })

  it('bought is traded at once and withdrawn when it is settled', async () => {
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
    await agree()

    const claimed = await world.claim()
    assert.deepEqual(
      [
        claimed.state,
        claimed.parts,
        claimed.nets.map((net) => [net.asset, net.direction, net.quantity]),
      ],
      [
        'PREPARING',
        [],
        [
          ['BTC', 'INCOMING', '0.2'],
          ['EUR', 'OUTGOING', EUR],
        ],
      ],
    )
    assert.deepEqual(await refusal('POST', `/settlements/${claimed.id}/initiate`, {}), [
      3001,
      'STATE_NOT_ALLOWED',
    ])
    const ready = await cover(claimed.id)
    assert.equal(ready.state, 'READY')
    assert.ok(ready.parts.every((part) => part.state === 'OPEN' && part.route_id !== null))
    const takenBack = (busted: boolean) =>
      world.database.db.query(
        sql`
          update fills
          set busted = ${busted}
          where settlement_id = ${claimed.id}`,
      )
    await takenBack(true)
    assert.deepEqual(await refusal('POST', `/settlements/${claimed.id}/initiate`, {}), [
      3001,
      'CONFLICT',
    ])
    assert.deepEqual((await cover(claimed.id)).nets, [])
    await takenBack(false)
    assert.deepEqual(await refusal('POST', `/settlements/${claimed.id}/initiate`, {}), [
      3001,
      'CONFLICT',
    ])
    assert.deepEqual((await cover(claimed.id)).nets, claimed.nets)
    const begun = await initiate(claimed.id)
    assert.deepEqual(
      [begun.state, begun.parts.map((part) => part.state)],
      ['TRANSFERRING', ['INITIATED', 'INITIATED']],
    )
    assert.deepEqual(await refusal('POST', `/settlements/${claimed.id}/cancel`, {}), [
      3001,
      'STATE_NOT_ALLOWED',
    ])

    const settled = await world.settled(claimed.id)
    assert.ok(
      settled.completed_at !== null &&
        settled.parts.every((part) => part.state === 'SUCCESS' && part.deposit_id !== null),
    )
    const withdrawal = await world.call<{ origin: string; state: string; settlement_id: string }>(
      'GET',
      `/treasury/withdrawals/${settled.parts.find((part) => part.direction === 'OUTGOING')?.withdrawal_id}`,
    )
    assert.deepEqual(
      [withdrawal.origin, withdrawal.state, withdrawal.settlement_id],
      ['SETTLEMENT', 'SUCCESS', claimed.id],
    )
    const deposit = await world.call<{ state: string; settlement_id: string }>(
      'GET',
      `/treasury/deposits/${settled.parts.find((part) => part.direction === 'INCOMING')?.deposit_id}`,
    )
    assert.deepEqual([deposit.state, deposit.settlement_id], ['SUCCESSFUL', claimed.id])
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
    await settledBooks()
    await agree()
    const leftOver = () => needed('settlements_left_over')
    assert.equal(await leftOver(), 0)
    await book('TRADING', 'HOUSE')
    assert.equal(await leftOver(), 1)
    await book('HOUSE', 'TRADING')
    assert.equal(await leftOver(), 0)
    const types = (await world.call<{ type: string; resource_id: string }[]>('GET', '/events'))
      .filter((each) => each.type.startsWith('settlement.'))
      .map((each) => each.type)
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

  it('fills are taken in and left out while it is prepared, and a canceled one frees them', async () => {
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
    assert.deepEqual(await refusal('GET', `/settlements/${claimed.id}/available-fills`), [
      3001,
      'REQUIRED',
    ])
    const change = (body: object) =>
      world.call<Settlement>('PATCH', `/settlements/${claimed.id}/fills`, body)
    const less = await change({ leave: [first.id], version: claimed.version })
    assert.notDeepEqual(less.nets, claimed.nets)
    assert.deepEqual(
      (await available()).map((fill) => [fill.id, fill.settlement_id]),
      fills.map((fill) => [fill.id, fill.id === first.id ? null : claimed.id]),
    )
    assert.deepEqual(
      await refusal('PATCH', `/settlements/${claimed.id}/fills`, { leave: [first.id] }),
      [3001, 'CONFLICT'],
    )
    const other = await world.claim()
    assert.deepEqual(
      await refusal('PATCH', `/settlements/${claimed.id}/fills`, { take: [first.id] }),
      [3001, 'CONFLICT'],
    )
    await world.call('POST', `/settlements/${other.id}/cancel`, { reason: 'not now' })
    assert.deepEqual((await change({ take: [first.id] })).nets, claimed.nets)
    assert.deepEqual(
      await refusal('PATCH', `/settlements/${claimed.id}/fills`, {
        leave: [first.id],
        version: claimed.version,
      }),
      [3001, 'STALE_VERSION'],
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

  it('sold and bought are netted; parts as somebody wants them; one is confirmed by hand, and its money comes later', async () => {
    await world.sandbox.control('POST', 'prime/payouts/automatic', { on: false })
    const key = newId()
    const claimed = await world.claim({ 'idempotency-key': key })
    assert.deepEqual(await world.claim({ 'idempotency-key': key }), claimed)
    const net = (asset: string) => claimed.nets.find((net) => net.asset === asset)
    const btc = net('BTC')
    const eur = net('EUR')
    assert.deepEqual(
      [btc?.direction, btc?.quantity, eur?.direction],
      ['OUTGOING', '0.03', 'INCOMING'],
    )
    assert.deepEqual(
      await refusal('PUT', `/settlements/${claimed.id}/parts`, {
        parts: [{ venue_id: world.prime.id, asset: 'BTC', quantity: '0.02' }],
      }),
      [3001, 'SUM_MISMATCH'],
    )
    const routes = await world.call<{ id: string; label: string }[]>(
      'GET',
      '/treasury/wallets/routes',
    )
    const routeOf = (label: string) => routes.find((route) => route.label === label)?.id
    assert.deepEqual(
      await refusal('PUT', `/settlements/${claimed.id}/parts`, {
        parts: [
          {
            venue_id: world.prime.id,
            asset: 'BTC',
            quantity: '0.03',
            route_id: routeOf('Prime to vault BTC'),
          },
        ],
      }),
      [3001, 'CONFLICT'],
    )
    const proposed = await cover(claimed.id)
    const paid = proposed.parts.find((part) => part.asset === 'EUR')
    assert.ok(paid !== undefined)
    assert.equal((await cover(claimed.id, { parts: [] })).state, 'PREPARING')
    const ready = await cover(claimed.id, {
      parts: [
        {
          venue_id: world.prime.id,
          asset: 'BTC',
          quantity: '0.01',
          route_id: routeOf('Vault to Prime BTC'),
        },
        {
          venue_id: world.prime.id,
          asset: 'BTC',
          quantity: '0.02',
          route_id: routeOf('Vault to Prime BTC'),
        },
        {
          venue_id: world.prime.id,
          asset: 'EUR',
          quantity: paid.quantity,
          route_id: paid.route_id,
        },
      ],
    })
    assert.deepEqual([ready.state, ready.parts.length], ['READY', 3])
    await initiate(claimed.id)
    await world.until('both outgoing parts', async () => {
      const { state, parts } = await world.call<Settlement>('GET', `/settlements/${claimed.id}`)
      return state === 'PARTIALLY_SETTLED' &&
        parts.every((part) => part.direction === 'INCOMING' || part.state === 'SUCCESS')
        ? true
        : undefined
    })
    const waiting = ready.parts.find((part) => part.direction === 'INCOMING')
    const confirmed = await world.call<Settlement>(
      'POST',
      `/settlements/${claimed.id}/parts/${waiting?.id}/confirm`,
      { note: "the broker's statement says so" },
    )
    assert.deepEqual(
      [confirmed.state, confirmed.parts.find((part) => part.id === waiting?.id)?.state],
      ['SETTLED', 'CONFIRMED_MANUALLY'],
    )
    assert.deepEqual(
      [await world.totals('TRADING', world.prime.id), await world.totals('VENUE', world.prime.id)],
      [{}, { EUR: paid.quantity }],
    )
    assert.equal(await world.unsettled(alice, 'EUR'), 0n)

    await world.sandbox.control('POST', 'prime/payouts', { asset: 'EUR', quantity: paid.quantity })
    await world.until('the money', async () =>
      Object.keys(await world.totals('VENUE', world.prime.id)).length === 0 ? true : undefined,
    )
    await settledBooks()
  })

  it('what the venue paid before anybody waited for it is named by hand', async () => {
    await world.trade(alice, 'BUY', '0.01')
    await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.01' })
    const deposit = await world.until('its deposit', async () =>
      (
        await world.call<{ id: string; state: string; quantity: string }[]>(
          'GET',
          '/treasury/deposits',
        )
      ).find((each) => each.state === 'UNASSIGNED' && each.quantity === '0.01'),
    )
    const claimed = await world.claim()
    const { parts } = await cover(claimed.id)
    const [received, given] = [
      parts.find((part) => part.direction === 'INCOMING'),
      parts.find((part) => part.direction === 'OUTGOING'),
    ]
    const begun = await initiate(claimed.id, { part_ids: [given?.id] })
    assert.deepEqual(begun.parts.map((part) => part.state).toSorted(), ['INITIATED', 'OPEN'])
    assert.deepEqual(
      await refusal('POST', `/settlements/${claimed.id}/parts/${given?.id}/confirm`, {
        note: 'paid',
        deposit_id: deposit.id,
      }),
      [3001, 'CONFLICT'],
    )
    const url = `/settlements/${claimed.id}/parts/${received?.id}/confirm`
    const [one, other] = [
      await world.call<Settlement>(
        'POST',
        url,
        { note: 'came early', deposit_id: deposit.id },
        { 'idempotency-key': 'early' },
      ),
      await world.call<Settlement>(
        'POST',
        url,
        { note: 'came early', deposit_id: deposit.id },
        { 'idempotency-key': 'early' },
      ),
    ]
    assert.deepEqual(
      [one, one.parts.find((part) => part.id === received?.id)?.deposit_id],
      [other, deposit.id],
    )
    assert.deepEqual(await refusal('POST', url, { note: 'again' }), [3001, 'STATE_NOT_ALLOWED'])
    await world.settled(claimed.id)
    assert.deepEqual(
      [
        await world.totals('SUSPENSE'),
        (await world.call<{ state: string }>('GET', `/treasury/deposits/${deposit.id}`)).state,
      ],
      [{}, 'SUCCESSFUL'],
    )
    await settledBooks()
  })

  it('one deposit for two settlements, and one that nobody waits for any more: named by hand, the books are whole', async () => {
    const begun = async (amount: string) => {
      await world.trade(alice, 'BUY', amount)
      const { id } = await world.claim()
      await cover(id)
      const { parts } = await initiate(id)
      const url = `/settlements/${id}/parts/${parts.find((part) => part.direction === 'INCOMING')?.id}`
      const read = async () =>
        (await world.call<Settlement>('GET', `/settlements/${id}`)).parts.find(
          (part) => part.direction === 'INCOMING',
        )
      const seen = async () => {
        const part = await read()
        return [part?.state, part?.arrival, part?.deposit_id ?? null]
      }
      return { id, url, seen }
    }
    type Deposit = { id: string; state: string; quantity: string; settlement_id: string | null }
    const nobodys = (quantity: string) =>
      world.until('a deposit of nobody', async () =>
        (await world.call<Deposit[]>('GET', '/treasury/deposits?state=UNASSIGNED')).find(
          (deposit) => deposit.quantity === quantity,
        ),
      )
    const unseen = async () =>
      (await world.call<Settlement[]>('GET', '/settlements?unseen=true')).map((each) => each.id)

    const [one, two] = [await begun('0.01'), await begun('0.005')]
    await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.015' })
    const both = await nobodys('0.015')
    assert.deepEqual(
      await refusal('POST', `${one.url}/confirm`, { note: 'both at once', deposit_id: both.id }),
      [3001, 'ABOVE_MAXIMUM'],
    )
    assert.deepEqual(
      await refusal('POST', `${one.url}/arrival`, { note: 'both at once', deposit_id: both.id }),
      [3001, 'STATE_NOT_ALLOWED'],
    )
    for (const each of [one, two])
      await world.call('POST', `${each.url}/confirm`, { note: 'both at once' })
    for (const each of [one, two]) await world.settled(each.id)
    assert.deepEqual(
      [await one.seen(), await world.totals('VENUE', world.prime.id), await unseen()],
      [['CONFIRMED_MANUALLY', 'EXPECTED', null], { BTC: '0.015' }, [two.id, one.id]],
    )
    assert.equal(await needed('settlements_unseen'), 0)
    await world.database.db.query(
      sql`
        update settlement_parts
        set completed_at = completed_at - 86400000
        where workspace = ${world.workspace}
          and settlement_id in (${one.id}, ${two.id})`,
    )
    assert.equal(await needed('settlements_unseen'), 2)
    const named = [
      await world.call<Settlement>(
        'POST',
        `${one.url}/arrival`,
        { note: 'both at once', deposit_id: both.id },
        { 'idempotency-key': 'both' },
      ),
      await world.call<Settlement>(
        'POST',
        `${one.url}/arrival`,
        { note: 'both at once', deposit_id: both.id },
        { 'idempotency-key': 'both' },
      ),
    ]
    assert.deepEqual(named[0], named[1])
    assert.deepEqual(
      [await one.seen(), await unseen(), await needed('settlements_unseen')],
      [['CONFIRMED_MANUALLY', 'ARRIVED', both.id], [two.id], 1],
    )
    const deposit = await world.call<Deposit>('GET', `/treasury/deposits/${both.id}`)
    assert.deepEqual(
      [deposit.state, deposit.settlement_id, await world.totals('SUSPENSE')],
      ['SUCCESSFUL', one.id, {}],
    )
    assert.deepEqual(
      await refusal('POST', `${two.url}/arrival`, { note: 'again', deposit_id: both.id }),
      [3001, 'STATE_NOT_ALLOWED'],
    )
    await world.call('POST', `${two.url}/drop`, { note: 'it came with the other' })
    assert.deepEqual(
      [await two.seen(), await unseen(), await needed('settlements_unseen')],
      [['CONFIRMED_MANUALLY', 'DROPPED', null], [], 0],
    )
    assert.deepEqual(await refusal('POST', `${two.url}/drop`, { note: 'again' }), [
      3001,
      'STATE_NOT_ALLOWED',
    ])
    await settledBooks()
    await agree('BTC')

    const three = await begun('0.01')
    await world.call('POST', `${three.url}/confirm`, { note: 'set off, they said' })
    await world.call('POST', `${three.url}/drop`, { note: 'set off, they said' })
    await world.settled(three.id)
    await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.01' })
    const late = await nobodys('0.01')
    assert.deepEqual(
      [await world.totals('SUSPENSE'), await world.totals('VENUE', world.prime.id)],
      [{ BTC: '0.01' }, { BTC: '0.01' }],
    )
    await world.call('POST', `${three.url}/arrival`, {
      note: 'they paid after all',
      deposit_id: late.id,
    })
    assert.deepEqual(
      [await three.seen(), await world.totals('SUSPENSE')],
      [['CONFIRMED_MANUALLY', 'DROPPED', late.id], {}],
    )
    await settledBooks()
    await agree('BTC')
  })

  it("of a trade made at the venue's own desk in an asset that is in no books, what is in them is settled", async () => {
    await world.sandbox.control('POST', 'prime/orders', {
      pair: 'ETH/EUR',
      side: 'buy',
      type: 'market',
      volume: '0.5',
    })
    await world.until('its fills', async () => {
      await world.database.db.query(
        sql`
          update tasks
          set due_at = 0
          where kind = 'observe_trades'
            and leased_until is null`,
      )
      const fills = await world.call<Fill[]>(
        'GET',
        `/toms/${world.prime.services.find((service) => service.type === 'TOMS')?.id}/fills`,
      )
      return sum(
        fills
          .filter((fill) => fill.base_asset === 'ETH' && fill.settlement_state === 'UNSETTLED')
          .map((fill) => decimal(fill.quantity)),
      ) === decimal('0.5')
        ? true
        : undefined
    })
    const { EUR } = await world.totals('TRADING', world.prime.id)
    const claimed = await world.claim()
    assert.deepEqual(
      claimed.nets.map((net) => [net.asset, net.direction, net.quantity]),
      [['EUR', 'OUTGOING', EUR]],
    )
    assert.deepEqual(
      (await cover(claimed.id)).parts.map((part) => part.asset),
      ['EUR'],
    )
    await initiate(claimed.id)
    await world.settled(claimed.id)
    assert.deepEqual(
      [await world.totals('TRADING', world.prime.id), await world.verify()],
      [{}, []],
    )
  })

  it('whether the broker is paid before or after the trade does not change while something traded there is open', async () => {
    const settlement = async () =>
      (await world.call<{ id: string; settlement: string }[]>('GET', '/venues')).find(
        (each) => each.id === world.prime.id,
      )?.settlement
    const kept = async (from: 'PREFUNDED' | 'POST_TRADE', why: RegExp) => {
      const { code, told } = await world.configure(
        from === 'PREFUNDED' ? 'POST_TRADE' : 'PREFUNDED',
      )
      assert.deepEqual([code, await settlement()], [1, from], told)
      assert.match(told, why)
    }
    const changed = async (to: 'PREFUNDED' | 'POST_TRADE') => {
      const { code, told } = await world.configure(to)
      assert.deepEqual([code, await settlement()], [0, to], told)
    }
    const rested = async (meanwhile: () => Promise<void>) => {
      const [route] = await world.call<{ id: string }[]>('GET', '/price-stream/routes')
      const { id } = await world.call<{ id: string }>('POST', '/executions', {
        route_id: route?.id,
        amount: '0.01',
        side: 'BUY',
        execution_type: 'LIMIT',
        price: '30000',
        customers: [{ customer_id: alice.id }],
      })
      await world.until('the resting order', async () =>
        (await world.call<{ state: string }[]>('GET', `/executions/${id}/orders`)).find(
          (each) => each.state === 'NEW',
        ),
      )
      await meanwhile()
      await world.call('DELETE', `/executions/${id}`)
      await world.until('its end', async () =>
        (await world.call<{ state: string }>('GET', `/executions/${id}`)).state === 'CANCELED'
          ? true
          : undefined,
      )
    }
    await world.trade(alice, 'BUY', '0.01')
    await kept(
      'POST_TRADE',
      /venues\[0\]\.settlement: the venue prime has [0-9]+ trades? not settled: it stays POST_TRADE, and becomes PREFUNDED once nothing of that is left/,
    )
    const claimed = await world.claim()
    await kept('POST_TRADE', /trades? not settled/)
    await cover(claimed.id)
    await initiate(claimed.id)
    await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.01' })
    await world.settled(claimed.id)
    await rested(() => kept('POST_TRADE', /prime has 1 open order:/))
    await book('HOUSE', 'TRADING')
    await kept('POST_TRADE', /5 EUR on its trading account/)
    await book('TRADING', 'HOUSE')
    await changed('PREFUNDED')
    await world.trade(alice, 'BUY', '0.01')
    assert.deepEqual(
      [
        await world.totals('TRADING', world.prime.id),
        await refusal('POST', '/settlements', {
          timerange_from: 1_000_000_000_000,
          timerange_to: 4_000_000_000_000,
        }),
      ],
      [{}, [3001, 'RANGE']],
    )
    await rested(() => kept('PREFUNDED', /1 open order/))
    await changed('POST_TRADE')
    assert.deepEqual(await world.verify(), [])
  })

  it("no route leads through a customer's wallet; what none leads to begins as well, and is confirmed part by part", async () => {
    await world.trade(alice, 'BUY', '0.01')
    const claimed = await world.claim()
    const { parts } = await cover(claimed.id)
    const { db } = world.database
    const customers = (is: boolean) =>
      db.query(
        is
          ? sql`
            update wallets
            set type = 'CUSTOMER', customer_id = ${alice.id}
            where workspace = ${world.workspace}
              and type = 'VENUE'
              and venue_id <> ${world.prime.id}`
          : sql`
            update wallets
            set type = 'VENUE', customer_id = null
            where workspace = ${world.workspace}
              and type = 'CUSTOMER'`,
      )
    await customers(true)
    assert.deepEqual(
      (await cover(claimed.id)).parts.map((part) => part.route_id),
      [null, null],
    )
    assert.deepEqual(
      await refusal('PUT', `/settlements/${claimed.id}/parts`, {
        parts: parts.map(({ venue_id, asset, quantity, route_id }) => ({
          venue_id,
          asset,
          quantity,
          route_id,
        })),
      }),
      [3001, 'CONFLICT'],
    )
    await customers(false)
    const begun = await initiate(claimed.id)
    assert.deepEqual(
      [begun.state, begun.parts.map((part) => [part.state, part.route_id])],
      [
        'TRANSFERRING',
        [
          ['OPEN', null],
          ['OPEN', null],
        ],
      ],
    )
    assert.equal(await needed('settlements_waiting'), 0)
    await world.database.db.query(
      sql`
        update settlements
        set system_updated_at = system_updated_at - 86400000
        where workspace = ${world.workspace}
          and id = ${claimed.id}`,
    )
    assert.equal(await needed('settlements_waiting'), 1)
    const states: string[] = []
    for (const part of begun.parts)
      states.push(
        (
          await world.call<Settlement>(
            'POST',
            `/settlements/${claimed.id}/parts/${part.id}/confirm`,
            { note: 'set off against what they owe elsewhere' },
          )
        ).state,
      )
    assert.deepEqual(states, ['PARTIALLY_SETTLED', 'SETTLED'])
    assert.deepEqual(
      [
        await world.totals('TRADING', world.prime.id),
        await world.unsettled(alice, 'BTC'),
        await world.verify(),
      ],
      [{}, 0n, []],
    )
  })
})
