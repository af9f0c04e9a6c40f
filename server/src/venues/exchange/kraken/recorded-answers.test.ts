/**
 * What the adapter makes of answers that Kraken gives and our sandbox does not. The shapes are
 * those of JKorf/Kraken.Net, Kraken.Net.UnitTests/Endpoints/Spot, commit e597f1d0, and of
 * ccxt/ccxt, ts/src/test/static/response/kraken.json, commit b8724039; the values are ours.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import type { Venue } from '../../contract.ts'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { order, orderLookup } from '../exchange.fixture.ts'
import { withRecordedAnswers } from '../recorded-answers.testing.ts'
import { shippedTerms } from '../../terms.ts'
import type { Term } from '../../terms.ts'
import { open, withdrawal } from './kraken.testing.ts'

const result = (value: unknown) => ({ error: [], result: value })

describe('answers of Kraken', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandbox()
  })
  after(() => sandbox.stop())

  const withAnswers = (
    answers: Record<string, unknown>,
    work: (venue: Venue) => Promise<void>,
    terms?: readonly Term[],
  ): Promise<void> =>
    withRecordedAnswers(
      sandbox,
      answers,
      (url) =>
        open(sandbox, { base_url: `${url}/kraken`, ...(terms === undefined ? {} : { terms }) }),
      work,
    )

  /** Account/GetDepositStatus.txt; the token of fetchDeposits. */
  test('deposits: sent back, under review, swept, in a state that is new', () => {
    const deposit = {
      method: 'Bitcoin',
      aclass: 'currency',
      asset: 'XXBT',
      txid: 'a1',
      info: '2NEpo7TZRRrLZSi2U',
      amount: '0.50000000',
      fee: '0.0000000000',
      time: 1_700_000_000,
    }
    const { fee: _none, ...swept } = deposit
    const rows = [
      { ...deposit, refid: 'D1', status: 'Success' },
      { ...deposit, refid: 'D2', status: 'Success', 'status-prop': 'return' },
      {
        ...swept,
        refid: 'D3',
        status: 'Settled',
        'status-prop': 'onhold',
        originators: ['b', 'c'],
      },
      { ...deposit, refid: 'D4', status: 'Success', 'status-prop': 'onhold' },
      { ...deposit, refid: 'D5', status: 'Reviewing' },
      { ...deposit, refid: 'D6', asset: 'USDT', method: 'Tether USD (TRC20)', status: 'Success' },
    ]
    return withAnswers({ '/DepositStatus': result(rows) }, async ({ transfers }) => {
      const { movements = [] } = (await transfers?.incoming(null)) ?? {}
      const states = new Map(movements.map(({ foreign_id, state }) => [foreign_id, state]))
      assert.deepEqual(
        ['D1', 'D2', 'D3', 'D4', 'D5'].map((id) => states.get(id)),
        ['FINAL', 'REVERSED', 'PENDING', 'PENDING', 'PENDING'],
      )
    })
  })

  /** Account/GetWithdrawalStatus.txt; the field `network` of fetchWithdrawals. */
  test('withdrawals: canceled, about to be, sent back, in a state that is new', () => {
    const withdrawal = {
      method: 'Bitcoin',
      network: 'Bitcoin',
      aclass: 'currency',
      asset: 'XXBT',
      txid: 'a1',
      info: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      amount: '0.72500000',
      fee: '0.00020000',
      time: 1_700_000_000,
      key: 'ours',
    }
    const rows = (
      [
        ['Pending'],
        ['Failure', 'canceled'],
        ['Pending', 'cancel-pending'],
        ['Initial', 'onhold'],
        ['Success'],
        ['Success', 'return'],
        ['Reviewing'],
      ] as const
    ).map(([status, prop], place) => ({
      ...withdrawal,
      refid: `W${place}`,
      status,
      ...(prop !== undefined && { 'status-prop': prop }),
    }))
    return withAnswers({ '/WithdrawStatus': result(rows) }, async ({ transfers }) => {
      const { movements = [] } = (await transfers?.outgoing?.(null)) ?? {}
      const found = movements
        .toSorted((one, other) => one.foreign_id.localeCompare(other.foreign_id))
        .map(({ state, sub_state, fee }) => [state, sub_state, fee === null ? null : format(fee)])
      assert.deepEqual(found, [
        ['PENDING', 'Pending', '0.0002'],
        ['CANCELED', 'Failure/canceled', null],
        ['PENDING', 'Pending/cancel-pending', '0.0002'],
        ['PENDING_REVIEW', 'Initial/onhold', '0.0002'],
        ['SUCCESS', 'Success', '0.0002'],
        ['UNKNOWN', 'Success/return', '0.0002'],
        ['UNKNOWN', 'Reviewing', '0.0002'],
      ])
    })
  })

  /** Account/GetAvailableBalances.txt. */
  test('balances may be JSON numbers, without credit', () =>
    withAnswers(
      { '/BalanceEx': result({ XXBT: { balance: 1.2435, hold_trade: 0.8423 } }) },
      async (venue) => {
        const btc = (await venue.balances()).find(({ asset }) => asset === 'BTC')
        assert.deepEqual(
          { free: btc?.free, used: btc?.used, total: btc?.total },
          { free: decimal('0.4012'), used: decimal('0.8423'), total: decimal('1.2435') },
        )
      },
    ))

  /** Trading/GetClosedOrders.txt; `cl_ord_id` and `reason` of fetchClosedOrders. */
  test('an order that was canceled at the exchange, found by our id', () => {
    const one = order()
    const closed = {
      refid: 'None',
      userref: null,
      cl_ord_id: one.client_order_id,
      status: 'canceled',
      reason: 'User requested',
      opentm: 1_700_000_000.7708,
      closetm: 1_700_000_100.0482,
      starttm: 0,
      expiretm: 0,
      descr: { pair: 'XBTEUR', type: 'buy', ordertype: 'limit', price: '23667.0', close: '' },
      vol: '0.01000000',
      vol_exec: '0.00000000',
      cost: '0.00000',
      fee: '0.00000',
      price: '0.00000',
      misc: '',
      oflags: 'fciq',
    }
    return withAnswers(
      {
        '/OpenOrders': result({ open: {} }),
        '/ClosedOrders': result({
          closed: { 'O37652-RJWRT-IMO74O': closed, O2: { ...closed, cl_ord_id: 'other' } },
          count: 2,
        }),
      },
      async ({ trading }) => {
        assert.deepEqual(await trading?.find(orderLookup(one)), {
          lookup: 'found',
          report: {
            foreign_id: 'O37652-RJWRT-IMO74O',
            state: 'CANCELED',
            reason: 'User requested',
            filled_quantity: 0n,
            fills: [],
          },
        })
      },
    )
  })

  /** A refusal of "Get Deposit Methods" (EFunding) is about the asset that was asked for. */
  test('an asset that Kraken refuses to speak of takes no other with it', () => {
    const refused = 'EFunding:No funding method'
    const terms = shippedTerms('kraken').filter(({ asset }) => ['BTC', 'ETH'].includes(asset))
    return withAnswers(
      {
        '/DepositMethods': (body: string) =>
          body.includes('asset=XETH')
            ? { error: [refused] }
            : result([{ method: 'Bitcoin', limit: false }]),
        '/WithdrawMethods': result([{ asset: 'XXBT', method: 'Bitcoin', minimum: '0.0005' }]),
      },
      async ({ protocols }) => {
        const [one, other] = await Promise.all([protocols(), protocols()])
        // A reading that is under way is shared.
        assert.equal(one, other)
        assert.deepEqual(
          one.map(({ asset, protocols: served, unserved }) => [asset, served.length, unserved]),
          [
            ['BTC', 1, []],
            ['ETH', 0, [{ protocol: 'ETH', reason: `kraken refuses XETH: ${refused}` }]],
          ],
        )
      },
      terms,
    )
  })

  /** Tokens on chains that the configuration does not name; BTC by its own method. */
  test('what moved over a chain of none of our terms is reported, without its protocol', () => {
    const moved = {
      aclass: 'currency',
      asset: 'USDC',
      amount: '5.00000000',
      fee: '1.00000000',
      time: 1_700_000_000,
      status: 'Success',
    }
    return withAnswers(
      {
        '/DepositStatus': result([
          { ...moved, refid: 'D1', method: 'USDC - Arbitrum One (Unified)', txid: '0xa' },
          { ...moved, refid: 'D2', method: 'USDC - Ethereum (Unified)', txid: '0xb' },
        ]),
        '/WithdrawStatus': result([
          { ...moved, refid: 'W1', method: 'USDC - Arbitrum One (Unified)', txid: '0xc' },
        ]),
      },
      async ({ transfers }) => {
        const { movements = [] } = (await transfers?.incoming(null)) ?? {}
        assert.deepEqual(
          new Map(movements.map(({ foreign_id, protocol }) => [foreign_id, protocol])),
          new Map([
            ['D1', null],
            ['D2', 'ETH'],
          ]),
        )
        const { movements: outgoing = [] } = (await transfers?.outgoing?.(null)) ?? {}
        assert.deepEqual(
          outgoing.map(({ asset, protocol }) => [asset, protocol]),
          [['USDC', 'USDC - Arbitrum One (Unified)']],
        )
      },
    )
  })

  /** "Get Withdrawal Methods" names a network beside the method. */
  test('a key counts by its method, or by the network of its method', () => {
    const sent: Record<string, string>[] = []
    const methods = [
      { asset: 'LUNA', method: 'A new name', network: 'Terra Classic', minimum: '1' },
      { asset: 'LUNA', method: 'Arbitrum One', network: 'Arbitrum One', minimum: '1' },
    ]
    const key = (name: string, method: string) => ({
      key: name,
      method,
      address: 'terra1',
      asset: 'LUNA',
    })
    const keys = [key('known', 'A new name'), key('other', 'Arbitrum One')]
    const terms: Term[] = [
      {
        asset: 'LUNC',
        protocol: 'TERRA',
        native: 'LUNA',
        networks: ['Terra Classic'],
        decimals: 6,
        ledger: 'GAS',
        fee_asset: 'LUNC',
      },
    ]
    return withAnswers(
      {
        '/WithdrawInfo': result({ method: 'A new name', fee: '0.5' }),
        '/WithdrawAddresses': result(keys),
        '/WithdrawMethods': result(methods),
        '/Withdraw': (body: string) => {
          const { nonce: _nonce, ...request } = Object.fromEntries(new URLSearchParams(body))
          sent.push(request)
          return result({ refid: 'W1' })
        },
      },
      async ({ transfers }) => {
        const send = (name: string) =>
          transfers?.send(
            withdrawal({
              asset: 'LUNC',
              protocol: 'TERRA',
              quantity: decimal('10'),
              destination_address: 'terra1',
              transfer: { from: { key: name }, to: {} },
            }),
          )
        const refused = await send('other')
        assert.ok(refused?.outcome === 'refused')
        assert.match(refused.reason, /for Arbitrum One, not for TERRA/)
        assert.equal((await send('known'))?.outcome, 'accepted')
        assert.deepEqual(sent, [
          { asset: 'LUNA', key: 'known', amount: '10.5', max_fee: '0.5', address: 'terra1' },
        ])
      },
      terms,
    )
  })
})
