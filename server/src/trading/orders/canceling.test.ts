import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { cancelExecution } from '../executions/cancellation.ts'
import { fillFor } from '../testing/trading.fixture.ts'
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
    assert.deepEqual([done.state, done.filled_amount], ['DONE', '1'])
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
        (await desk.orders(created.id))[0]?.state,
        (await desk.events(created.id)).join(),
      ],
      ['PROCESSING', 'NEW', 'created,cancel_requested,cancel_refused'],
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

  it('what never left is canceled here; what may have left is asked about first', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const unsent = await desk.limit()
    await desk.cancel(unsent.id)
    assert.deepEqual(
      [(await world.finish(unsent.id)).state, exchange.sent.length, exchange.canceled.length],
      ['CANCELED', 0, 0],
    )
    const doubtful = await desk.limit()
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'reset' })]
    await desk.work(doubtful.id)
    assert.deepEqual(await desk.refused('DELETE', `/executions/${doubtful.id}`), [
      400,
      3001,
      'STATE_NOT_ALLOWED',
      '',
    ])
    exchange.finds = [() => found('NEW')]
    await desk.work(doubtful.id)
    await desk.cancel(doubtful.id)
    exchange.cancels = [() => accepted('CANCELED')]
    assert.equal((await world.finish(doubtful.id)).state, 'CANCELED')
  })

  it('is refused to be canceled in any other state and type', async () => {
    const { db } = desk.world.database
    const created = await desk.limit()
    const market = await desk.execute({
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '1',
      customers: [{ customer_id: desk.alice.id }],
    })
    for (const [id, states] of [
      [
        created.id,
        [
          'WAITING_FOR_TRIGGER',
          'CANCELING',
          'UNKNOWN',
          'DONE',
          'CANCELED',
          'EXPIRED',
          'FAILED',
          'REJECTED',
        ],
      ],
      [market.id, ['PROCESSING', 'UNKNOWN', 'DONE']],
    ] as const) {
      for (const state of states) {
        await db.query(
          sql`
            update executions
            set state = ${state}
            where workspace = ${desk.world.workspace}
              and id = ${id}`,
        )
        const answer = await desk.api.call('DELETE', `/executions/${id}`)
        assert.deepEqual(
          [answer.status, answer.error_details?.[0]?.code],
          [400, 'STATE_NOT_ALLOWED'],
        )
        assert.ok(answer.error_details?.[0]?.message.includes(state))
      }
      await db.query(
        sql`
          update executions
          set state = 'PROCESSING'
          where workspace = ${desk.world.workspace}
            and id = ${id}`,
      )
    }
    assert.deepEqual(
      (await desk.refused('DELETE', `/executions/${newId()}`)).slice(0, 2),
      [404, 4004],
    )
    await desk.cancel(created.id)
    await desk.world.finish(created.id)
    desk.world.exchange.sends = [desk.fills('60000')]
    await desk.world.finish(market.id)
  })
})
