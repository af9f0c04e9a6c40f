/** Orders at OKX: sizes, fees on either side, rebates, and what stands in the request. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal } from '../../../core/decimal.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { order, orderLookup } from '../exchange.fixture.ts'
import { open } from './okx.testing.ts'

describe('orders at okx', () => {
  const desk = new ExchangeDesk(open)
  const stands = (pair: string, price: string) =>
    desk.sandbox.control('POST', 'okx/market', { pair, price, frozen: true })

  test('MARKET: the size is in the base asset, the fee in what is received', async () => {
    await stands('BTC/EUR', '60000')
    for (const side of ['BUY', 'SELL'] as const) {
      const [euros, coins] = [(await desk.balance('EUR')).total, (await desk.balance('BTC')).total]
      const sent = await desk.trading.send(order({ side, quantity: decimal('0.98765432') }))
      assert.ok(sent.outcome === 'accepted' && sent.report.state === 'FILLED')
      const { fills, filled_quantity } = sent.report
      assert.equal(filled_quantity, decimal('0.98765432'))
      const sign = side === 'BUY' ? 1n : -1n
      const fees = (asset: string) =>
        fills.reduce((sum, fill) => sum + (fill.fee_asset === asset ? fill.fee : 0n), 0n)
      assert.equal((await desk.balance('BTC')).total - coins, sign * filled_quantity - fees('BTC'))
      assert.equal(
        (await desk.balance('EUR')).total - euros,
        fills.reduce((sum, fill) => sum - sign * fill.volume, 0n) - fees('EUR'),
      )
      assert.ok(fills.every(({ fee, liquidity }) => fee > 0n && liquidity === 'TAKER'))
      assert.ok(fees(side === 'BUY' ? 'EUR' : 'BTC') === 0n)
    }
  })

  test('a rebate is a negative fee, and is there', async () => {
    await stands('ETH/EUR', '2400')
    const maker = order({
      base_asset: 'ETH',
      type: 'LIMIT',
      tif_mode: 'GTC',
      price: decimal('2350.5'),
      quantity: decimal('1'),
    })
    const coins = (await desk.balance('ETH')).total
    assert.equal((await desk.trading.send(maker)).outcome, 'accepted')
    assert.equal((await desk.balance('EUR')).used, decimal('2350.5'))
    await stands('ETH/EUR', '2300')
    const filled = await desk.trading.find(orderLookup(maker))
    assert.ok(filled.lookup === 'found' && filled.report.state === 'FILLED')
    assert.deepEqual(
      filled.report.fills.map(({ fee_asset, liquidity }) => ({ fee_asset, liquidity })),
      filled.report.fills.map(() => ({ fee_asset: 'ETH', liquidity: 'MAKER' })),
    )
    const rebate = filled.report.fills.reduce((sum, fill) => sum - fill.fee, 0n)
    assert.equal(rebate, decimal('0.00005'))
    assert.equal((await desk.balance('ETH')).total - coins, decimal('1') + rebate)
  })

  test('what cannot be paid is refused whole, and never cut to what is there', async () => {
    await stands('BTC/EUR', '60000')
    const one = order({ side: 'SELL', quantity: decimal('3') })
    const sent = await desk.trading.send(one)
    assert.ok(sent.outcome === 'refused' && sent.native?.startsWith('51008: '))
    assert.equal((await desk.trading.find(orderLookup(one, { sent_at: 0 }))).lookup, 'unknown')
  })

  test('an order is canceled with or without its number, once', async () => {
    const resting = order({ type: 'LIMIT', tif_mode: 'GTC', price: decimal('50000') })
    assert.equal((await desk.trading.send(resting)).outcome, 'accepted')
    const canceled = await desk.trading.cancel(orderLookup(resting))
    assert.ok(canceled.outcome === 'accepted' && canceled.report.state === 'CANCELED')
    const again = await desk.trading.cancel(
      orderLookup(resting, { foreign_id: canceled.report.foreign_id }),
    )
    assert.ok(again.outcome === 'refused' && again.reason === 'the order is not open')
  })

  test('fills that are not listed yet leave an order unknown, whatever it says', async () => {
    await desk.sandbox.control('POST', 'okx/behaviour', { listing_delay_ms: 86_000_000 })
    const one = order()
    assert.equal((await desk.trading.send(one)).outcome, 'accepted')
    assert.deepEqual(await desk.trading.find(orderLookup(one)), {
      lookup: 'unknown',
      reason: 'okx does not list all fills of the order yet',
    })
    await desk.sandbox.control('POST', 'okx/behaviour', {})
  })
})
