import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { putHalt } from '../ledger/index.ts'
import { tradingEndpoints } from '../trading/index.ts'
import { advanceExecution } from '../trading/orders/orders.ts'
import { fillFor, openWorld, report } from '../trading/testing/trading.fixture.ts'
import type { World } from '../trading/testing/trading.fixture.ts'

describe('halts on trading', () => {
  let world: World
  let api: TestServer
  let customer_id: string
  before(async () => {
    world = await openWorld()
    const principal = {
      workspace: world.workspace,
      user_id: newId(),
      session_id: newId(),
      permissions: new Set(['trading.quotes.create', 'trading.executions.create']),
    }
    api = await testServer({
      db: world.database.db,
      clock: world.clock,
      endpoints: tradingEndpoints(world.app),
      authenticate: async () => principal,
    })
    world.market()
    customer_id = (await world.customer()).id
  })
  after(async () => {
    await api.close()
    await world.close()
  })

  const quote = () =>
    api.call('POST', '/price-stream/quotes', {
      body: {
        route_id: world.route.id,
        request_asset: 'BTC',
        request_quantity: '1.5',
        risk_duration_ms: 10_000,
        customer_id,
      },
    })
  const execute = () =>
    api.call<{ id: string }>('POST', '/executions', {
      body: {
        route_id: world.route.id,
        amount: '1.5',
        side: 'BUY',
        execution_type: 'MARKET',
        customers: [{ customer_id }],
      },
    })
  const advance = (id: string) => advanceExecution(world.app, world.workspace, id)
  const halt = (scope: Record<string, string>, halted: boolean) =>
    world.database.db.tx((tx) =>
      putHalt(
        { workspace: world.workspace, by: 'test' },
        { tx, clock: world.clock },
        { action: 'TRADING', halted, reason: 'drill', ...scope },
      ),
    )

  it('refuse quotes and executions where they are set', async () => {
    for (const scope of [
      {},
      { venue_id: world.venue_id },
      { asset: 'EUR' },
      { asset: 'BTC', venue_id: world.venue_id },
    ]) {
      await halt(scope, true)
      const [quoted, executed] = [await quote(), await execute()]
      assert.deepEqual(
        { quote: quoted.error_details?.[0]?.code, execution: executed.error_details?.[0]?.code },
        { quote: 'HALTED', execution: 'HALTED' },
        JSON.stringify(scope),
      )
      await halt(scope, false)
    }
    await halt({ asset: 'ETH' }, true)
    const [quoted, executed] = [await quote(), await execute()]
    assert.deepEqual(
      { quote: quoted.status, execution: executed.status },
      { quote: 200, execution: 200 },
    )
  })

  it('hold back what was accepted, and book the fills of what is out already', async () => {
    const { exchange } = world
    const out = await execute()
    assert.equal(out.status, 200, out.text)
    exchange.sends = [() => ({ outcome: 'accepted', report: report('NEW', []) })]
    await advance(out.data.id)
    const kept = await execute()
    await halt({}, true)
    exchange.finds = [
      () => ({ lookup: 'found', report: report('FILLED', [fillFor('T1', '60000', '1.5')]) }),
    ]
    assert.equal((await world.finish(out.data.id)).state, 'DONE')
    await advance(kept.data.id)
    assert.equal(exchange.sent.length, 1)
    await halt({}, false)
    exchange.sends = [
      () => ({ outcome: 'accepted', report: report('FILLED', [fillFor('T2', '60000', '1.5')]) }),
    ]
    await advance(kept.data.id)
    assert.equal(exchange.sent.length, 2)
  })
})
