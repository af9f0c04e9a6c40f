/** Stops that may have triggered in what the database has lost: their venue is asked first. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Customer } from '../../customers/index.ts'
import { testHistory } from '../../store/history.testing.ts'
import { sql } from '../../store/sql.ts'
import type { OrderLookup } from '../../venues/index.ts'
import { RESOLVE_AFTER_MILLISECONDS } from '../orders/deadlines.ts'
import { advanceExecution } from '../orders/orders.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import type { Execution } from './executions.schema.ts'
import { clientOrderId } from './rows.ts'
import { watchStops } from './stops.ts'

const EXPIRES_AFTER = 30_000

describe('a stop that may have triggered in what the database has lost', () => {
  let desk: Desk
  let alice: Customer
  let history: Desk['world']['app']['history']
  before(async () => {
    desk = await openDesk()
    history = desk.world.app.history
  })
  after(async () => {
    await desk.world.assertBooks()
    await desk.close()
  })
  beforeEach(async () => {
    desk.world.app.history = history
    desk.reset()
    alice = await desk.world.customer()
  })

  /** Waits in the backup, which is restored. */
  async function restoredStop(more: Record<string, unknown> = {}): Promise<Execution> {
    const { app, clock, market } = desk.world
    market()
    const stop = await desk.execute({
      execution_type: 'STOP_MARKET',
      stop_order_condition: 'STOP_LOSS',
      side: 'SELL',
      amount: '1',
      price: '58000',
      customers: [{ customer_id: alice.id }],
      ...more,
    })
    clock.advance(20_000)
    const now = clock.now()
    app.history = { ...history, lookUpBefore: async () => now, setBackAt: async () => now }
    return stop
  }
  const expiring = () => ({
    tif_mode: 'GTD',
    expires_at: desk.world.clock.now() + EXPIRES_AFTER,
  })
  async function expire(stop: Execution): Promise<Execution> {
    const { app, clock, workspace } = desk.world
    clock.advance(EXPIRES_AFTER)
    await watchStops(app, workspace)
    return desk.read(stop.id)
  }
  const asked: OrderLookup[] = []
  function hasSold(foreign_id: string): void {
    asked.length = 0
    desk.world.exchange.finds = [
      (lookup) => {
        asked.push(lookup)
        return { lookup: 'found', report: report('FILLED', [fillFor(foreign_id, '57990', '1')]) }
      },
    ]
  }
  const hasNothing = (): void => {
    desk.world.exchange.finds = [() => ({ lookup: 'absent' })]
  }
  const cannotSay = (): void => {
    desk.world.exchange.finds = [() => ({ lookup: 'unknown', reason: 'too early to say' })]
  }
  const work = (id: string) => advanceExecution(desk.world.app, desk.world.workspace, id)
  const nothingSent = () => assert.equal(desk.world.exchange.sent.length, 0)
  const bitcoin = async () => (await desk.world.balances(alice.account_id))['BTC']

  it('is sold when it is canceled, not released', async () => {
    const stop = await restoredStop()
    hasSold('S1')
    const canceled = await desk.cancel(stop.id)
    assert.deepEqual([canceled.state, await desk.held(stop.id)], ['CANCELING', ['BTC 1']])
    const { state, reason_code } = await desk.world.finish(stop.id)
    assert.deepEqual([state, reason_code], ['DONE', 'FILLED_BEFORE_CANCEL'])
    assert.deepEqual(
      asked.map(({ client_order_id, sent_at, sent_until }) => ({
        client_order_id,
        sent_at,
        sent_until,
      }))[0],
      {
        client_order_id: clientOrderId(stop, 0),
        sent_at: stop.system_created_at,
        sent_until: await desk.world.app.history.setBackAt(),
      },
    )
    assert.deepEqual([await bitcoin(), await desk.held(stop.id)], ['4', []])
    nothingSent()
  })

  it('is sold when it expires, not released', async () => {
    const stop = await restoredStop(expiring())
    hasSold('S2')
    assert.equal((await expire(stop)).state, 'UNKNOWN')
    assert.equal((await desk.world.finish(stop.id)).state, 'DONE')
    assert.deepEqual([await bitcoin(), await desk.held(stop.id)], ['4', []])
    nothingSent()
  })

  it('ends when its venue certainly has nothing of it', async () => {
    const [canceled, expired] = [await restoredStop(), await restoredStop(expiring())]
    hasNothing()
    await desk.cancel(canceled.id)
    await expire(expired)
    const ends = [await desk.world.finish(canceled.id), await desk.world.finish(expired.id)]
    assert.deepEqual(
      ends.map(({ state, reason_code }) => `${state} ${reason_code}`),
      ['CANCELED CANCELED_ON_REQUEST', 'EXPIRED EXPIRED'],
    )
    assert.deepEqual([await bitcoin(), await desk.held(canceled.id)], ['5', []])
    assert.deepEqual(await desk.held(expired.id), [])
    nothingSent()
  })

  it('stays blocked while its venue cannot say, until a person finds it out', async () => {
    const { clock } = desk.world
    const before = await desk.needs('executions_unknown')
    const [canceled, expired] = [await restoredStop(), await restoredStop(expiring())]
    cannotSay()
    await desk.cancel(canceled.id)
    await expire(expired)
    for (const { id } of [canceled, expired, canceled, expired]) await work(id)
    for (const { id } of [canceled, expired])
      assert.deepEqual([(await desk.read(id)).state, await desk.held(id)], ['UNKNOWN', ['BTC 1']])
    assert.equal(await desk.needs('executions_unknown'), (before ?? 0) + 2)
    clock.advance(RESOLVE_AFTER_MILLISECONDS)
    const resolved = await desk.api.call<Execution>('POST', `/executions/${canceled.id}/resolve`, {
      body: { state: 'NEVER_PLACED', evidence: 'their desk, by phone' },
    })
    assert.equal(resolved.data.state, 'CANCELED', resolved.text)
    assert.deepEqual(await desk.held(canceled.id), [])
    hasNothing()
    assert.equal((await desk.world.finish(expired.id)).state, 'EXPIRED')
    await desk.world.finish(canceled.id)
    nothingSent()
  })

  it('is found while it waits, when its venue is asked', async () => {
    const stop = await restoredStop()
    cannotSay()
    assert.notEqual(await work(stop.id), 'done')
    assert.equal((await desk.read(stop.id)).state, 'WAITING_FOR_TRIGGER')
    hasSold('S3')
    await work(stop.id)
    assert.equal((await desk.world.finish(stop.id)).state, 'DONE')
    assert.equal(await bitcoin(), '4')
    nothingSent()
  })

  it('waits and ends as any other once its venue had nothing of it', async () => {
    const { exchange, app, workspace } = desk.world
    const [canceled, triggered] = [await restoredStop(), await restoredStop()]
    hasNothing()
    for (const { id } of [canceled, triggered]) assert.equal(await work(id), 'done')
    exchange.finds = []
    assert.equal((await desk.cancel(canceled.id)).state, 'CANCELED')
    desk.world.market('58100×2', '58000×2')
    await watchStops(app, workspace)
    exchange.sends = [desk.fills('57990')]
    assert.equal((await desk.world.finish(triggered.id)).state, 'DONE')
    assert.equal(exchange.sent.length, 1)
  })

  it('is in doubt after every start of a worker that has no folder', async () => {
    const { app, clock, database, workspace } = desk.world
    const [canceled, triggered] = [await restoredStop(), await restoredStop()]
    const worker = testHistory(database.db, clock)
    await worker.start()
    try {
      // A process that only answers requests learns it from the database.
      app.history = history
      hasSold('S4')
      assert.equal((await desk.cancel(canceled.id)).state, 'CANCELING')
      app.history = worker
      desk.world.market('58100×2', '58000×2')
      await watchStops(app, workspace)
      assert.equal((await desk.world.finish(canceled.id)).state, 'DONE')
      hasSold('S5')
      assert.equal((await desk.world.finish(triggered.id)).state, 'DONE')
      nothingSent()
    } finally {
      await worker.close()
      await database.db.query(sql`
        update history
        set work_since = null, worked_at = null, unwatched_until = null`)
    }
  })
})
