import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Customer } from '../../customers/index.ts'
import type { Quote } from '../quotes/quotes.schema.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { executeAtMarket, resetWithCustomers } from './splits.testing.ts'

describe('volumes', () => {
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

  it('VOLUME BUY: the customer pays the volume and gets all that is bought', async () => {
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
      'EXECUTION EUR: D Alice 1000, C Exchange trading 992.4, C Fee 2.58024, ' +
        'C Margin 5.01, C Rounding 0.00976',
    )
    await world.assertBooks()
  })

  it('VOLUME SELL: as much is sold as brings exactly the volume', async () => {
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

  it('VOLUME for several: each pays or gets exactly their part', async () => {
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
})
