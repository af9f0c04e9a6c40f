/** Cases of a venue that reports every trade of the account, whoever ordered it. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { sum } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import type { AccountTrade, Side, Trading, VenueFill } from '../contract.ts'
import { orderLookupOf } from './orders.testing.ts'
import type { Case, TradingStage } from './trial.testing.ts'

type TradeTrial = {
  trading: Trading
  read: NonNullable<Trading['trades']>
  stage: TradingStage
}

/** Skipped where the venue does not report its trades. */
const accountTradeCase = (
  title: string,
  run: (tradeTrial: TradeTrial, context: TestContext) => Promise<void> | void,
): Case => ({
  title,
  run({ fixture }, context) {
    const { trading } = fixture.venue
    const { trading: stage } = fixture
    if (trading?.trades === undefined || stage === undefined)
      return context.skip('does not report its trades')
    return run({ trading, read: trading.trades, stage }, context)
  },
})

export const ACCOUNT_TRADE_CASES: readonly Case[] = [
  accountTradeCase(
    "C19 every trade of the account is reported under one id, ours and others'",
    async ({ trading, read, stage }) => {
      const before = await read(null)
      const order = stage.good()
      assert.equal((await trading.send(order)).outcome, 'accepted')
      const outside = await stage.outside('SELL', order.quantity)
      const known = new Map<string, AccountTrade>()
      let { cursor } = before
      const of = (side: Side) =>
        [...known.values()].filter(
          (trade) =>
            trade.side === side &&
            (side === 'BUY'
              ? trade.client_order_id === order.client_order_id
              : trade.order_foreign_id === outside),
        )
      const isWhole = (side: Side) =>
        sum(of(side).map((trade) => trade.quantity)) === order.quantity
      await until("both orders' trades", async () => {
        const answer = await read(cursor)
        for (const trade of answer.trades) known.set(trade.foreign_id, trade)
        cursor = answer.cursor
        return (isWhole('BUY') && isWhole('SELL')) || undefined
      })
      for (const { client_order_id, base_asset, quote_asset, busted } of of('SELL'))
        assert.deepEqual(
          { client_order_id, base_asset, quote_asset, busted },
          {
            client_order_id: null,
            base_asset: order.base_asset,
            quote_asset: order.quote_asset,
            busted: false,
          },
        )
      const found = await trading.find(orderLookupOf(order, Date.now()))
      assert.ok(found.lookup === 'found')
      // An order's own fills are the same trades, to the last digit.
      assert.deepEqual(bareFills(of('BUY')), bareFills(found.report.fills))
      assert.ok((cursor ?? '').length < 1_000)
      const whole = await read(null)
      for (const trade of [...before.trades, ...known.values()])
        assert.ok(whole.trades.some((one) => isSame(one, trade)))
    },
  ),
  accountTradeCase(
    'C20 a trade that the venue takes back is reported as busted and no longer counts',
    async ({ trading, read, stage }, context) => {
      if (stage.bust === undefined) return context.skip('it takes no trade back')
      const order = stage.good()
      assert.equal((await trading.send(order)).outcome, 'accepted')
      const first = await read(null)
      const taken = first.trades.find((trade) => trade.client_order_id === order.client_order_id)
      assert.ok(taken !== undefined)
      await stage.bust(taken)
      await until('the trade is busted', async () =>
        (await read(first.cursor)).trades.some(
          (trade) => trade.foreign_id === taken.foreign_id && trade.busted,
        ),
      )
      const found = await trading.find(orderLookupOf(order, Date.now()))
      assert.ok(
        found.lookup === 'found' &&
          found.report.fills.some((fill) => fill.foreign_id === taken.foreign_id && fill.busted),
      )
      assert.equal(found.report.filled_quantity, order.quantity - taken.quantity)
    },
  ),
]

const isSame = (one: AccountTrade, other: AccountTrade): boolean =>
  one.foreign_id === other.foreign_id && one.side === other.side

/** What a fill and an account trade have in common, in one order. */
const bareFills = (fills: readonly VenueFill[]) =>
  fills
    .map(({ foreign_id, price, quantity, volume, fee, fee_asset, executed_at }) => ({
      foreign_id,
      price,
      quantity,
      volume,
      fee,
      fee_asset,
      executed_at,
    }))
    .toSorted((a, b) => (a.foreign_id < b.foreign_id ? -1 : 1))
