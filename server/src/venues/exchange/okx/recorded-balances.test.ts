/**
 * What the adapter makes of answers that OKX gives and our sandbox does not. The shapes are those
 * of JKorf/OKX.Net, OKX.Net.UnitTests/Endpoints/UnifiedApi (Account, Trading), and of the comments
 * in ccxt's okx.ts; the values are ours.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { done, withAnswers } from './okx.testing.ts'

describe('answers of OKX about its wallets', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox.stop())

  test('balances that move between the wallets while they are read are read again', () => {
    let asked = 0
    const funding = () => {
      asked += 1
      const bal = asked === 1 ? '50' : '0'
      return done({ ccy: 'EUR', availBal: bal, bal, frozenBal: '0' })
    }
    const details = [{ ccy: 'EUR', availBal: '150', cashBal: '150', frozenBal: '0' }]
    return withAnswers(
      sandbox,
      { '/asset/balances': funding, '/account/balance': done({ details }) },
      async ({ balances }) => {
        const euro = (await balances()).find(({ asset }) => asset === 'EUR')
        assert.deepEqual({ asked, total: euro?.total }, { asked: 3, total: decimal('150') })
      },
    )
  })

  /** GetAccountBalance.txt, GetFundingBalance.txt: other assets, and money that is used. */
  test('balances of both wallets are added up; what is in use is not free', () =>
    withAnswers(
      sandbox,
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
})
