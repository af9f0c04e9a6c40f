import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format, multiply } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { putHalt } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { cancelExecution } from '../executions/cancellation.ts'
import { applyFills } from './fills.ts'
import { advanceExecution } from './orders.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'

const resting = (
  state: 'NEW' | 'PARTIALLY_FILLED' | 'CANCELED' | 'EXPIRED' | 'FILLED' | 'PENDING_CANCEL',
  ...fills: ReturnType<typeof fillFor>[]
) => ({ lookup: 'found' as const, report: report(state, fills) })
const accepted = (
  state: 'NEW' | 'PENDING_CANCEL' | 'CANCELED',
  ...fills: ReturnType<typeof fillFor>[]
) => ({ outcome: 'accepted' as const, report: report(state, fills) })

describe('LIMIT', () => {
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
  const limit = (more: Record<string, unknown> = {}) =>
    desk.execute({
      execution_type: 'LIMIT',
      side: 'BUY',
      amount: '1',
      price: '60000',
      customers: [{ customer_id: alice.id }],
      ...more,
    })
  const work = (id: string) => advanceExecution(desk.world.app, desk.world.workspace, id)
  /** Sent, and resting at the exchange. */
  async function rest(more: Record<string, unknown> = {}) {
    const { exchange } = desk.world
    const created = await limit(more)
    exchange.sends = [() => accepted('NEW')]
    exchange.finds = [() => resting('NEW')]
    await work(created.id)
    return created
  }

  it("rests at the price that keeps the customers' all-in price; what is filled is cheaper than that, to the cent", async () => {
    const { exchange } = desk.world
    const created = await rest()
    assert.deepEqual(
      [created.state, created.tif_mode, created.price, await desk.held(created.id)],
      ['PROCESSING', 'GTC', '60000', ['EUR 60000']],
    )
    const [sent] = exchange.sent
    assert.deepEqual([sent?.type, sent?.tif_mode, sent?.expires_at], ['LIMIT', 'GTC', null])
    // 59546.6 + 0.26 % + 0.5 % of both is 60000.00; a tick more is too much.
    assert.equal(format(sent?.price ?? 0n), '59546.6')
    exchange.finds = [
      () => resting('PARTIALLY_FILLED', fillFor('L1', '59546.6', '0.33333')),
      () =>
        resting('FILLED', fillFor('L1', '59546.6', '0.33333'), fillFor('L2', '59546.6', '0.66667')),
    ]
    await work(created.id)
    const partly = await desk.read(created.id)
    assert.deepEqual(
      [partly.state, partly.filled_amount, await desk.held(created.id)],
      ['PROCESSING', '0.33333', [`EUR ${format(decimal('60000') - desk.total(partly))}`]],
    )
    const done = await desk.world.finish(created.id)
    assert.ok(desk.total(done) <= decimal('60000') && desk.total(done) > decimal('59999.5'))
    assert.deepEqual(
      [done.state, await desk.held(created.id), (await desk.events(created.id)).join()],
      ['DONE', [], 'created,filled,filled,done'],
    )
    await desk.world.assertBooks()
  })

  it("SELL brings at least the price; a better market is the customer's", async () => {
    const created = await rest({ side: 'SELL', price: '60000' })
    assert.equal(format(desk.world.exchange.sent[0]?.price ?? 0n), '60458.8')
    desk.world.exchange.finds = [() => resting('FILLED', fillFor('S1', '61000', '1'))]
    const done = await desk.world.finish(created.id)
    // 61000 − 158.6 − 304.21
    assert.deepEqual([done.state, done.customers[0]?.filled_volume], ['DONE', '60537.19'])
    await desk.world.assertBooks()
  })

  it('is canceled at the venue: CANCELING, then CANCELED; what was filled stays, the rest is free', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await rest()
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
    exchange.finds = [
      () => resting('NEW'),
      () => resting('CANCELED', fillFor('C1', '59500', '0.4')),
    ]
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
    const created = await rest()
    await desk.cancel(created.id)
    desk.world.exchange.cancels = [
      () => ({ outcome: 'refused', reason: 'the order is not open', native: null }),
    ]
    desk.world.exchange.finds = [() => resting('FILLED', fillFor('D1', '59500', '1'))]
    const done = await desk.world.finish(created.id)
    assert.deepEqual([done.state, done.filled_amount], ['DONE', '1'])
    await desk.world.assertBooks()
  })

  it('a venue that refuses to cancel leaves it PROCESSING; it can be canceled again', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await rest()
    await desk.cancel(created.id)
    exchange.cancels = [
      () => ({
        outcome: 'refused',
        reason: 'halted',
        native: 'EService:Market in cancel_only mode',
      }),
    ]
    exchange.finds = [() => resting('NEW')]
    await work(created.id)
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

  it('a cancel of which the outcome is not observed is asked about, and asked for again when the order is still open', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await rest()
    await desk.cancel(created.id)
    exchange.cancels = [
      () => ({ outcome: 'unknown', reason: 'time-out' }),
      () => accepted('CANCELED'),
    ]
    exchange.finds = [() => ({ lookup: 'unknown', reason: 'down' }), () => resting('NEW')]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, exchange.canceled.length, await desk.held(created.id)],
      ['CANCELED', 2, []],
    )
  })

  it('is canceled also when a fill is recorded in the same moment', async () => {
    const { app, exchange } = desk.world
    const created = await rest()
    exchange.finds = [() => resting('PARTIALLY_FILLED', fillFor('M1', '59500', '0.4'))]
    let first = true
    const busy: typeof app = {
      ...app,
      lane: {
        ...app.lane,
        commit: async (change) => {
          if (first) [first] = [false, await work(created.id)]
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

  it('what never left is canceled without asking the venue; what may have left is asked about first', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const unsent = await limit()
    await desk.cancel(unsent.id)
    assert.deepEqual(
      [(await world.finish(unsent.id)).state, exchange.sent.length, exchange.canceled.length],
      ['CANCELED', 0, 0],
    )
    const doubtful = await limit()
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'reset' })]
    await work(doubtful.id)
    assert.deepEqual(await desk.refused('DELETE', `/executions/${doubtful.id}`), [
      400,
      3001,
      'STATE_NOT_ALLOWED',
      '',
    ])
    exchange.finds = [() => resting('NEW')]
    await work(doubtful.id)
    await desk.cancel(doubtful.id)
    exchange.cancels = [() => accepted('CANCELED')]
    assert.equal((await world.finish(doubtful.id)).state, 'CANCELED')
  })

  it('GTD: sent with its end where the venue has it, else canceled then; EXPIRED with what was filled', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const expires_at = world.clock.now() + 60_000
    const created = await rest({ tif_mode: 'GTD', expires_at: new Date(expires_at).toISOString() })
    assert.deepEqual([created.expires_at, exchange.sent[0]?.tif_mode], [expires_at, 'GTC'])
    world.clock.set(expires_at)
    exchange.cancels = [() => accepted('CANCELED', fillFor('G1', '59500', '0.1'))]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, done.reason_code, done.filled_amount, await desk.held(created.id)],
      ['EXPIRED', 'EXPIRED', '0.1', []],
    )
    const { supports } = exchange
    exchange.supports = () => true
    world.market()
    const native = await rest({ tif_mode: 'GTD', expires_at: world.clock.now() + 60_001 })
    exchange.supports = supports
    // Too near an end is not left to the venue.
    assert.deepEqual(
      [exchange.sent[1]?.tif_mode, exchange.sent[1]?.expires_at],
      ['GTD', native.expires_at],
    )
    exchange.finds = [() => resting('EXPIRED')]
    assert.equal((await world.finish(native.id)).state, 'EXPIRED')
    await world.assertBooks()
  })

  it('IOC and FOK end as the venue says; nothing had is CANCELED', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const { supports } = exchange
    exchange.supports = () => true
    for (const [tif_mode, fills, expected] of [
      ['IOC', [fillFor(newId(), '59500', '0.3')], ['CANCELED', '0.3', 'NO_LIQUIDITY']],
      ['FOK', [], ['CANCELED', '0', 'NO_LIQUIDITY']],
    ] as const) {
      const created = await limit({ tif_mode })
      exchange.sends = [() => ({ outcome: 'accepted', report: report('CANCELED', [...fills]) })]
      const done = await world.finish(created.id)
      assert.deepEqual([done.state, done.filled_amount, done.reason_code], expected)
      assert.equal(exchange.sent.at(-1)?.tif_mode, tif_mode)
    }
    exchange.supports = supports
    await world.assertBooks()
  })

  it('a trade that comes after the end is booked, one taken back is reversed; nothing is booked twice', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await rest()
    await desk.cancel(created.id)
    exchange.cancels = [() => accepted('CANCELED', fillFor('T1', '59500', '0.4'))]
    await world.finish(created.id)
    const [order] = await desk.orders(created.id)
    const told = (...fills: ReturnType<typeof fillFor>[]) =>
      applyFills(world.app, { workspace: world.workspace, order_id: order?.id ?? '' }, fills)
    assert.deepEqual(await told(fillFor('T1', '59500', '0.4'), fillFor('T2', '59500', '0.2')), {
      fresh: 1,
      busted: 0,
    })
    assert.deepEqual(await told(fillFor('T2', '59500', '0.2')), { fresh: 0, busted: 0 })
    const late = await desk.read(created.id)
    assert.deepEqual([late.state, late.filled_amount], ['CANCELED', '0.6'])
    const balances = await world.balances(alice.account_id)
    assert.deepEqual(await told({ ...fillFor('T1', '59500', '0.4'), busted: true }), {
      fresh: 0,
      busted: 1,
    })
    assert.deepEqual(await told({ ...fillFor('T1', '59500', '0.4'), busted: true }), {
      fresh: 0,
      busted: 0,
    })
    const busted = await desk.read(created.id)
    assert.deepEqual(
      [busted.state, busted.filled_amount, (await desk.events(created.id)).slice(-2).join()],
      ['CANCELED', '0.2', 'filled_late,fill_busted'],
    )
    assert.equal(
      (await world.balances(alice.account_id))['BTC'],
      format(decimal(balances['BTC'] ?? '0') - decimal('0.4')),
    )
    await world.assertBooks()
    assert.deepEqual(await told({ ...fillFor('T2', '59500', '0.2'), busted: true }), {
      fresh: 0,
      busted: 1,
    })
    assert.deepEqual(
      [(await world.balances(alice.account_id))['EUR'], desk.total(await desk.read(created.id))],
      ['500000', 0n],
    )
    await world.assertBooks()
  })

  it('under a halt nothing goes out of what has not begun, what has begun goes on, and cancelling stays possible', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const [waiting, begun, market] = [
      await limit(),
      await rest(),
      await desk.execute({
        execution_type: 'MARKET',
        side: 'BUY',
        amount: '1',
        customers: [{ customer_id: alice.id }],
      }),
    ]
    const halt = (halted: boolean) =>
      world.database.db.tx((tx) =>
        putHalt(
          { workspace: world.workspace, by: 'test' },
          { tx, clock: world.clock },
          { action: 'TRADING', halted, reason: 'test' },
        ),
      )
    await halt(true)
    assert.deepEqual(
      await desk.refused('POST', '/executions', {
        execution_type: 'LIMIT',
        side: 'BUY',
        amount: '1',
        price: '60000',
        customers: [{ customer_id: alice.id }],
      }),
      [400, 3001, 'HALTED', ''],
    )
    assert.notEqual(await work(waiting.id), 'done')
    assert.equal(exchange.sent.length, 1)
    exchange.finds = [() => resting('FILLED', fillFor('B1', '59500', '1'))]
    assert.equal((await world.finish(begun.id)).state, 'DONE')
    await desk.cancel(waiting.id)
    assert.equal((await world.finish(waiting.id)).state, 'CANCELED')
    world.clock.advance(60_001)
    const failed = await world.finish(market.id)
    assert.deepEqual(
      [failed.state, failed.reason_code, exchange.sent.length],
      ['FAILED', 'HALTED', 1],
    )
    await halt(false)
    await world.assertBooks()
  })

  it('is refused to be canceled in any other state and type', async () => {
    const { db } = desk.world.database
    const created = await limit()
    const market = await desk.execute({
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '1',
      customers: [{ customer_id: alice.id }],
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

  it("its price is on the route's step and its hold is price × amount", async () => {
    const created = await limit({ amount: '0.12345', price: '59999.9' })
    assert.deepEqual(await desk.held(created.id), [
      `EUR ${format(multiply(decimal('0.12345'), decimal('59999.9'), 2, 'up'))}`,
    ])
    await desk.cancel(created.id)
    await desk.world.finish(created.id)
  })

  it('a price that leaves no possible one at the venue is refused', async () => {
    for (const more of [
      { price: '99999999999999999990' },
      { margin: '0.999999999999999999' },
      { margin: '0.6', risk: '0.4' },
    ]) {
      const asked = {
        execution_type: 'LIMIT',
        side: 'SELL',
        amount: '1',
        price: '60000',
        customers: [{ customer_id: alice.id }],
        ...more,
      }
      assert.deepEqual(await desk.refused('POST', '/executions', asked), [
        400,
        3001,
        'RANGE',
        'price',
      ])
    }
  })

  it('an end of which not all fills are listed yet is asked about after a while', async () => {
    const { app, workspace, exchange, clock } = desk.world
    const created = await limit({ amount: '1' })
    exchange.sends = [() => ({ outcome: 'accepted', report: report('FILLED', [], '1') })]
    const result = await advanceExecution(app, workspace, created.id)
    assert.ok(result !== 'done' && result.again_at > clock.now())
    exchange.finds = [
      () => ({ lookup: 'found', report: report('FILLED', [fillFor(newId(), '59500', '1')]) }),
    ]
    assert.equal((await desk.world.finish(created.id)).state, 'DONE')
  })

  it('a fill that was taken back does not stand for one that is not listed yet', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await rest()
    const [taken, second, third] = [
      { ...fillFor('GONE', '59500', '0.4'), busted: true },
      fillFor('STANDS', '59500', '0.6'),
      fillFor('NEXT', '59500', '0.4'),
    ]
    exchange.finds = [
      () => ({ lookup: 'found', report: report('FILLED', [taken, second], '1') }),
      () => ({ lookup: 'found', report: report('FILLED', [taken, second, third], '1') }),
    ]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, done.filled_amount, await desk.held(created.id)],
      ['DONE', '1', []],
    )
    await world.assertBooks()
  })

  it('a trade that was taken back before it was known is listed, and told as nothing', async () => {
    const created = await rest()
    await desk.cancel(created.id)
    desk.world.exchange.cancels = [() => accepted('CANCELED')]
    await desk.world.finish(created.id)
    const [order] = await desk.orders(created.id)
    const before = await desk.events(created.id)
    await applyFills(
      desk.world.app,
      { workspace: desk.world.workspace, order_id: order?.id ?? '' },
      [{ ...fillFor('N1', '59500', '0.4'), busted: true }],
    )
    assert.deepEqual(
      [
        await desk.events(created.id),
        (await desk.read(created.id)).filled_amount,
        await desk.booked(created.id),
      ],
      [before, '0', []],
    )
  })
})
