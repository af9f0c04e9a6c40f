/** Trades of orders that the database lost when it was set back: they seem to be made outside. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { derivedId, newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { bookingsOf } from '../../ledger/index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import { RESOLVE_AFTER_MILLISECONDS } from '../orders/deadlines.ts'
import { advanceExecution } from '../orders/orders.ts'
import { watchStops } from '../executions/stops.ts'
import { sql } from '../../store/sql.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { outsideTrade, TradeDesk } from './account-trades.testing.ts'

describe('trades of an order that the database has lost', () => {
  let desk: TradeDesk
  before(async () => {
    desk = await TradeDesk.open()
  })
  after(() => desk.close())

  it('are taken over when the order is made again, and taken back with it', async () => {
    const { exchange, world } = desk
    const { app, clock, workspace } = world
    const { trading } = exchange
    const { find } = trading
    const { stop, alice } = await waitingStop()
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

  it('are taken over when the stop is canceled: nothing is released that was sold', async () => {
    const { api, exchange, world } = desk
    const { trading } = exchange
    const { find } = trading
    const { stop, lost, end } = await losesStop('LOST-2')
    trading.find = async () => ({ lookup: 'found', report: report('FILLED', [lost]) })
    const canceled = await api.call<Execution>('DELETE', `/executions/${stop.id}`)
    assert.equal(canceled.data.state, 'CANCELING', canceled.text)
    assert.equal((await world.finish(stop.id)).state, 'DONE')
    assert.deepEqual(await ownersOf('LOST-2'), [stop.id])
    await world.assertBooks()
    Object.assign(trading, { find })
    end()
  })

  it('are taken over when a person states them', async () => {
    const { api, exchange, world } = desk
    const { app, clock, workspace } = world
    const { trading } = exchange
    const { find } = trading
    const { stop, end } = await losesStop('LOST-3')
    trading.find = async () => ({ lookup: 'unknown', reason: 'down' })
    exchange.sendPrices()
    await watchStops(app, workspace)
    for (const _time of [1, 2, 3]) {
      await advanceExecution(app, workspace, stop.id)
      clock.advance(RESOLVE_AFTER_MILLISECONDS)
    }
    const state = (quantity: string) =>
      api.call<Execution>('POST', `/executions/${stop.id}/resolve`, {
        body: {
          state: 'FILLED',
          evidence: 'their desk, by phone',
          fills: [{ foreign_id: 'LOST-3', price: '59990', quantity, fee: '15.5974' }],
        },
      })
    assert.equal(refusalOf(await state('0.05')), '400 3001 CONFLICT fills[0].quantity')
    const resolved = await state('0.1')
    assert.equal(resolved.data.state, 'DONE', resolved.text)
    assert.deepEqual(await ownersOf('LOST-3'), [stop.id])
    await world.assertBooks()
    // The venue contradicts: what was entered gives way, as it does when nothing is taken over.
    trading.find = async () => ({ lookup: 'absent' })
    await advanceExecution(app, workspace, stop.id)
    const rechecked = await api.call('POST', `/executions/${stop.id}/recheck`)
    assert.equal(rechecked.status, 200, rechecked.text)
    assert.deepEqual(await ownersOf('LOST-3'), [])
    const [entered] = (await desk.fills()).filter((fill) => fill.foreign_id === 'LOST-3 as entered')
    assert.deepEqual([entered?.execution_id, entered?.busted], [stop.id, true])
    await world.assertBooks()
    Object.assign(trading, { find })
    end()
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

  it('are taken over from a settlement that holds them: it begins anew', async () => {
    const { exchange, world, venue } = desk
    const { app, clock, database, workspace } = world
    for (const at of [venue, world.exchange]) Object.assign(at, { settlement: 'POST_TRADE' })
    const { stop, lost, end } = await losesStop('LOST-4')
    const id = newId()
    await database.db.query(sql`
      insert into settlements (
        workspace, id, state, timerange_from, timerange_to, nets, system_created_at,
        system_updated_at
      )
      values (${workspace}, ${id}, 'TRANSFERRING', 0, 1, '[]', ${clock.now()}, ${clock.now()})`)
    await database.db.query(sql`
      update fills
      set settlement_id = ${id}, settlement_state = 'IN_SETTLEMENT'
      where workspace = ${workspace}
        and foreign_id = 'LOST-4'`)
    exchange.trading.find = async () => ({ lookup: 'found', report: report('FILLED', [lost]) })
    exchange.sendPrices()
    await watchStops(app, workspace)
    assert.equal((await world.finish(stop.id)).state, 'DONE')
    assert.deepEqual(await ownersOf('LOST-4'), [stop.id])
    const held = await database.db.query(sql`
      select state, version
      from settlements
      where workspace = ${workspace}
        and id = ${id}`)
    assert.deepEqual(held, [{ state: 'TRANSFERRING', version: 2 }])
    await world.assertBooks()
    end()
  })

  async function waitingStop() {
    const { api, exchange, world } = desk
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
    return { stop, alice }
  }

  /** Its order was sent in the lost time, and its trade seems to be made outside. */
  async function losesStop(foreign_id: string) {
    const { exchange, world } = desk
    const { app, clock } = world
    const known = app.history
    const { stop } = await waitingStop()
    clock.advance(1)
    const now = clock.now()
    app.history = { ...known, lookUpBefore: async () => now, setBackAt: async () => now }
    const lost = { ...fillFor(foreign_id, '59990', '0.1'), executed_at: now - 1 }
    exchange.trades = [outsideTrade({ ...lost, side: 'SELL' })]
    await desk.observe()
    const end = () => {
      app.history = known
    }
    return { stop, lost, end }
  }

  const ownersOf = async (foreign_id: string) =>
    (await desk.fills())
      .filter((fill) => fill.foreign_id === foreign_id)
      .map(({ execution_id }) => execution_id)

  const reversalsOf = async (id: string): Promise<number> => {
    const bookings = await bookingsOf(desk.world.database.db, desk.world.workspace, id)
    return bookings.filter((booking) => booking.type === 'REVERSAL').length
  }
})
