import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { Customer } from '../../customers/index.ts'
import { openLane, putHalt } from '../../ledger/index.ts'
import { testHistory } from '../../store/history.testing.ts'
import { readAll } from '../../store/reads.ts'
import { compareRoutes } from './best-execution.ts'
import type { BestOrder } from './best-execution.ts'
import { workerCaller } from '../../http/index.ts'
import { createExecution } from './executions.ts'
import { openPricingWorld } from '../testing/pricing-world.fixture.ts'
import type { PricingWorld } from '../testing/pricing-world.fixture.ts'
import { basisReads, routesOfSymbolRead } from '../routes/routes.ts'
import type { TradingApp } from '../app.ts'
import type { Execution } from './executions.schema.ts'

describe('best execution', () => {
  let world: PricingWorld
  let alice: Customer
  const labels = new Map<string, string>()
  before(async () => {
    world = await openPricingWorld()
    alice = await world.customer()
    for (const key of ['north', 'south', 'across', 'direct'])
      labels.set((await world.routeOf(key)).id, key)
  })
  after(() => world.close())
  beforeEach(() => {
    world.market('north', 'BTC/EUR', '60000×1 60100×2', '59990×1 59900×2')
    world.market('south', 'BTC/EUR', '60000×0.5 60200×1', '59980×0.5 59900×1')
    world.market('north', 'ETH/BTC', '0.04×10 0.0402×10', '0.0399×10 0.0398×10')
    world.market('north', 'ETH/EUR', '2402×10 2410×50', '2398×10 2390×50')
  })

  const compare = async ({
    symbol = 'BTC/EUR',
    ...order
  }: Partial<BestOrder> & { symbol?: string }) => {
    const whole = order.quantity ?? { amount: decimal('1') }
    const { routes, ...basis } = await readAll(world.app.db, {
      routes: routesOfSymbolRead(world.workspace, symbol),
      ...basisReads(world.workspace),
    })
    const { candidates, chosen } = await compareRoutes(world.app, routes, basis, {
      side: 'BUY',
      quantity: whole,
      customers: [{ customer: alice, share: 'amount' in whole ? whole.amount : whole.volume }],
      margin: decimal('0'),
      risk: 0n,
      ...order,
    })
    return {
      chosen: chosen?.label,
      candidates: candidates.map(({ route_id, total, amount, complete, refused }) => [
        labels.get(route_id),
        total,
        amount,
        complete,
        refused,
      ]),
    }
  }

  it('BUY goes to the lowest total, fees included; SELL to the highest', async () => {
    assert.deepEqual(await compare({}), {
      chosen: 'north',
      candidates: [
        ['north', '60156', '1', true, null],
        ['south', '60340.4', '1', true, null],
      ],
    })
    world.market('south', 'BTC/EUR', '59800×1', '59790×1')
    assert.deepEqual(await compare({}), {
      chosen: 'south',
      candidates: [
        ['south', '60039.2', '1', true, null],
        ['north', '60156', '1', true, null],
      ],
    })
    world.market('south', 'BTC/EUR', '60290×1', '60280×1')
    assert.deepEqual(await compare({ side: 'SELL' }), {
      chosen: 'south',
      candidates: [
        ['south', '60038.88', '1', true, null],
        ['north', '59834.02', '1', true, null],
      ],
    })
  })

  it('weighs a direct route against one over several hops', async () => {
    const order = { symbol: 'ETH/EUR', quantity: { amount: decimal('2') } }
    assert.deepEqual((await compare(order)).candidates, [
      ['direct', '4816.5', '2', true, null],
      ['across', '4831.68', '2', true, null],
    ])
    world.market('north', 'ETH/BTC', '0.0396×10', '0.0395×10')
    assert.deepEqual((await compare(order)).chosen, 'across')
  })

  it('a volume: the most bought for it, the least sold for it', async () => {
    const buy = await compare({ quantity: { volume: decimal('1000') } })
    assert.deepEqual(
      buy.candidates.map(([label, total, , complete]) => [label, total, complete]),
      [
        ['north', '1000', true],
        ['south', '1000', true],
      ],
    )
    assert.ok(decimal(String(buy.candidates[0]?.[2])) > decimal(String(buy.candidates[1]?.[2])))
    const sell = await compare({ side: 'SELL', quantity: { volume: decimal('1000') } })
    assert.equal(sell.chosen, 'north')
    assert.ok(decimal(String(sell.candidates[0]?.[2])) < decimal(String(sell.candidates[1]?.[2])))
  })

  it('complete ones come first, then the one that gives most', async () => {
    world.market('north', 'BTC/EUR', '59900×0.9', '59890×1')
    assert.deepEqual(
      (await compare({})).candidates.map(([label, , amount, complete]) => [
        label,
        amount,
        complete,
      ]),
      [
        ['south', '1', true],
        ['north', '0.9', false],
      ],
    )
    assert.deepEqual(
      (await compare({ quantity: { amount: decimal('2') } })).candidates.map(
        ([label, , amount, complete]) => [label, amount, complete],
      ),
      [
        ['south', '1.5', false],
        ['north', '0.9', false],
      ],
    )
  })

  it('names why a route is not possible, and there may be none', async () => {
    world.lost('north', 'BTC/EUR', 'closed')
    assert.deepEqual(await compare({}), {
      chosen: 'south',
      candidates: [
        ['south', '60340.4', '1', true, null],
        ['north', null, null, false, 'STALE_PRICE'],
      ],
    })
    assert.deepEqual(
      (await compare({ quantity: { amount: decimal('0.005') } })).candidates.map(
        ([label, , , , refused]) => [label, refused],
      ),
      [
        ['north', 'STALE_PRICE'],
        ['south', 'BELOW_MINIMUM'],
      ],
    )
    assert.equal((await compare({ quantity: { amount: decimal('0.1000001') } })).chosen, undefined)
    await world.app.db.tx((tx) =>
      putHalt(
        { workspace: world.workspace, by: alice.id },
        { tx, clock: world.clock },
        { action: 'TRADING', halted: true, venue_id: world.venue_ids.south, reason: 'test' },
      ),
    )
    assert.deepEqual(
      (await compare({})).candidates.map(([label, , , , refused]) => [label, refused]),
      [
        ['north', 'STALE_PRICE'],
        ['south', 'HALTED'],
      ],
    )
    await world.app.db.tx((tx) =>
      putHalt(
        { workspace: world.workspace, by: alice.id },
        { tx, clock: world.clock },
        { action: 'TRADING', halted: false, venue_id: world.venue_ids.south, reason: 'test' },
      ),
    )
    await assert.rejects(
      compare({ symbol: 'XRP/EUR' }),
      (error) =>
        error instanceof ApiError &&
        error.kind === 'NewResourceNotFound' &&
        error.details[0]?.path === 'symbol',
    )
  })

  it('reads a symbol in any case, and with, without or another separator', async () => {
    const plain = await compare({ symbol: 'BTC/EUR' })
    assert.ok(plain.candidates.length > 0)
    for (const symbol of ['btc/eur', 'BTC-EUR', 'BTCEUR', 'btceur'])
      assert.deepEqual(await compare({ symbol }), plain, symbol)
    // The same letters, separated elsewhere, are another pair.
    for (const symbol of ['BT/CEUR', 'BTC/E-UR', 'BT-CEUR'])
      await assert.rejects(compare({ symbol }), ApiError, symbol)
  })

  it('asks back when a text may be one of several symbols', () => {
    const rows = [{ symbol: 'ABC/DEUR' }, { symbol: 'ABCD/EUR' }]
    const routesOf = (symbol: string) =>
      routesOfSymbolRead(world.workspace, symbol).answer(rows as never[])
    assert.deepEqual(routesOf('ABCD/EUR'), [{ symbol: 'ABCD/EUR' }])
    assert.throws(
      () => routesOf('ABCDEUR'),
      (error) => error instanceof ApiError && error.details[0]?.code === 'CONFLICT',
    )
  })

  it("weighs the customers' margins by what they get", async () => {
    const premium = await world.customer({ margin: 'PREMIUM' })
    const [half, all] = [decimal('0.5'), decimal('1')]
    const totals = async (customers: BestOrder['customers']) =>
      (await compare({ customers, margin: undefined })).candidates[0]?.[1]
    assert.equal(await totals([{ customer: alice, share: all }]), '60456.78')
    assert.equal(await totals([{ customer: premium, share: all }]), '60216.16')
    assert.equal(
      await totals([
        { customer: alice, share: half },
        { customer: premium, share: half },
      ]),
      '60336.47',
    )
  })

  /** The venues, of which North takes no FOK. */
  function tradingAt(reachable: Record<'north' | 'south', boolean>): TradingApp {
    const { app, clock, venue_ids } = world
    const venueOf = (venue_id: string) => {
      const name = venue_id === venue_ids.north ? 'north' : 'south'
      if (!reachable[name]) throw new ApiError('VenueUnreachable', `venue ${name} cannot be opened`)
      const supports = ({ tif_mode }: { tif_mode: string }) =>
        name === 'south' || tif_mode !== 'FOK'
      return { venue: { id: venue_id, label: name }, adapter: { trading: { supports } } }
    }
    return {
      ...app,
      lane: openLane(app.db, clock),
      history: testHistory(app.db, clock),
      venues: {
        list: async () => [],
        connect: async (_workspace, venue_id) => venueOf(venue_id) as never,
      },
    }
  }

  it('an order that the best route does not take goes to the next', async () => {
    const { workspace } = world
    const reachable = { north: true, south: true }
    const trading = tradingAt(reachable)
    const bob = await world.customer({ ignore_balance_check: true })
    const limit = (tif_mode: 'GTC' | 'FOK', price = '61000') =>
      createExecution(workerCaller(workspace, 'test'), trading, {
        symbol: 'BTC/EUR',
        amount: '1',
        price,
        side: 'BUY',
        execution_type: 'LIMIT',
        tif_mode,
        customers: [{ customer_id: bob.id }],
      })
    const shown = ({ route_id, best_execution }: Execution) => [
      labels.get(route_id),
      best_execution?.candidates.map((candidate) => [
        labels.get(candidate.route_id),
        candidate.refused,
      ]),
    ]
    assert.deepEqual(shown(await limit('GTC')), [
      'north',
      [
        ['north', null],
        ['south', null],
      ],
    ])
    assert.deepEqual(shown(await limit('FOK')), [
      'south',
      [
        ['north', 'UNSUPPORTED_BY_VENUE'],
        ['south', null],
      ],
    ])
    world.market('south', 'BTC/EUR', '59700×5', '59680×1')
    assert.deepEqual(shown(await limit('GTC', '61000.5')), [
      'north',
      [
        ['south', 'SCALE'],
        ['north', null],
      ],
    ])
    world.market('south', 'BTC/EUR', '60000×0.5 60200×1', '59980×0.5 59900×1')
    reachable.north = false
    assert.deepEqual(shown(await limit('GTC')), [
      'south',
      [
        ['north', 'VENUE_UNREACHABLE'],
        ['south', null],
      ],
    ])
    reachable.south = false
    await assert.rejects(
      limit('GTC'),
      (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
    )
  })
})
