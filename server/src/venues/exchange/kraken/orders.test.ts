/** Orders at Kraken, as they are filled, canceled and refused. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import type { VenueOrder } from '../../contract.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { order, orderLookup } from '../exchange.fixture.ts'
import { open } from './kraken.testing.ts'

describe('orders at kraken', () => {
  const desk = new ExchangeDesk(open)

  test('MARKET IOC: fills with volume and fee exactly as the balances moved', async () => {
    await desk.sandbox.control('POST', 'kraken/market', {
      pair: 'BTC/EUR',
      price: '60000',
      frozen: true,
    })
    const before = { eur: await desk.balance('EUR'), btc: await desk.balance('BTC') }
    const bought = await desk.trading.send(order({ quantity: decimal('1.23456789') }))
    assert.ok(bought.outcome === 'accepted')
    const { report } = bought
    assert.equal(report.state, 'FILLED')
    assert.ok(report.fills.length > 1)
    assert.ok(report.fills.every((fill) => fill.liquidity === 'TAKER' && fill.fee_asset === 'EUR'))
    const after = { eur: await desk.balance('EUR'), btc: await desk.balance('BTC') }
    const paid = report.fills.reduce((sum, fill) => sum + fill.volume + fill.fee, 0n)
    assert.equal(before.eur.total - after.eur.total, paid)
    assert.equal(after.btc.total - before.btc.total, decimal('1.23456789'))

    const sold = await desk.trading.send(
      order({ side: 'SELL', quantity: decimal('0.5'), tif_mode: 'GTC' }),
    )
    assert.ok(sold.outcome === 'accepted' && sold.report.state === 'FILLED')
    const earned = sold.report.fills.reduce((sum, fill) => sum + fill.volume - fill.fee, 0n)
    assert.equal((await desk.balance('EUR')).total - after.eur.total, earned)
  })

  test('LIMIT GTC rests, holds funds, is found and canceled; LIMIT IOC never rests', async () => {
    const resting = order({
      type: 'LIMIT',
      price: decimal('50000'),
      quantity: decimal('0.1'),
      tif_mode: 'GTC',
    })
    const sent = await desk.trading.send(resting)
    assert.ok(sent.outcome === 'accepted')
    assert.equal(sent.report.state, 'NEW')
    assert.equal((await desk.balance('EUR')).used, decimal('5013'))
    const found = await desk.trading.find(orderLookup(resting))
    assert.ok(found.lookup === 'found' && found.report.foreign_id === sent.report.foreign_id)
    const canceled = await desk.trading.cancel(orderLookup(resting))
    assert.ok(canceled.outcome === 'accepted' && canceled.report.state === 'CANCELED')
    assert.equal((await desk.balance('EUR')).used, 0n)
    const again = await desk.trading.cancel(
      orderLookup(resting, { foreign_id: sent.report.foreign_id }),
    )
    assert.ok(again.outcome === 'refused')

    const ioc = order({
      type: 'LIMIT',
      price: decimal('50000'),
      quantity: decimal('0.1'),
      tif_mode: 'IOC',
    })
    const missed = await desk.trading.send(ioc)
    assert.ok(
      missed.outcome === 'accepted' &&
        missed.report.state === 'CANCELED' &&
        missed.report.filled_quantity === 0n,
    )
    const filled = await desk.trading.send(
      order({ type: 'LIMIT', price: decimal('61000'), quantity: decimal('0.1'), tif_mode: 'IOC' }),
    )
    assert.ok(filled.outcome === 'accepted' && filled.report.state === 'FILLED')

    const maker = order({
      type: 'LIMIT',
      price: decimal('59000'),
      quantity: decimal('0.1'),
      tif_mode: 'GTC',
    })
    await desk.trading.send(maker)
    await desk.sandbox.control('POST', 'kraken/market', {
      pair: 'BTC/EUR',
      price: '58000',
      frozen: true,
    })
    const done = await desk.trading.find(orderLookup(maker))
    assert.ok(done.lookup === 'found' && done.report.state === 'FILLED')
    assert.deepEqual(
      done.report.fills.map(({ price, volume, fee, liquidity }) => ({
        price: format(price),
        volume: format(volume),
        fee: format(fee),
        liquidity,
      })),
      [{ price: '59000', volume: '5900', fee: '9.44', liquidity: 'MAKER' }],
    )
    await desk.sandbox.control('POST', 'kraken/market', {
      pair: 'BTC/EUR',
      price: '60000',
      frozen: true,
    })
  })

  test('what ccxt would round or Kraken does not have is refused before it is sent', async () => {
    const earlier = await desk.sandbox.received('kraken', 'AddOrder')
    const refused: [Partial<VenueOrder>, RegExp][] = [
      [{ quantity: decimal('0.123456789') }, /quantity is not a multiple/],
      [{ quantity: decimal('0.00001') }, /below 0.00005/],
      [{ quote_asset: 'USD' }, /does not trade BTC\/USD/],
      [{ type: 'LIMIT', price: decimal('60000.05') }, /price is not a multiple/],
      [{ type: 'LIMIT', price: null }, /price is not a multiple/],
      [{ type: 'STOP' as 'LIMIT' }, /has no STOP order/],
    ]
    for (const [more, reason] of refused) {
      const sent = await desk.trading.send(order(more))
      assert.ok(sent.outcome === 'refused')
      assert.match(sent.reason, reason)
    }
    assert.equal(await desk.sandbox.received('kraken', 'AddOrder'), earlier)
    assert.equal(desk.trading.supports({ type: 'LIMIT', tif_mode: 'GTC' }), true)
    const poor = await desk.trading.send(order({ quantity: decimal('50') }))
    assert.deepEqual(poor, {
      outcome: 'refused',
      reason: 'EOrder:Insufficient funds',
      native: 'EOrder:Insufficient funds',
    })
  })

  test('a market too thin fills in part and cancels the rest', async () => {
    await desk.sandbox.control('POST', 'kraken/market', {
      pair: 'XRP/EUR',
      price: '0.00900',
      frozen: true,
      depth: 2,
    })
    const sent = await desk.trading.send(order({ base_asset: 'XRP', quantity: decimal('1000000') }))
    assert.ok(sent.outcome === 'accepted')
    assert.equal(sent.report.state, 'CANCELED')
    assert.ok(sent.report.filled_quantity > 0n && sent.report.filled_quantity < decimal('1000000'))
    assert.equal(
      sent.report.fills.reduce((sum, fill) => sum + fill.quantity, 0n),
      sent.report.filled_quantity,
    )
    await desk.sandbox.control('POST', 'kraken/market', {
      pair: 'XRP/EUR',
      price: '1.9',
      depth: 30,
    })
  })
})
