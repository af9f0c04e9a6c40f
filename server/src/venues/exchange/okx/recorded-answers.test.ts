/**
 * What the adapter makes of answers that OKX gives and our sandbox does not. The shapes are those
 * of JKorf/OKX.Net, OKX.Net.UnitTests/Endpoints/UnifiedApi (Account, Trading), and of the comments
 * in ccxt's okx.ts; the values are ours.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import type { Venue } from '../../contract.ts'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { order, orderLookup } from '../exchange.fixture.ts'
import { withRecordedAnswers } from '../recorded-answers.testing.ts'
import { open } from './okx.testing.ts'

const done = (...data: object[]) => ({ code: '0', msg: '', data })

describe('answers of OKX', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox.stop())

  const withAnswers = (
    answers: Record<string, unknown>,
    work: (venue: Required<Venue>) => Promise<void>,
  ): Promise<void> =>
    withRecordedAnswers(
      sandbox,
      { '/asset/currencies': done(), ...answers },
      (url) => open(sandbox, { base_url: `${url}/okx` }),
      (venue) => work(venue as Required<Venue>),
    )

  /** GetDepositHistory.txt. */
  const deposit = (depId: string, more: object) => ({
    actualDepBlkConfirm: '2',
    amt: '1',
    areaCodeFrom: '',
    ccy: 'BTC',
    chain: 'BTC-Bitcoin',
    depId,
    from: '',
    fromWdId: '',
    state: '2',
    to: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
    ts: '1674038705000',
    txId: 'fee235b3e812',
    ...more,
  })

  test('deposits in every documented state, a new one, and another chain', () =>
    withAnswers(
      {
        '/asset/deposit-history': done(
          deposit('1', { state: '0' }),
          deposit('2', { state: '1' }),
          deposit('3', {}),
          deposit('4', { state: '8' }),
          deposit('5', { state: '11' }),
          deposit('6', { state: '12' }),
          deposit('7', { state: '13' }),
          deposit('8', { state: '14' }),
          deposit('9', { state: '17' }),
          deposit('10', { state: '99' }),
          deposit('11', { ccy: 'USDT', chain: 'USDT-TRC20' }),
          deposit('12', { chain: 'BTC-Lightning' }),
          deposit('13', { amt: 'much' }),
        ),
      },
      async ({ transfers }) => {
        const { movements, set_aside } = await transfers.incoming(null)
        assert.deepEqual(
          new Map(movements.map(({ foreign_id, state }) => [foreign_id, state])),
          new Map([
            ['1', 'PENDING'],
            ['2', 'PENDING'],
            ['3', 'FINAL'],
            ['4', 'PENDING'],
            ['5', 'PENDING_REVIEW'],
            ['6', 'PENDING_REVIEW'],
            ['7', 'PENDING_REVIEW'],
            ['8', 'PENDING_REVIEW'],
            ['9', 'PENDING_REVIEW'],
            ['10', 'PENDING'],
          ]),
        )
        assert.deepEqual(
          set_aside?.map(({ foreign_id }) => foreign_id),
          ['13'],
        )
      },
    ))

  /** GetWithdrawalHistory.txt: another name of the chain, and a withdrawal that is not ours. */
  test('a withdrawal that somebody made at OKX leaves, without a reference of ours', () =>
    withAnswers(
      {
        '/asset/withdrawal-history': done({
          chain: 'ETH-Ethereum',
          fee: '0.007',
          ccy: 'ETH',
          clientId: '',
          amt: '0.029809',
          txId: '0x35c0b360a174d',
          from: '156****359',
          areaCodeFrom: '86',
          to: '0xa30d1fab7CF18C7B6C579',
          areaCodeTo: '',
          state: '2',
          ts: '1655251200000',
          wdId: '15447421',
        }),
      },
      async ({ transfers }) => {
        const { movements } = (await transfers.outgoing?.(null)) ?? { movements: [] }
        assert.deepEqual(
          movements.map(({ foreign_id, external_id, asset, quantity, fee, state, left }) => ({
            foreign_id,
            external_id,
            asset,
            quantity: format(quantity),
            fee: fee === null ? null : format(fee),
            state,
            left,
          })),
          [
            {
              foreign_id: '15447421',
              external_id: null,
              asset: 'ETH',
              quantity: '0.029809',
              fee: '0.007',
              state: 'SUCCESS',
              left: true,
            },
          ],
        )
      },
    ))

  /** GetAccountBalance.txt, GetFundingBalance.txt: other assets, and money that is used. */
  test('balances of both wallets are added up; what is in use is not free', () =>
    withAnswers(
      {
        '/asset/balances': done(
          { availBal: '37.11827078', bal: '37.11827078', ccy: 'ETH', frozenBal: '0' },
          { availBal: '1', bal: '1.5', ccy: 'BTC', frozenBal: '0.5' },
        ),
        '/account/balance': done({
          adjEq: '',
          details: [
            {
              availBal: '4691.8',
              cashBal: '4850.4',
              ccy: 'USDT',
              eq: '4992.8',
              frozenBal: '158.6',
            },
            { availBal: '0.2', cashBal: '0.3', ccy: 'BTC', eq: '0.3', frozenBal: '0.1' },
          ],
          totalEq: '55837.43556134779',
        }),
      },
      async ({ balances }) => {
        assert.deepEqual(
          (await balances()).map(({ asset, free, used, total }) =>
            [asset, ...[free, used, total].map((figure) => format(figure ?? 0n))].join(' '),
          ),
          ['ETH 37.11827078 0 37.11827078', 'BTC 1.2 0.6 1.8', 'USDT 4691.8 158.6 4850.4'],
        )
      },
    ))

  /** PlaceOrder.txt, with the code of a refusal in the row of an answer that is a success. */
  test('an order that is refused within a success is refused', () =>
    withAnswers(
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
