/** What the account lists of an order whose outcome a person has entered. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { AccountTrade } from '../../venues/index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { Order } from '../executions/orders.schema.ts'
import { RESOLVE_AFTER_MILLISECONDS } from '../orders/deadlines.ts'
import { advanceExecution } from '../orders/orders.ts'
import { fillFor } from '../testing/trading.fixture.ts'
import { outsideTrade, TradeDesk } from './account-trades.testing.ts'

describe('trades of an order that a person has resolved', () => {
  let desk: TradeDesk
  before(async () => {
    desk = await TradeDesk.open()
  })
  after(() => desk.close())

  /** Resolved as filled in full by one trade at 60000; answers what the venue may list of it. */
  async function resolved(foreign_id: string) {
    const { world, api, exchange } = desk
    const alice = await world.customer()
    exchange.trading.send = async () => ({ outcome: 'unknown', reason: 'reset' })
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
    await advanceExecution(world.app, world.workspace, created.id)
    world.clock.advance(RESOLVE_AFTER_MILLISECONDS)
    const answer = await api.call<Execution>('POST', `/executions/${created.id}/resolve`, {
      body: {
        state: 'FILLED',
        evidence: 'their statement',
        fills: [{ foreign_id, price: '60000', quantity: '0.1', fee: '15.6' }],
      },
    })
    assert.equal(answer.status, 200, answer.text)
    const order = async () => {
      const orders = await api.call<Order[]>('GET', `/executions/${created.id}/orders`)
      return orders.data[0]
    }
    const { client_order_id = '' } = (await order()) ?? {}
    const listed = (price: string, id = foreign_id): AccountTrade =>
      outsideTrade({ client_order_id, ...fillFor(id, price, '0.1') })
    const fills = async () =>
      (await desk.fills()).filter((fill) => fill.execution_id === created.id)
    return { listed, order, fills }
  }

  it('are booked no second time, and reversed when the venue takes them back', async () => {
    const { listed, order, fills } = await resolved('S1')
    desk.exchange.trades = [listed('60000')]
    await desk.observe()
    assert.deepEqual([(await fills()).length, (await order())?.contradiction], [1, null])
    desk.exchange.trades = [{ ...listed('60000'), busted: true }]
    await desk.observe()
    assert.deepEqual(
      (await fills()).map((fill) => fill.busted),
      [true],
    )
    await desk.world.assertBooks()
  })

  it('are not booked when they were not entered so: a person sees that', async () => {
    for (const [entered, seen, price] of [
      ['S2', 'S2', '59000'],
      ['S3', newId(), '60000'],
    ] as const) {
      const { listed, order, fills } = await resolved(entered)
      desk.exchange.trades = [listed(price, seen)]
      const changed = await desk.change(() => desk.observe())
      assert.deepEqual(changed.venue, {})
      assert.match((await order())?.contradiction ?? '', new RegExp(`lists trade ${seen} of 0.1`))
      await desk.observe()
      assert.equal((await fills()).length, 1)
    }
    await desk.world.assertBooks()
  })

  it('are not booked when their fee was entered in another asset', async () => {
    const { listed, order } = await resolved('S4')
    desk.exchange.trades = [{ ...listed('60000'), fee_asset: 'BTC' }]
    await desk.observe()
    assert.match((await order())?.contradiction ?? '', /lists trade S4/)
  })

  it('show that one was entered for another order, and keep no other from being read', async () => {
    const entered = await resolved('S5')
    const other = await resolved('S6')
    const { client_order_id = '' } = (await other.order()) ?? {}
    desk.exchange.trades = [
      { ...entered.listed('59000'), client_order_id },
      outsideTrade({ ...fillFor('S7', '60000', '0.1') }),
    ]
    await desk.observe()
    assert.match((await entered.order())?.contradiction ?? '', /lists trade S5/)
    assert.deepEqual((await desk.fills()).filter((fill) => fill.foreign_id === 'S7').length, 1)
  })
})
