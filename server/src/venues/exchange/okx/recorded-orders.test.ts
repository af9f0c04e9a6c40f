/**
 * What the adapter makes of answers that OKX gives and our sandbox does not. The shapes are those
 * of JKorf/OKX.Net, OKX.Net.UnitTests/Endpoints/UnifiedApi (Account, Trading), and of the comments
 * in ccxt's okx.ts; the values are ours.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decimal } from '../../../core/decimal.ts'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { order, orderLookup } from '../exchange.fixture.ts'
import { ABSENT_MILLISECONDS, done, withAnswers } from './okx.testing.ts'

describe('answers of OKX about orders', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox.stop())

  test('an order is not absent while its fills are listed', async () => {
    const one = order()
    const fills = done({ clOrdId: one.client_order_id.replaceAll('-', ''), billId: '1' })
    const missing = { code: '51603', msg: 'Order does not exist', data: [] }
    await withAnswers(
      sandbox,
      { '/trade/order': missing, '/trade/fills': fills, '/trade/fills-history': fills },
      async ({ trading }) => {
        const sent_at = Date.now() - ABSENT_MILLISECONDS
        assert.deepEqual(await trading.find({ ...orderLookup(one), sent_at }), {
          lookup: 'unknown',
          reason: 'okx lists fills of an order that it does not show',
        })
      },
    )
  })

  /** PlaceOrder.txt, with the code of a refusal in the row of an answer that is a success. */
  test('an order that is refused within a success is refused', () =>
    withAnswers(
      sandbox,
      {
        '/trade/order': {
          ...done({
            clOrdId: '',
            ordId: '',
            tag: '',
            ts: '1695190491421',
            sCode: '51020',
            sMsg: 'Your order should meet or exceed the minimum order amount.',
          }),
          inTime: '1695190491421339',
          outTime: '1695190491423240',
        },
      },
      async ({ trading }) => {
        const native = '51020: Your order should meet or exceed the minimum order amount.'
        assert.deepEqual(await trading.send(order()), {
          outcome: 'refused',
          reason: native,
          native,
        })
      },
    ))

  /** GetOrderDetails.txt, GetUserTrades.txt: the fee of a buy is taken of what is bought. */
  test('an order with its fills: charges are negative at OKX, a rebate is positive', () => {
    const one = order()
    const fill = (billId: string, more: object) => ({
      side: 'buy',
      fillSz: '0.005',
      fillPx: '51858',
      ordId: '680800019749904384',
      instType: 'SPOT',
      instId: 'BTC-EUR',
      clOrdId: one.client_order_id.replaceAll('-', ''),
      billId,
      subType: '1',
      fillTime: '1708587373361',
      execType: 'T',
      tradeId: '744876980',
      feeCcy: 'BTC',
      ts: '1708587373362',
      ...more,
    })
    return withAnswers(
      sandbox,
      {
        '/trade/order': done({
          accFillSz: '0.01',
          avgPx: '51858',
          cTime: '1708587373361',
          cancelSource: '',
          cancelSourceReason: '',
          clOrdId: one.client_order_id.replaceAll('-', ''),
          instId: 'BTC-EUR',
          instType: 'SPOT',
          ordId: '680800019749904384',
          ordType: 'market',
          state: 'filled',
          sz: '0.01',
          tgtCcy: 'base_ccy',
        }),
        '/trade/fills-history': done(
          fill('680800019754098689', { fee: '0.0000001', execType: 'M' }),
          fill('680800019754098688', { fee: '-0.00000192834' }),
        ),
      },
      async ({ trading }) => {
        const found = await trading.find(orderLookup(one))
        assert.ok(found.lookup === 'found' && found.report.state === 'FILLED')
        assert.deepEqual(
          found.report.fills.map(({ foreign_id, fee, fee_asset, liquidity }) => ({
            foreign_id,
            fee,
            fee_asset,
            liquidity,
          })),
          [
            {
              foreign_id: '680800019754098689',
              fee: decimal('-0.0000001'),
              fee_asset: 'BTC',
              liquidity: 'MAKER',
            },
            {
              foreign_id: '680800019754098688',
              fee: decimal('0.00000192834'),
              fee_asset: 'BTC',
              liquidity: 'TAKER',
            },
          ],
        )
      },
    )
  })
})
