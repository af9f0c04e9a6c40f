import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { applyFills } from './fills.ts'
import { advanceExecution } from './orders.ts'
import { accepted, LimitDesk } from './resting.testing.ts'

describe('fills that come late', () => {
  let desk: LimitDesk
  before(async () => {
    desk = await LimitDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.begin())

  it('a trade after the end is booked once, one taken back is reversed once', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const created = await desk.rest()
    await desk.cancel(created.id)
    exchange.cancels = [() => accepted('CANCELED', fillFor('T1', '59500', '0.4'))]
    await world.finish(created.id)
    const [order] = await desk.orders(created.id)
    const apply = (...fills: ReturnType<typeof fillFor>[]) =>
      applyFills(world.app, { workspace: world.workspace, order_id: order?.id ?? '' }, fills)
    assert.deepEqual(await apply(fillFor('T1', '59500', '0.4'), fillFor('T2', '59500', '0.2')), {
      fresh: 1,
      busted: 0,
    })
    assert.deepEqual(await apply(fillFor('T2', '59500', '0.2')), { fresh: 0, busted: 0 })
    const late = await desk.read(created.id)
    assert.deepEqual([late.state, late.filled_amount], ['CANCELED', '0.6'])
    const balances = await world.balances(desk.alice.account_id)
    assert.deepEqual(await apply({ ...fillFor('T1', '59500', '0.4'), busted: true }), {
      fresh: 0,
      busted: 1,
    })
    assert.deepEqual(await apply({ ...fillFor('T1', '59500', '0.4'), busted: true }), {
      fresh: 0,
      busted: 0,
    })
    const busted = await desk.read(created.id)
    assert.deepEqual(
      [busted.state, busted.filled_amount, (await desk.events(created.id)).slice(-2).join()],
      ['CANCELED', '0.2', 'filled_late,fill_busted'],
    )
    assert.equal(
      (await world.balances(desk.alice.account_id))['BTC'],
      format(decimal(balances['BTC'] ?? '0') - decimal('0.4')),
    )
    await world.assertBooks()
    assert.deepEqual(await apply({ ...fillFor('T2', '59500', '0.2'), busted: true }), {
      fresh: 0,
      busted: 1,
    })
    assert.deepEqual(
      [
        (await world.balances(desk.alice.account_id))['EUR'],
        desk.total(await desk.read(created.id)),
      ],
      ['500000', 0n],
    )
    await world.assertBooks()
  })

  it('an end of which not all fills are listed yet is asked about after a while', async () => {
    const { app, workspace, exchange, clock } = desk.world
    const created = await desk.limit({ amount: '1' })
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
    const created = await desk.rest()
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

  it('a trade that was taken back before it was known is listed, without an event', async () => {
    const created = await desk.rest()
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
