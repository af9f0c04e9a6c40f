/**
 * Orders whose sending was not answered: never twice, and nothing is freed before the venue has
 * told.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { format } from '../../core/decimal.ts'
import type { Customer } from '../../customers/index.ts'
import { sql } from '../../store/sql.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { advanceExecution } from './orders.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { Quote } from '../quotes/quotes.schema.ts'

describe('an outcome that was not observed', () => {
  let desk: Desk
  let world: Desk['world']
  let alice: Customer
  before(async () => {
    desk = await openDesk()
    world = desk.world
  })
  after(() => desk.close())
  beforeEach(async () => {
    desk.reset()
    alice = await world.customer()
  })
  const execute = (more: Record<string, unknown> = {}) =>
    desk.execute({
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '1.5',
      customers: [{ customer_id: alice.id }],
      ...more,
    })
  const quoted = async () =>
    (
      await desk.api.call<Quote>('POST', '/price-stream/quotes', {
        body: {
          route_id: world.route.id,
          request_asset: 'BTC',
          request_quantity: '1.5',
          risk_duration_ms: 10_000,
          customer_id: alice.id,
        },
      })
    ).data

  it('is UNKNOWN, nothing is freed, nothing is sent again, until the venue tells', async () => {
    const created = await execute()
    world.exchange.sends = [() => ({ outcome: 'unknown', reason: 'time-out' })]
    assert.notEqual(await advanceExecution(world.app, world.workspace, created.id), 'done')
    const unknown = await desk.read(created.id)
    assert.deepEqual([unknown.state, await desk.held(created.id)], ['UNKNOWN', ['EUR 91592.03']])
    world.exchange.finds = [
      () => ({ lookup: 'unknown', reason: 'down' }),
      () => ({ lookup: 'found', report: report('FILLED', [fillFor('U1', '60000', '1.5')]) }),
    ]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, world.exchange.sent.length, await desk.held(created.id)],
      ['DONE', 1, []],
    )
    await world.assertBooks()
  })

  it('is sent again by the same reference, later, when the venue never got it', async () => {
    const created = await execute()
    world.exchange.sends = [
      () => ({ outcome: 'unknown', reason: 'reset' }),
      (order) => ({
        outcome: 'accepted',
        report: report('FILLED', [fillFor('A1', '60000', format(order.quantity))]),
      }),
    ]
    world.exchange.finds = [() => ({ lookup: 'absent' })]
    const from = world.clock.now()
    const done = await world.finish(created.id)
    assert.deepEqual([done.state, world.exchange.sent.length], ['DONE', 2])
    assert.equal(world.exchange.sent[0]?.client_order_id, world.exchange.sent[1]?.client_order_id)
    assert.ok(world.clock.now() - from >= 15_000)
    await world.assertBooks()
  })

  it('of which only the intent is left is asked about first', async () => {
    const created = await execute()
    await world.database.db.query(
      sql`
        update execution_orders
        set sent_at = ${world.clock.now()}, version = version + 1
        where workspace = ${world.workspace}
          and execution_id = ${created.id}`,
    )
    world.exchange.finds = [
      () => ({ lookup: 'found', report: report('FILLED', [fillFor('K1', '60000', '1.5')]) }),
    ]
    const done = await world.finish(created.id)
    assert.deepEqual([done.state, world.exchange.sent.length], ['DONE', 0])
  })

  it('two workers at once send once', async () => {
    const created = await execute()
    world.exchange.sends = [desk.fills('60000')]
    world.exchange.finds = [() => ({ lookup: 'absent' })]
    await Promise.all([
      advanceExecution(world.app, world.workspace, created.id),
      advanceExecution(world.app, world.workspace, created.id),
    ])
    assert.equal(world.exchange.sent.length, 1)
    assert.equal((await world.finish(created.id)).state, 'DONE')
    await world.assertBooks()
  })

  it("an order at the market's price that never left is given up after a minute", async () => {
    const created = await execute()
    world.clock.advance(60_001)
    const failed = await world.finish(created.id)
    assert.deepEqual(
      [failed.state, failed.reason_code, world.exchange.sent.length, await desk.held(created.id)],
      ['FAILED', 'VENUE_UNREACHABLE', 0, []],
    )
  })

  it('an exchange without a connection is tried again, a firm price for ever', async () => {
    const unreached = () => ({
      outcome: 'refused' as const,
      reason: 'no connection',
      native: null,
      unreached: true as const,
    })
    const [market, firm] = [await execute(), await execute({ quote_id: (await quoted()).id })]
    world.exchange.sends = [unreached]
    world.exchange.finds = [() => ({ lookup: 'absent' })]
    const failed = await world.finish(market.id)
    assert.deepEqual(
      [failed.state, failed.reason_code, await desk.held(market.id)],
      ['FAILED', 'VENUE_UNREACHABLE', []],
    )
    world.clock.advance(60_001)
    world.exchange.sends = [
      unreached,
      unreached,
      (order) => ({
        outcome: 'accepted',
        report: report('FILLED', [fillFor('N1', '60000', format(order.quantity))]),
      }),
    ]
    world.exchange.sent = []
    const done = await world.finish(firm.id)
    assert.deepEqual(
      [
        done.state,
        new Set(world.exchange.sent.map((order) => order.client_order_id)).size,
        world.exchange.sent.length,
      ],
      ['DONE', 1, 3],
    )
    await world.assertBooks()
  })

  it('what does not rest and is under way for five minutes needs a person', async () => {
    const { db } = world.database
    const limit = () => execute({ execution_type: 'LIMIT', price: '50000', amount: '1' })
    const [firm, market, unsent, resting, canceling] = [
      await execute({ quote_id: (await quoted()).id }),
      await execute(),
      await limit(),
      await limit(),
      await limit(),
    ]
    world.exchange.sends = [() => ({ outcome: 'accepted', report: report('NEW', []) })]
    for (const { id } of [resting, canceling])
      await advanceExecution(world.app, world.workspace, id)
    await desk.cancel(canceling.id)
    const stuck = async (flag: boolean) =>
      (await desk.api.call<Execution[]>('GET', `/executions?stuck=${flag}`)).data.map(
        (execution) => execution.id,
      )
    assert.deepEqual([await stuck(true), await desk.needs('executions_stuck')], [[], 0])
    world.clock.advance(300_000)
    assert.deepEqual(
      [new Set(await stuck(true)), await desk.needs('executions_stuck')],
      [new Set([firm.id, market.id, unsent.id, canceling.id]), 4],
    )
    const others = await stuck(false)
    assert.ok(others.includes(resting.id) && !others.includes(firm.id))
    await db.query(
      sql`
        update executions
        set state = 'UNKNOWN'
        where workspace = ${world.workspace}
          and id = any(${[firm.id, market.id]}::uuid[])`,
    )
    assert.equal(await desk.needs('executions_stuck'), 2)
  })
})
