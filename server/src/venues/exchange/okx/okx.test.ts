/** OKX as a whole: the contract, its faults, and who may use it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import { ApiError } from '../../../core/errors.ts'
import { until } from '../../../core/testing.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { exchangeContract } from '../exchange-contract.fixture.ts'
import { faultTests, order, orderLookup, WATCHFUL } from '../exchange.fixture.ts'
import { requestWindowTest } from '../request-window.testing.ts'
import { ACTS, open, verify, withdrawal } from './okx.testing.ts'
import { FAILURES } from './vocabulary.ts'

exchangeContract(open, ACTS, { arriving: 'ETH', prepare: verify })

describe('okx by ccxt', () => {
  const desk = new ExchangeDesk(open, verify)

  test('both wallets are one pot; pairs, steps, and the fee of this account', async () => {
    const owned = (await desk.venue.balances()).map(
      ({ asset, protocol, total }) => `${asset} ${protocol} ${total === null ? '' : format(total)}`,
    )
    assert.deepEqual(owned, ['BTC BTC 2', 'ETH ETH 20', 'XRP XRP 5000', 'EUR SEPA 150000'])
    assert.deepEqual(
      (await desk.venue.protocols())
        .filter(({ protocols }) => protocols.length > 0)
        .map(({ asset, protocols }) => [
          asset,
          protocols.map(({ tag_required, min_withdrawal }) => ({ tag_required, min_withdrawal })),
        ]),
      [
        ['BTC', [{ tag_required: false, min_withdrawal: decimal('0.001') }]],
        ['ETH', [{ tag_required: false, min_withdrawal: decimal('0.001') }]],
        ['XRP', [{ tag_required: true, min_withdrawal: decimal('1') }]],
        ['EUR', [{ tag_required: false, min_withdrawal: decimal('1') }]],
      ],
    )
    assert.deepEqual(
      (await desk.prices.pairs()).find(
        (pair) => pair.base_asset === 'BTC' && pair.quote_asset === 'EUR',
      ),
      {
        base_asset: 'BTC',
        quote_asset: 'EUR',
        price_step: decimal('0.1'),
        amount_step: decimal('0.00000001'),
        min_amount: decimal('0.00001'),
        taker_fee: decimal('0.0035'),
      },
    )
  })

  faultTests(desk, ACTS)
  requestWindowTest(desk, open, ACTS)

  test('what OKX may have forgotten by now is absent only if it could not rest', async () => {
    const sent_at = Date.now() - 7_200_000
    const price = decimal('50000')
    const resting = order({ type: 'LIMIT', tif_mode: 'GTC', price })
    assert.deepEqual(await desk.trading.find(orderLookup(resting, { sent_at })), {
      lookup: 'unknown',
      reason: 'okx may have forgotten it by now',
    })
    for (const passing of [order(), order({ type: 'LIMIT', tif_mode: 'IOC', price })])
      assert.deepEqual(await desk.trading.find(orderLookup(passing, { sent_at })), {
        lookup: 'absent',
      })
  })

  test('a stream that is about to end, or falls silent, is made anew', async () => {
    const listened = await open(desk.sandbox, WATCHFUL)
    let times = 0
    listened.listen?.(({ about }) => {
      if (about === 'ALL') times += 1
    })
    await until('both connections are there', () => times === 2)
    await desk.sandbox.fault('okx', 'notice', 'REFUSE')
    // Once because it was lost, once because it is there again.
    await until('there is another connection', () => times === 4)
    await desk.sandbox.fault('okx', 'websocket', 'TIMEOUT_AFTER_ACCEPT')
    await until('its silence was noticed', () => times === 6)
    await listened.close()
  })

  test('a halted exchange refuses or is unreachable', async () => {
    await desk.sandbox.control('POST', 'okx/halt', { status: 'cancel_only' })
    const halted = await desk.trading.send(order())
    assert.ok(halted.outcome === 'refused' && halted.native === '51022: Contract suspended.')
    await desk.sandbox.control('POST', 'okx/halt', { status: 'maintenance' })
    assert.equal((await desk.trading.send(order())).outcome, 'unknown')
    await assert.rejects(
      desk.venue.balances(),
      (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
    )
    await desk.sandbox.control('POST', 'okx/halt', { status: 'online' })
  })

  test('a wrong secret or passphrase is refused and never shown', async () => {
    for (const wrong of [
      { api_secret: 'secret-of-a-stranger' },
      { passphrase: 'words-of-a-stranger' },
    ]) {
      const stranger = await open(desk.sandbox, wrong)
      const sent = await stranger.trading?.send(order())
      assert.ok(sent?.outcome === 'refused' && /^501(05|13): /.test(sent.native ?? ''))
      await assert.rejects(
        stranger.balances(),
        (error) =>
          error instanceof ApiError &&
          error.kind === 'VenueUnreachable' &&
          !`${error.message} ${error.stack}`.includes('stranger'),
      )
      await stranger.close()
    }
  })

  test('calls stay within the limit of each endpoint', async () => {
    await desk.sandbox.control('POST', 'okx/limits', { tier: 'STANDARD' })
    const counted = await open(desk.sandbox, { tier: 'STANDARD' })
    await Promise.all(Array.from({ length: 9 }, () => counted.transfers?.estimateFee(withdrawal())))
    const { refused } = await desk.sandbox.control<{ refused: number }>('GET', 'okx/limits')
    assert.equal(refused, 0)
    await assert.rejects(counted.balances({ signal: AbortSignal.abort() }), /not called: nobody/)
    await counted.close()
    await desk.sandbox.control('POST', 'okx/limits', { tier: 'AGREED' })
  })

  test('which codes are certain: of the request and the order, not of the system', () => {
    const certain = (body: object) =>
      FAILURES.failureOf(new Error(`myokx ${JSON.stringify(body)}`)).certain
    const order = (sCode: string, code: string) =>
      certain({ code, msg: '', data: [{ ordId: '', sCode, sMsg: 'words' }] })
    assert.deepEqual(
      {
        insufficient: order('51008', '1'),
        within_success: order('51008', '0'),
        duplicate: order('51016', '1'),
        time_out: certain({ code: '50004', msg: 'API endpoint request timeout', data: [] }),
        limit: certain({ code: '50011', msg: 'Too Many Requests' }),
        busy: certain({ code: '50013', msg: 'Systems are busy', data: [] }),
        not_listed: certain({ code: '58207', msg: 'not on the list', data: [] }),
        client_id_again: certain({ code: '58404', msg: 'ClientId already exists', data: [] }),
        signature: certain({ code: '50113', msg: 'Invalid signature.', data: [] }),
        new: certain({ code: '59999', msg: 'something new', data: [] }),
      },
      {
        insufficient: true,
        within_success: true,
        duplicate: false,
        time_out: false,
        limit: false,
        busy: false,
        not_listed: true,
        client_id_again: false,
        signature: true,
        new: false,
      },
    )
  })
})
