import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Row } from './answers.ts'
import type { BitstampMoney } from './bitstamp/money.ts'
import { bitstampTrades } from './bitstamp/trades.ts'
import { krakenTrades } from './kraken/trades.ts'
import type { KrakenCalls } from './kraken/calls.ts'
import type { KrakenMoney } from './kraken/money.ts'
import { readTradesSince } from './trades.ts'

const MARKETS = { 'BTC/EUR': { id: 'XXBTZEUR', symbol: 'BTC/EUR', base: 'BTC', quote: 'EUR' } }
const AT = '2026-11-21 08:00:00.000000'
const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))

const askOf =
  (money: KrakenMoney): KrakenCalls['ask'] =>
  async (operation, parameters) =>
    (await money[`privatePost${operation}`](parameters)).result

/** Newest first; with each page that is asked for, another trade is made. */
function growing<Listed>(
  rows: Listed[],
  make: () => Listed,
): (offset: number, limit: number) => Listed[] {
  return (offset, limit) => {
    const page = rows.slice(offset, offset + limit)
    rows.unshift(make())
    return page
  }
}

describe('paging through trades of one moment while others are made', () => {
  it('Bitstamp: by a thousand, among movements that are no trades', async () => {
    let next = 2_500
    const row = (id: string): Row => ({
      id: Number(id),
      type: '2',
      order_id: 7,
      datetime: AT,
      btc_eur: '60000',
      btc: '-0.01',
      eur: '600.00',
      fee: '1.50000',
    })
    const page = growing(
      [...ids(2_500).map(row), { id: 1, type: '0', datetime: AT, eur: '5.00', fee: '0' }],
      () => {
        next += 1
        return row(String(next))
      },
    )
    const asked: string[] = []
    const money = {
      markets: MARKETS,
      loadMarkets: async () => MARKETS,
      privatePostUserTransactions: async ({ offset, limit }: Record<string, string>) =>
        page(Number(offset), Number(limit)),
      privatePostOrderStatus: async ({ id }: Record<string, string>) => {
        asked.push(String(id))
        return { id, client_order_id: 'ours' }
      },
    } as unknown as BitstampMoney
    const source = bitstampTrades(money, async () => undefined)
    const { trades } = await readTradesSince(source, null)
    const told = trades.map((trade) => trade.foreign_id)
    assert.equal(new Set(told).size, told.length)
    assert.ok(ids(2_500).every((id) => told.includes(id)))
    assert.ok(
      trades.every(
        (trade) => trade.side === 'SELL' && trade.client_order_id === 'ours' && trade.quantity > 0n,
      ),
    )
    await readTradesSince(source, null)
    assert.deepEqual(asked, ['7'])
  })

  it('Kraken: by fifty', async () => {
    let next = 130
    const row = (id: string): [string, Row] => [
      `T${id}`,
      {
        ordertxid: 'O1',
        pair: 'XXBTZEUR',
        time: 1_800_000_000.5,
        type: 'buy',
        price: '60000.0',
        cost: '600.00000',
        fee: '1.56000',
        vol: '0.01',
        misc: '',
        maker: false,
      },
    ]
    const page = growing(ids(130).map(row), () => {
      next += 1
      return row(String(next))
    })
    const money = {
      markets: MARKETS,
      loadMarkets: async () => MARKETS,
      privatePostTradesHistory: async ({ ofs }: Record<string, string>) => ({
        result: { trades: Object.fromEntries(page(Number(ofs), 50)), count: next },
      }),
      privatePostQueryOrders: async () => ({ result: { O1: { cl_ord_id: 'ours' } } }),
    } as unknown as KrakenMoney
    const source = krakenTrades({ money, ask: askOf(money) })
    const { trades, cursor } = await readTradesSince(source, null)
    const told = trades.map((trade) => trade.foreign_id)
    assert.equal(new Set(told).size, told.length)
    assert.ok(ids(130).every((id) => told.includes(`T${id}`)))
    assert.equal(trades[0]?.executed_at, 1_800_000_000_500)
    assert.ok(
      cursor !== null && (JSON.parse(cursor) as { newest: number }).newest === 1_800_000_000_500,
    )
  })

  it('Bitstamp: a trade waits until its order is known; forgotten ones are not ours', async () => {
    const made = (id: number, at: number): Row => ({
      id,
      type: '2',
      order_id: id,
      datetime: new Date(at).toISOString().replace('T', ' ').slice(0, -1),
      btc_eur: '60000',
      btc: '0.01',
      eur: '-600.00',
      fee: '1.50000',
    })
    let known = false
    const money = {
      markets: MARKETS,
      loadMarkets: async () => MARKETS,
      privatePostUserTransactions: async () => [
        made(8, Date.now() - 2_000),
        made(7, Date.now() - 40 * 86_400_000),
      ],
      privatePostOrderStatus: async ({ id }: Record<string, string>) => {
        if (id === '8' && known) return { id, client_order_id: 'ours' }
        throw new Error('bitstamp {"status": "error", "reason": "Order not found."}')
      },
    } as unknown as BitstampMoney
    const source = bitstampTrades(money, async () => undefined)
    await assert.rejects(readTradesSince(source, null), { kind: 'VenueUnreachable' })
    known = true
    assert.deepEqual(
      (await readTradesSince(source, null)).trades.map((trade) => trade.client_order_id),
      [null, 'ours'],
    )
  })

  it('Kraken: a trade whose order it does not answer yet is told when it does', async () => {
    const trade: Row = {
      ordertxid: 'O1',
      pair: 'XXBTZEUR',
      time: 1_800_000_000,
      type: 'buy',
      price: '60000.0',
      cost: '600.00000',
      fee: '1.56000',
      vol: '0.01',
      misc: '',
      maker: false,
    }
    const orders: Row[] = [{}, { O1: { cl_ord_id: 'ours' } }]
    const money = {
      markets: MARKETS,
      loadMarkets: async () => MARKETS,
      privatePostTradesHistory: async () => ({ result: { trades: { T1: trade }, count: 1 } }),
      privatePostQueryOrders: async () => ({ result: orders.shift() }),
    } as unknown as KrakenMoney
    const source = krakenTrades({ money, ask: askOf(money) })
    await assert.rejects(readTradesSince(source, null), { kind: 'VenueUnreachable' })
    assert.equal((await readTradesSince(source, null)).trades[0]?.client_order_id, 'ours')
  })
})
