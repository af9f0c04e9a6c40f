/** Each adapter reads row by row: one that it cannot read is set aside, and the others go on. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Fireblocks, TransactionResponse } from '@fireblocks/ts-sdk'
import { format } from '../../core/decimal.ts'
import type { SetAsideRecord, Transfers } from '../contract.ts'
import type { BitstampMoney } from '../exchange/bitstamp/money.ts'
import { bitstampTrades } from '../exchange/bitstamp/trades.ts'
import { bitstampTransfers } from '../exchange/bitstamp/transfers.ts'
import { QuietLists } from '../exchange/quiet-lists.ts'
import type { KrakenCalls } from '../exchange/kraken/calls.ts'
import { krakenTransfers } from '../exchange/kraken/transfers.ts'
import type { Client } from '../managed-wallet/client.ts'
import { custodianTransfers } from '../managed-wallet/transfers.ts'
import { shippedTerms, termsOf } from '../terms.ts'
import { vaultTransfers } from '../vault/transfers.ts'

const VAULT_TERMS = termsOf('the vault', shippedTerms('CUSTODY_VAULT'))
const CUSTODIAN_TERMS = termsOf('the custodian', shippedTerms('MANAGED_WALLET'))

type Row = Record<string, unknown>
type Read = { movements: { foreign_id: string }[]; set_aside?: SetAsideRecord[] }

const shortly = ({ movements, set_aside = [] }: Read) => ({
  read: movements.map((movement) => movement.foreign_id),
  set_aside: set_aside.map(({ foreign_id, direction }) => `${direction} ${foreign_id}`),
})

/** Once the row can be read, it is the movement that it would have been. */
async function mend(
  { reread }: Transfers,
  record: SetAsideRecord | undefined,
  wrong: string,
  right: string,
): Promise<{ still: string; mended: string[] }> {
  assert.ok(reread !== undefined && record !== undefined)
  const before = await reread(record)
  const after = await reread({ ...record, raw: record.raw.replace(wrong, right) })
  assert.ok('still' in before && 'incoming' in after)
  const found = [...after.incoming, ...after.outgoing]
  return {
    still: before.still,
    mended: found.map(({ foreign_id, quantity }) => `${foreign_id} ${format(quantity)}`),
  }
}

describe('a row that cannot be read', () => {
  describe('at Kraken', () => {
    const row = (refid: string, more: Row = {}): Row => ({
      asset: 'XXBT',
      refid,
      txid: `tx ${refid}`,
      info: 'address',
      amount: '0.5',
      fee: '0.0001',
      time: 1_700_000_000,
      status: 'Success',
      ...more,
    })
    const kraken = (rows: Row[]) => {
      const terms = termsOf('kraken', shippedTerms('kraken'))
      const calls = { terms, ask: async () => rows, quiet: new QuietLists(null) }
      return krakenTransfers(calls as unknown as KrakenCalls, { sendWithin: 1, absentAfter: 1 })
    }

    it('waits alone, and is read again when it can be', async () => {
      const bad = row('bad', { amount: '1e5x' })
      const transfers = kraken([row('1'), bad, row('2'), row('far', { asset: 'DOGE' })])
      const incoming = await transfers.incoming(null)
      assert.deepEqual(shortly(incoming), { read: ['2', '1'], set_aside: ['IN bad'] })
      assert.notEqual(incoming.cursor, null)
      const outgoing = await transfers.outgoing?.(null)
      assert.deepEqual(shortly(outgoing as Read), { read: ['2', '1'], set_aside: ['OUT bad'] })
      assert.deepEqual(await mend(transfers, incoming.set_aside?.[0], '1e5x', '7'), {
        still: 'the exchange answered something else than expected (amount)',
        mended: ['bad 7'],
      })
    })

    it('has an id of its own where the row has none, the same each time', async () => {
      const { refid: _, ...nameless } = row('')
      const read = async () =>
        kraken([row('1'), nameless, row('x', { time: 'soon' })]).incoming(null)
      const { movements, set_aside = [] } = await read()
      assert.equal(movements.length, 1)
      assert.match(set_aside[0]?.foreign_id ?? '', /^record [0-9a-f]{16}$/)
      assert.equal(set_aside[1]?.foreign_id, 'x')
      assert.deepEqual((await read()).set_aside, set_aside)
    })
  })

  describe('at Bitstamp', () => {
    const AT = '2026-11-21 08:00:00.000000'
    const listing = (lists: { movements?: Row[]; coins?: Row[]; requests?: Row[] }) =>
      ({
        markets: { 'BTC/EUR': { symbol: 'BTC/EUR', base: 'BTC', quote: 'EUR' } },
        loadMarkets: async () => undefined,
        privatePostUserTransactions: async () => lists.movements ?? [],
        privatePostCryptoTransactions: async () => ({ deposits: lists.coins ?? [] }),
        privatePostWithdrawalRequests: async () => lists.requests ?? [],
        privatePostOrderStatus: async () => ({}),
      }) as unknown as BitstampMoney
    const transfersOf = (money: BitstampMoney) =>
      bitstampTransfers({
        money,
        act: (_wait, work) => work(),
        ready: async () => undefined,
        patience: { sendWithin: 1, absentAfter: 1 },
        terms: termsOf('bitstamp', shippedTerms('bitstamp')),
        currencies: async () => [],
      })

    it('waits alone among coins and money', async () => {
      const coin = { currency: 'BTC', network: 'bitcoin', txid: 't', datetime: '1700000000' }
      const money = { type: '0', datetime: AT, eur: '5.00', fee: '0' }
      const transfers = transfersOf(
        listing({
          coins: [
            { ...coin, id: 1, amount: '0.5' },
            { ...coin, id: 2, amount: 'much' },
            { ...coin, id: 3, amount: '1', datetime: 'soon' },
          ],
          movements: [
            { ...money, id: 4 },
            { ...money, id: 5, eur: 'much' },
            { ...money, id: 6, datetime: 'soon' },
          ],
        }),
      )
      const incoming = await transfers.incoming(null)
      assert.deepEqual(shortly(incoming), {
        read: ['1', 'transaction 4'],
        set_aside: ['IN 2', 'IN 3', 'IN transaction 5', 'IN transaction 6'],
      })
      assert.doesNotMatch(incoming.cursor ?? '', /null|NaN/)
      const { mended } = await mend(transfers, incoming.set_aside?.[2], 'much', '8')
      assert.deepEqual(mended, ['transaction 5 8'])
    })

    it('waits alone among withdrawals, also when only its fee cannot be read', async () => {
      const request = { currency: 'BTC', status: 2, address: 'a', datetime: AT, amount: '1' }
      const transfers = transfersOf(
        listing({
          requests: [
            { ...request, id: 1, txid: 11 },
            { ...request, id: 2, amount: 'much' },
            { ...request, id: 3, txid: 13 },
          ],
          movements: [
            { id: 11, type: '1', datetime: AT, fee: '0.1' },
            { id: 13, type: '1', datetime: AT, fee: 'little' },
          ],
        }),
      )
      const outgoing = (await transfers.outgoing?.(null)) as Read
      assert.deepEqual(shortly(outgoing), { read: ['1'], set_aside: ['OUT 2', 'OUT 3'] })
    })

    it('waits alone among the trades of the account', async () => {
      const trade = { type: '2', order_id: 7, datetime: AT, btc_eur: '6', eur: '6', fee: '0' }
      const source = bitstampTrades(
        listing({
          movements: [
            { ...trade, id: 1, btc: '-1' },
            { ...trade, id: 2, btc: 'much' },
            { ...trade, id: 3, btc: '1', btc_eur: undefined },
          ],
        }),
        async () => undefined,
      )
      const { trades, set_aside } = await source.read(null)
      assert.deepEqual(
        [trades.map((row) => row.foreign_id), set_aside.map((row) => row.foreign_id)],
        [['1'], ['2', '3']],
      )
    })
  })

  it('waits alone at the vault', async () => {
    const transaction = (id: string, amount: string, createdAt: unknown = 1_700_000_000_000) => ({
      id,
      assetId: 'BTC',
      status: 'COMPLETED',
      operation: 'TRANSFER',
      source: { type: 'VAULT_ACCOUNT', id: '0' },
      destination: { type: 'VAULT_ACCOUNT', id: '1' },
      amountInfo: { amount },
      createdAt,
    })
    // The vault lists the newest change first.
    const page = [transaction('b', '2', 'soon'), transaction('bad', '1,5'), transaction('a', '1')]
    const client = {
      transactions: {
        getTransactions: async () => ({
          data: page as unknown as TransactionResponse[],
          headers: {},
        }),
      },
    } as unknown as Fireblocks
    const transfers = vaultTransfers(client, VAULT_TERMS, async () => ({ type: '' }))
    const incoming = await transfers.incoming(null)
    assert.deepEqual(shortly(incoming), { read: ['a:0', 'b:0'], set_aside: ['IN bad:0'] })
    assert.equal(incoming.cursor, '1700000000000')
    const outgoing = (await transfers.outgoing?.(null)) as Read
    assert.deepEqual(shortly(outgoing), { read: ['a', 'b'], set_aside: ['OUT bad'] })
    const { mended } = await mend(transfers, incoming.set_aside?.[0], '1,5', '1.5')
    assert.deepEqual(mended, ['bad:0 1.5'])
  })

  it('waits alone at the custodian of managed wallets', async () => {
    const deposit = (deposit_id: string, sequence: unknown, amount: string) => ({
      deposit_id,
      sequence,
      amount,
      wallet_id: 'w',
      asset: 'BTC',
      network: 'BTC',
      status: 'CONFIRMED',
      detected_at: 1_700_000_000_000,
    })
    const deposits = [deposit('1', 1, '0.5'), deposit('2', undefined, ''), deposit('3', 3, '1')]
    const client = {
      get: async () => ({ ok: true, data: { deposits, next: null } }),
    } as unknown as Client
    const transfers = custodianTransfers(client, CUSTODIAN_TERMS)
    const incoming = await transfers.incoming(null)
    assert.deepEqual(shortly(incoming), { read: ['1', '3'], set_aside: ['IN 2'] })
    assert.equal(incoming.cursor, '3')
    const { mended } = await mend(transfers, incoming.set_aside?.[0], '"amount":""', '"amount":"2"')
    assert.deepEqual(mended, ['2 2'])
  })
})
