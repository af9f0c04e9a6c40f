import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { format } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { Customer } from '../../customers/index.ts'
import { freezeAccount, putHalt } from '../../ledger/index.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { isReached } from './order-drafts.ts'
import { WATCH_TASK, watchStops } from './stops.ts'
import { sql } from '../../store/sql.ts'

describe('STOP_MARKET', () => {
  let desk: Desk
  let alice: Customer
  before(async () => {
    desk = await openDesk()
  })
  after(() => desk.close())
  beforeEach(async () => {
    desk.reset()
    alice = await desk.world.customer()
  })
  const stop = (more: Record<string, unknown> = {}) =>
    desk.execute({
      execution_type: 'STOP_MARKET',
      stop_order_condition: 'STOP_LOSS',
      side: 'SELL',
      amount: '1',
      price: '58000',
      customers: [{ customer_id: alice.id }],
      ...more,
    })
  const watch = () => watchStops(desk.world.app, desk.world.workspace)
  const halt = (halted: boolean) =>
    desk.world.database.db.tx((tx) =>
      putHalt(
        { workspace: desk.world.workspace, by: 'test' },
        { tx, clock: desk.world.clock },
        { action: 'TRADING', halted, reason: 'test' },
      ),
    )

  it('is reached by the table, at the trigger exactly', () => {
    const table = [
      ['SELL', 'STOP_LOSS', 'below'],
      ['BUY', 'STOP_LOSS', 'above'],
      ['SELL', 'TAKE_PROFIT', 'above'],
      ['BUY', 'TAKE_PROFIT', 'below'],
    ] as const
    for (const [side, condition, when] of table) {
      assert.deepEqual(
        [99n, 100n, 101n].map((top) => isReached(side, condition, 100n, top)),
        when === 'below' ? [true, true, false] : [false, true, true],
        `${side} ${condition}`,
      )
    }
  })

  it('waits with its amount blocked, triggers once and is sold within the guard', async () => {
    const { world } = desk
    const created = await stop()
    assert.deepEqual(
      [
        created.state,
        created.price,
        created.stop_order_condition,
        created.tif_mode,
        created.triggered_at,
        await desk.held(created.id),
        await desk.orders(created.id),
      ],
      ['WAITING_FOR_TRIGGER', '58000', 'STOP_LOSS', 'GTC', null, ['BTC 1'], []],
    )
    await watch()
    assert.equal((await desk.read(created.id)).state, 'WAITING_FOR_TRIGGER')
    world.market('58100×2', '58000×2')
    await Promise.all([watch(), watch()])
    const triggered = await desk.read(created.id)
    assert.deepEqual(
      [triggered.state, triggered.triggered_at, (await desk.orders(created.id)).length],
      ['PROCESSING', world.clock.now(), 1],
    )
    world.exchange.sends = [desk.fills('57990')]
    const done = await world.finish(created.id)
    const [sent] = world.exchange.sent
    assert.deepEqual(
      [sent?.type, sent?.tif_mode, format(sent?.price ?? 0n), done.state, done.slippage],
      ['LIMIT', 'IOC', '57420', 'DONE', '0.00017241'],
    )
    assert.equal((await desk.events(created.id)).join(), 'created,triggered,filled,done')
    assert.equal(await watch(), 'done')
    await world.assertBooks()
  })

  it('triggers after a full queue has refused it, without a longer pause', async () => {
    const { world } = desk
    const created = await stop()
    world.market('58100×2', '58000×2')
    const lane = { ...world.app.lane, commit: () => Promise.reject(new ApiError('RateLimited')) }
    assert.deepEqual(await watchStops({ ...world.app, lane }, world.workspace), {
      again_at: world.clock.now() + 250,
    })
    await watch()
    assert.equal((await desk.read(created.id)).state, 'PROCESSING')
    world.exchange.sends = [desk.fills('57990')]
    await world.finish(created.id)
  })

  it('one whose route is switched off needs a person', async () => {
    const { world } = desk
    const switched = (on: boolean) =>
      world.database.db.query(
        sql`
          update price_stream_routes
          set active = ${on}
          where id = ${world.route.id}`,
      )
    const created = await stop()
    assert.equal(await desk.needs('stops_waiting_in_vain'), 0)
    await switched(false)
    assert.equal(await desk.needs('stops_waiting_in_vain'), 1)
    await switched(true)
    await desk.cancel(created.id)
    assert.equal(await desk.needs('stops_waiting_in_vain'), 0)
  })

  it('BUY blocks the total at the trigger plus the guard, and never buys beyond it', async () => {
    const { world } = desk
    const created = await stop({ side: 'BUY', price: '62000' })
    // 62620 + 162.82 + 313.92
    assert.deepEqual(await desk.held(created.id), ['EUR 63096.74'])
    world.market('62500×2', '62400×2')
    await watch()
    world.exchange.sends = [desk.fills('62500')]
    const done = await world.finish(created.id)
    assert.deepEqual([format(world.exchange.sent[0]?.price ?? 0n), done.state], ['62620', 'DONE'])
    await world.assertBooks()
  })

  it('what the market has reached already triggers at once, also far beyond', async () => {
    const { world } = desk
    const created = await stop({ side: 'BUY', price: '50000' })
    const [task] = await world.database.db.query<{ due_at: number }>(
      sql`
        select due_at
        from tasks
        where workspace = ${world.workspace}
          and kind = ${WATCH_TASK}
          and subject_id = ${world.workspace}`,
    )
    assert.ok(task !== undefined && task.due_at <= world.clock.now())
    await watch()
    world.exchange.sends = [desk.fills('60000')]
    assert.deepEqual(
      [(await world.finish(created.id)).state, format(world.exchange.sent[0]?.price ?? 0n)],
      ['DONE', '60600'],
    )
    await world.assertBooks()
  })

  it('without a fresh price and under a halt it waits for the market after that', async () => {
    const { world } = desk
    const created = await stop()
    world.market('58000×2', '57900×2')
    world.clock.advance(6_000)
    await watch()
    assert.equal((await desk.read(created.id)).state, 'WAITING_FOR_TRIGGER')
    await halt(true)
    world.market('58000×2', '57900×2')
    await watch()
    assert.equal((await desk.read(created.id)).state, 'WAITING_FOR_TRIGGER')
    await halt(false)
    await watch()
    assert.equal((await desk.read(created.id)).state, 'PROCESSING')
    world.exchange.sends = [desk.fills('57900')]
    await world.finish(created.id)
  })

  it("those of a frozen customer, however many, hold up nobody else's", async () => {
    const { world } = desk
    const frozen = await world.customer()
    await Promise.all(
      Array.from({ length: 201 }, () =>
        stop({ amount: '0.01', customers: [{ customer_id: frozen.id }] }),
      ),
    )
    const created = await stop()
    const freeze = (is: boolean) =>
      world.database.db.tx((tx) =>
        freezeAccount(
          { workspace: world.workspace, by: 'test' },
          { tx, clock: world.clock },
          frozen.account_id,
          { frozen: is, reason: 'asked by the court' },
        ),
      )
    await freeze(true)
    world.market('58000×9', '57900×9')
    await watch()
    assert.equal((await desk.read(created.id)).state, 'PROCESSING')
    const waiting = () =>
      world.database.db.query(
        sql`
          select 1
          from executions
          where workspace = ${world.workspace}
            and state = 'WAITING_FOR_TRIGGER'`,
      )
    assert.equal((await waiting()).length, 201)
    await freeze(false)
    await watch()
    await watch()
    assert.equal((await waiting()).length, 0)
  })

  it('is canceled here, at once and once; a GTD one ends by itself', async () => {
    const { world } = desk
    const created = await stop()
    const canceled = await desk.cancel(created.id)
    assert.deepEqual(
      [canceled.state, canceled.reason_code, canceled.completed_at, await desk.held(created.id)],
      ['CANCELED', 'CANCELED_ON_REQUEST', world.clock.now(), []],
    )
    assert.deepEqual(await desk.read(created.id), canceled)
    assert.deepEqual(await desk.refused('DELETE', `/executions/${created.id}`), [
      400,
      3001,
      'STATE_NOT_ALLOWED',
      '',
    ])
    const dated = await stop({ tif_mode: 'GTD', expires_at: world.clock.now() + 1_000 })
    world.clock.advance(1_000)
    await watch()
    const expired = await desk.read(dated.id)
    assert.deepEqual(
      [
        expired.state,
        expired.reason_code,
        await desk.held(dated.id),
        (await desk.events(dated.id)).join(),
      ],
      ['EXPIRED', 'EXPIRED', [], 'created,expired'],
    )
    await world.assertBooks()
  })

  it('of a cancel and a trigger in the same moment nothing is sent', async () => {
    const { world } = desk
    for (let round = 0; round < 5; round += 1) {
      world.market()
      const created = await stop()
      world.market('58000×2', '57900×2')
      const [, answer] = await Promise.all([
        watch(),
        desk.api.call('DELETE', `/executions/${created.id}`),
      ])
      const { state } = await desk.read(created.id)
      assert.deepEqual(
        [answer.status, state, (await desk.orders(created.id)).length],
        state === 'CANCELED' ? [200, 'CANCELED', 0] : [200, 'CANCELING', 1],
      )
      const { state: end } = await world.finish(created.id)
      assert.deepEqual([end, world.exchange.sent.length], ['CANCELED', 0])
    }
    await world.assertBooks()
  })

  it('over several hops is compared with the price of the whole route', async () => {
    const { world } = desk
    const sold = await world.customer({}, { ETH: '2', BTC: '1' })
    world.ethMarket('0.05×10', '0.0499×10')
    const created = await stop({
      route_id: world.two_hops.id,
      price: '2950',
      customers: [{ customer_id: sold.id }],
    })
    await watch()
    assert.equal((await desk.read(created.id)).state, 'WAITING_FOR_TRIGGER')
    world.ethMarket('0.0492×10', '0.0491×10')
    await watch()
    assert.deepEqual(
      [
        (await desk.read(created.id)).state,
        (await desk.orders(created.id)).map(
          (order) => `${order.symbol} ${order.type} ${order.quantity} ${order.price}`,
        ),
      ],
      ['PROCESSING', ['ETH/BTC LIMIT 1 0.04861']],
    )
  })
})
