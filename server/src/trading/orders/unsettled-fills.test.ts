import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import type { Customer } from '../../customers/index.ts'
import { balancesOf } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import type { VenueFill } from '../../venues/index.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { applyFills } from './fills.ts'
import { advanceExecution } from './orders.ts'
import { fillsByIds, moveFills, releaseCredits } from './unsettled-fills.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import type { Fill } from '../executions/fills.schema.ts'

describe('what customers got at a venue that pays later', () => {
  let desk: Desk
  let alice: Customer
  before(async () => {
    desk = await openDesk()
  })
  after(() => desk.close())
  beforeEach(async () => {
    desk.reset()
    desk.world.exchange.settlement = 'POST_TRADE'
    alice = await desk.world.customer()
  })

  const unsettled = async (asset = 'BTC') =>
    format(
      (await balancesOf(desk.world.database.db, desk.world.workspace, alice.account_id)).find(
        (balance) => balance.asset === asset,
      )?.unsettled ?? 0n,
    )
  const trade = async (side: 'BUY' | 'SELL', ...fills: VenueFill[]) => {
    desk.world.exchange.sends = [() => ({ outcome: 'accepted', report: report('FILLED', fills) })]
    const amount = format(fills.reduce((all, fill) => all + fill.quantity, 0n))
    const created = await desk.execute({
      amount,
      side,
      execution_type: 'MARKET',
      customers: [{ customer_id: alice.id }],
    })
    assert.equal((await desk.world.finish(created.id)).state, 'DONE')
    return created.id
  }
  const fillsOf = async (id: string) =>
    (await desk.api.call<Fill[]>('GET', `/executions/${id}/orders/fills`)).data
  const settle = async (
    id: string,
    foreign_ids: readonly string[],
    reader: Reader = desk.world.database.db,
  ) => {
    const { app, workspace } = desk.world
    const ids = (await fillsOf(id))
      .filter((fill) => foreign_ids.includes(fill.foreign_id))
      .map((fill) => fill.id)
    const freed = await releaseCredits(reader, workspace, await fillsByIds(app.db, workspace, ids))
    await app.lane.commit({
      workspace,
      class: 'fact',
      by: 'test',
      ...freed,
      rows: [
        moveFills(
          workspace,
          ids,
          { settlement_id: null, state: 'SETTLED' },
          { by: 'test', now: app.clock.now() },
        ),
      ],
    })
  }
  const told = async (id: string, ...fills: VenueFill[]) =>
    applyFills(
      desk.world.app,
      { workspace: desk.world.workspace, order_id: (await desk.orders(id))[0]?.id ?? '' },
      fills,
    )

  for (const [side, asset, amounts] of [
    ['BUY', 'BTC', ['1', '0.7', '0.7', '0.4']],
    ['SELL', 'EUR', ['59544.78', '41681.35', '41681.34', '23817.91']],
  ] as const) {
    it(`${side}: a settled trade that is taken back frees nothing of the others`, async () => {
      const [one, two, three] = [
        fillFor(`${side}1`, '60000', '0.3'),
        fillFor(`${side}2`, '60000', '0.3'),
        fillFor(`${side}3`, '60000', '0.4'),
      ]
      const id = await trade(side, one, two, three)
      const seen = [await unsettled(asset)]
      await settle(id, [one.foreign_id])
      seen.push(await unsettled(asset))
      await told(id, { ...one, busted: true })
      seen.push(await unsettled(asset))
      await told(id, { ...two, busted: true })
      seen.push(await unsettled(asset))
      assert.deepEqual(seen, amounts)
      await settle(id, [three.foreign_id])
      assert.equal(await unsettled(asset), '0')
      await desk.world.assertBooks()
    })
  }

  it("one taken back together with the news of another leaves the other's", async () => {
    const one = fillFor('T1', '60000', '0.5')
    const id = await trade('BUY', one)
    await settle(id, ['T1'])
    await told(id, { ...one, busted: true }, fillFor('T2', '60000', '0.5'))
    assert.equal(await unsettled(), '0.5')
  })

  it('a trade that comes while others are settled is not freed with them', async () => {
    const id = await trade('BUY', fillFor('L1', '60000', '0.5'))
    const { db } = desk.world.database
    let asked = 0
    const slow: Reader = {
      query: async (query) => {
        const rows = await db.query(query)
        asked += 1
        if (asked === 2) await told(id, fillFor('L2', '60000', '0.5'))
        return rows as never
      },
    } as Reader
    await settle(id, ['L1'], slow)
    assert.ok(asked >= 2 && decimal(await unsettled()) >= decimal('0.5'))
    await settle(id, ['L2'])
    assert.equal(await unsettled(), '0')
  })

  it('over two hops: what is settled before the second has ended is free at the end', async () => {
    const { world } = desk
    world.ethMarket('0.05×10 0.0501×10', '0.0499×10 0.0498×10')
    const { exchange } = world
    const created = await desk.execute({
      route_id: world.two_hops.id,
      amount: '2',
      side: 'BUY',
      execution_type: 'MARKET',
      customers: [{ customer_id: alice.id }],
    })
    const [first, second] = [
      fillFor('H1', '0.05', '2', { fee: '0', fee_asset: 'BTC' }),
      fillFor('H2', '60000', '0.1'),
    ]
    exchange.sends = [
      () => ({ outcome: 'accepted', report: report('FILLED', [first]) }),
      () => ({ outcome: 'unknown', reason: 'no answer' }),
    ]
    await advanceExecution(world.app, world.workspace, created.id)
    await advanceExecution(world.app, world.workspace, created.id)
    exchange.finds = [() => ({ lookup: 'found', report: report('FILLED', [second]) })]
    await settle(created.id, ['H1'])
    assert.deepEqual(
      [(await world.finish(created.id)).state, await unsettled('ETH'), await desk.held(created.id)],
      ['DONE', '0', []],
    )
  })

  it('over two hops: an execution that ends while it is settled is looked at again', async () => {
    const { world } = desk
    world.ethMarket('0.05×10 0.0501×10', '0.0499×10 0.0498×10')
    const created = await desk.execute({
      route_id: world.two_hops.id,
      amount: '2',
      side: 'BUY',
      execution_type: 'MARKET',
      customers: [{ customer_id: alice.id }],
    })
    world.exchange.sends = [
      () => ({
        outcome: 'accepted',
        report: report('FILLED', [fillFor('E1', '0.05', '2', { fee: '0', fee_asset: 'BTC' })]),
      }),
      () => ({ outcome: 'accepted', report: report('FILLED', [fillFor('E2', '60000', '0.1')]) }),
    ]
    await advanceExecution(world.app, world.workspace, created.id)
    const freed = await releaseCredits(world.app.db, world.workspace, await fillsOf(created.id))
    await world.finish(created.id)
    await assert.rejects(
      world.app.lane.commit({ workspace: world.workspace, class: 'fact', by: 'test', ...freed }),
      ({ details }) => (details as { code: string }[])[0]?.code === 'STALE_VERSION',
    )
    assert.equal(await unsettled('ETH'), '2')
    await settle(created.id, ['E1'])
    assert.equal(await unsettled('ETH'), '0')
  })
})
