/** Orders at Bitstamp, as they are filled, canceled and refused. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import type { VenueOrder } from '../../contract.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { order, orderLookup } from '../exchange.fixture.ts'
import { open } from './bitstamp.testing.ts'

describe('orders at bitstamp', () => {
  const desk = new ExchangeDesk(open)

  const stands = (pair: string, price: string) =>
    desk.sandbox.control('POST', 'bitstamp/market', { pair, price, frozen: true })

  test('MARKET: fills with volume and fee exactly as the balances moved', async () => {
    await stands('BTC/EUR', '60000')
    for (const [side, tif_mode] of [
      ['BUY', 'IOC'],
      ['SELL', 'GTC'],
    ] as const) {
      const [euros, coins] = [(await desk.balance('EUR')).total, (await desk.balance('BTC')).total]
      const sent = await desk.trading.send(
        order({ side, tif_mode, quantity: decimal('0.98765432') }),
      )
      assert.ok(
        sent.outcome === 'accepted' &&
          sent.report.state === 'FILLED' &&
          sent.report.fills.length > 1,
      )
      const sign = side === 'BUY' ? 1n : -1n
      assert.equal((await desk.balance('BTC')).total - coins, sign * decimal('0.98765432'))
      assert.equal(
        euros - (await desk.balance('EUR')).total,
        sent.report.fills.reduce((sum, fill) => sum + sign * fill.volume + fill.fee, 0n),
      )
      assert.ok(
        sent.report.fills.every(
          (fill) => fill.fee_asset === 'EUR' && Math.abs(fill.executed_at - Date.now()) < 60_000,
        ),
      )
    }
  })

  test('LIMIT GTC rests, fills as maker; it is canceled with or without its number', async () => {
    await stands('ETH/EUR', '2400')
    const resting = (price: string) =>
      order({
        base_asset: 'ETH',
        type: 'LIMIT',
        tif_mode: 'GTC',
        price: decimal(price),
        quantity: decimal('1'),
      })
    const maker = resting('2350.5')
    const sent = await desk.trading.send(maker)
    assert.ok(sent.outcome === 'accepted' && sent.report.state === 'NEW')
    assert.equal((await desk.balance('EUR')).used, decimal('2359.902'))
    await stands('ETH/EUR', '2300')
    const filled = await desk.trading.find(orderLookup(maker))
    assert.ok(
      filled.lookup === 'found' &&
        filled.report.state === 'FILLED' &&
        filled.report.foreign_id === sent.report.foreign_id,
    )
    assert.deepEqual(
      filled.report.fills.map(({ price, fee }) => ({ price: format(price), fee: format(fee) })),
      [{ price: '2350.5', fee: '7.0515' }],
    )

    for (const known of [true, false]) {
      const given = resting('1000')
      const placed = await desk.trading.send(given)
      assert.ok(placed.outcome === 'accepted')
      const canceled = await desk.trading.cancel(
        orderLookup(given, { foreign_id: known ? placed.report.foreign_id : null }),
      )
      assert.ok(canceled.outcome === 'accepted' && canceled.report.state === 'CANCELED')
      assert.equal(
        (await desk.trading.cancel(orderLookup(given, { foreign_id: placed.report.foreign_id })))
          .outcome,
        'refused',
      )
    }
    assert.equal((await desk.balance('EUR')).used, 0n)
    assert.equal((await desk.trading.cancel(orderLookup(order()))).outcome, 'unknown')
  })

  test('LIMIT IOC fills or ends at once; a thin market fills in part, the rest ends', async () => {
    await stands('BTC/EUR', '60000')
    const ioc = (price: string) =>
      desk.trading.send(order({ type: 'LIMIT', price: decimal(price), quantity: decimal('0.1') }))
    const [missed, hit] = [await ioc('50000'), await ioc('61000')]
    assert.ok(
      missed.outcome === 'accepted' &&
        missed.report.state === 'CANCELED' &&
        missed.report.filled_quantity === 0n,
    )
    assert.ok(hit.outcome === 'accepted' && hit.report.state === 'FILLED')
    await desk.sandbox.control('POST', 'bitstamp/market', {
      pair: 'XRP/EUR',
      price: '0.00900',
      frozen: true,
      depth: 2,
    })
    const thin = await desk.trading.send(order({ base_asset: 'XRP', quantity: decimal('1000000') }))
    assert.ok(thin.outcome === 'accepted' && thin.report.state === 'CANCELED')
    assert.ok(thin.report.filled_quantity > 0n && thin.report.filled_quantity < decimal('1000000'))
    await desk.sandbox.control('POST', 'bitstamp/market', {
      pair: 'XRP/EUR',
      price: '1.9',
      depth: 30,
    })
  })

  test('what ccxt would round is refused before it is sent; own refusals are certain', async () => {
    const earlier = await desk.sandbox.received('bitstamp', 'order')
    const refused: [Partial<VenueOrder>, RegExp][] = [
      [{ quantity: decimal('0.123456789') }, /quantity is not a multiple/],
      [{ quote_asset: 'USD' }, /does not trade BTC\/USD/],
      [{ type: 'STOP' as 'LIMIT' }, /has no STOP order/],
      [{ type: 'LIMIT', price: decimal('60000.5') }, /price is not a multiple/],
      [{ type: 'LIMIT', price: decimal('60000'), quantity: decimal('0.0001') }, /below 10/],
    ]
    for (const [more, reason] of refused) {
      const sent = await desk.trading.send(order(more))
      assert.ok(sent.outcome === 'refused')
      assert.match(sent.reason, reason)
    }
    assert.equal(await desk.sandbox.received('bitstamp', 'order'), earlier)
    for (const [quantity, reason] of [
      ['50', /You have only .* EUR available/],
      ['0.0001', /Minimum order size is 10 EUR/],
    ] as const) {
      const sent = await desk.trading.send(order({ quantity: decimal(quantity) }))
      assert.ok(sent.outcome === 'refused' && sent.native !== null)
      assert.match(sent.native, reason)
    }
  })
})
