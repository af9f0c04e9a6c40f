/** Orders that were made before a start: their venue is asked before they are sent. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { mustExist } from '../../core/assert.ts'
import type { Customer } from '../../customers/index.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import type { Execution } from '../executions/executions.schema.ts'
import { advanceExecution } from './orders.ts'

describe('an order that was made before this start', () => {
  let desk: Desk
  let alice: Customer
  let history: Desk['world']['app']['history']
  let venues: Desk['world']['app']['venues']
  before(async () => {
    desk = await openDesk()
    ;({ history, venues } = desk.world.app)
  })
  after(async () => {
    await desk.world.assertBooks()
    await desk.close()
  })
  beforeEach(async () => {
    desk.world.app.history = history
    desk.world.app.venues = venues
    desk.reset()
    alice = await desk.world.customer()
  })

  const buy = (more: Record<string, unknown> = {}): Promise<Execution> =>
    desk.execute({
      execution_type: 'MARKET',
      side: 'BUY',
      amount: '1',
      customers: [{ customer_id: alice.id }],
      ...more,
    })
  const start = ({ isSetBack = false } = {}): void => {
    const { app, clock } = desk.world
    clock.advance(20_000)
    const now = clock.now()
    app.history = {
      ...history,
      lookUpBefore: async () => now,
      setBackAt: async () => (isSetBack ? now : 0),
    }
  }
  const work = (id: string) => advanceExecution(desk.world.app, desk.world.workspace, id)

  it('is not sent again when the venue has it', async () => {
    const { exchange } = desk.world
    const lost = await buy()
    start()
    exchange.finds = [
      () => ({ lookup: 'found', report: report('FILLED', [fillFor('L1', '60000', '1')]) }),
    ]
    assert.equal((await desk.world.finish(lost.id)).state, 'DONE')
    assert.equal(exchange.sent.length, 0)
  })

  it('is not given up as too late before the venue has been asked', async () => {
    const { exchange, clock } = desk.world
    const lost = await buy()
    start()
    clock.advance(120_000)
    exchange.finds = [
      () => ({ lookup: 'found', report: report('FILLED', [fillFor('L2', '60000', '1')]) }),
    ]
    assert.equal((await desk.world.finish(lost.id)).state, 'DONE')
    desk.world.market()
    const given_up = await buy()
    start()
    clock.advance(120_000)
    exchange.finds = [() => ({ lookup: 'absent' })]
    assert.equal((await desk.world.finish(given_up.id)).state, 'FAILED')
    assert.equal(exchange.sent.length, 0)
  })

  /** What was sent over another one is not absent there. */
  const changeKey = (): void => {
    const { app } = desk.world
    const connect: typeof venues.connect = async (...of) => {
      const connected = await venues.connect(...of)
      const trading = mustExist(connected.adapter.trading, 'it trades')
      const find: typeof trading.find = async ({ sent_over }) =>
        sent_over === 'new' ? { lookup: 'absent' } : { lookup: 'unknown', reason: 'another key' }
      const adapter = { ...connected.adapter, connection: 'new', trading: { ...trading, find } }
      return { ...connected, adapter }
    }
    app.venues = { ...venues, connect }
  }

  it('is sent by a key that came with the start, but not if something may be lost', async () => {
    const { exchange } = desk.world
    const waiting = await buy()
    start()
    changeKey()
    exchange.sends = [desk.fills('60000')]
    assert.equal((await desk.world.finish(waiting.id)).state, 'DONE')
    assert.equal(exchange.sent.length, 1)
    desk.world.app.venues = venues
    desk.world.market()
    const lost = await buy()
    start({ isSetBack: true })
    changeKey()
    await work(lost.id)
    await work(lost.id)
    assert.equal((await desk.read(lost.id)).state, 'UNKNOWN')
    assert.equal(exchange.sent.length, 1)
    desk.world.app.venues = venues
    exchange.finds = [() => ({ lookup: 'absent' })]
    exchange.sends = [desk.fills('60000')]
    assert.equal((await desk.world.finish(lost.id)).state, 'DONE')
  })

  it('is sent once when the venue has nothing of it, and UNKNOWN while it cannot say', async () => {
    const { exchange } = desk.world
    const waiting = await buy()
    start()
    exchange.finds = [() => ({ lookup: 'unknown', reason: 'too early to say' })]
    await work(waiting.id)
    await work(waiting.id)
    assert.equal((await desk.read(waiting.id)).state, 'UNKNOWN')
    exchange.finds = [() => ({ lookup: 'absent' })]
    exchange.sends = [desk.fills('60000')]
    assert.equal((await desk.world.finish(waiting.id)).state, 'DONE')
    assert.equal(exchange.sent.length, 1)
  })

  it('is found under the same reference when it is planned again after a set-back', async () => {
    const { exchange } = desk.world
    const first = await buy()
    const { client_order_id } = (await desk.orders(first.id)).at(0) ?? {}
    start({ isSetBack: true })
    const asked: unknown[] = []
    exchange.finds = [
      (order) => {
        asked.push([order.client_order_id, order.sent_at])
        return { lookup: 'found', report: report('FILLED', [fillFor('L3', '60000', '1')]) }
      },
    ]
    assert.equal((await desk.world.finish(first.id)).state, 'DONE')
    assert.deepEqual(asked[0], [client_order_id, first.system_created_at])
    assert.equal(exchange.sent.length, 0)
  })
})
