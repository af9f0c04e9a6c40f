import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format, sum } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { sql } from '../../store/sql.ts'
import type { VenueOrder } from '../../venues/index.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { advanceExecution } from './orders.ts'
import { followRoutes } from '../routes/price-feed.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import type { Fill } from '../executions/fills.schema.ts'
import type { Quote } from '../quotes/quotes.schema.ts'

describe('splits, volumes and hops', () => {
  let desk: Desk
  let alice: Customer
  let bob: Customer
  before(async () => {
    desk = await openDesk()
  })
  after(() => desk.close())
  beforeEach(async () => {
    desk.reset()
    desk.world.ethMarket('0.05×10 0.0501×10', '0.0499×10 0.0498×10')
    alice = await desk.world.customer()
    bob = await desk.world.customer(
      { margin: 'PREMIUM', booking_schema: 'SIMPLE' } as Partial<Customer>,
      { BTC: '5', EUR: '500000', ETH: '20' },
    )
  })
  const market = (more: Record<string, unknown> = {}) =>
    desk.execute({
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '1',
      customers: [{ customer_id: alice.id }],
      ...more,
    })

  it('a split: each his own hold and margin at one price, ADVANCED beside SIMPLE, in pieces', async () => {
    const { world } = desk
    const created = await market({
      customers: [{ customer_id: alice.id, quantity_absolute: '0.33333' }, { customer_id: bob.id }],
    })
    assert.deepEqual(
      [
        created.customers.map((customer) => [customer.quantity_absolute, customer.margin]),
        (await desk.held(created.id)).length,
      ],
      [
        [
          ['0.33333', '0.005'],
          [null, '0.001'],
        ],
        2,
      ],
    )
    const pieces = [fillFor('A', '60000', '0.5'), fillFor('B', '60010.1', '0.5')]
    world.exchange.sends = [
      () => ({ outcome: 'accepted', report: report('PARTIALLY_FILLED', pieces.slice(0, 1)) }),
    ]
    world.exchange.finds = [() => ({ lookup: 'found', report: report('FILLED', pieces) })]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [
        done.state,
        done.customers.map((customer) => customer.filled_amount),
        await desk.held(created.id),
      ],
      ['DONE', ['0.33333', '0.66667'], []],
    )
    // 60005.05 each: 20001.49 + 52.01 + 100.27; 40003.57 + 104.01 + 40.11
    assert.deepEqual(
      done.customers.map((customer) => customer.filled_volume),
      ['20153.77', '40147.69'],
    )
    assert.equal(
      (await world.balances(bob.account_id))['EUR'],
      format(decimal('500000') - decimal('40147.69')),
    )
    await world.assertBooks()
  })

  it("the request's margin and risk hold for each instead of the route's, in what is blocked and what is booked", async () => {
    const created = await market({
      amount: '3',
      margin: '0.01',
      risk: '0.00079',
      customers: [{ customer_id: alice.id, quantity_absolute: '1.5' }, { customer_id: bob.id }],
    })
    // 90900, fee 236.34, risk 72.00, margin 911.37
    assert.deepEqual(
      [created.margin, created.risk, await desk.held(created.id)],
      ['0.01', '0.00079', ['EUR 92119.71', 'EUR 92119.71']],
    )
    desk.world.exchange.sends = [desk.fills('60000')]
    const done = await desk.world.finish(created.id)
    assert.deepEqual(
      done.customers.map((customer) => [customer.margin, customer.risk, customer.filled_volume]),
      [
        ['0.01', '0.00079', '91207.63'],
        ['0.01', '0.00079', '91207.63'],
      ],
    )
    assert.equal(
      (await desk.booked(created.id))[0],
      'EXECUTION EUR: D Alice 91207.63, C Exchange trading 90000, C Fee 234, C Risk 71.29, C Margin 902.34',
    )
    await desk.world.assertBooks()
  })

  it('three customers share what is filled by largest remainder, and a SELL gives each his own total', async () => {
    const { world } = desk
    const carol = await world.customer()
    const created = await market({
      side: 'SELL',
      amount: '1',
      customers: [
        { customer_id: alice.id, quantity_absolute: '0.33333' },
        { customer_id: bob.id, quantity_absolute: '0.33333' },
        { customer_id: carol.id, quantity_absolute: '0.33334' },
      ],
    })
    world.exchange.sends = [
      () => ({
        outcome: 'accepted',
        report: report('CANCELED', [fillFor('T', '60000', '0.10000001')]),
      }),
    ]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, done.customers.map((customer) => customer.filled_amount)],
      ['CANCELED', ['0.033333', '0.033333', '0.03333401']],
    )
    assert.equal(
      format(sum(done.customers.map((customer) => decimal(customer.filled_amount)))),
      done.filled_amount,
    )
    assert.deepEqual(await desk.held(created.id), [])
    await world.assertBooks()
  })

  it('one refusal refuses the whole: nothing is blocked, nothing is sent', async () => {
    const poor = await desk.world.customer({}, { EUR: '100' })
    const before = await desk.world.balances(alice.account_id)
    assert.deepEqual(
      (
        await desk.refused('POST', '/executions', {
          execution_type: 'MARKET',
          side: 'BUY',
          amount: '1',
          customers: [
            { customer_id: alice.id, quantity_absolute: '0.5' },
            { customer_id: poor.id },
          ],
        })
      ).slice(0, 3),
      [400, 3001, 'INSUFFICIENT_BALANCE'],
    )
    assert.deepEqual(
      (
        await desk.refused('POST', '/executions', {
          execution_type: 'LIMIT',
          side: 'BUY',
          amount: '1',
          price: '60000',
          customers: [
            { customer_id: alice.id, quantity_absolute: '0.5' },
            { customer_id: newId() },
          ],
        })
      ).slice(0, 3),
      [404, 4004, 'NOT_FOUND'],
    )
    assert.deepEqual(
      [await desk.world.balances(alice.account_id), desk.world.exchange.sent],
      [before, []],
    )
  })

  it("a LIMIT for several goes out at the price that keeps the dearest one's", async () => {
    const created = await desk.execute({
      execution_type: 'LIMIT',
      side: 'BUY',
      amount: '1',
      price: '60000',
      customers: [{ customer_id: bob.id, quantity_absolute: '0.5' }, { customer_id: alice.id }],
    })
    desk.world.exchange.sends = [desk.fills('59546.6')]
    const done = await desk.world.finish(created.id)
    assert.equal(format(desk.world.exchange.sent[0]?.price ?? 0n), '59546.6')
    assert.ok(
      done.customers.every((customer) => decimal(customer.filled_volume) <= decimal('30000')),
    )
    await desk.world.assertBooks()
  })

  it('VOLUME BUY: the customer pays exactly the volume, all that is bought is his, what the market gives is margin', async () => {
    const { world } = desk
    const created = await market({ amount: undefined, mode: 'VOLUME', volume: '1000', risk: '0.5' })
    // ⌊1000 ÷ 1.005⌋ = 995.02 buys 0.01654 at 60000 + 0.26 %.
    assert.deepEqual(
      [created.amount, created.volume, await desk.held(created.id)],
      ['0.01654', '1000', ['EUR 1000']],
    )
    world.exchange.sends = [desk.fills('60000')]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [
        done.state,
        done.customers[0]?.filled_volume,
        done.customers[0]?.filled_amount,
        done.customers[0]?.risk,
      ],
      ['DONE', '1000', '0.01654', '0'],
    )
    // 992.4 + 2.59 (2.58024) + margin
    assert.equal(
      (await desk.booked(created.id))[0],
      'EXECUTION EUR: D Alice 1000, C Exchange trading 992.4, C Fee 2.58024, C Margin 5.01, C Rounding 0.00976',
    )
    await world.assertBooks()
  })

  it('VOLUME SELL: as much is sold as brings the volume; the customer gets exactly that', async () => {
    const { world } = desk
    const created = await market({
      side: 'SELL',
      amount: undefined,
      mode: 'VOLUME',
      volume: '1000',
    })
    assert.deepEqual([created.amount, await desk.held(created.id)], ['0.0168', ['BTC 0.0168']])
    world.exchange.sends = [desk.fills('60000')]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, done.customers[0]?.filled_volume, await desk.held(created.id)],
      ['DONE', '1000', []],
    )
    await world.assertBooks()
  })

  it('VOLUME for several: each pays or gets exactly his part, in what was had his share', async () => {
    const { world } = desk
    for (const side of ['BUY', 'SELL'] as const) {
      const created = await market({
        side,
        amount: undefined,
        mode: 'VOLUME',
        volume: '3000',
        customers: [{ customer_id: alice.id, quantity_absolute: '1000' }, { customer_id: bob.id }],
      })
      world.exchange.sends = [desk.fills('60000')]
      const done = await world.finish(created.id)
      assert.deepEqual(
        [
          done.state,
          done.customers.map((customer) => customer.filled_volume),
          done.customers.map((customer) => customer.quantity_absolute),
        ],
        ['DONE', ['1000', '2000'], ['1000', null]],
      )
      assert.equal(
        format(sum(done.customers.map((customer) => decimal(customer.filled_amount)))),
        done.filled_amount,
      )
      await world.assertBooks()
    }
    const part = await market({
      amount: undefined,
      mode: 'VOLUME',
      volume: '3000',
      customers: [{ customer_id: alice.id, quantity_absolute: '1000' }, { customer_id: bob.id }],
    })
    world.exchange.sends = [
      () => ({ outcome: 'accepted', report: report('CANCELED', [fillFor('V', '60000', '0.01')]) }),
    ]
    const done = await world.finish(part.id)
    assert.deepEqual(
      [done.state, await desk.held(part.id), desk.total(done) < decimal('610')],
      ['CANCELED', [], true],
    )
    await world.assertBooks()
  })

  it('a quote asked in the quote asset binds the volume; firm it costs what it said', async () => {
    const { data: quote } = await desk.api.call<Quote>('POST', '/price-stream/quotes', {
      body: {
        route_id: desk.world.route.id,
        request_asset: 'EUR',
        request_quantity: '1000',
        risk_duration_ms: 10_000,
        customer_id: alice.id,
      },
    })
    const given = {
      execution_type: 'MARKET',
      side: 'SELL',
      mode: 'VOLUME',
      customers: [{ customer_id: alice.id }],
      quote_id: quote.id,
    }
    assert.deepEqual(await desk.refused('POST', '/executions', { ...given, volume: '999' }), [
      400,
      3001,
      'QUOTE_MISMATCH',
      'volume',
    ])
    assert.deepEqual(
      await desk.refused('POST', '/executions', {
        ...given,
        mode: 'AMOUNT',
        amount: quote.sell.amount,
      }),
      [400, 3001, 'QUOTE_MISMATCH', 'mode'],
    )
    const created = await desk.execute({ ...given, volume: '1000' })
    desk.world.exchange.sends = [desk.fills('55000')]
    const done = await desk.world.finish(created.id)
    assert.deepEqual(
      [done.state, done.amount, done.customers[0]?.filled_volume],
      ['DONE', quote.sell.amount, '1000'],
    )
    await desk.world.assertBooks()
  })

  const hopFill = (price: string, fee_asset: string) => (order: VenueOrder) => {
    const filled = fillFor(newId(), price, format(order.quantity), undefined, fee_asset)
    return {
      outcome: 'accepted' as const,
      report: { ...report('FILLED', [filled]), foreign_id: `O${order.client_order_id}` },
    }
  }

  it("over two hops: the second goes out for what the first has really moved; the customer's total has both fees once", async () => {
    const { world } = desk
    for (const [customer, side] of [
      [bob, 'SELL'],
      [alice, 'BUY'],
    ] as const) {
      world.exchange.sent = []
      const created = await market({
        route_id: world.two_hops.id,
        side,
        amount: '2',
        customers: [{ customer_id: customer.id }],
      })
      world.exchange.sends = [
        hopFill(side === 'BUY' ? '0.05' : '0.0499', 'BTC'),
        hopFill('60000', 'EUR'),
      ]
      const done = await world.finish(created.id)
      const [first, second] = world.exchange.sent
      assert.deepEqual(
        [first?.type, first?.base_asset, second?.type, second?.base_asset],
        ['LIMIT', 'ETH', 'MARKET', 'BTC'],
      )
      // BUY 0.1 + 0.00026; SELL 0.0998 − 0.00026
      assert.deepEqual(
        [format(second?.quantity ?? 0n), done.state, done.filled_amount],
        [side === 'BUY' ? '0.10026' : '0.09954', 'DONE', '2'],
      )
      // BUY 6000 + 0.52 % + 0.5 % of both; SELL 5988 − 0.52 % − 0.1 % of the rest
      assert.equal(done.customers[0]?.filled_volume, side === 'BUY' ? '6061.36' : '5950.9')
      assert.deepEqual(await desk.held(created.id), [])
      await world.assertBooks()
    }
  })

  it("over two hops: what the second does not do at once goes out again; what cannot be done is the house's risk, not the customer's", async () => {
    const { world } = desk
    const created = await market({ route_id: world.two_hops.id, amount: '2' })
    const part = (quantity: string) => (order: VenueOrder) => ({
      outcome: 'accepted' as const,
      report: {
        ...report('CANCELED', [fillFor(newId(), '60000', quantity)]),
        foreign_id: `O${order.client_order_id}`,
      },
    })
    world.exchange.sends = [hopFill('0.05', 'BTC'), part('0.05'), part('0.05026')]
    world.exchange.sends[2] = hopFill('60000', 'EUR')
    assert.deepEqual(
      [
        (await world.finish(created.id)).state,
        world.exchange.sent.map((order) => format(order.quantity)),
      ],
      ['DONE', ['2', '0.10026', '0.05026']],
    )
    await world.assertBooks()
    const broken = await market({ route_id: world.two_hops.id, amount: '2' })
    world.exchange.sends = [
      hopFill('0.05', 'BTC'),
      part('0.05013'),
      () => ({ outcome: 'refused', reason: 'EOrder:Insufficient funds', native: null }),
    ]
    const done = await world.finish(broken.id)
    assert.deepEqual(
      [done.state, done.reason_code, done.filled_amount, await desk.held(broken.id)],
      ['CANCELED', 'HOP_INCOMPLETE', '1', []],
    )
    assert.equal(done.customers[0]?.filled_volume, '3030.68')
    assert.equal(await desk.needs('executions_incomplete'), 1)
    await world.assertBooks()
  })

  it('over two hops: the second is priced and goes out though the route is switched off meanwhile', async () => {
    const { world } = desk
    const {
      app,
      database: { db },
    } = world
    const created = await market({ route_id: world.two_hops.id, amount: '2' })
    const active = (is: boolean) =>
      db.query(
        sql`
          update price_stream_routes
          set active = ${is}
          where workspace = ${world.workspace}`,
      )
    const follow = () =>
      followRoutes({ ...app, log: { error: (details) => assert.fail(JSON.stringify(details)) } })
    world.exchange.sends = [hopFill('0.05', 'BTC'), hopFill('60000', 'EUR')]
    await active(false)
    await follow()
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, done.filled_amount, await desk.held(created.id)],
      ['DONE', '2', []],
    )
    await follow()
    assert.deepEqual(app.prices.followed(), [])
    // While the second market is not known the first one's trades are booked; it goes on when it
    // is.
    await active(true)
    await follow()
    world.market()
    world.ethMarket('0.05×10 0.0501×10', '0.0499×10 0.0498×10')
    const other = await market({ route_id: world.two_hops.id, amount: '2' })
    await active(false)
    await app.prices.forget(world.venue_id)
    world.exchange.sends = [hopFill('0.05', 'BTC'), hopFill('60000', 'EUR')]
    await assert.rejects(advanceExecution(app, world.workspace, other.id), {
      kind: 'VenueUnreachable',
    })
    assert.deepEqual(
      [
        (await desk.orders(other.id)).map((order) => `${order.state} ${order.filled_quantity}`),
        await desk.held(other.id),
      ],
      [['PARTIALLY_FILLED 2'], ['EUR 6121.98']],
    )
    const [filled] = (await desk.api.call<Fill[]>('GET', `/executions/${other.id}/orders/fills`))
      .data
    world.exchange.finds = [
      () => ({
        lookup: 'found',
        report: report('FILLED', [
          fillFor(filled?.foreign_id ?? '', '0.05', '2', undefined, 'BTC'),
        ]),
      }),
    ]
    await assert.rejects(advanceExecution(app, world.workspace, other.id), {
      kind: 'VenueUnreachable',
    })
    assert.equal((await desk.booked(other.id)).length, 3)
    await follow()
    assert.deepEqual(
      [(await world.finish(other.id)).state, await desk.held(other.id)],
      ['DONE', []],
    )
    await active(true)
    await follow()
    await world.assertBooks()
  })

  it('by symbol the best route is taken; what was compared is kept', async () => {
    const { world } = desk
    const created = await desk.execute({
      route_id: undefined,
      symbol: 'ETH/EUR',
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '2',
      customers: [{ customer_id: alice.id }],
    })
    assert.deepEqual(
      [
        created.route_id,
        created.best_execution?.chosen,
        created.best_execution?.candidates.map((candidate) => [
          candidate.route_id,
          candidate.complete,
          candidate.refused,
        ]),
      ],
      [world.two_hops.id, world.two_hops.id, [[world.two_hops.id, true, null]]],
    )
    assert.deepEqual((await desk.read(created.id)).best_execution, created.best_execution)
    world.exchange.sends = [hopFill('0.05', 'BTC'), hopFill('60000', 'EUR')]
    await world.finish(created.id)
    assert.deepEqual(
      await desk.refused('POST', '/executions', {
        route_id: undefined,
        symbol: 'ETH/EUR',
        execution_type: 'LIMIT',
        price: '3000',
        side: 'BUY',
        amount: '2',
        customers: [{ customer_id: alice.id }],
      }),
      [400, 3001, 'UNSUPPORTED_BY_VENUE', 'symbol'],
    )
    assert.deepEqual(
      await desk.refused('POST', '/executions', {
        route_id: world.two_hops.id,
        execution_type: 'LIMIT',
        price: '3000',
        side: 'BUY',
        amount: '2',
        customers: [{ customer_id: alice.id }],
      }),
      [400, 3001, 'UNSUPPORTED_BY_VENUE', 'execution_type'],
    )
    world.clock.advance(6_000)
    assert.deepEqual(
      await desk.refused('POST', '/executions', {
        route_id: undefined,
        symbol: 'ETH/EUR',
        execution_type: 'MARKET',
        side: 'BUY',
        amount: '2',
        customers: [{ customer_id: alice.id }],
      }),
      [400, 3001, 'STALE_PRICE', 'symbol'],
    )
    await world.assertBooks()
  })
})
