import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format, multiply } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { putHalt } from '../../ledger/index.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { accepted, found, LimitDesk } from './resting.testing.ts'

describe('LIMIT', () => {
  let desk: LimitDesk
  before(async () => {
    desk = await LimitDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.begin())

  it('rests at the price that keeps the all-in price; fills are cheaper, to the cent', async () => {
    const { exchange } = desk.world
    const created = await desk.rest()
    assert.deepEqual(
      [created.state, created.tif_mode, created.price, await desk.held(created.id)],
      ['PROCESSING', 'GTC', '60000', ['EUR 60000']],
    )
    const [sent] = exchange.sent
    assert.deepEqual([sent?.type, sent?.tif_mode, sent?.expires_at], ['LIMIT', 'GTC', null])
    // 59546.6 + 0.26 % + 0.5 % of both is 60000.00; a tick more is too much.
    assert.equal(format(sent?.price ?? 0n), '59546.6')
    exchange.finds = [
      () => found('PARTIALLY_FILLED', fillFor('L1', '59546.6', '0.33333')),
      () =>
        found('FILLED', fillFor('L1', '59546.6', '0.33333'), fillFor('L2', '59546.6', '0.66667')),
    ]
    await desk.work(created.id)
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
    const created = await desk.rest({ side: 'SELL', price: '60000' })
    assert.equal(format(desk.world.exchange.sent[0]?.price ?? 0n), '60458.8')
    desk.world.exchange.finds = [() => found('FILLED', fillFor('S1', '61000', '1'))]
    const done = await desk.world.finish(created.id)
    // 61000 − 158.6 − 304.21
    assert.deepEqual([done.state, done.customers[0]?.filled_volume], ['DONE', '60537.19'])
    await desk.world.assertBooks()
  })

  it('GTD: sent with its end or canceled then; EXPIRED with what was filled', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const expires_at = world.clock.now() + 60_000
    const created = await desk.rest({
      tif_mode: 'GTD',
      expires_at: new Date(expires_at).toISOString(),
    })
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
    const native = await desk.rest({ tif_mode: 'GTD', expires_at: world.clock.now() + 60_001 })
    exchange.supports = supports
    // Too near an end is not left to the venue.
    assert.deepEqual(
      [exchange.sent[1]?.tif_mode, exchange.sent[1]?.expires_at],
      ['GTD', native.expires_at],
    )
    exchange.finds = [() => found('EXPIRED')]
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
      const created = await desk.limit({ tif_mode })
      exchange.sends = [() => ({ outcome: 'accepted', report: report('CANCELED', [...fills]) })]
      const done = await world.finish(created.id)
      assert.deepEqual([done.state, done.filled_amount, done.reason_code], expected)
      assert.equal(exchange.sent.at(-1)?.tif_mode, tif_mode)
    }
    exchange.supports = supports
    await world.assertBooks()
  })

  it('under a halt nothing begins; what has begun goes on and may be canceled', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const [waiting, begun, market] = [
      await desk.limit(),
      await desk.rest(),
      await desk.execute({
        execution_type: 'MARKET',
        side: 'BUY',
        amount: '1',
        customers: [{ customer_id: desk.alice.id }],
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
        customers: [{ customer_id: desk.alice.id }],
      }),
      [400, 3001, 'HALTED', ''],
    )
    assert.notEqual(await desk.work(waiting.id), 'done')
    assert.equal(exchange.sent.length, 1)
    exchange.finds = [() => found('FILLED', fillFor('B1', '59500', '1'))]
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

  it("its price is on the route's step and its hold is price × amount", async () => {
    const created = await desk.limit({ amount: '0.12345', price: '59999.9' })
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
        customers: [{ customer_id: desk.alice.id }],
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
})
