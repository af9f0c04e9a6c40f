/** Cases of a venue that trades: our orders there. */
import assert from 'node:assert/strict'
import { absolute } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type { OrderLookup, Trading, VenueOrder } from '../contract.ts'
import type { Case, TradingStage, Trial } from './trial.testing.ts'

type TradingTrial = {
  trading: Trading
  /** Of the impatient venue. */
  hasty: Trading
  stage: TradingStage
}

/** Skipped where nothing is traded. */
export const tradingCase = (
  title: string,
  run: (tradingTrial: TradingTrial) => Promise<void>,
): Case => ({
  title,
  run({ fixture, hasty }: Trial, context) {
    const { trading } = fixture.venue
    const { trading: stage } = fixture
    if (trading === undefined || stage === undefined) return context.skip('no trading')
    return run({ trading, hasty: hasty.trading ?? trading, stage })
  },
})

export const orderLookupOf = (
  order: VenueOrder,
  sent_at: number,
  foreign_id: string | null = null,
): OrderLookup => ({ ...order, foreign_id, sent_at })

export const ORDER_CASES: readonly Case[] = [
  tradingCase('C10 an order is executed once; its fills add up', async ({ trading, stage }) => {
    const order = stage.good()
    assert.ok(trading.supports(order))
    const earlier = await stage.received()
    const sent_at = Date.now()
    const sent = await trading.send(order)
    assert.equal(sent.outcome, 'accepted')
    const report = await until('the order is filled', async () => {
      const found = await trading.find(orderLookupOf(order, sent_at))
      return found.lookup === 'found' && found.report.state === 'FILLED' ? found.report : undefined
    })
    assert.equal(
      report.fills.reduce((sum, fill) => sum + fill.quantity, 0n),
      order.quantity,
    )
    assert.equal(report.filled_quantity, order.quantity)
    assert.equal(new Set(report.fills.map((fill) => fill.foreign_id)).size, report.fills.length)
    for (const fill of report.fills) {
      // The venue's own rounding of price × quantity is allowed one ten-thousandth of a unit.
      assert.ok(absolute(fill.volume - (fill.price * fill.quantity) / 10n ** 18n) < 10n ** 14n)
      assert.ok(fill.fee >= 0n)
    }
    const byId = await trading.find(orderLookupOf(order, sent_at, report.foreign_id))
    assert.deepEqual(byId, { lookup: 'found', report })
    assert.equal(await stage.received(), earlier + 1)
  }),
  tradingCase(
    'C11 an order that the venue refuses is refused; a lost answer is unknown and found',
    async ({ trading, hasty, stage }) => {
      assert.equal((await trading.send(stage.refused())).outcome, 'refused')
      await stage.losesAnswer()
      const order = stage.good()
      const sent_at = Date.now()
      assert.equal((await hasty.send(order)).outcome, 'unknown')
      await until('the order is found', async () => {
        const found = await trading.find(orderLookupOf(order, sent_at))
        assert.notEqual(found.lookup, 'absent')
        return found.lookup === 'found' || undefined
      })
      const never = { ...stage.good(), client_order_id: newId() }
      const early = await trading.find(orderLookupOf(never, Date.now()))
      assert.equal(early.lookup, 'unknown')
      const late = await trading.find(orderLookupOf(never, Date.now() - stage.absentAfter))
      assert.equal(late.lookup, 'absent')
    },
  ),
]
