/** Prices of Bitstamp, through everything that a connection may suffer. */
import { describe, test } from 'node:test'
import { until } from '../../../core/testing.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { WATCHFUL } from '../exchange.fixture.ts'
import { PriceRecording } from '../price-recording.testing.ts'
import { open } from './bitstamp.testing.ts'

describe('prices of bitstamp', () => {
  const desk = new ExchangeDesk(open)
  const moving = () =>
    desk.sandbox.control('POST', 'bitstamp/market', {
      pair: 'BTC/EUR',
      frozen: false,
      volatility_ppm: 300,
    })

  test('whole books and tickers of what is traded; the rest is lost', async () => {
    await moving()
    const recording = new PriceRecording(desk.venue, ['BTC', 'XRP', 'DOGE'])
    await recording.assertWhole()
    await recording.stop()
  })

  test('a lost message heals, a cut and silence are noticed, a quiet book is current', async () => {
    await moving()
    const watchful = await open(desk.sandbox, WATCHFUL)
    const recording = new PriceRecording(watchful, ['BTC', 'XRP', 'DOGE'])
    await recording.moreBitcoin('books', 2)
    await desk.sandbox.fault('bitstamp', 'book', 'REFUSE')
    await until(
      'a message is lost',
      async () => (await desk.sandbox.control<unknown[]>('GET', 'faults')).length === 0,
    )
    await recording.moreBitcoin('the next ones come', 2)
    for (const kind of ['DOWN', 'TIMEOUT_AFTER_ACCEPT'] as const) {
      const known = recording.lost.length
      await desk.sandbox.fault('bitstamp', 'websocket', kind)
      await until(`${kind} is noticed`, () => recording.lost.slice(known).includes('BTC'))
      await recording.moreBitcoin(`${kind} is healed`, 2)
    }
    await desk.sandbox.control('POST', 'bitstamp/market', { frozen: true })
    await recording.assertQuietIsCurrent()
    await recording.stop()
    await watchful.close()
  })
})
