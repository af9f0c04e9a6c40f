/** Kraken as a whole: the contract, its faults, and who may use it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mustExist } from '../../../core/assert.ts'
import { decimal, format } from '../../../core/decimal.ts'
import { ApiError } from '../../../core/errors.ts'
import type { Venue } from '../../contract.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { exchangeContract } from '../exchange-contract.fixture.ts'
import { faultTests, lookup, order, orderLookup } from '../exchange.fixture.ts'
import { ACTS, GRACE_MILLISECONDS, open, registerKeys, withdrawal } from './kraken.testing.ts'

exchangeContract(open, ACTS, { arriving: 'BTC', prepare: registerKeys })

describe('kraken by ccxt', () => {
  const desk = new ExchangeDesk(open, registerKeys)

  test('assets, protocols and pairs have our words and Kraken’s precision', async () => {
    const balances = await desk.venue.balances()
    assert.deepEqual(
      balances.map(({ asset, protocol, total }) => ({
        asset,
        protocol,
        total: total === null ? null : format(total),
      })),
      [
        { asset: 'BTC', protocol: 'BTC', total: '5' },
        { asset: 'ETH', protocol: 'ETH', total: '40' },
        { asset: 'XRP', protocol: 'XRP', total: '10000' },
        { asset: 'USDC', protocol: 'ETH', total: '40000' },
        { asset: 'LTC', protocol: 'LTC', total: '100' },
        { asset: 'XLM', protocol: 'XLM', total: '30000' },
        { asset: 'EUR', protocol: 'SEPA', total: '250000' },
      ],
    )
    const protocols = (await desk.venue.protocols()).flatMap((protocol) =>
      protocol.protocols.map((one) => [
        protocol.asset,
        one.protocol,
        one.native,
        one.tag_required,
        one.decimals,
      ]),
    )
    assert.deepEqual(protocols, [
      ['BTC', 'BTC', 'XXBT', false, 8],
      ['ETH', 'ETH', 'XETH', false, 10],
      ['XRP', 'XRP', 'XXRP', true, 6],
      ['USDC', 'ETH', 'USDC', false, 6],
      ['LTC', 'LTC', 'XLTC', false, 8],
      ['XLM', 'XLM', 'XXLM', true, 7],
      ['EUR', 'SEPA', 'ZEUR', false, 2],
    ])
    const pairs = await desk.prices.pairs()
    const bitcoin = pairs.find((pair) => pair.base_asset === 'BTC')
    assert.deepEqual(bitcoin, {
      base_asset: 'BTC',
      quote_asset: 'EUR',
      price_step: decimal('0.1'),
      amount_step: decimal('0.00000001'),
      min_amount: decimal('0.00005'),
      taker_fee: decimal('0.0026'),
    })
    assert.equal(pairs.length, 7)
  })

  test('what Kraken shows under a suffix belongs to its asset', async () => {
    const bitcoin = async () => (await desk.venue.balances()).filter(({ asset }) => asset === 'BTC')
    const [before] = await bitcoin()
    for (const [suffix, quantity] of Object.entries({ F: '1', B: '0.5', M: '0.25' }))
      await desk.sandbox.control('POST', 'kraken/rewards', { asset: 'BTC', suffix, quantity })
    const free = mustExist(before?.free, 'a free balance') - decimal('0.75')
    assert.deepEqual(await bitcoin(), [{ ...before, free, used: decimal('0.75') }])
    for (const suffix of ['F', 'B', 'M'])
      await desk.sandbox.control('POST', 'kraken/rewards', { asset: 'BTC', suffix, quantity: '0' })
    assert.deepEqual(await bitcoin(), [before])
  })

  faultTests(desk, ACTS)

  test('absent is not said before Kraken must have listed it', async () => {
    assert.equal((await desk.trading.find(orderLookup(order()))).lookup, 'unknown')
    assert.equal(
      (await desk.trading.find(orderLookup(order(), { sent_at: Date.now() - GRACE_MILLISECONDS })))
        .lookup,
      'absent',
    )
    assert.equal((await desk.transfers.find(lookup(withdrawal()))).lookup, 'unknown')
    assert.equal(
      (
        await desk.transfers.find(
          lookup(withdrawal(), { submitted_at: Date.now() - GRACE_MILLISECONDS }),
        )
      ).lookup,
      'absent',
    )
  })

  test('an order that is filled is found, though Kraken would take its id again', async () => {
    await desk.sandbox.fault('kraken', 'AddOrder', 'CUT')
    const one = order()
    const sent_at = Date.now() - GRACE_MILLISECONDS
    assert.equal((await desk.trading.send(one)).outcome, 'unknown')
    const found = await desk.trading.find(orderLookup(one, { sent_at }))
    assert.ok(found.lookup === 'found' && found.report.state === 'FILLED')
    // Kraken compares with open orders only: had the lookup said absent, it would be there twice.
    assert.equal((await desk.trading.send(one)).outcome, 'accepted')
    assert.equal((await desk.trading.find(orderLookup(one, { sent_at }))).lookup, 'unknown')
  })

  test('a refusal of a reference that is there already says nothing about its order', async () => {
    const resting = order({ type: 'LIMIT', price: decimal('1000'), tif_mode: 'GTC' })
    assert.equal((await desk.trading.send(resting)).outcome, 'accepted')
    assert.equal((await desk.trading.send(resting)).outcome, 'unknown')
    const found = await desk.trading.find(orderLookup(resting))
    assert.ok(found.lookup === 'found' && found.report.state === 'NEW')
    await desk.trading.cancel(orderLookup(resting))
  })

  test('absent is never said of a key that takes late requests', async () => {
    const never = { ...order(), foreign_id: null, sent_at: Date.now() - GRACE_MILLISECONDS }
    const unsent = lookup(withdrawal(), { submitted_at: Date.now() - GRACE_MILLISECONDS })
    await desk.sandbox.control('POST', 'kraken/api-key', { nonce_window: '15' })
    const late = {
      lookup: 'unknown',
      reason: 'this key of kraken takes late requests: its nonce window is 15, not 0',
    }
    assert.deepEqual(await desk.trading.find(never), late)
    assert.deepEqual(await desk.transfers.find(unsent), late)
    await desk.sandbox.fault('kraken', 'GetApiKeyInfo', 'REFUSE')
    assert.equal((await desk.trading.find(never)).lookup, 'unknown')
    await desk.sandbox.control('POST', 'kraken/api-key', { nonce_window: '0' })
    assert.equal((await desk.trading.find(never)).lookup, 'absent')
    assert.equal((await desk.transfers.find(unsent)).lookup, 'absent')
  })

  test('many calls at once never use a nonce out of order', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 15 }, () => desk.venue.balances()),
      ...Array.from({ length: 10 }, () => desk.trading.send(order({ quantity: decimal('0.001') }))),
      ...Array.from({ length: 5 }, () => desk.transfers.incoming(null)),
    ])
    assert.ok(answers.every((answer) => !('outcome' in answer) || answer.outcome === 'accepted'))
  })

  test('a halted exchange refuses orders or is unreachable', async () => {
    await desk.sandbox.control('POST', 'kraken/halt', { status: 'cancel_only' })
    assert.equal((await desk.trading.send(order())).outcome, 'refused')
    await desk.sandbox.control('POST', 'kraken/halt', { status: 'maintenance' })
    assert.equal((await desk.trading.send(order())).outcome, 'unknown')
    assert.equal((await desk.transfers.send(withdrawal())).outcome, 'unknown')
    await assert.rejects(
      desk.venue.balances(),
      (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
    )
    await desk.sandbox.control('POST', 'kraken/halt', { status: 'online' })
  })

  test('a wrong key or secret is refused and never shown', async () => {
    const stranger = await open(desk.sandbox, {
      api_secret: Buffer.from('secret-of-a-stranger').toString('base64'),
    })
    const sent = await (stranger.trading as NonNullable<Venue['trading']>).send(order())
    assert.deepEqual(sent, {
      outcome: 'refused',
      reason: 'EAPI:Invalid signature',
      native: 'EAPI:Invalid signature',
    })
    await assert.rejects(stranger.balances(), (error) => {
      assert.ok(error instanceof ApiError && error.kind === 'VenueUnreachable')
      assert.doesNotMatch(`${error.message} ${error.stack ?? ''}`, /c2VjcmV0/)
      return true
    })
    await stranger.close()
  })
})
