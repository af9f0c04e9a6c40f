/** Prices of Kraken, through everything that a connection may suffer. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal } from '../../../core/decimal.ts'
import { until } from '../../../core/testing.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { WATCHFUL } from '../exchange.fixture.ts'
import { PriceRecording } from '../price-recording.testing.ts'
import { open } from './kraken.testing.ts'

describe('prices of kraken', () => {
  const desk = new ExchangeDesk(open)
  const moving = () =>
    desk.sandbox.control('POST', 'kraken/market', {
      pair: 'BTC/EUR',
      frozen: false,
      volatility_ppm: 300,
    })

  test('books and tickers of what is traded, in steps of the pair; the rest is lost', async () => {
    await moving()
    const recording = new PriceRecording(desk.venue, ['BTC', 'ETH', 'DOGE'])
    await recording.assertWhole()
    assert.ok(
      recording.bitcoin.every(({ bids }) =>
        bids.every(
          (bid) => bid.price % decimal('0.1') === 0n && bid.quantity % decimal('0.00000001') === 0n,
        ),
      ),
    )
    await recording.stop()
  })

  test('lost updates, a cut, silence and a restart are noticed and healed', async () => {
    await moving()
    const watchful = await open(desk.sandbox, WATCHFUL)
    const recording = new PriceRecording(watchful, ['BTC', 'ETH', 'DOGE'])
    await recording.moreBitcoin('books', 5)
    const recovers = async (
      what: string,
      operation: string,
      kind: 'REFUSE' | 'DOWN' | 'TIMEOUT_AFTER_ACCEPT',
    ) => {
      const known = recording.lost.length
      await desk.sandbox.fault('kraken', operation, kind)
      let updates = recording.bitcoin.length
      await until(`${what} is noticed`, async () => {
        if (recording.lost.slice(known).includes('BTC')) return true
        // A lost update may have changed only what the next ones bring anyway, or what lies below
        // the checksum: then another is lost.
        if (operation === 'book' && recording.bitcoin.length > updates + 3) {
          updates = recording.bitcoin.length
          await desk.sandbox.fault('kraken', operation, kind)
        }
        return undefined
      })
      await desk.sandbox.control('DELETE', 'faults')
      await recording.moreBitcoin(`${what} is healed`, 2)
    }
    await recovers('a lost update', 'book', 'REFUSE')
    await recovers('a cut', 'websocket', 'DOWN')
    await recovers('silence', 'websocket', 'TIMEOUT_AFTER_ACCEPT')

    await desk.sandbox.control('POST', 'kraken/market', { frozen: true })
    await recording.assertQuietIsCurrent()
    await desk.sandbox.kill()
    const known = recording.lost.length
    await until('the end is noticed', () => recording.lost.length > known)
    await desk.sandbox.restart()
    await recording.moreBitcoin('the books are back', 0)
    await recording.stop()
    await watchful.close()
  })
})
