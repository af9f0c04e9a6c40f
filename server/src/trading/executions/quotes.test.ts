import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Quote } from '../quotes/quotes.schema.ts'
import { expireQuotes } from '../quotes/quotes.ts'
import type { PriceRoute } from '../routes/routes.schema.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import type { Execution } from './executions.schema.ts'
import { ExecutionDesk } from './executions.testing.ts'

/** Why a quote that has expired is not executed. */
const EXPIRED = [400, 3001, 'QUOTE_EXPIRED', 'quote_id']

describe('routes, quotes and their executions', () => {
  let desk: ExecutionDesk
  before(async () => {
    desk = await ExecutionDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.reset())

  describe('price-stream routes', () => {
    it('are listed with the state of their prices', async () => {
      const stateNow = async () =>
        (await desk.api.call<PriceRoute[]>('GET', '/price-stream/routes')).data.find(
          (route) => route.id === desk.world.route.id,
        )?.state
      const states = []
      for (const advance of [0, 5_000, 1]) {
        desk.world.clock.advance(advance)
        states.push(await stateNow())
      }
      desk.world.exchange.feed().lost('BTC', 'EUR', 'closed')
      states.push(await stateNow())
      assert.deepEqual(states, ['UP', 'UP', 'STALE', 'DOWN'])
    })
  })

  describe('quotes', () => {
    it('carry both sides by the depth, with fee, risk and margin', async () => {
      const { buy, sell, ...rest } = await desk.quote()
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
      const listed = (await desk.api.call<Quote[]>('GET', '/price-stream/quotes')).data
      assert.ok(listed.some(({ id }) => id === rest.id))
    })

    it('answer what there is when more is asked, and are never refused for size', async () => {
      const large = await desk.quote({ request_quantity: '9' })
      assert.deepEqual(
        [large.buy.amount, large.buy.complete, large.sell.amount, large.sell.complete],
        ['3', false, '3', false],
      )
      const volume = await desk.quote({ request_asset: 'EUR', request_quantity: '1000000' })
      assert.deepEqual([volume.buy.amount, volume.buy.complete], ['3', false])
      const exact = await desk.quote({ request_asset: 'EUR', request_quantity: '1000' })
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
      desk.world.market('60000×1', '')
      const empty = await desk.api.call('POST', '/price-stream/quotes', {
        body: {
          route_id: desk.world.route.id,
          request_asset: 'BTC',
          request_quantity: '1',
          risk_duration_ms: 0,
          customer_id: desk.alice.id,
        },
      })
      assert.equal(empty.error_details?.[0]?.code, 'STALE_PRICE')
    })

    it('without a hold time are indicative: no risk, five seconds', async () => {
      const { firm, risk, risk_source, created_at, expires_at } = await desk.quote({
        risk_duration_ms: 0,
      })
      assert.deepEqual(
        [firm, risk, risk_source, expires_at - created_at],
        [false, '0', 'NONE', 5_000],
      )
    })

    it('take the margin of exemption, request, route, workspace, in this order', async () => {
      assert.equal((await desk.quote({ margin: '0.02' })).margin, '0.02')
      desk.alice = await desk.world.customer({ margin: 'PREMIUM' })
      assert.equal((await desk.quote()).margin, '0.001')
      desk.alice = await desk.world.customer({ ignore_margin: true })
      const exempt = await desk.quote({ margin: '0.02' })
      const executed = await desk.execute({ quote_id: exempt.id, margin: '0.02' })
      assert.deepEqual(
        [exempt.margin, executed.margin, executed.customers[0]?.margin],
        ['0', '0.02', '0'],
      )
    })

    it('are refused as specified', async () => {
      const given = {
        route_id: desk.world.route.id,
        request_asset: 'BTC',
        request_quantity: '1',
        risk_duration_ms: 10_000,
        customer_id: desk.alice.id,
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
          await desk.refused('/price-stream/quotes', { ...given, ...change }),
          expected,
          JSON.stringify(change),
        )
      desk.world.clock.advance(5_001)
      assert.deepEqual(await desk.refused('/price-stream/quotes', given), [
        400,
        3001,
        'STALE_PRICE',
        'route_id',
      ])
    })

    it('are not accepted when they expire on the way to the commit', async () => {
      const { id, expires_at } = await desk.quote()
      const { lane } = desk.world.app
      const { commit } = lane
      lane.commit = (change) => {
        lane.commit = commit
        desk.world.clock.set(expires_at)
        return commit(change)
      }
      assert.deepEqual(await desk.refused('/executions', desk.body({ quote_id: id })), EXPIRED)
    })

    it('expire by the clock', async () => {
      const { id, expires_at } = await desk.quote()
      const stateOf = async () =>
        (await desk.api.call<Quote>('GET', `/price-stream/quotes/${id}`)).data.state
      desk.world.clock.set(expires_at - 1)
      await expireQuotes(desk.world.app)
      assert.equal(await stateOf(), 'ACTIVE')
      desk.world.clock.set(expires_at)
      assert.ok(
        !(await desk.api.call<Quote[]>('GET', '/price-stream/quotes')).data.some(
          (listed) => listed.id === id,
        ),
      )
      assert.deepEqual(await desk.refused('/executions', desk.body({ quote_id: id })), EXPIRED)
      await expireQuotes(desk.world.app)
      assert.equal(await stateOf(), 'EXPIRED')
      assert.deepEqual(await desk.refused('/executions', desk.body({ quote_id: id })), EXPIRED)
    })
  })

  describe('an execution of a firm quote', () => {
    it('costs what was quoted whatever the market does; the difference is on RISK', async () => {
      const accepted = await desk.quote()
      desk.world.market('65000×3', '64900×3')
      const created = await desk.execute({ quote_id: accepted.id })
      assert.deepEqual(await desk.openHolds(created.id), [`EUR ${accepted.buy.volume}`])
      desk.world.exchange.sends = [
        () => ({ outcome: 'accepted', report: report('FILLED', [fillFor('F1', '65000', '1.5')]) }),
      ]
      const done = await desk.world.finish(created.id)
      assert.equal(desk.world.exchange.sent[0]?.type, 'MARKET')
      assert.deepEqual(
        [done.state, done.customers[0]?.filled_volume, done.customers[0]?.risk],
        ['DONE', accepted.buy.volume, '0.001'],
      )
      // Quoted 90050 and fee 234.13; taken 97500 and 253.5: 7469.37 less.
      assert.equal(
        (await desk.bookings(created.id))[0],
        `EXECUTION EUR: D Alice ${accepted.buy.volume}, D Risk 7469.37, ` +
          'C Exchange trading 97500, C Fee 253.5, C Risk 90.29, C Margin 451.43',
      )
      const { data } = await desk.api.call<Execution & { quote: Quote }>(
        'GET',
        `/executions/${created.id}/quote`,
      )
      assert.deepEqual([data.quote.state, data.quote.execution_id], ['ACCEPTED', created.id])
      await desk.world.assertBooks()
    })

    it('SELL in pieces adds up to the quote; what is left open goes out again', async () => {
      const accepted = await desk.quote()
      const created = await desk.execute({ quote_id: accepted.id, side: 'SELL' })
      desk.world.exchange.sends = [
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
      const done = await desk.world.finish(created.id)
      assert.deepEqual(
        desk.world.exchange.sent.map((order) => format(order.quantity)),
        ['1.5', '0.72223'],
      )
      assert.deepEqual(
        [done.state, done.filled_amount, done.customers[0]?.filled_volume],
        ['DONE', '1.5', accepted.sell.volume],
      )
      await desk.world.assertBooks()
    })

    it('is bound to route, customer, quantity and factors, and makes one execution', async () => {
      const bob = await desk.world.customer()
      const accepted = await desk.quote({ margin: '0.01' })
      const volume = await desk.quote({ request_asset: 'EUR', request_quantity: '1000' })
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
          await desk.refused('/executions', desk.body({ quote_id: accepted.id, ...change })),
          expected,
          JSON.stringify(change),
        )
      desk.fillAll()
      const headers = { 'idempotency-key': newId() }
      const created = await desk.execute(
        { quote_id: accepted.id, margin: '0.010', risk: accepted.risk },
        headers,
      )
      assert.deepEqual(await desk.refused('/executions', desk.body({ quote_id: accepted.id })), [
        400,
        3001,
        'STATE_NOT_ALLOWED',
        'quote_id',
      ])
      assert.deepEqual(
        await desk.execute(
          { quote_id: accepted.id, margin: '0.010', risk: accepted.risk },
          headers,
        ),
        created,
      )
      assert.equal((await desk.world.finish(created.id)).state, 'DONE')
      assert.deepEqual(
        await desk.execute(
          { quote_id: accepted.id, margin: '0.010', risk: accepted.risk },
          headers,
        ),
        created,
      )
    })

    it('of two at the same time one is refused', async () => {
      const accepted = await desk.quote()
      desk.fillAll()
      const answers = await Promise.all(
        [1, 2].map(() =>
          desk.api.call<Execution>('POST', '/executions', {
            body: desk.body({ quote_id: accepted.id }),
          }),
        ),
      )
      assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 400])
      const made = answers.find((answer) => answer.status === 200)
      assert.equal((await desk.world.finish(made?.data.id ?? '')).state, 'DONE')
    })

    it("an indicative quote gives margin and risk, the price is the market's", async () => {
      const accepted = await desk.quote({ risk_duration_ms: 0, margin: '0.01' })
      const created = await desk.execute({ quote_id: accepted.id })
      desk.fillAll()
      const done = await desk.world.finish(created.id)
      assert.equal(desk.world.exchange.sent[0]?.type, 'LIMIT')
      // 90000, fee 234, margin 1 % of 90234
      assert.deepEqual(
        [done.state, done.customers[0]?.margin, done.customers[0]?.filled_volume],
        ['DONE', '0.01', '91136.34'],
      )
      await desk.world.assertBooks()
    })
  })
})
