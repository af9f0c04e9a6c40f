import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { sql } from '../../store/sql.ts'
import type { VenueOrder } from '../../venues/index.ts'
import type { Fill } from '../executions/fills.schema.ts'
import { followRoutes } from '../routes/price-feed.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { advanceExecution } from './orders.ts'
import { executeAtMarket, resetWithCustomers } from './splits.testing.ts'

describe('hops', () => {
  let desk: Desk
  let alice: Customer
  let bob: Customer
  before(async () => {
    desk = await openDesk()
  })
  after(() => desk.close())
  beforeEach(async () => {
    ;({ alice, bob } = await resetWithCustomers(desk))
  })
  const market = (more: Record<string, unknown> = {}) => executeAtMarket(desk, alice, more)

  const hopFill = (price: string, fee_asset: string) => (order: VenueOrder) => {
    const filled = fillFor(newId(), price, format(order.quantity), { fee_asset })
    return {
      outcome: 'accepted' as const,
      report: { ...report('FILLED', [filled]), foreign_id: `O${order.client_order_id}` },
    }
  }

  it('over two hops: the second moves what the first did; fees count once', async () => {
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

  it("over two hops: the second goes out again; what is left is the house's risk", async () => {
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

  it('says once in the log why prices of a venue cannot be followed', async () => {
    const { app } = desk.world
    const logged: object[] = []
    const log = { error: (details: object) => void logged.push(details) }
    const said = new Map<string, string>()
    const followWithout = (why: string) => {
      const venues = { connect: () => Promise.reject(new Error(why)) }
      return followRoutes({ ...app, venues, log }, said)
    }
    await followWithout('no host')
    const { length } = logged
    assert.ok(length > 0)
    await followWithout('no host')
    assert.equal(logged.length, length)
    await followWithout('no key')
    assert.equal(logged.length, 2 * length)
  })

  it('over two hops: the second goes out though the route is switched off', async () => {
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
          fillFor(filled?.foreign_id ?? '', '0.05', '2', { fee_asset: 'BTC' }),
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
