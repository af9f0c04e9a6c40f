/** Orders whose venue cannot be talked to: they wait, and say why. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import type { Customer } from '../../customers/index.ts'
import { workerCaller } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import { isUnreachable, openVenues, putVenues } from '../../venues/index.ts'
import { HELD_LEASE } from '../../venues/lease/lease.testing.ts'
import type { DeclaredVenue, Venues } from '../../venues/index.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { advanceExecution } from './orders.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { Order } from '../executions/orders.schema.ts'
import type { Quote } from '../quotes/quotes.schema.ts'

const KEY = 'UNREACHED_TEST_KEY'
const EXCHANGE: DeclaredVenue = {
  key: 'exchange',
  label: 'Exchange',
  kind: 'EXCHANGE',
  options: { exchange: 'kraken' },
  secrets: { api_key: { env: KEY }, api_secret: { env: KEY } },
}

describe('an order whose venue cannot be talked to', () => {
  let desk: Desk
  let world: Desk['world']
  let venues: Venues
  let alice: Customer
  before(async () => {
    process.env[KEY] = 'none'
    desk = await openDesk()
    world = desk.world
    const {
      app,
      clock,
      workspace,
      venue_id,
      database: { db },
    } = world
    const { adapter } = await app.venues.connect(workspace, venue_id)
    await db.query(sql`
      insert into venues (
        workspace, id, key, label, kind, settlement, state, config, connected_at, system_created_at,
        system_updated_at
      )
      values (
        ${workspace}, ${venue_id}, 'exchange', 'Exchange', 'EXCHANGE', 'PREFUNDED', 'CONNECTED',
        '{"options": {}, "secrets": {}}', ${clock.now()}, ${clock.now()}, ${clock.now()}
      )`)
    venues = openVenues({
      db,
      log: { error: () => undefined },
      lease: HELD_LEASE,
      adapters: { EXCHANGE: async () => adapter },
    })
    app.venues = venues
  })
  after(async () => {
    await venues.close()
    await desk.close()
  })
  beforeEach(async () => {
    await configured({})
    desk.reset()
    alice = await world.customer()
  })

  /** As the configuration file declares the exchange; undefined: it no longer names it. */
  const configured = (more: Partial<DeclaredVenue> | undefined) =>
    world.database.db.tx((tx) =>
      putVenues(
        workerCaller(world.workspace, 'test'),
        tx,
        world.clock,
        more === undefined ? [] : [{ ...EXCHANGE, ...more }],
      ),
    )
  const execute = (more: Record<string, unknown>) =>
    desk.execute({
      execution_type: 'LIMIT',
      side: 'BUY',
      amount: '1',
      price: '50000',
      customers: [{ customer_id: alice.id }],
      ...more,
    })
  const work = (id: string) => advanceExecution(world.app, world.workspace, id)
  const order = async (id: string): Promise<Order | undefined> => (await desk.orders(id)).at(-1)
  const told = async (id: string) => {
    const { sent_at, state, reason_code, reason } = (await order(id)) ?? {}
    return [sent_at === null ? 'waits' : 'sent', state, reason_code, reason]
  }
  const stuck = async (flag: boolean) =>
    (await desk.api.call<Execution[]>('GET', `/executions?stuck=${flag}`)).data.map(
      (execution) => execution.id,
    )
  /** Sent, and resting at the exchange. */
  async function rest(): Promise<Execution> {
    const created = await execute({})
    world.exchange.sends = [() => ({ outcome: 'accepted', report: report('NEW', []) })]
    await work(created.id)
    return created
  }

  it('is none where only a service is stopped: what rests there goes on', async () => {
    const resting = await rest()
    await configured({ services: ['WOMS', 'PRICE_STREAM'] })
    world.exchange.finds = [() => ({ lookup: 'found', report: report('NEW', []) })]
    world.clock.advance(300_000)
    await work(resting.id)
    assert.deepEqual([await told(resting.id), await stuck(true)], [['sent', 'NEW', null, null], []])
    world.exchange.finds = [
      () => ({ lookup: 'found', report: report('FILLED', [fillFor('S1', '49000', '1')]) }),
    ]
    assert.equal((await world.finish(resting.id)).state, 'DONE')
  })

  it('that the configuration no longer names is stuck until it is named again', async () => {
    const { exchange, clock } = world
    const [resting, unsent] = [await rest(), await execute({})]
    clock.advance(300_000)
    assert.deepEqual([await stuck(true), await desk.needs('executions_stuck')], [[unsent.id], 1])
    await configured(undefined)
    const tryBoth = async () => {
      for (const { id } of [resting, unsent]) await assert.rejects(work(id), isUnreachable)
    }
    await tryBoth()
    const gone = 'venue Exchange is no longer configured'
    assert.deepEqual(
      [await told(resting.id), await told(unsent.id)],
      [
        ['sent', 'NEW', 'VENUE_UNREACHABLE', gone],
        ['waits', 'PENDING_NEW', 'VENUE_UNREACHABLE', gone],
      ],
    )
    assert.deepEqual(
      [
        new Set(await stuck(true)),
        await desk.needs('executions_stuck'),
        (await stuck(false)).includes(resting.id),
      ],
      [new Set([resting.id, unsent.id]), 2, false],
    )
    const before = [await order(resting.id), await order(unsent.id)]
    clock.advance(3_600_000)
    await tryBoth()
    assert.deepEqual([await order(resting.id), await order(unsent.id)], before)

    await configured({})
    exchange.finds = [() => ({ lookup: 'found', report: report('NEW', []) })]
    for (const { id } of [resting, unsent]) await work(id)
    assert.deepEqual(
      [await told(resting.id), await told(unsent.id), await stuck(true)],
      [['sent', 'NEW', null, null], ['sent', 'NEW', null, null], []],
    )
    for (const [index, { id }] of [resting, unsent].entries()) {
      exchange.finds = [
        () => ({ lookup: 'found', report: report('FILLED', [fillFor(`R${index}`, '49000', '1')]) }),
      ]
      assert.equal((await world.finish(id)).state, 'DONE')
    }
    await world.assertBooks()
  })

  it('without a connection says so and since when; a try writes nothing', async () => {
    const { exchange, clock } = world
    const quote = await desk.api.call<Quote>('POST', '/price-stream/quotes', {
      body: {
        route_id: world.route.id,
        request_asset: 'BTC',
        request_quantity: '1',
        risk_duration_ms: 10_000,
        customer_id: alice.id,
      },
    })
    const created = await execute({
      execution_type: 'MARKET',
      price: undefined,
      quote_id: quote.data.id,
    })
    exchange.sends = [
      () => ({
        outcome: 'refused',
        reason: 'the exchange does not accept connections',
        native: null,
        unreached: true,
      }),
      desk.fills('60000'),
    ]
    exchange.finds = [
      () => {
        throw new ApiError('VenueUnreachable', 'the exchange does not accept connections')
      },
    ]
    const since = clock.now()
    await work(created.id)
    const waiting = await order(created.id)
    assert.deepEqual(await told(created.id), [
      'waits',
      'PENDING_NEW',
      'VENUE_UNREACHABLE',
      'the exchange does not accept connections',
    ])
    for (let hour = 0; hour < 3; hour += 1) {
      clock.advance(3_600_000)
      assert.notEqual(await work(created.id), 'done')
    }
    assert.deepEqual(
      [await order(created.id), waiting?.system_updated_at, exchange.sent.length],
      [waiting, since, 1],
    )
    exchange.finds = [() => ({ lookup: 'absent' })]
    assert.equal((await world.finish(created.id)).state, 'DONE')
    assert.deepEqual(
      [await told(created.id), exchange.sent.length],
      [['sent', 'FILLED', null, null], 2],
    )
    await world.assertBooks()
  })
})
