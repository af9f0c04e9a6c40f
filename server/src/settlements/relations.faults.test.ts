/** Relating a deposit and taking that back, with the process killed before and after the commit. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openSettlementWorld, partOf } from './settlements.testing.ts'
import type { Customer, SettlementWorld } from './settlements.testing.ts'

describe('a relation whose process dies', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
  })
  after(() => world.close())

  it('coins are related to their part and taken back, each once', async () => {
    type Deposit = { id: string; state: string; quantity: string }
    for (const moment of ['before', 'after'] as const) {
      await world.trade(alice, 'BUY', '0.0123')
      const { id } = await world.claim()
      await world.cover(id)
      const part = partOf(await world.initiate(id), 'INCOMING')
      const deposit = await world.until('the coins, as a deposit of nobody', async () =>
        (await world.call<Deposit[]>('GET', '/treasury/deposits?state=UNASSIGNED')).find(
          ({ quantity }) => quantity === '0.0123',
        ),
      )
      const post = (what: string, body: object) =>
        world.repeated(`deposit.relate.${moment}`, (headers) =>
          world.call<Deposit>('POST', `/treasury/deposits/${deposit.id}/${what}`, body, headers),
        )
      const related = await post('relate', { part_id: part.id })
      const back = await post('unrelate', { reason: 'to be sure' })
      assert.deepEqual([related.state, back.state], ['SUCCESSFUL', 'UNASSIGNED'])
      assert.deepEqual(await world.totals('SUSPENSE'), { BTC: '0.0123' })
      await world.call('POST', `/treasury/deposits/${deposit.id}/relate`, { part_id: part.id })
      const settled = await world.settled(id)
      const { arrival, deposit_id } = partOf(settled, 'INCOMING')
      assert.deepEqual([arrival, deposit_id], ['ARRIVED', deposit.id])
      assert.deepEqual(await world.totals('SUSPENSE'), {})
      await world.assertAllSettled()
    }
  })
})
