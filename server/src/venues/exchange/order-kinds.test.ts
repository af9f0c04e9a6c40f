/**
 * The capability table: for each exchange and kind of order, that the exchange received just that
 * kind and did with it what the kind means; every other kind is refused before anything is sent.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import type { OrderReport, TimeInForce, Venue, VenueOrder } from '../contract.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import { kept, openAt, order, orderLookup } from './exchange.fixture.ts'

type Kind = `${VenueOrder['type']} ${TimeInForce}`

const TYPES = ['MARKET', 'LIMIT'] as const
const TIMES = ['GTC', 'GTD', 'IOC', 'FOK'] as const
/** A market order is never told how long it lives: it is filled or canceled at once. */
const EXCHANGES = {
  kraken: {
    operation: 'AddOrder',
    path: 'kraken',
    stream: 'kraken/ws/v2',
    kinds: ['MARKET GTC', 'MARKET IOC', 'LIMIT GTC', 'LIMIT GTD', 'LIMIT IOC'] as Kind[],
  },
  bitstamp: {
    operation: 'order',
    path: 'bitstamp/api',
    stream: 'bitstamp/ws',
    kinds: [
      'MARKET GTC',
      'MARKET IOC',
      'LIMIT GTC',
      'LIMIT GTD',
      'LIMIT IOC',
      'LIMIT FOK',
    ] as Kind[],
  },
} as const

const MINUTE = 60_000
const ONE = decimal('0.1')

describe('the kinds of orders', () => {
  let sandbox: SandboxProcess
  const venues = new Map<string, Venue>()
  before(async () => {
    sandbox = await startSandbox()
    for (const name of ['kraken', 'bitstamp'] as const) {
      await sandbox.control('POST', `${name}/market`, {
        pair: 'BTC/EUR',
        price: '60000',
        frozen: true,
      })
      venues.set(
        name,
        await openAt(sandbox, {
          exchange: name,
          base_url: `${sandbox.url}/${EXCHANGES[name].path}`,
          websocket_url: `${sandbox.url.replace('http', 'ws')}/${EXCHANGES[name].stream}`,
        }),
      )
    }
  })
  after(async () => {
    for (const venue of venues.values()) await venue.close()
    await sandbox.stop()
  })

  for (const name of ['kraken', 'bitstamp'] as const) {
    const { kinds, operation } = EXCHANGES[name]
    const trading = () => (venues.get(name) as Venue).trading as NonNullable<Venue['trading']>
    const stands = (price: string) =>
      sandbox.control('POST', `${name}/market`, { pair: 'BTC/EUR', price, frozen: true })
    const worldTime = async () => (await sandbox.control<{ now: number }>('GET', 'clock')).now

    const sent = async (
      more: Partial<VenueOrder>,
    ): Promise<{ one: VenueOrder; report: OrderReport }> => {
      const one = order({ quantity: ONE, ...more })
      const answer = await trading().send(one)
      assert.ok(
        answer.outcome === 'accepted',
        JSON.stringify(answer, (_key, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        ),
      )
      assert.equal(await sandbox.received(name, operation, one.client_order_id), 1)
      return { one, report: answer.report }
    }
    const stateOf = async (one: VenueOrder): Promise<OrderReport> => {
      const found = await trading().find(orderLookup(one))
      assert.ok(found.lookup === 'found')
      return found.report
    }
    /** What the exchange made of it. */
    const received = async (one: VenueOrder, type: string, tif: string) => {
      const order = await kept(sandbox, name, one.client_order_id)
      assert.deepEqual({ type: order?.type, tif: order?.tif }, { type, tif })
      return order
    }

    const PROOFS: Record<Kind, () => Promise<void>> = {
      'MARKET GTC': () => atMarket('GTC'),
      'MARKET IOC': () => atMarket('IOC'),
      'MARKET GTD': () => Promise.reject(new Error('nobody has it')),
      'MARKET FOK': () => Promise.reject(new Error('nobody has it')),
      async 'LIMIT GTC'() {
        const { one, report } = await sent({
          type: 'LIMIT',
          price: decimal('50000'),
          tif_mode: 'GTC',
        })
        assert.equal(report.state, 'NEW')
        assert.equal((await received(one, 'limit', 'GTC'))?.expires_at, null)
        // It rests, and is filled piece by piece when the market comes.
        await sandbox.control('POST', `${name}/orders/${one.client_order_id}/fill`, {
          quantity: '0.04',
        })
        const partly = await stateOf(one)
        assert.deepEqual(
          { state: partly.state, filled_quantity: partly.filled_quantity },
          { state: 'PARTIALLY_FILLED', filled_quantity: decimal('0.04') },
        )
        await stands('49000')
        const done = await stateOf(one)
        assert.deepEqual(
          { state: done.state, filled_quantity: done.filled_quantity },
          { state: 'FILLED', filled_quantity: ONE },
        )
        assert.ok(done.fills.every((fill) => fill.price === decimal('50000')))
        await stands('60000')
      },
      async 'LIMIT GTD'() {
        const expires_at = (await worldTime()) + MINUTE
        const { one, report } = await sent({
          type: 'LIMIT',
          price: decimal('50000'),
          tif_mode: 'GTD',
          expires_at,
        })
        assert.equal(report.state, 'NEW')
        const order = await received(one, 'limit', 'GTD')
        assert.ok(
          order?.expires_at !== null &&
            order?.expires_at !== undefined &&
            order.expires_at <= expires_at &&
            order.expires_at > expires_at - 1_000,
        )
        await sandbox.control('POST', `${name}/orders/${one.client_order_id}/fill`, {
          quantity: '0.03',
        })
        await sandbox.control('POST', 'clock', { advance_ms: 2 * MINUTE })
        const over = await stateOf(one)
        assert.deepEqual(
          { state: over.state, filled_quantity: over.filled_quantity },
          { state: 'EXPIRED', filled_quantity: decimal('0.03') },
        )
        const used = (await (venues.get(name) as Venue).balances()).find(
          (balance) => balance.asset === 'EUR',
        )?.used
        assert.equal(used, 0n)
      },
      async 'LIMIT IOC'() {
        const nothing = await sent({ type: 'LIMIT', price: decimal('50000'), tif_mode: 'IOC' })
        assert.deepEqual(
          { state: nothing.report.state, filled_quantity: nothing.report.filled_quantity },
          { state: 'CANCELED', filled_quantity: 0n },
        )
        await received(nothing.one, 'limit', 'IOC')
        await sandbox.control('POST', `${name}/behaviour`, { fill_at_most: '0.06' })
        const part = await sent({ type: 'LIMIT', price: decimal('61000'), tif_mode: 'IOC' })
        assert.deepEqual(
          { state: part.report.state, filled_quantity: part.report.filled_quantity },
          { state: 'CANCELED', filled_quantity: decimal('0.06') },
        )
        await sandbox.control('POST', `${name}/behaviour`, {})
        const all = await sent({
          type: 'LIMIT',
          price: decimal('61000'),
          tif_mode: 'IOC',
          side: 'BUY',
        })
        assert.equal(all.report.state, 'FILLED')
      },
      async 'LIMIT FOK'() {
        await sandbox.control('POST', `${name}/behaviour`, { fill_at_most: '0.06' })
        const { one, report } = await sent({
          type: 'LIMIT',
          price: decimal('61000'),
          tif_mode: 'FOK',
        })
        assert.deepEqual(
          { state: report.state, filled_quantity: report.filled_quantity },
          { state: 'CANCELED', filled_quantity: 0n },
        )
        await received(one, 'limit', 'FOK')
        await sandbox.control('POST', `${name}/behaviour`, {})
        const all = await sent({ type: 'LIMIT', price: decimal('61000'), tif_mode: 'FOK' })
        assert.deepEqual(
          { state: all.report.state, filled_quantity: all.report.filled_quantity },
          { state: 'FILLED', filled_quantity: ONE },
        )
      },
    }
    async function atMarket(tif_mode: 'GTC' | 'IOC') {
      const { one, report } = await sent({ type: 'MARKET', tif_mode })
      assert.deepEqual(
        { state: report.state, filled_quantity: report.filled_quantity },
        { state: 'FILLED', filled_quantity: ONE },
      )
      await received(one, 'market', 'GTC')
      await sandbox.control('POST', `${name}/behaviour`, { fill_at_most: '0.06' })
      const part = await sent({ type: 'MARKET', tif_mode, side: 'SELL' })
      assert.deepEqual(
        { state: part.report.state, filled_quantity: part.report.filled_quantity },
        { state: 'CANCELED', filled_quantity: decimal('0.06') },
      )
      await sandbox.control('POST', `${name}/behaviour`, {})
    }

    for (const type of TYPES) {
      for (const tif_mode of TIMES) {
        const kind: Kind = `${type} ${tif_mode}`
        const claimed = kinds.includes(kind)
        const proof = claimed ? 'received as that, and behaves so' : 'refused before it is sent'
        test(`${name} ${kind}: ${proof}`, async () => {
          assert.equal(trading().supports({ type, tif_mode }), claimed)
          if (claimed) return PROOFS[kind]()
          const one = order({
            type,
            tif_mode,
            price: type === 'LIMIT' ? decimal('50000') : null,
            expires_at: tif_mode === 'GTD' ? (await worldTime()) + MINUTE : null,
          })
          const answer = await trading().send(one)
          assert.deepEqual(answer, {
            outcome: 'refused',
            reason: `${name} has no ${type} order with ${tif_mode}`,
            native: null,
          })
          assert.equal(await sandbox.received(name, operation, one.client_order_id), 0)
        })
      }
    }

    test(`${name}: GTD without a time, a time without GTD, a past time: refused`, async () => {
      const limit = { type: 'LIMIT', price: decimal('50000') } as const
      const earlier = await sandbox.received(name, operation)
      for (const more of [
        { tif_mode: 'GTC', expires_at: Date.now() + MINUTE },
        { tif_mode: 'GTD', expires_at: null },
      ] as const) {
        assert.equal((await trading().send(order({ ...limit, ...more }))).outcome, 'refused')
      }
      assert.equal(await sandbox.received(name, operation), earlier)
      const past = await trading().send(
        order({ ...limit, tif_mode: 'GTD', expires_at: (await worldTime()) - MINUTE }),
      )
      assert.ok(past.outcome === 'refused' && past.native !== null)
    })

    test(`${name}: what is filled after the cancel counts; the order stays canceled`, async () => {
      const { one, report } = await sent({
        type: 'LIMIT',
        price: decimal('50000'),
        tif_mode: 'GTC',
      })
      const canceled = await trading().cancel(orderLookup(one, { foreign_id: report.foreign_id }))
      assert.ok(canceled.outcome === 'accepted' && canceled.report.state === 'CANCELED')
      await sandbox.control('POST', `${name}/orders/${one.client_order_id}/fill`, {
        quantity: '0.05',
      })
      const late = await stateOf(one)
      assert.deepEqual(
        { state: late.state, filled_quantity: late.filled_quantity },
        { state: 'CANCELED', filled_quantity: decimal('0.05') },
      )
    })

    test(`${name}: a fill listed twice counts once; one not yet listed is open`, async () => {
      const { one } = await sent({ type: 'LIMIT', price: decimal('61000'), tif_mode: 'IOC' })
      await sandbox.fault(name, name === 'kraken' ? 'OpenOrders' : 'order_status', 'TWICE')
      if (name === 'kraken') await sandbox.fault(name, 'ClosedOrders', 'TWICE')
      assert.equal((await stateOf(one)).filled_quantity, ONE)
      await sandbox.control('POST', `${name}/behaviour`, { listing_delay_ms: MINUTE })
      const late = order({ quantity: ONE, type: 'LIMIT', price: decimal('61000'), tif_mode: 'IOC' })
      await trading().send(late)
      assert.equal((await trading().find(orderLookup(late))).lookup, 'unknown')
      await sandbox.control('POST', `${name}/behaviour`, {})
      await sandbox.control('POST', 'clock', { advance_ms: 2 * MINUTE })
      assert.deepEqual(
        {
          state: (await stateOf(late)).state,
          filled_quantity: (await stateOf(late)).filled_quantity,
        },
        { state: 'FILLED', filled_quantity: ONE },
      )
    })

    test(`${name}: accepted and the connection cut: unknown, one order, found`, async () => {
      await sandbox.fault(name, operation, 'CUT')
      const one = order({ quantity: ONE, type: 'LIMIT', price: decimal('50000'), tif_mode: 'GTC' })
      assert.equal((await trading().send(one)).outcome, 'unknown')
      const found = await until('the order is found', async () => {
        const answer = await trading().find(orderLookup(one))
        return answer.lookup === 'found' ? answer.report : undefined
      })
      assert.equal(found.state, 'NEW')
      assert.equal(await sandbox.received(name, operation, one.client_order_id), 1)
      assert.equal(
        (await trading().cancel(orderLookup(one, { foreign_id: found.foreign_id }))).outcome,
        'accepted',
      )
    })

    test(`${name}: trades of one moment are each reported once, also a late one`, async () => {
      const read = trading().trades as NonNullable<ReturnType<typeof trading>['trades']>
      const start = await read(null)
      await sandbox.control('POST', `${name}/market`, {
        pair: 'BTC/EUR',
        price: '60000',
        frozen: true,
        depth: 30,
      })
      await sandbox.control('POST', 'clock', { pace: 0 })
      const placed = new Set<string>()
      for (let count = 0; count < 60; count += 1) {
        const { trades } = await sandbox.control<{ trades: { id: string; trade_id: number }[] }>(
          'POST',
          `${name}/orders`,
          {
            pair: 'BTC/EUR',
            side: count % 2 === 0 ? 'buy' : 'sell',
            type: 'market',
            volume: '0.01',
          },
        )
        for (const trade of trades)
          placed.add(name === 'kraken' ? trade.id : String(trade.trade_id))
      }
      const first = await read(start.cursor)
      await sandbox.control('POST', `${name}/behaviour`, { listing_delay_ms: 30_000 })
      const hidden = await sandbox.control<{ trades: { id: string; trade_id: number }[] }>(
        'POST',
        `${name}/orders`,
        { pair: 'BTC/EUR', side: 'buy', type: 'market', volume: '0.01' },
      )
      const late = hidden.trades.map((trade) =>
        name === 'kraken' ? trade.id : String(trade.trade_id),
      )
      await sandbox.control('POST', `${name}/behaviour`, {})
      await sandbox.control('POST', 'clock', { pace: 1 })
      const between = await read(first.cursor)
      assert.ok(late.every((id) => !between.trades.some((trade) => trade.foreign_id === id)))
      await sandbox.control('POST', 'clock', { advance_ms: 40_000 })
      const last = await read(between.cursor)
      const told = first.trades.map((trade) => trade.foreign_id)
      assert.equal(new Set(told).size, told.length)
      for (const id of placed) assert.ok(told.includes(id))
      for (const id of late) assert.ok(last.trades.some((trade) => trade.foreign_id === id))
    })
  }
})
