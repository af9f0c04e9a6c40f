import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { cancelExecution } from '../executions/cancellation.ts'
import { fillFor } from '../testing/trading.fixture.ts'
import { advanceExecution } from './orders.ts'
import { accepted, found, LimitDesk } from './resting.testing.ts'

describe('a LIMIT that is canceled', () => {
  let desk: LimitDesk
  before(async () => {
    desk = await LimitDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.begin())

  it('is canceled at the venue: what was filled stays, the rest is free', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await desk.rest()
    const headers = { 'idempotency-key': newId() }
    const canceling = await desk.cancel(created.id, headers)
    assert.equal(canceling.state, 'CANCELING')
    assert.deepEqual(await desk.cancel(created.id, headers), canceling)
    assert.deepEqual(await desk.refused('DELETE', `/executions/${created.id}`), [
      400,
      3001,
      'STATE_NOT_ALLOWED',
      '',
    ])
    exchange.cancels = [() => accepted('PENDING_CANCEL')]
    exchange.finds = [() => found('NEW'), () => found('CANCELED', fillFor('C1', '59500', '0.4'))]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [
        done.state,
        done.reason_code,
        done.filled_amount,
        exchange.canceled.length,
        await desk.held(created.id),
      ],
      ['CANCELED', 'CANCELED_ON_REQUEST', '0.4', 1, []],
    )
    assert.equal((await desk.events(created.id)).join(), 'created,cancel_requested,filled,canceled')
    await world.assertBooks()
  })

  it('filled before the cancel reached the venue it is DONE', async () => {
    const created = await desk.rest()
    await desk.cancel(created.id)
    desk.world.exchange.cancels = [
      () => ({ outcome: 'refused', reason: 'the order is not open', native: null }),
    ]
    desk.world.exchange.finds = [() => found('FILLED', fillFor('D1', '59500', '1'))]
    const done = await desk.world.finish(created.id)
    assert.deepEqual(
      [done.state, done.filled_amount, done.reason_code, done.cancel_requested_by],
      ['DONE', '1', 'FILLED_BEFORE_CANCEL', created.system_created_by],
    )
    await desk.world.assertBooks()
  })

  it('a venue that refuses to cancel leaves it PROCESSING; it can be canceled again', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await desk.rest()
    await desk.cancel(created.id)
    exchange.cancels = [
      () => ({
        outcome: 'refused',
        reason: 'halted',
        native: 'EService:Market in cancel_only mode',
      }),
    ]
    exchange.finds = [() => found('NEW')]
    await desk.work(created.id)
    const kept = await desk.read(created.id)
    assert.deepEqual(
      [
        kept.state,
        kept.cancel_requested_at,
        (await desk.orders(created.id))[0]?.state,
        (await desk.events(created.id)).join(),
      ],
      ['PROCESSING', null, 'NEW', 'created,cancel_requested,cancel_refused'],
    )
    await desk.cancel(created.id)
    exchange.cancels = [() => accepted('CANCELED')]
    assert.equal((await world.finish(created.id)).state, 'CANCELED')
    await world.assertBooks()
  })

  it('a cancel without an answer is asked about, and sent again while it is open', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await desk.rest()
    await desk.cancel(created.id)
    exchange.cancels = [
      () => ({ outcome: 'unknown', reason: 'time-out' }),
      () => accepted('CANCELED'),
    ]
    exchange.finds = [() => ({ lookup: 'unknown', reason: 'down' }), () => found('NEW')]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, exchange.canceled.length, await desk.held(created.id)],
      ['CANCELED', 2, []],
    )
  })

  it('is canceled also when a fill is recorded in the same moment', async () => {
    const { app, exchange } = desk.world
    const created = await desk.rest()
    exchange.finds = [() => found('PARTIALLY_FILLED', fillFor('M1', '59500', '0.4'))]
    let first = true
    const busy: typeof app = {
      ...app,
      lane: {
        ...app.lane,
        commit: async (change) => {
          if (first) [first] = [false, await desk.work(created.id)]
          return app.lane.commit(change)
        },
      },
    }
    const canceling = await cancelExecution(desk.world.caller, busy, created.id)
    assert.deepEqual(
      [canceling.state, canceling.filled_amount, (await desk.read(created.id)).version],
      ['CANCELING', '0.4', canceling.version],
    )
    exchange.cancels = [() => accepted('CANCELED', fillFor('M1', '59500', '0.4'))]
    const done = await desk.world.finish(created.id)
    assert.deepEqual(
      [done.state, done.filled_amount, await desk.held(created.id)],
      ['CANCELED', '0.4', []],
    )
    await desk.world.assertBooks()
  })

  it('what never left is canceled here', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const unsent = await desk.limit()
    await desk.cancel(unsent.id)
    assert.deepEqual(
      [(await world.finish(unsent.id)).state, exchange.sent.length, exchange.canceled.length],
      ['CANCELED', 0, 0],
    )
  })

  it('a wish that is stored before the intent to send keeps it from being sent', async () => {
    const { app, exchange, workspace } = desk.world
    const unsent = await desk.limit()
    // The worker has read the execution when the wish comes.
    let wished = false
    const late: typeof app = {
      ...app,
      venues: {
        ...app.venues,
        connect: async (...place) => {
          if (!wished) [wished] = [true, await desk.cancel(unsent.id)]
          return app.venues.connect(...place)
        },
      },
    }
    assert.notEqual(await advanceExecution(late, workspace, unsent.id), 'done')
    const done = await desk.world.finish(unsent.id)
    assert.deepEqual([done.state, exchange.sent.length], ['CANCELED', 0])
  })

  it('in doubt the wish is kept, and carried out once the order is known and open', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const doubtful = await desk.limit()
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'reset' })]
    await desk.work(doubtful.id)
    const headers = { 'idempotency-key': newId() }
    const wished = await desk.cancel(doubtful.id, headers)
    assert.deepEqual(
      [wished.state, wished.cancel_requested_by, wished.version],
      ['UNKNOWN', doubtful.system_created_by, (await desk.read(doubtful.id)).version],
    )
    assert.deepEqual(await desk.cancel(doubtful.id, headers), wished)
    const again = await desk.refused('DELETE', `/executions/${doubtful.id}`)
    assert.deepEqual(again, [400, 3001, 'STATE_NOT_ALLOWED', ''])
    exchange.finds = [() => ({ lookup: 'unknown', reason: 'down' }), () => found('NEW')]
    await desk.work(doubtful.id)
    assert.equal((await desk.read(doubtful.id)).state, 'UNKNOWN')
    await desk.work(doubtful.id)
    assert.deepEqual(
      [(await desk.read(doubtful.id)).state, exchange.canceled.length],
      ['CANCELING', 0],
    )
    exchange.cancels = [() => accepted('CANCELED')]
    const done = await world.finish(doubtful.id)
    assert.deepEqual(
      [done.state, done.reason_code, exchange.canceled.length, await desk.held(doubtful.id)],
      ['CANCELED', 'CANCELED_ON_REQUEST', 1, []],
    )
    assert.equal(
      (await desk.events(doubtful.id)).join(),
      'created,outcome_unknown,cancel_requested,resumed,canceled',
    )
  })

  it('in doubt it is never sent again, when the venue never got it', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const doubtful = await desk.limit()
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'reset' })]
    await desk.work(doubtful.id)
    await desk.cancel(doubtful.id)
    exchange.finds = [() => ({ lookup: 'absent' })]
    const done = await world.finish(doubtful.id)
    assert.deepEqual(
      [done.state, exchange.sent.length, await desk.held(doubtful.id)],
      ['CANCELED', 1, []],
    )
  })

  it('a MARKET order is not sent any more; one that was filled in doubt is DONE', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const order = {
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '1',
      customers: [{ customer_id: desk.alice.id }],
    }
    const unsent = await desk.execute(order)
    assert.equal((await desk.cancel(unsent.id)).state, 'CANCELING')
    const canceled = await world.finish(unsent.id)
    assert.deepEqual(
      [canceled.state, canceled.reason_code, exchange.sent.length, await desk.held(unsent.id)],
      ['CANCELED', 'CANCELED_ON_REQUEST', 0, []],
    )
    const doubtful = await desk.execute(order)
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'reset' })]
    await desk.work(doubtful.id)
    await desk.cancel(doubtful.id)
    exchange.finds = [() => found('FILLED', fillFor(newId(), '60000', '1'))]
    const done = await world.finish(doubtful.id)
    assert.deepEqual(
      [done.state, done.reason_code, exchange.canceled.length],
      ['DONE', 'FILLED_BEFORE_CANCEL', 0],
    )
    await world.assertBooks()
  })

  it('over two hops, what the first has traded is brought to its end', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    world.ethMarket('0.05×10', '0.0499×10')
    const created = await desk.execute({
      route_id: world.two_hops.id,
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '2',
      customers: [{ customer_id: desk.alice.id }],
    })
    exchange.sends = [
      () => accepted('FILLED', fillFor(newId(), '0.05', '2', { fee_asset: 'BTC' })),
      (order) => accepted('FILLED', fillFor(newId(), '60000', format(order.quantity))),
    ]
    await desk.work(created.id)
    await desk.cancel(created.id)
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, done.reason_code, done.filled_amount, exchange.sent.length],
      ['DONE', 'FILLED_BEFORE_CANCEL', '2', 2],
    )
    await world.assertBooks()
  })

  it('a firm price that was filled in part is not tried again', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const { data: quote } = await desk.api.call<{ id: string }>('POST', '/price-stream/quotes', {
      body: {
        route_id: world.route.id,
        request_asset: 'BTC',
        request_quantity: '1',
        risk_duration_ms: 10_000,
        customer_id: desk.alice.id,
      },
    })
    const created = await desk.execute({
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '1',
      customers: [{ customer_id: desk.alice.id }],
      quote_id: quote.id,
    })
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'reset' })]
    await desk.work(created.id)
    await desk.cancel(created.id)
    exchange.finds = [() => found('CANCELED', fillFor(newId(), '60000', '0.4'))]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, done.reason_code, done.filled_amount, exchange.sent.length],
      ['CANCELED', 'CANCELED_ON_REQUEST', '0.4', 1],
    )
    await world.assertBooks()
  })

  it('is refused once it has ended, and when it is canceled already', async () => {
    const { db } = desk.world.database
    const created = await desk.limit()
    for (const state of ['DONE', 'CANCELED', 'EXPIRED', 'FAILED', 'REJECTED'] as const) {
      await db.query(
        sql`
          update executions
          set state = ${state}
          where workspace = ${desk.world.workspace}
            and id = ${created.id}`,
      )
      const answer = await desk.api.call('DELETE', `/executions/${created.id}`)
      assert.deepEqual([answer.status, answer.error_details?.[0]?.code], [400, 'STATE_NOT_ALLOWED'])
      assert.ok(answer.error_details?.[0]?.message.includes(state))
    }
    await db.query(
      sql`
        update executions
        set state = 'PROCESSING'
        where workspace = ${desk.world.workspace}
          and id = ${created.id}`,
    )
    assert.deepEqual(
      (await desk.refused('DELETE', `/executions/${newId()}`)).slice(0, 2),
      [404, 4004],
    )
    await desk.cancel(created.id)
    await desk.world.finish(created.id)
  })
})
