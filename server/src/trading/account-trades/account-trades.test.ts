import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { bookingsOf } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { countedTradeKey } from '../../venues/index.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import { advanceExecution } from '../orders/orders.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { outsideTrade, TradeDesk } from './account-trades.testing.ts'

const SOON = 2_000
const LATER = 10_000

describe('trades of the account', () => {
  let desk: TradeDesk
  let world: TradeDesk['world']
  let api: TradeDesk['api']
  let exchange: TradeDesk['exchange']
  let venue: VenueRecord
  before(async () => {
    desk = await TradeDesk.open()
    ;({ world, api, exchange, venue } = desk)
  })
  after(() => desk.close())
  beforeEach(() => {
    exchange.trades = []
    exchange.unread = []
    exchange.cursors = []
  })

  it("made outside are booked once with the house in the customer's place", async () => {
    const [bought, sold] = [
      outsideTrade(),
      outsideTrade({
        side: 'SELL',
        quantity: decimal('0.2'),
        volume: decimal('12000'),
        fee: decimal('31.2'),
      }),
    ]
    exchange.trades = [bought]
    assert.deepEqual(
      await desk.change(async () => {
        assert.equal(await desk.observe(), LATER)
      }),
      {
        venue: { BTC: '0.5', EUR: '-30078' },
        trading: {},
        house: { BTC: '0.5', EUR: '-30078' },
        fee: {},
      },
    )
    exchange.trades = [bought, sold]
    assert.deepEqual(await desk.change(() => desk.observe()), {
      venue: { BTC: '-0.2', EUR: '11968.8' },
      trading: {},
      house: { BTC: '-0.2', EUR: '11968.8' },
      fee: {},
    })
    assert.deepEqual(await desk.change(() => desk.observe()), {
      venue: {},
      trading: {},
      house: {},
      fee: {},
    })
    assert.deepEqual(exchange.cursors.slice(1), ['1', '2'])
    const [second, first] = await desk.fills()
    assert.partialDeepStrictEqual(first, {
      foreign_id: bought.foreign_id,
      execution_id: null,
      order_id: null,
      hop_no: null,
      settlement_state: 'SETTLED',
      busted: false,
    })
    assert.partialDeepStrictEqual(second, {
      side: 'SELL',
      quantity: '0.2',
      volume: '12000',
      fee: '31.2',
    })
    const sums = await api.call('GET', `/toms/${second?.service_id}/fills/totals`)
    assert.partialDeepStrictEqual(sums.data, {
      rows: 2,
      complete: true,
      totals: [
        { base_asset: 'BTC', quote_asset: 'EUR', side: 'BUY', busted: false, quantity: '0.5' },
        { side: 'SELL', rows: 1, quantity: '0.2', volume: '12000' },
      ],
    })
    assert.deepEqual(
      (await bookingsOf(world.database.db, world.workspace, first?.id ?? '')).map(
        (booking) => `${booking.type} ${booking.asset}`,
      ),
      ['EXECUTION EUR', 'EXECUTION BTC', 'TRADING_FEE EUR', 'SETTLEMENT EUR', 'SETTLEMENT BTC'],
    )
    assert.deepEqual(await desk.events(bought.foreign_id), ['fill.recorded'])
    await world.assertBooks()
  })

  it('are listed by time of execution; only a trading service has them', async () => {
    exchange.trades = [1_000, 2_000, 3_000].map((executed_at) => outsideTrade({ executed_at }))
    await desk.observe()
    assert.deepEqual(
      (await desk.fills('?from=1970-01-01T00:00:02Z&to=1970-01-01T00:00:03Z')).map(
        (fill) => fill.executed_at,
      ),
      [2_000],
    )
    assert.equal((await desk.fills('?to=1970-01-01T00:00:03Z')).length, 2)
    const [transfers] = await world.database.db.query<{ id: string }>(
      sql`
        select id
        from services
        where workspace = ${world.workspace}
          and type = 'WOMS'`,
    )
    assert.equal(
      (await api.call('GET', `/toms/${transfers?.id}/fills`)).error_details?.[0]?.code,
      'UNSUPPORTED_BY_VENUE',
    )
    assert.equal((await api.call('GET', `/toms/${newId()}/fills`)).error_code, 4004)
  })

  it('taken back are reversed once; unseen before, they are nothing', async () => {
    const one = outsideTrade({ side: 'SELL' })
    assert.deepEqual(
      await desk.change(async () => {
        exchange.trades = [one]
        await desk.observe()
        exchange.trades = [{ ...one, busted: true }, outsideTrade({ busted: true })]
        await desk.observe()
        await desk.observe()
      }),
      { venue: {}, trading: {}, house: {}, fee: {} },
    )
    assert.equal(
      (await desk.fills()).find((fill) => fill.foreign_id === one.foreign_id)?.busted,
      true,
    )
    assert.deepEqual(await desk.events(one.foreign_id), ['fill.recorded', 'fill.busted'])
    await world.assertBooks()
  })

  it('that the opening balance contains are left out, per asset', async () => {
    const [whole, half] = [outsideTrade(), outsideTrade()]
    const keys = [
      countedTradeKey('BTC', whole),
      countedTradeKey('EUR', whole),
      countedTradeKey('BTC', half),
    ]
    await world.database.db.query(
      sql`
        insert into opening_movements (workspace, venue_id, foreign_id)
        select ${world.workspace}::uuid, ${venue.id}::uuid, *
        from unnest(${keys}::text[])`,
    )
    exchange.trades = [whole, half]
    assert.deepEqual((await desk.change(() => desk.observe())).venue, { EUR: '-30078' })
    assert.equal(
      (await desk.fills()).some((fill) => fill.foreign_id === whole.foreign_id),
      false,
    )
  })

  it('wait for the opening of their assets; other assets have no books', async () => {
    exchange.trades = [
      outsideTrade({
        base_asset: 'ETH',
        price: decimal('2400'),
        volume: decimal('1200'),
        fee: decimal('3.12'),
      }),
      outsideTrade({
        base_asset: 'SOL',
        price: decimal('100'),
        volume: decimal('50'),
        fee: decimal('0.13'),
      }),
    ]
    assert.deepEqual(
      await desk.change(async () => {
        assert.equal(await desk.observe(), SOON)
      }),
      { venue: { EUR: '-50.13' }, trading: {}, house: { EUR: '-50.13' }, fee: {} },
    )
    await desk.openAsset('ETH')
    assert.deepEqual(
      (
        await desk.change(async () => {
          assert.equal(await desk.observe(), LATER)
        })
      ).venue,
      { ETH: '0.5', EUR: '-1203.12' },
    )
    assert.equal(exchange.cursors[0], exchange.cursors[1])
  })

  it('of an order of ours are left to its task, after its end booked here', async () => {
    const alice = await world.customer()
    exchange.sendPrices()
    const { data: created } = await api.call<Execution>('POST', '/executions', {
      body: {
        route_id: world.route.id,
        amount: '0.1',
        side: 'BUY',
        execution_type: 'MARKET',
        customers: [{ customer_id: alice.id }],
      },
    })
    const [order] = await world.database.db.query<{ id: string; client_order_id: string }>(
      sql`
        select id, client_order_id
        from execution_orders
        where workspace = ${world.workspace}
          and execution_id = ${created.id}`,
    )
    const late = outsideTrade({
      client_order_id: order?.client_order_id ?? '',
      order_foreign_id: `O-${order?.client_order_id}`,
      ...fillFor('LATE', '60000', '0.01'),
    })
    exchange.trades = [late]
    await desk.observe()
    assert.equal(
      (await desk.fills()).some((fill) => fill.foreign_id === 'LATE'),
      false,
    )
    assert.equal((await world.finish(created.id)).state, 'DONE')
    await desk.observe()
    await desk.observe()
    const stored = (await desk.fills()).filter((fill) => fill.foreign_id === 'LATE')
    assert.deepEqual(
      stored.map(({ execution_id, order_id }) => [execution_id, order_id]),
      [[created.id, order?.id]],
    )
    assert.equal((await world.balances(alice.account_id))['BTC'], '5.11')
    exchange.trades = [{ ...late, busted: true }]
    await desk.observe()
    assert.equal((await world.balances(alice.account_id))['BTC'], '5.1')
    await world.assertBooks()
  })

  it('of an order that its own task ends in the same moment are read again', async () => {
    const { app, clock, workspace } = world
    const alice = await world.customer()
    const { trading } = exchange
    const { send, find } = trading
    const rested = (state: 'NEW' | 'FILLED', ...fills: ReturnType<typeof fillFor>[]) => ({
      ...report(state, fills),
      foreign_id: 'O-RESTS',
    })
    const one = fillFor('MEANWHILE', '59000', '0.1')
    trading.send = async () => ({ outcome: 'accepted', report: rested('NEW') })
    exchange.sendPrices()
    trading.find = async () => ({ lookup: 'found', report: rested('FILLED', one) })
    const { data: created } = await api.call<Execution>('POST', '/executions', {
      body: {
        route_id: world.route.id,
        amount: '0.1',
        side: 'BUY',
        execution_type: 'LIMIT',
        price: '59900',
        customers: [{ customer_id: alice.id }],
      },
    })
    await advanceExecution(app, workspace, created.id)
    const [order] = await world.database.db.query<{ client_order_id: string }>(
      sql`
        select client_order_id
        from execution_orders
        where workspace = ${workspace}
          and execution_id = ${created.id}`,
    )
    clock.advance(61_000)
    exchange.trades = [
      outsideTrade({
        ...one,
        client_order_id: order?.client_order_id ?? '',
        order_foreign_id: 'O-RESTS',
      }),
    ]
    let first = true
    const busy: typeof app = {
      ...app,
      lane: {
        ...app.lane,
        commit: async (change) => {
          if (first) [first] = [false, await advanceExecution(app, workspace, created.id)]
          return app.lane.commit(change)
        },
      },
    }
    assert.equal(await desk.observe(busy), SOON)
    Object.assign(trading, { send, find })
    assert.equal(await desk.observe(), LATER)
    assert.equal((await world.balances(alice.account_id))['BTC'], '5.1')
    await world.assertBooks()
  })
})
