import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { bookingsOf, holdsOf, houseAccounts } from '../../ledger/index.ts'
import type { Customer } from '../../customers/index.ts'
import { sql } from '../../store/sql.ts'
import { executionById } from './rows.ts'
import { fillFor, openWorld, report } from '../testing/trading.fixture.ts'
import type { World } from '../testing/trading.fixture.ts'
import { tradingEndpoints } from '../index.ts'
import type { Execution } from './executions.schema.ts'
import type { Fill } from './fills.schema.ts'
import type { Order } from './orders.schema.ts'
import type { PriceRoute } from '../routes/routes.schema.ts'
import type { Quote } from '../quotes/quotes.schema.ts'
import { expireQuotes } from '../quotes/quotes.ts'

describe('trading', () => {
  let world: World
  let api: TestServer
  let alice: Customer

  before(async () => {
    world = await openWorld()
    const principal = {
      workspace: world.workspace,
      user_id: newId(),
      session_id: newId(),
      permissions: new Set([
        'trading.routes.read',
        'trading.quotes.read',
        'trading.quotes.create',
        'trading.executions.read',
        'trading.executions.create',
      ]),
    }
    api = await testServer({
      db: world.database.db,
      clock: world.clock,
      endpoints: tradingEndpoints(world.app),
      authenticate: async () => principal,
    })
  })
  after(async () => {
    await api.close()
    await world.close()
  })
  beforeEach(async () => {
    world.exchange.sends = []
    world.exchange.finds = []
    world.exchange.sent = []
    world.exchange.settlement = 'PREFUNDED'
    world.exchange.pair.taker_fee = decimal('0.0026')
    world.market()
    alice = await world.customer()
  })

  const body = (more: Record<string, unknown> = {}) => ({
    route_id: world.route.id,
    amount: '1.5',
    side: 'BUY',
    execution_type: 'MARKET',
    customers: [{ customer_id: alice.id }],
    ...more,
  })
  const execute = async (
    more: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) => {
    const answer = await api.call<Execution>('POST', '/executions', { body: body(more), headers })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const refused = async (url: string, given: unknown) => {
    const answer = await api.call('POST', url, { body: given })
    return [
      answer.status,
      answer.error_code,
      answer.error_details?.[0]?.code,
      answer.error_details?.[0]?.path,
    ]
  }
  const quote = async (more: Record<string, unknown> = {}) => {
    const answer = await api.call<Quote>('POST', '/price-stream/quotes', {
      body: {
        route_id: world.route.id,
        request_asset: 'BTC',
        request_quantity: '1.5',
        risk_duration_ms: 10_000,
        customer_id: alice.id,
        ...more,
      },
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const bookings = async (id: string) =>
    (await bookingsOf(world.database.db, world.workspace, id)).map(
      (booking) =>
        `${booking.type} ${booking.asset}: ${booking.legs.map((leg) => `${leg.type === 'DEBIT' ? 'D' : 'C'} ${leg.account_label} ${leg.quantity}`).join(', ')}`,
    )
  const openHolds = async (id: string) =>
    (await holdsOf(world.database.db, world.workspace, id))
      .filter((hold) => hold.state === 'OPEN')
      .map((hold) => `${hold.asset} ${format(hold.remaining)}`)
  const full = () => {
    world.exchange.sends = [
      (order) => ({
        outcome: 'accepted',
        report: report('FILLED', [fillFor(newId(), '60000', format(order.quantity))]),
      }),
    ]
  }

  describe('price-stream routes', () => {
    it('are listed with the state of their prices', async () => {
      const states = []
      for (const advance of [0, 5_000, 1]) {
        world.clock.advance(advance)
        states.push(
          (await api.call<PriceRoute[]>('GET', '/price-stream/routes')).data.find(
            (each) => each.id === world.route.id,
          )?.state,
        )
      }
      world.exchange.feed().lost('BTC', 'EUR', 'closed')
      states.push(
        (await api.call<PriceRoute[]>('GET', '/price-stream/routes')).data.find(
          (each) => each.id === world.route.id,
        )?.state,
      )
      assert.deepEqual(states, ['UP', 'UP', 'STALE', 'DOWN'])
    })
  })

  describe('quotes', () => {
    it('carry both sides by the depth, with fee, risk and margin', async () => {
      const { buy, sell, ...rest } = await quote()
      assert.deepEqual(
        [
          rest.state,
          rest.firm,
          rest.risk,
          rest.risk_source,
          rest.margin,
          rest.expires_at - rest.created_at,
        ],
        ['ACTIVE', true, '0.001', 'CONFIGURED', '0.005', 10_000],
      )
      assert.deepEqual(
        [buy.price, buy.volume, buy.vwap, buy.available_volume],
        ['60550.56666667', '90825.85', '60033.33333334', '181752.54'],
      )
      const parts = (side: Quote['buy'], sign: bigint) =>
        decimal(side.volume) -
        sign * (decimal(side.fee) + decimal(side.risk) + decimal(side.margin))
      assert.equal(format(parts(buy, 1n)), '90050')
      assert.equal(format(parts(sell, -1n)), '89950')
      assert.deepEqual([buy.fee, buy.risk, buy.margin], ['234.13', '90.29', '451.43'])
      assert.deepEqual(
        [buy.available_amount, sell.available_amount, buy.complete],
        ['3', '3', true],
      )
      const listed = (await api.call<Quote[]>('GET', '/price-stream/quotes')).data
      assert.ok(listed.some((each) => each.id === rest.id))
    })

    it('answer what there is when more is asked, and are never refused for size', async () => {
      const large = await quote({ request_quantity: '9' })
      assert.deepEqual(
        [large.buy.amount, large.buy.complete, large.sell.amount, large.sell.complete],
        ['3', false, '3', false],
      )
      const volume = await quote({ request_asset: 'EUR', request_quantity: '1000000' })
      assert.deepEqual([volume.buy.amount, volume.buy.complete], ['3', false])
      const exact = await quote({ request_asset: 'EUR', request_quantity: '1000' })
      assert.deepEqual(
        [
          exact.buy.volume,
          exact.buy.complete,
          exact.buy.risk,
          exact.sell.volume,
          exact.sell.complete,
        ],
        ['1000', true, '0', '1000', true],
      )
      world.market('60000×1', '')
      const empty = await api.call('POST', '/price-stream/quotes', {
        body: {
          route_id: world.route.id,
          request_asset: 'BTC',
          request_quantity: '1',
          risk_duration_ms: 0,
          customer_id: alice.id,
        },
      })
      assert.equal(empty.error_details?.[0]?.code, 'STALE_PRICE')
    })

    it('without a hold time are indicative: no risk, five seconds', async () => {
      const { firm, risk, risk_source, created_at, expires_at } = await quote({
        risk_duration_ms: 0,
      })
      assert.deepEqual(
        [firm, risk, risk_source, expires_at - created_at],
        [false, '0', 'NONE', 5_000],
      )
    })

    it('take the margin of exemption, request, route, workspace, in this order', async () => {
      assert.equal((await quote({ margin: '0.02' })).margin, '0.02')
      alice = await world.customer({ margin: 'PREMIUM' })
      assert.equal((await quote()).margin, '0.001')
      alice = await world.customer({ ignore_margin: true })
      const exempt = await quote({ margin: '0.02' })
      const executed = await execute({ quote_id: exempt.id, margin: '0.02' })
      assert.deepEqual(
        [exempt.margin, executed.margin, executed.customers[0]?.margin],
        ['0', '0.02', '0'],
      )
    })

    it('are refused as specified', async () => {
      const given = {
        route_id: world.route.id,
        request_asset: 'BTC',
        request_quantity: '1',
        risk_duration_ms: 10_000,
        customer_id: alice.id,
      }
      const table: [Record<string, unknown>, unknown[]][] = [
        [{ route_id: newId() }, [404, 4004, 'NOT_FOUND', 'route_id']],
        [{ customer_id: newId() }, [404, 4004, 'NOT_FOUND', 'customer_id']],
        [{ route_id: 'x' }, [400, 3001, 'MALFORMED_ID', 'route_id']],
        [{ request_asset: 'ETH' }, [500, 2001, undefined, undefined]],
        [{ request_quantity: 'much' }, [400, 3001, 'FORMAT', 'request_quantity']],
        [{ request_quantity: 1 }, [400, 3001, 'TYPE', 'request_quantity']],
        [{ request_quantity: '0' }, [400, 3001, 'FORMAT', 'request_quantity']],
        [{ request_quantity: '1.000000001' }, [400, 3001, 'SCALE', 'request_quantity']],
        [{ request_quantity: '1.000001' }, [400, 3001, 'SCALE', 'request_quantity']],
        [{ request_quantity: '0.0001' }, [400, 3001, 'BELOW_MINIMUM', 'request_quantity']],
        [
          { request_asset: 'EUR', request_quantity: '0.001' },
          [400, 3001, 'SCALE', 'request_quantity'],
        ],
        [
          { request_asset: 'EUR', request_quantity: '1' },
          [400, 3001, 'BELOW_MINIMUM', 'request_quantity'],
        ],
        [{ margin: '1e-3' }, [400, 3001, 'FORMAT', 'margin']],
        [{ margin: '1' }, [400, 3001, 'RANGE', 'margin']],
        [{ risk_duration_ms: 5_000 }, [400, 3001, 'ENUM', 'risk_duration_ms']],
        [{ risk: '0.1' }, [400, 3001, 'UNKNOWN_FIELD', 'risk']],
      ]
      for (const [change, expected] of table)
        assert.deepEqual(
          await refused('/price-stream/quotes', { ...given, ...change }),
          expected,
          JSON.stringify(change),
        )
      world.clock.advance(5_001)
      assert.deepEqual(await refused('/price-stream/quotes', given), [
        400,
        3001,
        'STALE_PRICE',
        'route_id',
      ])
    })

    it('are not accepted when they expire on the way to the commit', async () => {
      const { id, expires_at } = await quote()
      const { lane } = world.app
      const { commit } = lane
      lane.commit = (change) => {
        lane.commit = commit
        world.clock.set(expires_at)
        return commit(change)
      }
      assert.deepEqual(await refused('/executions', body({ quote_id: id })), [
        400,
        3001,
        'QUOTE_EXPIRED',
        'quote_id',
      ])
    })

    it('expire by the clock', async () => {
      const { id, expires_at } = await quote()
      const stateOf = async () =>
        (await api.call<Quote>('GET', `/price-stream/quotes/${id}`)).data.state
      world.clock.set(expires_at - 1)
      await expireQuotes(world.app)
      assert.equal(await stateOf(), 'ACTIVE')
      world.clock.set(expires_at)
      assert.ok(
        !(await api.call<Quote[]>('GET', '/price-stream/quotes')).data.some(
          (each) => each.id === id,
        ),
      )
      assert.deepEqual(await refused('/executions', body({ quote_id: id })), [
        400,
        3001,
        'QUOTE_EXPIRED',
        'quote_id',
      ])
      await expireQuotes(world.app)
      assert.equal(await stateOf(), 'EXPIRED')
      assert.deepEqual(await refused('/executions', body({ quote_id: id })), [
        400,
        3001,
        'QUOTE_EXPIRED',
        'quote_id',
      ])
    })
  })

  describe('an execution without a quote', () => {
    it('BUY: blocks the worst, books what was filled, frees the rest', async () => {
      const created = await execute({ client_ref: 'first' })
      assert.equal(created.state, 'PROCESSING')
      // 1.5 × 60600 = 90900, fee 236.34, margin 455.69
      assert.deepEqual(await openHolds(created.id), ['EUR 91592.03'])
      assert.deepEqual(created, await executionById(world.database.db, world.workspace, created.id))
      world.exchange.sends = [
        () => ({
          outcome: 'accepted',
          report: report('FILLED', [fillFor('T1', '60000', '1'), fillFor('T2', '60100', '0.5')]),
        }),
      ]
      const done = await world.finish(created.id)
      const [order] = world.exchange.sent
      assert.deepEqual(
        [
          order?.type,
          order?.tif_mode,
          format(order?.price ?? 0n),
          format(order?.quantity ?? 0n),
          order?.client_order_id.length,
        ],
        ['LIMIT', 'IOC', '60600', '1.5', 36],
      )
      assert.deepEqual(
        [
          done.state,
          done.filled_amount,
          done.filled_volume,
          done.average_price,
          done.fee,
          done.customers[0]?.filled_volume,
          done.slippage,
        ],
        ['DONE', '1.5', '90050', '60033.33333334', '234.13', '90735.56', '0.00055556'],
      )
      assert.deepEqual(await openHolds(created.id), [])
      assert.deepEqual(await world.balances(alice.account_id), { BTC: '6.5', EUR: '409264.44' })
      assert.deepEqual(await bookings(created.id), [
        'EXECUTION EUR: D Alice 90735.56, C Exchange trading 90050, C Fee 234.13, C Margin 451.43',
        'EXECUTION BTC: D Exchange trading 1.5, C Alice 1.5',
        'TRADING_FEE EUR: D Fee 234.13, C Exchange trading 234.13',
        'SETTLEMENT BTC: D Exchange 1.5, C Exchange trading 1.5',
        'SETTLEMENT EUR: D Exchange trading 90284.13, C Exchange 90284.13',
      ])
      const fills = (await api.call<Fill[]>('GET', `/executions/${created.id}/orders/fills`)).data
      assert.deepEqual(
        fills.map((fill) => [fill.foreign_id, fill.price, fill.quantity, fill.settlement_state]),
        [
          ['T2', '60100', '0.5', 'SETTLED'],
          ['T1', '60000', '1', 'SETTLED'],
        ],
      )
      const [sent] = (await api.call<Order[]>('GET', `/executions/${created.id}/orders`)).data
      assert.deepEqual(
        [sent?.state, sent?.filled_quantity, sent?.volume, sent?.foreign_id, sent?.client_order_id],
        ['FILLED', '1.5', '90050', 'OABC', order?.client_order_id],
      )
      const events = await world.database.db.query<{ type: string }>(
        sql`
          select type
          from events
          where workspace = ${world.workspace}
            and resource_id = ${created.id}
          order by sequence`,
      )
      assert.deepEqual(
        events.map((event) => event.type),
        ['execution.created', 'execution.filled', 'execution.done'],
      )
      await world.assertBooks()
    })

    it("SELL: blocks the amount, the venue's odd digits go to ROUNDING", async () => {
      const created = await execute({ side: 'SELL', amount: '0.12345' })
      assert.deepEqual(await openHolds(created.id), ['BTC 0.12345'])
      world.exchange.sends = [
        () => ({
          outcome: 'accepted',
          report: report('FILLED', [fillFor('S1', '59999.9', '0.12345')]),
        }),
      ]
      const done = await world.finish(created.id)
      // 7406.987655 → 7406.98, fee 19.26, margin 36.94
      assert.deepEqual([done.state, done.customers[0]?.filled_volume], ['DONE', '7350.78'])
      assert.deepEqual(await bookings(created.id), [
        'EXECUTION EUR: D Exchange trading 7406.987655, C Alice 7350.78, C Fee 19.258167903, C Margin 36.94, C Rounding 0.009487097',
        'EXECUTION BTC: D Alice 0.12345, C Exchange trading 0.12345',
        'TRADING_FEE EUR: D Fee 19.25817, C Exchange trading 19.25817',
        'SETTLEMENT BTC: D Exchange trading 0.12345, C Exchange 0.12345',
        'SETTLEMENT EUR: D Exchange 7387.729485, C Exchange trading 7387.729485',
      ])
      await world.assertBooks()
    })

    it('SIMPLE: one leg against TRADING, what it leaves there is MARGIN', async () => {
      alice = await world.customer({ booking_schema: 'SIMPLE' })
      const created = await execute()
      full()
      const done = await world.finish(created.id)
      assert.deepEqual(await bookings(created.id), [
        `EXECUTION EUR: D Alice ${done.customers[0]?.filled_volume}, C Exchange trading ${done.customers[0]?.filled_volume}`,
        'EXECUTION BTC: D Exchange trading 1.5, C Alice 1.5',
        'SETTLEMENT BTC: D Exchange 1.5, C Exchange trading 1.5',
        'SETTLEMENT EUR: D Exchange trading 90234, C Exchange 90234',
        'EXECUTION EUR: D Exchange trading 451.17, C Margin 451.17',
      ])
      await world.assertBooks()
    })

    it('filled in part: what was filled stays and is booked, the rest is freed', async () => {
      const created = await execute()
      world.exchange.sends = [
        () => ({
          outcome: 'accepted',
          report: report('CANCELED', [fillFor('P1', '60000', '0.7')]),
        }),
      ]
      const done = await world.finish(created.id)
      assert.deepEqual(
        [done.state, done.reason_code, done.filled_amount],
        ['CANCELED', 'NO_LIQUIDITY', '0.7'],
      )
      assert.deepEqual(await openHolds(created.id), [])
      assert.equal((await world.balances(alice.account_id))['BTC'], '5.7')
      await world.assertBooks()
    })

    it('filled piece by piece costs what it costs in one piece; a fill told twice is booked once', async () => {
      const created = await execute({ side: 'SELL', amount: '1' })
      const pieces = [
        fillFor('Q1', '59999.97', '0.33333'),
        fillFor('Q2', '59950.11', '0.33333'),
        fillFor('Q3', '59900.3', '0.33334'),
      ]
      world.exchange.sends = [
        () => ({ outcome: 'accepted', report: report('PARTIALLY_FILLED', pieces.slice(0, 1)) }),
      ]
      world.exchange.finds = [
        () => ({ lookup: 'found', report: report('PARTIALLY_FILLED', pieces.slice(0, 1)) }),
        () => ({
          lookup: 'found',
          report: report('PARTIALLY_FILLED', [...pieces.slice(0, 2), ...pieces.slice(0, 2)]),
        }),
        () => ({ lookup: 'unknown', reason: 'not now' }),
        () => ({ lookup: 'found', report: report('FILLED', pieces.slice(1, 2), '1') }),
        () => ({ lookup: 'found', report: report('FILLED', pieces) }),
      ]
      const done = await world.finish(created.id)
      const notional = pieces.reduce((total, piece) => total + piece.volume, 0n)
      assert.deepEqual(
        [done.state, done.filled_volume, done.filled_amount],
        ['DONE', format(notional), '1'],
      )
      const fills = (await api.call<Fill[]>('GET', `/executions/${created.id}/orders/fills`)).data
      assert.deepEqual(fills.map((fill) => fill.foreign_id).toSorted(), ['Q1', 'Q2', 'Q3'])
      assert.equal(
        done.customers[0]?.filled_volume,
        format(decimal((await world.balances(alice.account_id))['EUR'] ?? '0') - decimal('500000')),
      )
      await world.assertBooks()
    })

    it('nothing filled: CANCELED; refused: FAILED; both free everything', async () => {
      const unfilled = await execute()
      world.exchange.sends = [() => ({ outcome: 'accepted', report: report('EXPIRED', []) })]
      const canceled = await world.finish(unfilled.id)
      assert.deepEqual(
        [
          canceled.state,
          canceled.reason_code,
          await openHolds(unfilled.id),
          await bookings(unfilled.id),
        ],
        ['CANCELED', 'NO_LIQUIDITY', [], []],
      )
      const turned = await execute()
      world.exchange.sends = [
        () => ({ outcome: 'refused', reason: 'EOrder:Insufficient funds', native: null }),
      ]
      const failed = await world.finish(turned.id)
      assert.deepEqual(
        [failed.state, failed.reason_code, failed.reason, await openHolds(turned.id)],
        ['FAILED', 'REFUSED_BY_VENUE', 'EOrder:Insufficient funds', []],
      )
      await world.assertBooks()
    })

    it('POST_TRADE: the trade stays on TRADING until it is settled', async () => {
      world.exchange.settlement = 'POST_TRADE'
      const created = await execute({ amount: '1' })
      full()
      await world.finish(created.id)
      assert.deepEqual(
        (await bookings(created.id)).map((line) => line.split(':')[0]),
        ['EXECUTION EUR', 'EXECUTION BTC', 'TRADING_FEE EUR'],
      )
      await world.assertBooks()
      // Settled by hand, so that the other cases find TRADING at 0.
      const [trading] = await world.database.db.query<{ id: string; venue: string }>(
        sql`
          select t.id, v.id as venue
          from accounts t
          join accounts v on v.workspace = t.workspace
            and v.venue_id = t.venue_id
            and v.type = 'VENUE'
          where t.workspace = ${world.workspace}
            and t.type = 'TRADING'`,
      )
      assert.ok(trading)
      for (const [asset, quantity] of [
        ['BTC', -decimal('1')],
        ['EUR', decimal('60156')],
      ] as const) {
        const [debit, credit] =
          quantity > 0n ? [trading.id, trading.venue] : [trading.venue, trading.id]
        const size = quantity > 0n ? quantity : -quantity
        await world.app.lane.commit({
          workspace: world.workspace,
          class: 'fact',
          by: 'test',
          ledger: [
            {
              step: 'book',
              booking: {
                id: newId(),
                type: 'SETTLEMENT',
                asset,
                legs: [
                  { account_id: debit, type: 'DEBIT', quantity: size },
                  { account_id: credit, type: 'CREDIT', quantity: size },
                ],
              },
            },
          ],
        })
      }
    })
  })

  describe('an execution of a firm quote', () => {
    it('costs what was quoted whatever the market does; the difference is on RISK', async () => {
      const accepted = await quote()
      world.market('65000×3', '64900×3')
      const created = await execute({ quote_id: accepted.id })
      assert.deepEqual(await openHolds(created.id), [`EUR ${accepted.buy.volume}`])
      world.exchange.sends = [
        () => ({ outcome: 'accepted', report: report('FILLED', [fillFor('F1', '65000', '1.5')]) }),
      ]
      const done = await world.finish(created.id)
      assert.equal(world.exchange.sent[0]?.type, 'MARKET')
      assert.deepEqual(
        [done.state, done.customers[0]?.filled_volume, done.customers[0]?.risk],
        ['DONE', accepted.buy.volume, '0.001'],
      )
      // Quoted 90050 and fee 234.13; taken 97500 and 253.5: 7469.37 less.
      assert.equal(
        (await bookings(created.id))[0],
        `EXECUTION EUR: D Alice ${accepted.buy.volume}, D Risk 7469.37, C Exchange trading 97500, C Fee 253.5, C Risk 90.29, C Margin 451.43`,
      )
      const { data } = await api.call<Execution & { quote: Quote }>(
        'GET',
        `/executions/${created.id}/quote`,
      )
      assert.deepEqual([data.quote.state, data.quote.execution_id], ['ACCEPTED', created.id])
      await world.assertBooks()
    })

    it('SELL in pieces adds up to the quote; what an order leaves open goes out in the next', async () => {
      const accepted = await quote()
      const created = await execute({ quote_id: accepted.id, side: 'SELL' })
      world.exchange.sends = [
        () => ({
          outcome: 'accepted',
          report: report('CANCELED', [fillFor('G1', '59000', '0.77777')]),
        }),
        (order) => ({
          outcome: 'accepted',
          report: {
            ...report('FILLED', [fillFor('G2', '58000', format(order.quantity))]),
            foreign_id: 'ODEF',
          },
        }),
      ]
      const done = await world.finish(created.id)
      assert.deepEqual(
        world.exchange.sent.map((order) => format(order.quantity)),
        ['1.5', '0.72223'],
      )
      assert.deepEqual(
        [done.state, done.filled_amount, done.customers[0]?.filled_volume],
        ['DONE', '1.5', accepted.sell.volume],
      )
      await world.assertBooks()
    })

    it('is bound to route, customer, quantity, margin and risk, and makes one execution', async () => {
      const bob = await world.customer()
      const accepted = await quote({ margin: '0.01' })
      const volume = await quote({ request_asset: 'EUR', request_quantity: '1000' })
      const table: [Record<string, unknown>, unknown[]][] = [
        [{ amount: '1' }, [400, 3001, 'QUOTE_MISMATCH', 'amount']],
        [
          { customers: [{ customer_id: bob.id }] },
          [400, 3001, 'QUOTE_MISMATCH', 'customers[0].customer_id'],
        ],
        [{ margin: '0.005' }, [400, 3001, 'QUOTE_MISMATCH', 'margin']],
        [{ risk: '0.1' }, [400, 3001, 'QUOTE_MISMATCH', 'risk']],
        [{ quote_id: volume.id }, [400, 3001, 'QUOTE_MISMATCH', 'mode']],
        [{ quote_id: newId() }, [404, 4004, 'NOT_FOUND', 'quote_id']],
      ]
      for (const [change, expected] of table)
        assert.deepEqual(
          await refused('/executions', body({ quote_id: accepted.id, ...change })),
          expected,
          JSON.stringify(change),
        )
      full()
      const headers = { 'idempotency-key': newId() }
      const created = await execute(
        { quote_id: accepted.id, margin: '0.010', risk: accepted.risk },
        headers,
      )
      assert.deepEqual(await refused('/executions', body({ quote_id: accepted.id })), [
        400,
        3001,
        'STATE_NOT_ALLOWED',
        'quote_id',
      ])
      assert.deepEqual(
        await execute({ quote_id: accepted.id, margin: '0.010', risk: accepted.risk }, headers),
        created,
      )
      assert.equal((await world.finish(created.id)).state, 'DONE')
      assert.deepEqual(
        await execute({ quote_id: accepted.id, margin: '0.010', risk: accepted.risk }, headers),
        created,
      )
    })

    it('of two at the same time one is refused', async () => {
      const accepted = await quote()
      full()
      const answers = await Promise.all(
        [1, 2].map(() =>
          api.call<Execution>('POST', '/executions', { body: body({ quote_id: accepted.id }) }),
        ),
      )
      assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 400])
      const made = answers.find((answer) => answer.status === 200)
      assert.equal((await world.finish(made?.data.id ?? '')).state, 'DONE')
    })

    it("an indicative quote gives margin and risk, the price is the market's", async () => {
      const accepted = await quote({ risk_duration_ms: 0, margin: '0.01' })
      const created = await execute({ quote_id: accepted.id })
      full()
      const done = await world.finish(created.id)
      assert.equal(world.exchange.sent[0]?.type, 'LIMIT')
      // 90000, fee 234, margin 1 % of 90234
      assert.deepEqual(
        [done.state, done.customers[0]?.margin, done.customers[0]?.filled_volume],
        ['DONE', '0.01', '91136.34'],
      )
      await world.assertBooks()
    })
  })

  it('refuses what cannot be executed, and nothing changes', async () => {
    const poor = await world.customer({}, { EUR: '100' })
    const before = await world.database.db.query(
      sql`
        select booking_sequence, event_sequence
        from lanes
        where workspace = ${world.workspace}`,
    )
    const table: [Record<string, unknown>, unknown[]][] = [
      [{ customers: [{ customer_id: poor.id }] }, [400, 3001, 'INSUFFICIENT_BALANCE', '']],
      [
        { customers: [{ customer_id: poor.id }], side: 'SELL' },
        [400, 3001, 'INSUFFICIENT_BALANCE', ''],
      ],
      [
        { customers: [{ customer_id: newId() }] },
        [404, 4004, 'NOT_FOUND', 'customers[0].customer_id'],
      ],
      [{ customers: [] }, [400, 3001, 'RANGE', 'customers']],
      [
        { customers: [{ customer_id: alice.id, quantity_absolute: '1' }] },
        [400, 3001, 'SUM_MISMATCH', 'customers[0].quantity_absolute'],
      ],
      [
        { customers: [{ customer_id: alice.id }, { customer_id: poor.id }] },
        [400, 3001, 'REQUIRED', 'customers'],
      ],
      [
        {
          customers: [{ customer_id: alice.id }, { customer_id: alice.id, quantity_absolute: '1' }],
        },
        [400, 3001, 'DUPLICATE', 'customers[1].customer_id'],
      ],
      [
        {
          customers: [
            { customer_id: alice.id, quantity_absolute: '1' },
            { customer_id: poor.id, quantity_absolute: '0.4' },
          ],
        },
        [400, 3001, 'SUM_MISMATCH', 'customers'],
      ],
      [
        {
          customers: [{ customer_id: alice.id }, { customer_id: poor.id, quantity_absolute: '1' }],
        },
        [400, 3001, 'INSUFFICIENT_BALANCE', ''],
      ],
      [{ route_id: newId() }, [404, 4004, 'NOT_FOUND', 'route_id']],
      [{ route_id: undefined }, [400, 3001, 'REQUIRED', 'route_id']],
      [{ symbol: 'BTC/EUR' }, [400, 3001, 'CONFLICT', 'symbol']],
      [{ route_id: '', symbol: 'XYZ/EUR' }, [404, 4004, 'NOT_FOUND', 'symbol']],
      [{ amount: undefined }, [400, 3001, 'REQUIRED', 'amount']],
      [{ amount: '3.1' }, [400, 3001, 'NO_LIQUIDITY', 'amount']],
      [{ amount: '10.1' }, [400, 3001, 'NO_LIQUIDITY', 'amount']],
      [{ amount: '0.0001' }, [400, 3001, 'BELOW_MINIMUM', 'amount']],
      [{ amount: '1.000001' }, [400, 3001, 'SCALE', 'amount']],
      [{ amount: '-1' }, [400, 3001, 'FORMAT', 'amount']],
      [{ volume: '100' }, [400, 3001, 'CONFLICT', 'volume']],
      [{ mode: 'VOLUME', volume: '100' }, [400, 3001, 'CONFLICT', 'amount']],
      [{ mode: 'VOLUME', amount: undefined }, [400, 3001, 'REQUIRED', 'volume']],
      [{ mode: 'VOLUME', volume: '10', amount: undefined }, [400, 3001, 'BELOW_MINIMUM', 'volume']],
      [
        { mode: 'VOLUME', volume: '300000', amount: undefined },
        [400, 3001, 'NO_LIQUIDITY', 'volume'],
      ],
      [{ mode: 'VOLUME', volume: '100.001', amount: undefined }, [400, 3001, 'SCALE', 'volume']],
      [
        {
          mode: 'VOLUME',
          volume: '100',
          amount: undefined,
          execution_type: 'LIMIT',
          price: '60000',
        },
        [400, 3001, 'CONFLICT', 'mode'],
      ],
      [{ execution_type: 'LIMIT' }, [400, 3001, 'REQUIRED', 'price']],
      [{ execution_type: 'LIMIT', price: '60000.05' }, [400, 3001, 'SCALE', 'price']],
      [{ execution_type: 'LIMIT', price: '0.1' }, [400, 3001, 'RANGE', 'price']],
      [
        { execution_type: 'LIMIT', price: '60000', stop_order_condition: 'STOP_LOSS' },
        [400, 3001, 'CONFLICT', 'stop_order_condition'],
      ],
      [
        { execution_type: 'LIMIT', price: '60000', tif_mode: 'GTD' },
        [400, 3001, 'REQUIRED', 'expires_at'],
      ],
      [
        { execution_type: 'LIMIT', price: '60000', tif_mode: 'GTD', expires_at: 1_700_000_000 },
        [400, 3001, 'RANGE', 'expires_at'],
      ],
      [
        { execution_type: 'LIMIT', price: '60000', tif_mode: 'GTD', expires_at: 'soon' },
        [400, 3001, 'FORMAT', 'expires_at'],
      ],
      [
        { execution_type: 'LIMIT', price: '60000', expires_at: 1_900_000_000 },
        [400, 3001, 'CONFLICT', 'expires_at'],
      ],
      [
        { execution_type: 'LIMIT', price: '60000', tif_mode: 'FOK' },
        [400, 3001, 'UNSUPPORTED_BY_VENUE', 'tif_mode'],
      ],
      [
        { execution_type: 'STOP_MARKET', price: '60000' },
        [400, 3001, 'REQUIRED', 'stop_order_condition'],
      ],
      [
        {
          execution_type: 'STOP_MARKET',
          price: '50000',
          stop_order_condition: 'STOP_LOSS',
          tif_mode: 'FOK',
        },
        [400, 3001, 'UNSUPPORTED_BY_VENUE', 'tif_mode'],
      ],
      [{ price: '60000' }, [400, 3001, 'CONFLICT', 'price']],
      [{ tif_mode: 'IOC' }, [400, 3001, 'CONFLICT', 'tif_mode']],
      [{ risk: '1' }, [400, 3001, 'RANGE', 'risk']],
      [{ side: 'HOLD' }, [400, 3001, 'ENUM', 'side']],
      [{ quote_id: 'x' }, [400, 3001, 'MALFORMED_ID', 'quote_id']],
    ]
    for (const [change, expected] of table)
      assert.deepEqual(await refused('/executions', body(change)), expected, JSON.stringify(change))
    world.exchange.feed().ticker({
      base_asset: 'BTC',
      quote_asset: 'EUR',
      bid: decimal('50000'),
      ask: decimal('50010'),
      last: decimal('50000'),
      volume_24h: 0n,
      change_24h: null,
      received_at: world.clock.now(),
    })
    assert.deepEqual(await refused('/executions', body()), [400, 3001, 'STALE_PRICE', 'route_id'])
    world.clock.advance(60_001)
    assert.deepEqual(await refused('/executions', body()), [400, 3001, 'STALE_PRICE', 'route_id'])
    await world.database.db.query(
      sql`
        update price_stream_routes
        set active = false
        where workspace = ${world.workspace}`,
    )
    assert.deepEqual(await refused('/executions', body()), [400, 3001, 'NOT_ACTIVE', 'route_id'])
    await world.database.db.query(
      sql`
        update price_stream_routes
        set active = true
        where workspace = ${world.workspace}`,
    )
    assert.deepEqual(
      await world.database.db.query(
        sql`
          select booking_sequence, event_sequence
          from lanes
          where workspace = ${world.workspace}`,
      ),
      before,
    )
    assert.equal(world.exchange.sent.length, 0)
  })

  it('lists by state, time, customer and client_ref; unknown ones are 4004', async () => {
    const [first, second] = [
      await execute({ client_ref: 'ref-1' }),
      await execute({ client_ref: 'ref-2', amount: '1' }),
    ]
    const ids = async (query: string) =>
      (await api.call<Execution[]>('GET', `/executions?${query}`)).data.map((each) => each.id)
    assert.deepEqual(await ids(`customer_id=${alice.id}`), [second.id, first.id])
    assert.deepEqual(await ids('client_ref=ref-1'), [first.id])
    assert.deepEqual(await ids(`customer_id=${alice.id}&state=done,canceled`), [])
    assert.deepEqual(
      await ids(`customer_id=${alice.id}&state=processing&created_at_from=${world.clock.now()}`),
      [second.id, first.id],
    )
    assert.deepEqual(await ids(`customer_id=${alice.id}&created_at_to=${world.clock.now()}`), [])
    assert.equal((await api.call('GET', '/executions?state=SLEEPING')).error_code, 3001)
    for (const path of ['', '/quote', '/orders', '/orders/fills'])
      assert.equal((await api.call('GET', `/executions/${newId()}${path}`)).error_code, 4004, path)
    assert.equal(
      (await api.call<Execution & { quote: null }>('GET', `/executions/${first.id}/quote`)).data
        .quote,
      null,
    )
    full()
    await world.finish(first.id)
    await world.finish(second.id)
  })

  it('books a fee in the base asset where the venue takes it there', async () => {
    const created = await execute({ amount: '1' })
    world.exchange.sends = [
      () => ({
        outcome: 'accepted',
        report: report('FILLED', [fillFor('B1', '60000', '1', '0.0026', 'BTC')]),
      }),
    ]
    await world.finish(created.id)
    const { FEE } = await houseAccounts(world.database.db, world.workspace)
    assert.equal((await world.balances(FEE))['BTC'], '0.0026')
    await world.assertBooks()
  })
})
