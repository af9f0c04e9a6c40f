/** What people do with an execution whose outcome the venue does not report. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { fillFor } from '../testing/trading.fixture.ts'
import { applyFills } from './fills.ts'
import { RESOLVE_AFTER_MILLISECONDS } from './deadlines.ts'
import {
  absent,
  filled,
  NEVER_PLACED,
  ResolvingDesk,
  trade,
  unanswered,
} from './resolution.testing.ts'
import { accepted, found } from './resting.testing.ts'

describe('an execution whose outcome a person enters', () => {
  let desk: ResolvingDesk
  before(async () => {
    desk = await ResolvingDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.begin())

  it('is booked as if the venue had reported it, once, and the venue is asked later', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const reported = await desk.market()
    exchange.sends = [() => accepted('FILLED', fillFor('R1', '60000', '1'))]
    await world.finish(reported.id)
    const unknown = await desk.unknown()
    const key = { 'idempotency-key': newId() }
    const body = filled(trade({ foreign_id: 'T1' }))
    const resolved = await desk.resolve(unknown.id, body, key)
    assert.deepEqual(await desk.resolve(unknown.id, body, key), resolved)
    assert.deepEqual(await desk.read(unknown.id), resolved)
    assert.deepEqual(
      [resolved.state, resolved.filled_amount, resolved.customer_price, resolved.completed_at],
      ['DONE', '1', (await desk.read(reported.id)).customer_price, world.clock.now()],
    )
    assert.deepEqual(await desk.booked(unknown.id), await desk.booked(reported.id))
    assert.deepEqual(await desk.held(unknown.id), [])
    const [order] = await desk.orders(unknown.id)
    assert.deepEqual(
      [order?.state, order?.evidence, order?.resolved_by, order?.confirmed_at],
      ['FILLED', body.evidence, resolved.system_updated_by, null],
    )
    const [fill] = await desk.fillsOf(unknown.id)
    assert.equal(fill?.entered_by, resolved.system_updated_by)

    const again = await desk.work(unknown.id)
    assert.notEqual(again, 'done', 'the venue does not answer yet')
    exchange.finds = [() => found('FILLED', fillFor('T1', '60000', '1'))]
    assert.equal(await desk.work(unknown.id), 'done')
    assert.equal((await desk.orders(unknown.id))[0]?.confirmed_at, world.clock.now())
    assert.equal((await desk.booked(unknown.id)).length, (await desk.booked(reported.id)).length)
    assert.equal(
      (await desk.events(unknown.id)).join(),
      'created,outcome_unknown,resolved,filled,done,resolution_confirmed',
    )
    assert.deepEqual(await desk.needs('executions_contradicted'), 0)
    await world.assertBooks()
  })

  it('takes a rebate as a fee below 0, and what was seen as its version', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const reported = await desk.market()
    exchange.sends = [() => accepted('FILLED', fillFor('R2', '60000', '1', { fee: '-3' }))]
    await world.finish(reported.id)
    const { id, version } = await desk.unknown()
    const body = filled(trade({ foreign_id: 'T2', fee: '-3' }))
    await desk.resolve(id, { ...body, version })
    assert.equal((await desk.fillsOf(id))[0]?.fee, '-3')
    assert.deepEqual(await desk.booked(id), await desk.booked(reported.id))
    await world.assertBooks()
  })

  it('ends with what was filled before, and nothing goes out for the rest', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const resting = await desk.rest()
    exchange.finds = [() => found('PARTIALLY_FILLED', fillFor('P1', '59000', '0.4')), absent]
    await desk.work(resting.id)
    await desk.work(resting.id)
    assert.equal((await desk.read(resting.id)).state, 'UNKNOWN')
    world.clock.advance(RESOLVE_AFTER_MILLISECONDS)
    exchange.finds = [unanswered]
    const beyond = trade({ price: '60001', quantity: '0.1', fee: '15.6' })
    assert.equal(
      await desk.refusal(resting.id, {
        state: 'CANCELED',
        evidence: 'their mail',
        fills: [beyond],
      }),
      'RANGE fills[0].price',
    )
    const resolved = await desk.resolve(resting.id, {
      state: 'CANCELED',
      evidence: 'their mail',
      fills: [trade({ price: '59000', quantity: '0.1', fee: '15.34' })],
    })
    assert.deepEqual(
      [resolved.state, resolved.reason_code, resolved.reason, resolved.filled_amount],
      ['CANCELED', 'RESOLVED_BY_HAND', 'their mail', '0.5'],
    )
    assert.deepEqual([exchange.sent.length, await desk.held(resting.id)], [1, []])
    await world.assertBooks()
  })

  it('that was never placed frees everything; with a wish to cancel it is CANCELED', async () => {
    const unknown = await desk.unknown()
    const failed = await desk.resolve(unknown.id, NEVER_PLACED)
    assert.deepEqual(
      [failed.state, failed.reason_code, failed.filled_amount, await desk.held(unknown.id)],
      ['FAILED', 'RESOLVED_BY_HAND', '0', []],
    )
    const unwanted = await desk.unknown()
    await desk.cancel(unwanted.id)
    const canceled = await desk.resolve(unwanted.id, NEVER_PLACED)
    assert.deepEqual(
      [canceled.state, canceled.reason_code, await desk.held(unwanted.id)],
      ['CANCELED', 'CANCELED_ON_REQUEST', []],
    )
    await desk.world.assertBooks()
  })

  it('over two hops goes on with what the first one has traded', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    world.ethMarket('0.05×10', '0.0499×10')
    const unknown = await desk.unknown({ route_id: world.two_hops.id, amount: '2' })
    const resolved = await desk.resolve(unknown.id, {
      state: 'FILLED',
      evidence: 'their mail',
      fills: [{ foreign_id: 'H1', price: '0.05', quantity: '2', fee: '0.00026' }],
    })
    assert.equal(resolved.state, 'PROCESSING')
    exchange.sends = [
      (order) => accepted('FILLED', { ...fillFor('H2', '60000', '1'), quantity: order.quantity }),
    ]
    exchange.sent = []
    await desk.work(unknown.id)
    assert.deepEqual(
      exchange.sent.map((order) => order.base_asset),
      ['BTC'],
    )
  })

  it('stays UNKNOWN, and can be resolved, when an earlier hop has a late trade', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    world.ethMarket('0.05×10', '0.0499×10')
    const { id } = await desk.market({ route_id: world.two_hops.id, amount: '2' })
    const inBtc = { fee_asset: 'BTC' }
    exchange.sends = [
      () => accepted('CANCELED', fillFor('E1', '0.05', '1', inBtc)),
      () => ({ outcome: 'unknown', reason: 'time-out' }),
    ]
    exchange.finds = [unanswered]
    await desk.work(id)
    await desk.work(id)
    world.clock.advance(RESOLVE_AFTER_MILLISECONDS)
    const [first] = (await desk.orders(id)).filter((order) => order.state === 'CANCELED')
    await applyFills(world.app, { workspace: world.workspace, order_id: first?.id ?? '' }, [
      fillFor('E2', '0.05', '0.5', inBtc),
    ])
    assert.equal((await desk.read(id)).state, 'UNKNOWN')
    assert.equal((await desk.resolve(id, NEVER_PLACED)).state, 'CANCELED')
    assert.deepEqual(await desk.held(id), [])
    await world.assertBooks()
  })

  it('is refused for what cannot be, and changes nothing', async () => {
    const unknown = await desk.unknown()
    const fill = (more: object) => filled(trade(more))
    const one = trade()
    const bodies: [object, string][] = [
      [fill({ quantity: '1.5' }), 'ABOVE_MAXIMUM fills'],
      [fill({ quantity: '0.5', fee: '78' }), 'SUM_MISMATCH fills'],
      [fill({ quantity: '0.123456789' }), 'SCALE fills[0].quantity'],
      [fill({ price: '130000' }), 'RANGE fills[0].price'],
      [fill({ price: '20000' }), 'RANGE fills[0].price'],
      [fill({ volume: '61000' }), 'CONFLICT fills[0].volume'],
      [fill({ fee: '60001' }), 'ABOVE_MAXIMUM fills[0].fee'],
      [fill({ fee_asset: 'XYZ' }), 'UNKNOWN_ASSET fills[0].fee_asset'],
      [fill({ executed_at: desk.world.clock.now() + 1 }), 'RANGE fills[0].executed_at'],
      [fill({ executed_at: 1_000 }), 'RANGE fills[0].executed_at'],
      [filled(one, one), 'DUPLICATE fills[1].foreign_id'],
      [{ ...filled(), state: 'CANCELED' }, 'SUM_MISMATCH state'],
      [{ ...filled(), state: 'NEVER_PLACED' }, 'SUM_MISMATCH fills'],
      [fill({ fee: '-60001' }), 'ABOVE_MAXIMUM fills[0].fee'],
      [{ ...filled(), version: unknown.version + 1 }, 'STALE_VERSION version'],
      [{ ...filled(), evidence: ' ' }, 'FORMAT evidence'],
      [{ ...filled(), state: 'DONE' }, 'ENUM state'],
    ]
    for (const [body, refusal] of bodies) {
      const answer = await desk.refusal(unknown.id, body)
      // The codes of the schema's own refusals are tested with the schemas.
      if (/^(FORMAT|ENUM)/.test(refusal)) assert.ok(answer.endsWith(refusal.split(' ')[1] ?? ''))
      else assert.equal(answer, refusal)
    }
    const known = await desk.unknown()
    await desk.resolve(known.id, { ...filled(one), foreign_id: 'O-known' })
    const twice = filled(one)
    assert.equal(await desk.refusal(unknown.id, twice), 'DUPLICATE fills[0].foreign_id')
    const other = { ...filled(), foreign_id: 'O-known' }
    assert.equal(await desk.refusal(unknown.id, other), 'DUPLICATE foreign_id')
    assert.equal(await desk.refusal(known.id, twice), 'STATE_NOT_ALLOWED ')
    assert.equal(await desk.refusal((await desk.market()).id, filled()), 'STATE_NOT_ALLOWED ')
    assert.deepEqual(
      [(await desk.read(unknown.id)).state, (await desk.events(unknown.id)).join()],
      ['UNKNOWN', 'created,outcome_unknown'],
    )
    await desk.world.assertBooks()
  })

  it('is refused while the order may be on its way, or the venue says otherwise', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const sent = await desk.market()
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'time-out' })]
    await desk.work(sent.id)
    const until = world.clock.now() + RESOLVE_AFTER_MILLISECONDS
    assert.match(
      (await desk.refusalText(sent.id, NEVER_PLACED)) ?? '',
      new RegExp(`may still be on its way: .* from ${new Date(until).toISOString()} on`),
    )
    // Bitstamp takes what was signed 150 s ago.
    world.clock.advance(RESOLVE_AFTER_MILLISECONDS - 1)
    exchange.finds = [unanswered]
    assert.equal(await desk.refusal(sent.id, NEVER_PLACED), 'STATE_NOT_ALLOWED ')
    world.clock.advance(1)
    exchange.finds = [absent]
    assert.equal(await desk.refusal(sent.id, filled()), 'CONFLICT state')
    exchange.finds = [() => found('NEW')]
    assert.equal(await desk.refusal(sent.id, NEVER_PLACED), 'CONFLICT state')
    exchange.finds = [() => found('CANCELED', fillFor('V1', '60000', '0.4'))]
    assert.equal(await desk.refusal(sent.id, filled()), 'CONFLICT state')
    assert.deepEqual(await desk.fillsOf(sent.id), [])
    // Where it agrees, its own trades are booked.
    exchange.finds = [() => found('FILLED', fillFor('V2', '60001', '1'))]
    assert.equal((await desk.resolve(sent.id, filled())).state, 'DONE')
    const [order] = await desk.orders(sent.id)
    assert.deepEqual(
      [(await desk.fillsOf(sent.id)).map((fill) => fill.foreign_id), order?.confirmed_at],
      [['V2'], order?.resolved_at],
    )
    await world.assertBooks()
  })

  it('of two people one resolves it, and of a person and the venue one', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const ask = (id: string, body: object) =>
      desk.api.call('POST', `/executions/${id}/resolve`, { body })
    const twice = await desk.unknown()
    const answers = await Promise.all([1, 2].map(() => ask(twice.id, filled())))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
    for (let round = 0; round < 5; round += 1) {
      const unknown = await desk.unknown()
      const foreign_id = `X${round}`
      const reporting = () => found('FILLED', fillFor(foreign_id, '60000', '1'))
      exchange.finds = [reporting]
      const entered = filled(trade({ foreign_id }))
      const [answer] = await Promise.all([
        ask(unknown.id, entered),
        desk.work(unknown.id).catch(() => undefined),
      ])
      // Who comes second finds it ended, or the trade booked.
      const code = answer.status === 200 ? 'DONE' : answer.error_details?.[0]?.code
      assert.match(String(code), /^(DONE|STATE_NOT_ALLOWED|DUPLICATE)$/)
      const done = await world.finish(unknown.id)
      assert.deepEqual(
        [done.state, (await desk.fillsOf(unknown.id)).length, await desk.held(unknown.id)],
        ['DONE', 1, []],
      )
    }
    await world.assertBooks()
  })

  it('is nothing that another workspace can see or resolve', async () => {
    const unknown = await desk.unknown()
    assert.deepEqual(await desk.asStranger(unknown.id), [4004, 4004])
    assert.equal((await desk.read(unknown.id)).state, 'UNKNOWN')
  })

  it('recheck asks the venue at once; what ended is not asked about', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const unknown = await desk.unknown()
    assert.equal((await desk.recheck(unknown.id)).state, 'UNKNOWN')
    exchange.finds = [() => found('FILLED', fillFor('C1', '60000', '1'))]
    const done = await desk.recheck(unknown.id)
    assert.deepEqual([done.state, await desk.held(unknown.id)], ['DONE', []])
    assert.equal(await desk.recheckRefusal(unknown.id), 'STATE_NOT_ALLOWED ')
    await world.assertBooks()
  })
})
