/** Bitstamp as a whole: the contract, its faults, and who may use it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import { ApiError } from '../../../core/errors.ts'
import { until } from '../../../core/testing.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { exchangeContract } from '../exchange-contract.fixture.ts'
import { faultTests, order, orderLookup } from '../exchange.fixture.ts'
import { requestWindowTest } from '../request-window.testing.ts'
import { ABSENT_MILLISECONDS, ACTS, open } from './bitstamp.testing.ts'
import { FAILURES } from './vocabulary.ts'

exchangeContract(open, ACTS, { arriving: 'ETH' })

describe('bitstamp by ccxt', () => {
  const desk = new ExchangeDesk(open)

  test('our words for assets and pairs, Bitstamp’s steps, the fee of this account', async () => {
    const owned = (await desk.venue.balances()).map(
      ({ asset, protocol, total }) => `${asset} ${protocol} ${total === null ? '' : format(total)}`,
    )
    assert.deepEqual(owned, [
      'BTC BTC 3',
      'ETH ETH 25',
      'XRP XRP 5000',
      'USDC ETH 30000',
      'LTC LTC 80',
      'XLM XLM 20000',
      'EUR SEPA 150000',
    ])
    assert.deepEqual(
      (await desk.venue.protocols()).flatMap(({ asset, protocols }) =>
        protocols.map(({ protocol, decimals }) => `${asset} ${protocol} ${decimals}`),
      ),
      ['BTC BTC 8', 'ETH ETH 8', 'XRP XRP 6', 'USDC ETH 5', 'LTC LTC 8', 'XLM XLM 7', 'EUR SEPA 2'],
    )
    assert.deepEqual(desk.transfers.fields('BTC', 'BTC'), { from: [], to: [] })
    assert.deepEqual(
      desk.transfers.fields('XRP', 'XRP').to.map((transferField) => transferField.name),
      ['tag'],
    )
    assert.ok(
      desk.transfers
        .fields('EUR', 'SEPA')
        .to.some((transferField) => transferField.name === 'bic' && transferField.required),
    )
    assert.deepEqual(
      (await desk.prices.pairs()).find((pair) => pair.base_asset === 'BTC'),
      {
        base_asset: 'BTC',
        quote_asset: 'EUR',
        price_step: decimal('1'),
        amount_step: decimal('0.00000001'),
        min_amount: decimal('0.00000001'),
        taker_fee: decimal('0.004'),
      },
    )
  })

  faultTests(desk, ACTS)
  requestWindowTest(desk, open, ACTS)

  test('an order that is filled is found, though Bitstamp would take its id again', async () => {
    await desk.sandbox.fault('bitstamp', 'order', 'CUT')
    const one = order()
    const sent_at = Date.now() - ABSENT_MILLISECONDS
    assert.equal((await desk.trading.send(one)).outcome, 'unknown')
    const found = await desk.trading.find(orderLookup(one, { sent_at }))
    assert.ok(found.lookup === 'found' && found.report.state === 'FILLED')
    // It refuses no repeated id since November 2023 (changelog of its API, 2023-10-12).
    assert.equal((await desk.trading.send(one)).outcome, 'accepted')
    assert.equal(await desk.sandbox.received('bitstamp', 'order', one.client_order_id), 2)
  })

  test('a token that has ended, and a wish for another connection, are got over', async () => {
    const listened = await open(desk.sandbox)
    let times = 0
    await desk.sandbox.fault('bitstamp', 'token', 'REFUSE')
    listened.listen?.(({ about }) => {
      if (about === 'ALL') times += 1
    })
    await until('another token was taken', () => times === 1)
    await desk.sandbox.fault('bitstamp', 'reconnect', 'REFUSE')
    // Once because it was lost, once because it is there again.
    await until('there is another connection', () => times === 3)
    await listened.close()
  })

  test('many calls at once; a halted exchange refuses or is unreachable', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => desk.trading.send(order({ quantity: decimal('0.001') }))),
    )
    assert.ok(answers.every((answer) => answer.outcome === 'accepted'))
    await desk.sandbox.control('POST', 'bitstamp/halt', { status: 'cancel_only' })
    assert.equal((await desk.trading.send(order())).outcome, 'refused')
    await desk.sandbox.control('POST', 'bitstamp/halt', { status: 'maintenance' })
    assert.equal((await desk.trading.send(order())).outcome, 'unknown')
    await assert.rejects(
      desk.venue.balances(),
      (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
    )
    await desk.sandbox.control('POST', 'bitstamp/halt', { status: 'online' })
  })

  test('calls stay within what Bitstamp counts', async () => {
    const setLimits = (body: object) => desk.sandbox.control('POST', 'bitstamp/limits', body)
    const limits = () => desk.sandbox.control('GET', 'bitstamp/limits')
    await setLimits({ tier: 'STANDARD' })
    const counted = await open(desk.sandbox, { tier: 'STANDARD' })
    const asked = Array.from({ length: 40 }, () => counted.trading?.find(orderLookup(order())))
    assert.deepEqual(
      new Set((await Promise.all(asked)).map((answer) => answer?.lookup)),
      new Set(['unknown']),
    )
    assert.partialDeepStrictEqual(await limits(), { tier: 'STANDARD', refused: 0 })
    await assert.rejects(counted.balances({ signal: AbortSignal.abort() }), /not called: nobody/)
    await counted.close()
    await setLimits({ tier: 'AGREED' })
  })

  test('a wrong secret is refused and never shown', async () => {
    const stranger = await open(desk.sandbox, { api_secret: 'secret-of-a-stranger' })
    const sent = await stranger.trading?.send(order())
    assert.deepEqual(sent, {
      outcome: 'refused',
      reason: 'Invalid signature',
      native: 'Invalid signature',
    })
    await assert.rejects(
      stranger.balances(),
      (error) =>
        error instanceof ApiError &&
        error.kind === 'VenueUnreachable' &&
        !`${error.message} ${error.stack}`.includes('stranger'),
    )
    await stranger.close()
  })

  test('which texts are certain: the form and the key are, the engine is not', () => {
    const certain = (body: object) =>
      FAILURES.failureOf(new Error(`bitstamp ${JSON.stringify(body)}`)).certain
    assert.ok(
      certain({ status: 'error', reason: { __all__: ['Minimum order size is 10.0 EUR.'] } }),
    )
    assert.ok(certain({ status: 'error', reason: 'Invalid signature', code: 'API0005' }))
    assert.ok(!certain({ status: 'error', reason: { __all__: ['Order could not be placed.'] } }))
    assert.ok(!certain({ status: 'error', reason: 'Invalid nonce', code: 'API0004' }))
    assert.ok(
      !certain({ error: "Bitstamp.net is under scheduled maintenance. We'll be back soon." }),
    )
    assert.ok(
      !FAILURES.failureOf(new Error('bitstamp POST https://… 502 Bad Gateway <html>{}')).certain,
    )
  })
})
