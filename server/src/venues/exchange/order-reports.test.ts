/**
 * What an exchange reports of its orders and trades late, twice or not at all: each counts once.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mustExist } from '../../core/assert.ts'
import { decimal } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import {
  AllExchanges,
  EXCHANGE_NAMES,
  ExchangeSide,
  MINUTE,
  TENTH,
} from './all-exchanges.testing.ts'
import { order, orderLookup } from './exchange.fixture.ts'

describe('the reports of orders', () => {
  const all = new AllExchanges()

  for (const name of EXCHANGE_NAMES) {
    const exchange = new ExchangeSide(all, name)

    test(`${name}: what is filled after the cancel counts; the order stays canceled`, async () => {
      const { one, report } = await exchange.send({
        type: 'LIMIT',
        price: decimal('50000'),
        tif_mode: 'GTC',
      })
      const canceled = await exchange.trading.cancel(
        orderLookup(one, { foreign_id: report.foreign_id }),
      )
      assert.ok(canceled.outcome === 'accepted' && canceled.report.state === 'CANCELED')
      await exchange.fill(one, '0.05')
      const late = await exchange.stateOf(one)
      assert.deepEqual(
        { state: late.state, filled_quantity: late.filled_quantity },
        { state: 'CANCELED', filled_quantity: decimal('0.05') },
      )
    })

    test(`${name}: a fill listed twice counts once; one not yet listed is open`, async () => {
      const { one } = await exchange.send({
        type: 'LIMIT',
        price: decimal('61000'),
        tif_mode: 'IOC',
      })
      await all.sandbox.fault(name, name === 'kraken' ? 'OpenOrders' : 'order_status', 'TWICE')
      if (name === 'kraken') await all.sandbox.fault(name, 'ClosedOrders', 'TWICE')
      assert.equal((await exchange.stateOf(one)).filled_quantity, TENTH)
      await exchange.behave({ listing_delay_ms: MINUTE })
      const late = order({
        quantity: TENTH,
        type: 'LIMIT',
        price: decimal('61000'),
        tif_mode: 'IOC',
      })
      await exchange.trading.send(late)
      assert.equal((await exchange.trading.find(orderLookup(late))).lookup, 'unknown')
      await exchange.behave({})
      await all.sandbox.control('POST', 'clock', { advance_ms: 2 * MINUTE })
      assert.deepEqual(
        {
          state: (await exchange.stateOf(late)).state,
          filled_quantity: (await exchange.stateOf(late)).filled_quantity,
        },
        { state: 'FILLED', filled_quantity: TENTH },
      )
    })

    test(`${name}: accepted and the connection cut: unknown, one order, found`, async () => {
      await all.sandbox.fault(name, exchange.operation, 'CUT')
      const one = order({
        quantity: TENTH,
        type: 'LIMIT',
        price: decimal('50000'),
        tif_mode: 'GTC',
      })
      assert.equal((await exchange.trading.send(one)).outcome, 'unknown')
      const found = await until('the order is found', async () => {
        const answer = await exchange.trading.find(orderLookup(one))
        return answer.lookup === 'found' ? answer.report : undefined
      })
      assert.equal(found.state, 'NEW')
      assert.equal(await exchange.received(one), 1)
      assert.equal(
        (await exchange.trading.cancel(orderLookup(one, { foreign_id: found.foreign_id }))).outcome,
        'accepted',
      )
    })

    /** An order placed without Kontor; answers the ids of its trades. */
    const trade = async (side: 'buy' | 'sell'): Promise<string[]> => {
      const { trades } = await all.sandbox.control<{ trades: { id: string; trade_id: number }[] }>(
        'POST',
        `${name}/orders`,
        { pair: 'BTC/EUR', side, type: 'market', volume: '0.01' },
      )
      return trades.map(({ id, trade_id }) => (name === 'bitstamp' ? String(trade_id) : id))
    }

    test(`${name}: trades of one moment are each reported once, also a late one`, async () => {
      const read = mustExist(exchange.trading.trades, 'an exchange reports trades')
      const start = await read(null)
      await all.sandbox.control('POST', `${name}/market`, {
        pair: 'BTC/EUR',
        price: '60000',
        frozen: true,
        depth: 30,
      })
      await all.sandbox.control('POST', 'clock', { pace: 0 })
      const placed = new Set<string>()
      for (let count = 0; count < 60; count += 1)
        for (const id of await trade(count % 2 === 0 ? 'buy' : 'sell')) placed.add(id)
      const first = await read(start.cursor)
      await exchange.behave({ listing_delay_ms: 30_000 })
      const late = await trade('buy')
      await exchange.behave({})
      await all.sandbox.control('POST', 'clock', { pace: 1 })
      const between = await read(first.cursor)
      assert.ok(late.every((id) => !between.trades.some((trade) => trade.foreign_id === id)))
      await all.sandbox.control('POST', 'clock', { advance_ms: 40_000 })
      const last = await read(between.cursor)
      const told = first.trades.map((trade) => trade.foreign_id)
      assert.equal(new Set(told).size, told.length)
      for (const id of placed) assert.ok(told.includes(id))
      for (const id of late) assert.ok(last.trades.some((trade) => trade.foreign_id === id))
    })
  }
})
