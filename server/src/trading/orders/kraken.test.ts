import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type { Customer } from '../../customers/index.ts'
import { marketState } from '../../market-data/index.ts'
import { startSandbox } from '../../venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../../venues/sandbox-process.testing.ts'
import type { Venue } from '../../venues/index.ts'
import { executionById } from '../executions/rows.ts'
import { createExecution } from '../executions/executions.ts'
import { openKraken } from '../testing/kraken.fixture.ts'
import { assertAgreement } from '../testing/sandbox-exchange.testing.ts'
import { runWorker } from '../testing/worker-process.testing.ts'
import { advanceExecution } from './orders.ts'
import { createQuote } from '../quotes/quotes.ts'
import { openWorld, priced } from '../testing/trading.fixture.ts'
import type { World } from '../testing/trading.fixture.ts'
import type { Execution } from '../executions/executions.schema.ts'

const BTC = { base_asset: 'BTC', quote_asset: 'EUR' }
const AGAIN_MILLISECONDS = 20_000
const FINISH_MILLISECONDS = 180_000

type Keys = { api_key: string; api_secret: string }

describe('executions at a simulated Kraken', () => {
  let sandbox: SandboxProcess
  let kraken: Venue
  let world: World
  let alice: Customer

  before(async () => {
    sandbox = await startSandbox()
    const keys = JSON.parse(await sandbox.credential('kraken.json')) as Keys
    kraken = await openKraken({ sandbox_url: sandbox.url, ...keys })
    world = await openWorld(kraken)
    alice = await world.customer()
    await until(
      'a fresh book',
      () => marketState(world.app.prices.market(world.venue_id, BTC), world.clock.now()) === 'UP',
    )
  })
  after(async () => {
    await world.close()
    await kraken.close()
    await sandbox.stop()
  })

  /** Runs the task for real until it is done. */
  async function finish(id: string): Promise<Execution> {
    const deadline = Date.now() + FINISH_MILLISECONDS
    for (;;) {
      const result = await advanceExecution(world.app, world.workspace, id)
      if (result === 'done') return executionById(world.database.db, world.workspace, id)
      assert.ok(Date.now() < deadline, 'the execution ends in time')
      await pause(Math.max(0, Math.min(1_000, result.again_at - world.clock.now())))
    }
  }
  const execute = (more: Record<string, unknown> = {}) =>
    priced(() =>
      createExecution(world.caller, world.app, {
        route_id: world.route.id,
        amount: '0.01',
        side: 'BUY',
        execution_type: 'MARKET',
        customers: [{ customer_id: alice.id }],
        ...more,
      } as never),
    )
  const agree = (work: () => Promise<Execution[]>) =>
    assertAgreement({ adapter: kraken, world }, work)
  const sentFor = async (id: string) => {
    const [order] = await world.database.db.query<{ client_order_id: string }>({
      strings: ['select client_order_id from execution_orders where execution_id = ', ''],
      values: [id],
    })
    return sandbox.received('kraken', 'AddOrder', order?.client_order_id)
  }

  it('a firm quote, then its execution', () =>
    agree(async () => {
      const quote = await priced(() =>
        createQuote(world.caller, world.app, {
          route_id: world.route.id,
          request_asset: 'BTC',
          request_quantity: '0.25',
          risk_duration_ms: 60_000,
          customer_id: alice.id,
        }),
      )
      assert.equal(quote.buy.complete, true)
      const done = await finish((await execute({ amount: '0.25', quote_id: quote.id })).id)
      assert.deepEqual(
        [done.state, done.customers[0]?.filled_volume, done.filled_amount],
        ['DONE', quote.buy.volume, '0.25'],
      )
      return [done]
    }))

  it('without a quote, both ways', () =>
    agree(async () => {
      const ends: Execution[] = []
      for (const side of ['BUY', 'SELL']) {
        const done = await finish((await execute({ side, amount: '0.12345' })).id)
        assert.deepEqual([done.state, done.filled_amount], ['DONE', '0.12345'])
        ends.push(done)
      }
      return ends
    }))

  it('refused by the exchange', () =>
    agree(async () => {
      await sandbox.fault('kraken', 'AddOrder', 'REFUSE', { remaining: -1 })
      const failed = await finish((await execute()).id)
      await sandbox.control('DELETE', 'faults')
      assert.deepEqual([failed.state, failed.reason_code], ['FAILED', 'REFUSED_BY_VENUE'])
      return [failed]
    }))

  it('an answer that never comes: UNKNOWN, found, booked, sent once', () =>
    agree(async () => {
      await sandbox.fault('kraken', 'AddOrder', 'TIMEOUT_AFTER_ACCEPT')
      const { id } = await execute()
      await until('nobody knows', async () => {
        assert.notEqual(await advanceExecution(world.app, world.workspace, id), 'done')
        return (await executionById(world.database.db, world.workspace, id)).state === 'UNKNOWN'
      })
      const done = await finish(id)
      assert.deepEqual([done.state, await sentFor(id)], ['DONE', 1])
      return [done]
    }))

  describe('killed at any point, another process ends it', () => {
    /** Point of death, and how often the order arrived before it. */
    const points: [string, number, string | undefined][] = [
      ['execution.intent.before', 0, undefined],
      ['execution.intent.after', 0, undefined],
      ['execution.send.before', 0, undefined],
      ['execution.send.after', 1, undefined],
      ['execution.record.before', 1, undefined],
      ['execution.record.after', 1, undefined],
      ['execution.find.before', 1, 'TIMEOUT_AFTER_ACCEPT'],
      ['execution.find.after', 1, 'TIMEOUT_AFTER_ACCEPT'],
      ['execution.found.before', 1, 'TIMEOUT_AFTER_ACCEPT'],
      ['execution.found.after', 1, 'TIMEOUT_AFTER_ACCEPT'],
    ]
    for (const [point, arrived, fault] of points) {
      it(point, () =>
        agree(async () => {
          const { id } = await execute({ client_ref: newId() })
          if (fault !== undefined) await sandbox.fault('kraken', 'AddOrder', 'TIMEOUT_AFTER_ACCEPT')
          assert.equal(await runWorker({ sandbox, world }, id, { failpoint: point }), 'SIGKILL')
          assert.equal(await sentFor(id), arrived)
          assert.equal(await runWorker({ sandbox, world }, id, { ahead_ms: AGAIN_MILLISECONDS }), 0)
          const done = await executionById(world.database.db, world.workspace, id)
          assert.deepEqual([done.state, done.filled_amount, await sentFor(id)], ['DONE', '0.01', 1])
          return [done]
        }),
      )
    }
  })
})
