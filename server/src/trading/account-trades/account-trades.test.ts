import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { manualClock } from '../../core/clock.ts'
import { decimal, format, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { bookingsOf, houseAccounts, venueAccounts } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { countedTradeKey } from '../../venues/index.ts'
import type { AccountTrade, Venue, VenueRecord } from '../../venues/index.ts'
import { readAccountTrades } from './account-trades.ts'
import { advanceExecution } from '../orders/orders.ts'
import { outsideBookings } from './bookings.ts'
import { fillFor, openWorld, report } from '../testing/trading.fixture.ts'
import type { World } from '../testing/trading.fixture.ts'
import { tradingEndpoints } from '../index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { Fill } from '../executions/fills.schema.ts'

const SOON = 2_000
const LATER = 10_000

describe('trades of the account', () => {
  let world: World
  let api: TestServer
  let venue: VenueRecord
  let service_id: string
  let trades: AccountTrade[]
  let asked: (string | null)[]
  let tellPrices: () => void
  const time = manualClock(Date.now())

  const fake: Venue = {
    kind: 'EXCHANGE',
    balances: async () => [],
    protocols: async () => [],
    close: async () => undefined,
    trading: {
      supports: () => true,
      send: async (order) => ({
        outcome: 'accepted',
        report: {
          ...report('FILLED', [fillFor(newId(), '60000', format(order.quantity))]),
          foreign_id: `O-${order.client_order_id}`,
        },
      }),
      find: async () => ({ lookup: 'unknown', reason: 'not asked for' }),
      cancel: async () => ({ outcome: 'unknown', reason: 'not asked for' }),
      trades: async (cursor) => {
        asked.push(cursor)
        return { trades, cursor: String(trades.length) }
      },
    },
    prices: {
      pairs: async () => [
        {
          base_asset: 'BTC',
          quote_asset: 'EUR',
          price_step: decimal('0.1'),
          amount_step: decimal('0.00000001'),
          min_amount: decimal('0.0001'),
          taker_fee: decimal('0.0026'),
        },
      ],
      watch: (_pairs, feed) => {
        const level = (price: string) => [{ price: decimal(price), quantity: decimal('5') }]
        tellPrices = () => {
          feed.book({
            base_asset: 'BTC',
            quote_asset: 'EUR',
            asks: level('60000'),
            bids: level('59990'),
            received_at: time.now(),
          })
        }
        tellPrices()
        return async () => undefined
      },
    },
  }

  before(async () => {
    trades = []
    world = await openWorld(fake, time)
    const listed = (await world.app.venues.list(world.workspace))[0]
    assert.ok(listed)
    venue = listed
    service_id = venue.services[0]?.id ?? ''
    const { db } = world.database
    const common = sql`${world.clock.now()}, 'test', ${world.clock.now()}, 'test'`
    await db.query(sql`
      insert into venues (
        workspace, id, key, label, kind, settlement, config, state, system_created_at,
        system_created_by, system_updated_at, system_updated_by
      )
      values (
        ${world.workspace}, ${venue.id}, 'exchange', 'Exchange', 'EXCHANGE', 'PREFUNDED', '{}',
        'CONNECTED', ${common}
      )`)
    for (const [id, type] of [
      [service_id, 'TOMS'],
      [newId(), 'WOMS'],
    ] as const) {
      await db.query(
        sql`
          insert into services (
            workspace, id, venue_id, type, state, system_created_at, system_created_by,
            system_updated_at, system_updated_by
          )
          values (${world.workspace}, ${id}, ${venue.id}, ${type}, 'RUNNING', ${common})`,
      )
    }
    await open('BTC')
    await open('EUR')
    const principal = {
      workspace: world.workspace,
      user_id: newId(),
      session_id: newId(),
      permissions: new Set(['trading.executions.read', 'trading.executions.create']),
    }
    api = await testServer({
      db,
      clock: world.clock,
      endpoints: tradingEndpoints(world.app),
      authenticate: async () => principal,
    })
  })
  after(async () => {
    await api.close()
    await world.close()
  })
  beforeEach(() => {
    trades = []
    asked = []
  })

  const open = (asset: string) =>
    world.database.db.query(
      sql`
        insert into venue_openings (workspace, venue_id, asset, quantity, opened_at)
        values (${world.workspace}, ${venue.id}, ${asset}, 0, ${world.clock.now()})`,
    )
  const observe = () => readAccountTrades({ app: world.app, venue, service_id })
  const outside = (more: Partial<AccountTrade> = {}): AccountTrade => ({
    ...fillFor(newId(), '60000', '0.5'),
    order_foreign_id: `O-${newId()}`,
    client_order_id: null,
    base_asset: 'BTC',
    quote_asset: 'EUR',
    side: 'BUY',
    ...more,
  })
  const known = async (query = '') =>
    (await api.call<Fill[]>('GET', `/toms/${service_id}/fills${query}`)).data
  const events = async (id: string) =>
    (
      await world.database.db.query<{ type: string }>(
        sql`
          select type
          from events
          where workspace = ${world.workspace}
            and data ->> 'foreign_id' = ${id}
          order by sequence`,
      )
    ).map((row) => row.type)
  /** What the venue's account and the house hold, as text. */
  const holdings = async () => {
    const { VENUE, TRADING } = await venueAccounts(world.database.db, world.workspace, venue.id)
    const { HOUSE, FEE } = await houseAccounts(world.database.db, world.workspace)
    return {
      venue: await world.balances(VENUE),
      trading: await world.balances(TRADING),
      house: await world.balances(HOUSE),
      fee: await world.balances(FEE),
    }
  }
  const change = async (work: () => Promise<unknown>) => {
    const [first] = [await holdings()]
    await work()
    const then = await holdings()
    const grown = (was: Record<string, string>, is: Record<string, string>) =>
      Object.fromEntries(
        [...new Set([...Object.keys(was), ...Object.keys(is)])]
          .toSorted()
          .map((asset) => [asset, format(decimal(is[asset] ?? '0') - decimal(was[asset] ?? '0'))])
          .filter(([, value]) => value !== '0'),
      )
    return {
      venue: grown(first.venue, then.venue),
      trading: grown(first.trading, then.trading),
      house: grown(first.house, then.house),
      fee: grown(first.fee, then.fee),
    }
  }

  it("made outside are booked with the house in the customer's place, once, and listed", async () => {
    const [bought, sold] = [
      outside(),
      outside({
        side: 'SELL',
        quantity: decimal('0.2'),
        volume: decimal('12000'),
        fee: decimal('31.2'),
      }),
    ]
    trades = [bought]
    assert.deepEqual(
      await change(async () => {
        assert.equal(await observe(), LATER)
      }),
      {
        venue: { BTC: '0.5', EUR: '-30078' },
        trading: {},
        house: { BTC: '0.5', EUR: '-30078' },
        fee: {},
      },
    )
    trades = [bought, sold]
    assert.deepEqual(await change(observe), {
      venue: { BTC: '-0.2', EUR: '11968.8' },
      trading: {},
      house: { BTC: '-0.2', EUR: '11968.8' },
      fee: {},
    })
    assert.deepEqual(await change(observe), { venue: {}, trading: {}, house: {}, fee: {} })
    assert.deepEqual(asked.slice(1), ['1', '2'])
    const [second, first] = await known()
    assert.deepEqual(
      [
        first?.foreign_id,
        first?.execution_id,
        first?.order_id,
        first?.hop_no,
        first?.settlement_state,
        first?.busted,
      ],
      [bought.foreign_id, null, null, null, 'SETTLED', false],
    )
    assert.deepEqual(
      [second?.side, second?.quantity, second?.volume, second?.fee],
      ['SELL', '0.2', '12000', '31.2'],
    )
    assert.deepEqual(
      (await bookingsOf(world.database.db, world.workspace, first?.id ?? '')).map(
        (booking) => `${booking.type} ${booking.asset}`,
      ),
      ['EXECUTION EUR', 'EXECUTION BTC', 'TRADING_FEE EUR', 'SETTLEMENT EUR', 'SETTLEMENT BTC'],
    )
    assert.deepEqual(await events(bought.foreign_id), ['fill.recorded'])
    await world.assertBooks()
  })

  it('are listed by time of execution; only a trading service has them', async () => {
    trades = [1_000, 2_000, 3_000].map((executed_at) => outside({ executed_at }))
    await observe()
    assert.deepEqual(
      (await known('?from=1970-01-01T00:00:02Z&to=1970-01-01T00:00:03Z')).map(
        (each) => each.executed_at,
      ),
      [2_000],
    )
    assert.equal((await known('?to=1970-01-01T00:00:03Z')).length, 2)
    const [transfers] = await world.database.db.query<{ id: string }>(
      sql`
        select id
        from services
        where workspace = ${world.workspace}
          and type = 'WOMS'`,
    )
    assert.equal(
      (await api.call('GET', `/toms/${transfers?.id}/fills`)).error_details?.[0]?.code,
      'UNSUPPORTED_BY_VENUE',
    )
    assert.equal((await api.call('GET', `/toms/${newId()}/fills`)).error_code, 4004)
  })

  it('taken back are reversed, once; taken back before they were seen they are nothing', async () => {
    const one = outside({ side: 'SELL' })
    assert.deepEqual(
      await change(async () => {
        trades = [one]
        await observe()
        trades = [{ ...one, busted: true }, outside({ busted: true })]
        await observe()
        await observe()
      }),
      { venue: {}, trading: {}, house: {}, fee: {} },
    )
    assert.equal((await known()).find((each) => each.foreign_id === one.foreign_id)?.busted, true)
    assert.deepEqual(await events(one.foreign_id), ['fill.recorded', 'fill.busted'])
    await world.assertBooks()
  })

  it('that the opening balance contains are left out, per asset', async () => {
    const [whole, half] = [outside(), outside()]
    const keys = [
      countedTradeKey('BTC', whole),
      countedTradeKey('EUR', whole),
      countedTradeKey('BTC', half),
    ]
    await world.database.db.query(
      sql`
        insert into opening_movements (workspace, venue_id, foreign_id)
        select ${world.workspace}::uuid, ${venue.id}::uuid, *
        from unnest(${keys}::text[])`,
    )
    trades = [whole, half]
    assert.deepEqual((await change(observe)).venue, { EUR: '-30078' })
    assert.equal(
      (await known()).some((each) => each.foreign_id === whole.foreign_id),
      false,
    )
  })

  it('wait for the opening of their assets; an asset that is not configured is not in the books', async () => {
    trades = [
      outside({
        base_asset: 'ETH',
        price: decimal('2400'),
        volume: decimal('1200'),
        fee: decimal('3.12'),
      }),
      outside({
        base_asset: 'SOL',
        price: decimal('100'),
        volume: decimal('50'),
        fee: decimal('0.13'),
      }),
    ]
    assert.deepEqual(
      await change(async () => {
        assert.equal(await observe(), SOON)
      }),
      { venue: { EUR: '-50.13' }, trading: {}, house: { EUR: '-50.13' }, fee: {} },
    )
    await open('ETH')
    assert.deepEqual(
      (
        await change(async () => {
          assert.equal(await observe(), LATER)
        })
      ).venue,
      { ETH: '0.5', EUR: '-1203.12' },
    )
    assert.equal(asked[0], asked[1])
  })

  it('of an order of ours are told by its own task, and after its end booked to its customer', async () => {
    const alice = await world.customer()
    tellPrices()
    const { data: created } = await api.call<Execution>('POST', '/executions', {
      body: {
        route_id: world.route.id,
        amount: '0.1',
        side: 'BUY',
        execution_type: 'MARKET',
        customers: [{ customer_id: alice.id }],
      },
    })
    const [order] = await world.database.db.query<{ id: string; client_order_id: string }>(
      sql`
        select id, client_order_id
        from execution_orders
        where workspace = ${world.workspace}
          and execution_id = ${created.id}`,
    )
    const late = outside({
      client_order_id: order?.client_order_id ?? '',
      order_foreign_id: `O-${order?.client_order_id}`,
      ...fillFor('LATE', '60000', '0.01'),
    })
    trades = [late]
    await observe()
    assert.equal(
      (await known()).some((each) => each.foreign_id === 'LATE'),
      false,
    )
    assert.equal((await world.finish(created.id)).state, 'DONE')
    await observe()
    await observe()
    const stored = (await known()).filter((each) => each.foreign_id === 'LATE')
    assert.deepEqual(
      stored.map((each) => [each.execution_id, each.order_id]),
      [[created.id, order?.id]],
    )
    assert.equal((await world.balances(alice.account_id))['BTC'], '5.11')
    trades = [{ ...late, busted: true }]
    await observe()
    assert.equal((await world.balances(alice.account_id))['BTC'], '5.1')
    await world.assertBooks()
  })

  it('of an order that its own task ends in the same moment are read again', async () => {
    const { app, clock, workspace } = world
    const alice = await world.customer()
    const { trading } = fake
    assert.ok(trading)
    const { send, find } = trading
    const rested = (state: 'NEW' | 'FILLED', ...fills: ReturnType<typeof fillFor>[]) => ({
      ...report(state, fills),
      foreign_id: 'O-RESTS',
    })
    const one = fillFor('MEANWHILE', '59000', '0.1')
    trading.send = async () => ({ outcome: 'accepted', report: rested('NEW') })
    tellPrices()
    trading.find = async () => ({ lookup: 'found', report: rested('FILLED', one) })
    const { data: created } = await api.call<Execution>('POST', '/executions', {
      body: {
        route_id: world.route.id,
        amount: '0.1',
        side: 'BUY',
        execution_type: 'LIMIT',
        price: '59900',
        customers: [{ customer_id: alice.id }],
      },
    })
    await advanceExecution(app, workspace, created.id)
    const [order] = await world.database.db.query<{ client_order_id: string }>(
      sql`
        select client_order_id
        from execution_orders
        where workspace = ${workspace}
          and execution_id = ${created.id}`,
    )
    clock.advance(61_000)
    trades = [
      outside({
        ...one,
        client_order_id: order?.client_order_id ?? '',
        order_foreign_id: 'O-RESTS',
      }),
    ]
    let first = true
    const busy: typeof app = {
      ...app,
      lane: {
        ...app.lane,
        commit: async (change) => {
          if (first) [first] = [false, await advanceExecution(app, workspace, created.id)]
          return app.lane.commit(change)
        },
      },
    }
    assert.equal(await readAccountTrades({ app: busy, venue, service_id }), SOON)
    Object.assign(trading, { send, find })
    assert.equal(await observe(), LATER)
    assert.equal((await world.balances(alice.account_id))['BTC'], '5.1')
    await world.assertBooks()
  })
})

describe('the bookings of an outside trade', () => {
  const accounts = { HOUSE: 'HOUSE', FEE: 'FEE', TRADING: 'TRADING', VENUE: 'VENUE' }
  const anyAmount = fc.bigInt({ min: 1n, max: 10n ** 15n }).map((each) => each * unitOf(10))

  it('balance, move at the venue what the venue says, and leave TRADING and FEE as they were', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL'),
        anyAmount,
        anyAmount,
        fc.oneof(fc.constant(0n), anyAmount),
        fc.constantFrom('BTC', 'EUR', 'BNB'),
        fc.boolean(),
        (side, quantity, volume, fee, fee_asset, prefunded) => {
          const trade = {
            base_asset: 'BTC',
            quote_asset: 'EUR',
            side,
            quantity,
            volume,
            fee,
            fee_asset,
          }
          const effect = new Map<string, Decimal>()
          for (const booking of outsideBookings(
            'fill',
            trade,
            accounts,
            prefunded,
            new Set(['BTC', 'EUR', 'BNB']),
          )) {
            let sum = 0n
            assert.ok(booking.legs.length >= 2)
            for (const leg of booking.legs) {
              assert.ok(leg.quantity > 0n)
              const credit = leg.type === 'CREDIT' ? leg.quantity : -leg.quantity
              sum += credit
              const key = `${leg.account_id} ${booking.asset}`
              effect.set(key, (effect.get(key) ?? 0n) + credit)
            }
            assert.equal(sum, 0n)
          }
          const sign = side === 'BUY' ? 1n : -1n
          for (const [asset, moved] of [
            ['BTC', sign * quantity],
            ['EUR', -sign * volume],
            ['BNB', 0n],
          ] as const) {
            const net = moved - (asset === fee_asset ? fee : 0n)
            assert.equal(effect.get(`HOUSE ${asset}`) ?? 0n, net)
            assert.equal(-(effect.get(`VENUE ${asset}`) ?? 0n), prefunded ? net : 0n)
            assert.equal(effect.get(`TRADING ${asset}`) ?? 0n, prefunded ? 0n : -net)
            assert.equal(effect.get(`FEE ${asset}`) ?? 0n, 0n)
          }
        },
      ),
    )
  })
})
