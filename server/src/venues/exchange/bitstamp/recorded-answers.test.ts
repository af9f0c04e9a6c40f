/**
 * What the adapter makes of answers that Bitstamp gives and our sandbox does not. The shapes are
 * those of aknarts/bitstamp-rs, openapi.json, commit b9ec3dd5 (a copy of Bitstamp's published API),
 * and of JKorf/Bitstamp.Net, Bitstamp.Net.UnitTests/Endpoints/ExchangeApi/Account, commit 541081ea;
 * the values are ours.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decimal, format } from '../../../core/decimal.ts'
import type { Venue } from '../../contract.ts'
import { startSandbox } from '../../sandbox-process.testing.ts'
import type { SandboxProcess } from '../../sandbox-process.testing.ts'
import { order, orderLookup } from '../exchange.fixture.ts'
import { withRecordedAnswers } from '../recorded-answers.testing.ts'
import type { Term } from '../../terms.ts'
import { open, withdrawal } from './bitstamp.testing.ts'

const NO_COINS = { ripple_iou_transactions: [], deposits: [], withdrawals: [] }

describe('answers of Bitstamp', () => {
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
        open(sandbox, {
          base_url: `${url}/bitstamp/api`,
          ...(terms === undefined ? {} : { terms }),
        }),
      work,
    )

  /** GetCryptoTransactions.txt. */
  test('coins under review wait; those listed without a status are credited', () => {
    const coin = {
      id: 1,
      network: 'bitcoin',
      currency: 'BTC',
      txid: 'e4123d1d57df',
      amount: 1.23,
      datetime: 1_700_000_000,
      destinationAddress: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    }
    const pending = {
      ...coin,
      id: 2,
      status: 'PENDING',
      pending_reason: 'ADDRESS_VERIFICATION_NEEDED',
    }
    const strange = { ...coin, id: 3, status: 'A_NEW_STATE' }
    const final = { ...coin, id: 4, status: 'FINALIZED' }
    const reverted = { ...coin, id: 5, status: 'REVERTED' }
    return withAnswers(
      {
        '/crypto-transactions/': {
          ...NO_COINS,
          deposits: [coin, pending, strange, final, reverted],
        },
        '/user_transactions/': [],
      },
      async ({ transfers }) => {
        const { movements = [] } = (await transfers?.incoming(null)) ?? {}
        assert.deepEqual(
          new Map(movements.map(({ foreign_id, state }) => [foreign_id, state])),
          new Map([
            ['1', 'FINAL'],
            ['2', 'PENDING'],
            ['3', 'PENDING'],
            ['4', 'FINAL'],
            ['5', 'REVERSED'],
          ]),
        )
      },
    )
  })

  /** UserTransactionsResponse writes the type as a text, OrderTransaction as a number. */
  test('money that came in is read, whether its type is a text or a number', () =>
    withAnswers(
      {
        '/crypto-transactions/': NO_COINS,
        '/user_transactions/': [
          { id: 11, datetime: '2026-03-01 10:54:53.849000', type: '0', fee: '0.00', eur: '250.00' },
          { id: 12, datetime: '2026-03-02 10:54:53', type: 0, fee: '0.00', eur: '12.5', usd: 0 },
          { id: 13, datetime: '2026-03-03 10:54:53', type: 14, fee: '0.00', eur: '-1.00' },
          { id: 14, datetime: '2026-03-04 10:54:53', type: 61, fee: '0.00', eur: '2.00' },
        ],
      },
      async ({ transfers }) => {
        const { movements = [] } = (await transfers?.incoming(null)) ?? {}
        assert.deepEqual(
          movements.map(({ foreign_id, quantity }) => [foreign_id, format(quantity)]),
          [
            ['transaction 11', '250'],
            ['transaction 12', '12.5'],
          ],
        )
      },
    ))

  /** WithdrawalRequestsResponse: a bank's row has neither address nor transaction_id. */
  test('withdrawals to a bank and to a chain, reversed, in a state that is new', () => {
    const coin = {
      id: 1,
      datetime: '2026-01-31 16:07:32',
      type: 1,
      currency: 'BTC',
      network: 'bitcoin',
      amount: '0.00006000',
      status: 2,
      txid: 101,
      address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      transaction_id: 'e4123d1d57df',
    }
    const sepa = {
      id: 2,
      datetime: '2026-01-31 16:07:33',
      type: 0,
      currency: 'EUR',
      amount: '250.00',
      status: 2,
      txid: 102,
    }
    const rows = [coin, sepa, { ...coin, id: 3, status: 11 }, { ...coin, id: 4, status: 99 }]
    const fees = [
      { id: 101, datetime: coin.datetime, type: '1', fee: '0.00015000', btc: '-0.00006' },
      { id: 102, datetime: sepa.datetime, type: 1, fee: '3.00', eur: '-250.00' },
    ]
    return withAnswers(
      { '/withdrawal-requests/': rows, '/user_transactions/': fees },
      async ({ transfers }) => {
        const { movements = [] } = (await transfers?.outgoing?.(null)) ?? {}
        assert.deepEqual(
          movements
            .toSorted((one, other) => one.foreign_id.localeCompare(other.foreign_id))
            .map((movement) => [
              movement.state,
              movement.sub_state,
              movement.fee === null ? null : format(movement.fee),
              movement.destination_address,
              movement.transaction_hash,
            ]),
          [
            ['SUCCESS', 'Finished', '0.00015', coin.address, 'e4123d1d57df'],
            ['SUCCESS', 'Finished', '3', null, null],
            ['UNKNOWN', 'Reversed', '0.00015', coin.address, 'e4123d1d57df'],
            ['UNKNOWN', '99', '0.00015', coin.address, 'e4123d1d57df'],
          ],
        )
      },
    )
  })

  /** OrderStatusResponse, with an OrderTransaction. */
  test('an order found by our id, with its trades; one of another id is not it', () => {
    const one = order()
    return withAnswers(
      {
        '/order_status/': {
          id: 1_458_532_827_766_784,
          datetime: '2026-01-31 14:43:15',
          type: '0',
          subtype: 'MARKET',
          status: 'Finished',
          market: 'BTC/EUR',
          transactions: [
            {
              tid: 1,
              price: '50000.00',
              btc: '0.01000000',
              eur: '500.00',
              fee: '1.00',
              datetime: '2026-01-31 14:43:15',
              type: 2,
            },
          ],
          amount_remaining: '0',
          client_order_id: one.client_order_id,
        },
      },
      async ({ trading }) => {
        const found = await trading?.find(orderLookup(one))
        assert.ok(found?.lookup === 'found')
        const { foreign_id, state, filled_quantity, fills } = found.report
        assert.deepEqual(
          [foreign_id, state, format(filled_quantity), format(fills[0]?.fee ?? 0n)],
          ['1458532827766784', 'FILLED', '0.01', '1'],
        )
        assert.equal((await trading?.find(orderLookup(order())))?.lookup, 'unknown')
      },
    )
  })

  /** `network` of CryptoTransactionDeposit and of WithdrawalRequestsResponse. */
  test('what moved over a network of none of our terms is reported, without its protocol', () => {
    const coin = { currency: 'USDC', network: 'arbitrum-one', amount: 5 }
    const deposit = { ...coin, id: 1, txid: '0xa', datetime: 1_700_000_000, status: 'FINALIZED' }
    const sent = {
      ...coin,
      id: 2,
      datetime: '2026-01-31 16:07:32',
      type: 16,
      amount: '5.000000',
      status: 2,
      txid: 7,
      address: '0xb',
    }
    return withAnswers(
      {
        '/crypto-transactions/': {
          ...NO_COINS,
          deposits: [deposit, { ...deposit, id: 3, network: 'ethereum' }],
        },
        '/withdrawal-requests/': [sent],
        '/user_transactions/': [],
      },
      async ({ transfers }) => {
        const { movements = [] } = (await transfers?.incoming(null)) ?? {}
        assert.deepEqual(
          new Map(movements.map(({ foreign_id, protocol }) => [foreign_id, protocol])),
          new Map([
            ['1', null],
            ['3', 'ETH'],
          ]),
        )
        const { movements: outgoing = [] } = (await transfers?.outgoing?.(null)) ?? {}
        assert.deepEqual(
          outgoing.map(({ asset, protocol }) => [asset, protocol]),
          [['USDC', 'arbitrum-one']],
        )
      },
    )
  })

  /** WithdrawalRequest: memo_id is for ATOM, TON, SEI and others. */
  test('a tag is sent under the name that is documented for it, or refused', () => {
    const coin = { decimals: 6, ledger: 'TAGS', fee_asset: 'XRP' } as const
    const terms: Term[] = [
      { ...coin, asset: 'COSMOS', protocol: 'HUB', native: 'atom', networks: ['cosmos'] },
      { ...coin, asset: 'RLUSD', protocol: 'XRP', native: 'rlusd', networks: ['xrpl'] },
    ]
    const sent: Record<string, string>[] = []
    const taken = (body: string) => {
      sent.push(Object.fromEntries(new URLSearchParams(body)))
      return { id: sent.length }
    }
    const fee = { fee: '0.1', network: 'cosmos' }
    return withAnswers(
      {
        '/fees/withdrawal/': [
          { ...fee, currency: 'atom' },
          { ...fee, currency: 'rlusd', network: 'xrpl' },
        ],
        '/atom_withdrawal/': taken,
        '/rlusd_withdrawal/': taken,
      },
      async ({ transfers }) => {
        const outcomes = await Promise.all(
          terms.map(async ({ asset, protocol }) => {
            const order = withdrawal({ asset, protocol, quantity: decimal('10'), tag: '77' })
            return (await transfers?.send(order))?.outcome
          }),
        )
        assert.deepEqual(outcomes, ['accepted', 'refused'])
        const to = { amount: '10', address: withdrawal().destination_address }
        assert.deepEqual(sent, [{ ...to, network: 'cosmos', memo_id: '77' }])
      },
      terms,
    )
  })
})
