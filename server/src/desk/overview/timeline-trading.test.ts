/**
 * The story of an execution: its quote, what it became, the order at the venue, its fills with
 * their bookings.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { tradingEndpoints } from '../../trading/index.ts'
import type { Execution, Quote } from '../../trading/index.ts'
import { fillFor, openWorld, report } from '../../trading/testing/trading.fixture.ts'
import type { World } from '../../trading/testing/trading.fixture.ts'
import { deskEndpoints } from '../index.ts'
import type { Overview } from './overview.schema.ts'
import type { Hit } from './search.schema.ts'
import type { Timeline } from './timeline.schema.ts'

let world: World
let api: TestServer
const permissions = new Set([
  'trading.quotes.read',
  'trading.quotes.create',
  'trading.executions.read',
  'trading.executions.create',
  'bookings.read',
  'accounts.read',
  'customers.read',
])

before(async () => {
  world = await openWorld()
  await world.database.db.query(sql`
      insert into venues (
        workspace, id, key, label, kind, settlement, state, config, system_created_at,
        system_updated_at
      )
      values (
        ${world.workspace}, ${world.venue_id}, 'exchange', 'Exchange', 'EXCHANGE', 'PREFUNDED',
        'CONNECTED', '{}', 0, 0
      )`)
  const venues = {
    connect: () => Promise.reject(new Error('no venue is asked')),
    list: async () => [],
  }
  const principal = {
    workspace: world.workspace,
    user_id: newId(),
    session_id: newId(),
    permissions,
  }
  api = await testServer({
    db: world.database.db,
    clock: world.clock,
    endpoints: [
      ...tradingEndpoints(world.app),
      ...deskEndpoints({ db: world.database.db, clock: world.clock, venues }),
    ],
    authenticate: async () => principal,
  })
})
after(async () => {
  await api.close()
  await world.close()
})

/** Quoted, executed and filled. */
async function trade(customer_id: string): Promise<Execution> {
  const quote = await api.call<Quote>('POST', '/price-stream/quotes', {
    body: {
      route_id: world.route.id,
      customer_id,
      request_asset: 'BTC',
      request_quantity: '1',
      request_side: 'BUY',
      execution_type: 'MARKET',
      risk_duration_ms: 0,
    },
  })
  assert.equal(quote.status, 200, quote.text)
  world.exchange.sends = [
    () => ({ outcome: 'accepted', report: report('FILLED', [fillFor('T1', '60000', '1')]) }),
  ]
  const made = await api.call<Execution>('POST', '/executions', {
    body: {
      route_id: world.route.id,
      quote_id: quote.data.id,
      amount: '1',
      side: 'BUY',
      execution_type: 'MARKET',
      client_ref: 'Desk-Order-1',
      customers: [{ customer_id }],
    },
  })
  assert.equal(made.status, 200, made.text)
  await world.finish(made.data.id)
  return made.data
}

describe('an execution on the desk', () => {
  let alice: Awaited<ReturnType<World['customer']>>
  let execution: Execution
  before(async () => {
    world.market()
    alice = await world.customer()
    execution = await trade(alice.id)
  })

  it('has a timeline from its quote to its fills', async () => {
    const {
      data: { steps },
    } = await api.call<Timeline>('GET', `/timeline/execution/${execution.id}`)
    const types = steps.map((step) => step.type)
    for (const type of [
      'quote.created',
      'execution.created',
      'order.sent',
      'execution.filled',
      'execution.done',
    ])
      assert.ok(types.includes(type), `${type} in ${types.join()}`)
    assert.equal(types[0], 'quote.created')
    assert.ok(types.indexOf('execution.created') < types.indexOf('execution.filled'))
    const booked = steps.filter((step) => step.bookings.length > 0)
    assert.deepEqual([...new Set(booked.map((step) => step.type))], ['execution.filled'])
    assert.ok(
      booked
        .flatMap((step) => step.bookings)
        .some(
          (booking) =>
            booking.type === 'EXECUTION' &&
            booking.legs.some((leg) => leg.account_id === alice.account_id),
        ),
    )
  })

  it('is found by its references and those of its order and fills', async () => {
    const { id, internal_ref } = execution
    for (const q of ['desk-order', 'Desk-Order-1', internal_ref.toLowerCase(), 'T1', 'OABC']) {
      const { data: hits } = await api.call<Hit[]>('GET', `/search?q=${q}`)
      assert.ok(
        hits.some((hit) => hit.id === id || hit.parent?.id === id),
        `${q}: ${JSON.stringify(hits)}`,
      )
    }
  })

  it('is counted in the overview', async () => {
    const { data: overview } = await api.call<Overview>('GET', '/overview')
    assert.deepEqual(
      overview.movements.executions?.map(({ symbol, side, count, amount, volume }) => ({
        symbol,
        side,
        count,
        amount,
        volume,
      })),
      [{ symbol: 'BTC/EUR', side: 'BUY', count: 1, amount: '1', volume: '60000' }],
    )
  })

  it("stands in its customer's timeline with its bookings", async () => {
    const { data } = await api.call<Timeline>('GET', `/timeline/customer/${alice.id}`)
    assert.ok(
      data.steps.some((step) => step.resource.id === execution.id && step.bookings.length > 0),
    )
  })
})
