/** Prices of OKX, through everything that a connection may suffer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '../../../core/testing.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { WATCHFUL } from '../exchange.fixture.ts'
import { PriceRecording } from '../price-recording.testing.ts'
import { open } from './okx.testing.ts'

describe('prices of okx', () => {
  const desk = new ExchangeDesk(open)
  const moving = () =>
    desk.sandbox.control('POST', 'okx/market', {
      pair: 'BTC/EUR',
      frozen: false,
      volatility_ppm: 300,
    })

  test('books and tickers of what is traded; the rest is lost', async () => {
    await moving()
    const recording = new PriceRecording(desk.venue, ['BTC', 'XRP', 'DOGE'])
    await recording.assertWhole()
    await recording.stop()
  })

  test('a lost message, a cut and silence are noticed and healed; twice is once', async () => {
    await moving()
    const watchful = await open(desk.sandbox, WATCHFUL)
    const recording = new PriceRecording(watchful, ['BTC', 'XRP', 'DOGE'])
    await recording.moreBitcoin('books', 2)
    await desk.sandbox.fault('okx', 'book', 'TWICE')
    await recording.moreBitcoin('a message comes twice', 4)
    assert.ok(!recording.lost.includes('BTC'))
    for (const [operation, kind] of [
      ['book', 'REFUSE'],
      ['websocket', 'DOWN'],
      ['websocket', 'TIMEOUT_AFTER_ACCEPT'],
    ] as const) {
      const known = recording.lost.length
      await desk.sandbox.fault('okx', operation, kind)
      await until(`${kind} is noticed`, () => recording.lost.slice(known).includes('BTC'))
      await recording.moreBitcoin(`${kind} is healed`, 2)
    }
    await desk.sandbox.control('POST', 'okx/market', { frozen: true })
    await recording.assertQuietIsCurrent()
    await recording.stop()
    await watchful.close()
  })
})
