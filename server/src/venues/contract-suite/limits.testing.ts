/** A venue that counts its calls and turns one away: that is no refusal. */
import assert from 'node:assert/strict'
import { until } from '../../core/testing.ts'
import { orderLookupOf, tradingCase } from './orders.testing.ts'
import { lookupOf, transferCase } from './transfers.testing.ts'
import type { Case } from './trial.testing.ts'

const TITLE = 'C33 a call that is over the limit is no refusal'

export const LIMIT_CASES: readonly Case[] = [
  tradingCase(
    `${TITLE}: the order becomes absent, and is sent once`,
    async ({ trading, stage }) => {
      const earlier = await stage.received()
      await stage.overLimit()
      const order = stage.good()
      assert.equal((await trading.send(order)).outcome, 'unknown')
      const sent_at = Date.now() - stage.absentAfter
      await until('the order is absent', async () => {
        const { lookup } = await trading.find(orderLookupOf(order, sent_at))
        assert.notEqual(lookup, 'found')
        return lookup === 'absent'
      })
      assert.equal((await trading.send(order)).outcome, 'accepted')
      assert.equal(await stage.received(), earlier + 1)
    },
  ),
  transferCase(
    `${TITLE}: the transfer becomes absent, and is sent once`,
    async ({ trial: { claimed }, transfers, stage }, context) => {
      if (stage.overLimit === undefined) return context.skip('it turns no call away')
      const earlier = await stage.received()
      await stage.overLimit()
      const order = stage.good()
      assert.equal((await transfers.send(order)).outcome, 'unknown')
      const submitted_at = Date.now() - (stage.absentAfter ?? 0)
      await until('the transfer is absent', async () => {
        const { lookup } = await transfers.find(lookupOf(order, { submitted_at, claimed }))
        assert.notEqual(lookup, 'found')
        return lookup === 'absent'
      })
      assert.equal((await transfers.send(order)).outcome, 'accepted')
      assert.equal(await stage.received(), earlier + 1)
    },
  ),
]
