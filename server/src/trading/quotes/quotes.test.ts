import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { workerCaller } from '../../http/index.ts'
import { DEFAULT_SETTINGS, putSettings } from '../../access/index.ts'
import { putHalt } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { refusal, ROUTES, START } from '../testing/pricing-world.fixture.ts'
import type { PricingWorld } from '../testing/pricing-world.fixture.ts'
import { createQuote, hasQuotes, quoteById } from './quotes.ts'
import { QuoteDesk } from './quotes.testing.ts'
import type { CreateQuoteBody, QuoteSide } from './quotes.schema.ts'
import type { DeclaredPriceRoute } from '../routes/routes.schema.ts'

let desk: QuoteDesk
let world: PricingWorld
before(async () => {
  desk = await QuoteDesk.open()
  world = desk.world
})
after(() => desk.close())
beforeEach(() => desk.reset())

const show = ({ amount, volume, available_amount, complete }: QuoteSide) => ({
  amount,
  volume,
  available: available_amount,
  complete,
})

it('what a quote stands on counts from the next quote on', async () => {
  const {
    app: { db },
    clock,
    workspace,
  } = world
  const margin = async () => (await desk.ask('north')).margin
  const bob = await world.customer()
  const marginOf = async (customer_id: string) => (await desk.ask('north', { customer_id })).margin
  assert.equal(await marginOf(bob.id), '0.005')
  await db.query(sql`
    update customers
    set margin = 'PREMIUM'
    where id = ${bob.id}`)
  assert.equal(await marginOf(bob.id), '0.001')
  await world.declare(
    Object.values({ ...ROUTES, north: { ...ROUTES.north, margin: { PREMIUM: '0.002' } } }),
  )
  assert.equal(await marginOf(bob.id), '0.002')
  await db.query(sql`
    update customers
    set state = 'DELETED'
    where id = ${bob.id}`)
  assert.deepEqual(await refusal(marginOf(bob.id)), { code: 'NOT_ACTIVE', path: 'customer_id' })
  await db.tx((tx) =>
    putSettings(workerCaller(workspace, 'test'), tx, clock, {
      margins: { ...DEFAULT_SETTINGS.margins, DEFAULT: '0.0075' },
    }),
  )
  assert.equal(await margin(), '0.0075')
  const halt = (halted: boolean) =>
    db.tx((tx) =>
      putHalt(
        { workspace, by: desk.alice.id },
        { tx, clock },
        { action: 'TRADING', halted, asset: 'BTC', reason: 'test' },
      ),
    )
  await halt(true)
  assert.deepEqual(await refusal(margin()), { code: 'HALTED', path: '' })
  await halt(false)
  await world.declare(Object.values({ ...ROUTES, north: { ...ROUTES.north, active: false } }))
  assert.deepEqual(await refusal(margin()), { code: 'NOT_ACTIVE', path: 'route_id' })
  await world.declare(Object.values(ROUTES))
  await db.tx((tx) =>
    putSettings(workerCaller(workspace, 'test'), tx, clock, { margins: DEFAULT_SETTINGS.margins }),
  )
  assert.equal(await margin(), '0.005')
})

it('a quote takes one statement while what it stands on holds', async () => {
  const { app, workspace } = world
  let statements = 0
  const db: typeof app.db = {
    ...app.db,
    query(query) {
      statements += 1
      return app.db.query(query)
    },
  }
  const { id } = await world.routeOf('north')
  const counted = async () => {
    statements = 0
    await createQuote(
      workerCaller(workspace, 'test'),
      { ...app, db },
      {
        route_id: id,
        request_asset: 'BTC',
        request_quantity: '1',
        risk_duration_ms: 10_000,
        customer_id: desk.alice.id,
      },
    )
    return statements
  }
  await counted()
  assert.equal(await counted(), 1)
  await app.db.query(sql`
    update customers
    set label = label
    where id = ${desk.alice.id}`)
  assert.deepEqual([await counted(), await counted()], [3, 1])
})

it('a quote of one key is answered once, also when it would be refused by now', async () => {
  const { id } = await world.routeOf('north')
  const keyed = (request: string) =>
    createQuote(
      {
        workspace: world.workspace,
        by: 'test',
        idempotency: { key: 'one', request_hash: Buffer.from(request) },
      },
      world.app,
      {
        route_id: id,
        request_asset: 'BTC',
        request_quantity: '1',
        risk_duration_ms: 10_000,
        customer_id: desk.alice.id,
      },
    )
  const first = await keyed('this')
  assert.deepEqual(await keyed('this'), first)
  world.lost('north', 'BTC/EUR', 'closed')
  assert.deepEqual(await refusal(desk.ask('north')), { code: 'STALE_PRICE', path: 'route_id' })
  assert.deepEqual(await keyed('this'), first)
  await assert.rejects(keyed('that'), { kind: 'IdempotencyConflict' })
})

it('a customer has quotes until their time is over', async () => {
  const bob = await world.customer()
  const has = () => hasQuotes(world.clock)(world.app.db, world.workspace, bob.id)
  assert.equal(await has(), false)
  const { expires_at } = await desk.ask('north', { customer_id: bob.id })
  const now = world.clock.now()
  assert.equal(await has(), true)
  world.clock.set(expires_at)
  assert.equal(await has(), false)
  world.clock.set(now)
})

describe('a quote', () => {
  it('offers nothing on a side that does not reach the least amount of the route', async () => {
    const sides = async (more: Partial<CreateQuoteBody>) => {
      const { buy, sell } = await desk.ask('north', more)
      return { buy: show(buy), sell: show(sell) }
    }
    const nothing = { amount: '0', volume: '0', available: '0', complete: false }
    // With the parts of its price 60.3 EUR buy 0.00099 BTC, of which 0.001 is the least, and need
    // 0.00102 to be sold.
    assert.deepEqual(
      await sides({ request_asset: 'EUR', request_quantity: '60.3', risk_duration_ms: 0 }),
      {
        buy: { ...nothing, available: '3' },
        sell: { amount: '0.00102', volume: '60.3', available: '3', complete: true },
      },
    )
    assert.deepEqual(
      await refusal(desk.ask('north', { request_asset: 'EUR', request_quantity: '50' })),
      { code: 'BELOW_MINIMUM', path: 'request_quantity' },
    )
    world.market('north', 'BTC/EUR', '60000×0.0005', '59990×1')
    const free = { margin: '0', risk_duration_ms: 0 } as const
    assert.deepEqual(await sides({ ...free, request_quantity: '0.001' }), {
      buy: nothing,
      sell: { amount: '0.001', volume: '59.83', available: '1', complete: true },
    })
    const volume = await sides({ ...free, request_asset: 'EUR', request_quantity: '1000' })
    assert.deepEqual(volume.buy, nothing)
    const dear = await sides({ margin: '0.9999' })
    assert.deepEqual(dear.sell, nothing, 'margin and risk are more than a sale brings')
  })

  it('far from the reference is refused', async () => {
    world.market('north', 'ETH/BTC', '0.02×10', '0.0199×10')
    assert.deepEqual(await refusal(desk.ask('across')), { code: 'STALE_PRICE', path: 'route_id' })
  })

  it('holds its price for each of the four durations, the risk by the root of time', async () => {
    // Two hours of 10 s: a steady market with a jump of 0.1 % every now and then.
    for (let bucket = 0; bucket <= 720; bucket += 1) {
      world.clock.set(START + 1_000_000 + bucket * 10_000)
      const up = bucket % 20 === 0
      world.market('north', 'BTC/EUR', up ? '60060×3' : '60000×3', up ? '60050×3' : '59990×3')
      world.market('south', 'BTC/EUR', '60000×3', '59990×3')
      world.market(
        'north',
        'ETH/BTC',
        up ? '0.04004×10' : '0.04×10',
        up ? '0.04003×10' : '0.03999×10',
      )
      world.market('north', 'ETH/EUR', '2402×10', '2398×10')
    }
    const shown = async (key: 'north' | 'across') =>
      Promise.all(
        ([0, 10_000, 30_000, 60_000] as const).map(async (risk_duration_ms) => {
          const { risk, risk_source, firm, expires_at, created_at } = await desk.ask(key, {
            risk_duration_ms,
          })
          return { risk, risk_source, firm, kept: expires_at - created_at }
        }),
      )
    assert.deepEqual(await shown('north'), [
      { risk: '0', risk_source: 'NONE', firm: false, kept: 5_000 },
      { risk: '0.00100009', risk_source: 'OBSERVED', firm: true, kept: 10_000 },
      { risk: '0.0017322', risk_source: 'OBSERVED', firm: true, kept: 30_000 },
      { risk: '0.0024497', risk_source: 'OBSERVED', firm: true, kept: 60_000 },
    ])
    // The second hop did not move: its shortfall adds nothing.
    const [, ten] = await shown('across')
    assert.deepEqual(
      { risk: ten?.risk, risk_source: ten?.risk_source },
      { risk: '0.00100013', risk_source: 'OBSERVED' },
    )
  })

  it('of a route that trades something else from now on is canceled', async () => {
    const [kept, gone] = [
      await desk.ask('north'),
      await desk.ask('direct', { request_asset: 'EUR', request_quantity: '1000' }),
    ]
    const other: DeclaredPriceRoute = {
      ...ROUTES.direct,
      base_asset: 'BTC',
      hops: ROUTES.north.hops,
    }
    await world.declare([ROUTES.north, ROUTES.south, ROUTES.across, other])
    const states = await Promise.all(
      [kept, gone].map(
        async ({ id }) => (await quoteById(world.app.db, world.workspace, id)).state,
      ),
    )
    assert.deepEqual(states, ['ACTIVE', 'CANCELED'])
    await world.declare(Object.values(ROUTES))
  })

  it('of a route that is switched off is canceled, and of no other', async () => {
    const [kept, gone] = [await desk.ask('north'), await desk.ask('across')]
    await world.declare([ROUTES.north, ROUTES.south, ROUTES.direct])
    const states = await Promise.all(
      [kept, gone].map(
        async ({ id }) => (await quoteById(world.app.db, world.workspace, id)).state,
      ),
    )
    assert.deepEqual(states, ['ACTIVE', 'CANCELED'])
    assert.deepEqual(await refusal(desk.ask('across')), { code: 'NOT_ACTIVE', path: 'route_id' })
    await world.declare(Object.values(ROUTES))
    assert.equal((await quoteById(world.app.db, world.workspace, gone.id)).state, 'CANCELED')
  })
})
