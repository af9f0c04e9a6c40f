/** Trades of orders that the database lost when it was set back: they seem to be made outside. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { derivedId } from '../../core/ids.ts'
import { bookingsOf } from '../../ledger/index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import { watchStops } from '../executions/stops.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { outsideTrade, TradeDesk } from './account-trades.testing.ts'

describe('trades of an order that the database has lost', () => {
  let desk: TradeDesk
  before(async () => {
    desk = await TradeDesk.open()
  })
  after(() => desk.close())

  it('are taken over when the order is made again, and taken back with it', async () => {
    const { api, exchange, world } = desk
    const { app, clock, workspace } = world
    const { trading } = exchange
    const { find } = trading
    const alice = await world.customer()
    exchange.sendPrices()
    const { data: stop } = await api.call<Execution>('POST', '/executions', {
      body: {
        route_id: world.route.id,
        amount: '0.1',
        side: 'SELL',
        execution_type: 'STOP_MARKET',
        stop_order_condition: 'STOP_LOSS',
        price: '60000',
        customers: [{ customer_id: alice.id }],
      },
    })
    clock.advance(1)
    const set_back_at = clock.now()
    const known = app.history
    const setBack = async () => set_back_at
    app.history = { ...known, lookUpBefore: setBack, setBackAt: setBack }
    const lost = { ...fillFor('LOST', '59990', '0.1'), executed_at: set_back_at - 1 }
    const client_order_id = derivedId(stop.id, 0)
    const listed = outsideTrade({ ...lost, side: 'SELL', client_order_id })
    exchange.trades = [listed]
    const whole = await desk.change(async () => {
      await desk.observe()
      trading.find = async (asked) => {
        assert.equal(asked.client_order_id, client_order_id)
        return { lookup: 'found', report: { ...report('FILLED', [lost]), foreign_id: 'O-LOST' } }
      }
      exchange.sendPrices()
      await watchStops(app, workspace)
      assert.equal((await world.finish(stop.id)).state, 'DONE')
      await desk.observe()
    })
    assert.deepEqual([whole.venue['BTC'], whole.trading, whole.house], ['-0.1', {}, {}])
    assert.equal((await world.balances(alice.account_id))['BTC'], '4.9')
    const stored = (await desk.fills()).filter((fill) => fill.foreign_id === 'LOST')
    assert.deepEqual(
      stored.map(({ execution_id, busted }) => [execution_id, busted]),
      [[stop.id, false]],
    )
    assert.equal(await reversalsOf(stored[0]?.id ?? ''), 5)
    exchange.trades = [{ ...listed, busted: true }]
    await desk.observe()
    assert.equal((await world.balances(alice.account_id))['BTC'], '5')
    assert.equal(await reversalsOf(stored[0]?.id ?? ''), 5)
    await world.assertBooks()
    Object.assign(trading, { find })
    app.history = known
  })

  it('made outside are reversed once when two take them back in the same moment', async () => {
    const { exchange } = desk
    const one = outsideTrade()
    assert.deepEqual(
      await desk.change(async () => {
        exchange.trades = [one]
        await desk.observe()
        exchange.trades = [{ ...one, busted: true }]
        await Promise.allSettled([desk.observe(), desk.observe()])
        await desk.observe()
      }),
      { venue: {}, trading: {}, house: {}, fee: {} },
    )
  })

  const reversalsOf = async (id: string): Promise<number> => {
    const bookings = await bookingsOf(desk.world.database.db, desk.world.workspace, id)
    return bookings.filter((booking) => booking.type === 'REVERSAL').length
  }
})
