/**
 * The capability table: for each exchange and kind of order, that the exchange received just that
 * kind and did with it what the kind means; every other kind is refused before anything is sent.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import type { TimeInForce, VenueOrder } from '../contract.ts'
import {
  AllExchanges,
  EXCHANGE_NAMES,
  ExchangeSide,
  MINUTE,
  TENTH,
} from './all-exchanges.testing.ts'
import type { ExchangeName } from './all-exchanges.testing.ts'
import { kept, order } from './exchange.fixture.ts'

type Kind = `${VenueOrder['type']} ${TimeInForce}`

const TYPES = ['MARKET', 'LIMIT'] as const
const TIMES = ['GTC', 'GTD', 'IOC', 'FOK'] as const
/** A market order is never told how long it lives: it is filled or canceled at once. */
const KINDS: Readonly<Record<ExchangeName, readonly Kind[]>> = {
  kraken: ['MARKET GTC', 'MARKET IOC', 'LIMIT GTC', 'LIMIT GTD', 'LIMIT IOC'],
  bitstamp: ['MARKET GTC', 'MARKET IOC', 'LIMIT GTC', 'LIMIT GTD', 'LIMIT IOC', 'LIMIT FOK'],
  okx: ['MARKET GTC', 'MARKET IOC', 'LIMIT GTC', 'LIMIT IOC', 'LIMIT FOK'],
}

describe('the kinds of orders', () => {
  const all = new AllExchanges()

  for (const name of EXCHANGE_NAMES) {
    const exchange = new ExchangeSide(all, name)
    /** What the exchange made of it. */
    const received = async (one: VenueOrder, type: string, tif: string) => {
      const order = await kept(all.sandbox, name, one.client_order_id)
      assert.deepEqual({ type: order?.type, tif: order?.tif }, { type, tif })
      return order
    }

    const PROOFS: Record<Kind, () => Promise<void>> = {
      'MARKET GTC': () => atMarket('GTC'),
      'MARKET IOC': () => atMarket('IOC'),
      'MARKET GTD': () => Promise.reject(new Error('nobody has it')),
      'MARKET FOK': () => Promise.reject(new Error('nobody has it')),
      async 'LIMIT GTC'() {
        const { one, report } = await exchange.send({
          type: 'LIMIT',
          price: decimal('50000'),
          tif_mode: 'GTC',
        })
        assert.equal(report.state, 'NEW')
        assert.equal((await received(one, 'limit', 'GTC'))?.expires_at, null)
        // It rests, and is filled piece by piece when the market comes.
        await exchange.fill(one, '0.04')
        const partly = await exchange.stateOf(one)
        assert.deepEqual(
          { state: partly.state, filled_quantity: partly.filled_quantity },
          { state: 'PARTIALLY_FILLED', filled_quantity: decimal('0.04') },
        )
        await exchange.setPrice('49000')
        const done = await exchange.stateOf(one)
        assert.deepEqual(
          { state: done.state, filled_quantity: done.filled_quantity },
          { state: 'FILLED', filled_quantity: TENTH },
        )
        assert.ok(done.fills.every((fill) => fill.price === decimal('50000')))
        await exchange.setPrice('60000')
      },
      async 'LIMIT GTD'() {
        const expires_at = (await exchange.now()) + MINUTE
        const { one, report } = await exchange.send({
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
        await exchange.fill(one, '0.03')
        await all.sandbox.control('POST', 'clock', { advance_ms: 2 * MINUTE })
        const over = await exchange.stateOf(one)
        assert.deepEqual(
          { state: over.state, filled_quantity: over.filled_quantity },
          { state: 'EXPIRED', filled_quantity: decimal('0.03') },
        )
        const used = (await exchange.venue.balances()).find(
          (balance) => balance.asset === 'EUR',
        )?.used
        assert.equal(used, 0n)
      },
      async 'LIMIT IOC'() {
        const nothing = await exchange.send({
          type: 'LIMIT',
          price: decimal('50000'),
          tif_mode: 'IOC',
        })
        assert.deepEqual(
          { state: nothing.report.state, filled_quantity: nothing.report.filled_quantity },
          { state: 'CANCELED', filled_quantity: 0n },
        )
        await received(nothing.one, 'limit', 'IOC')
        await exchange.behave({ fill_at_most: '0.06' })
        const part = await exchange.send({
          type: 'LIMIT',
          price: decimal('61000'),
          tif_mode: 'IOC',
        })
        assert.deepEqual(
          { state: part.report.state, filled_quantity: part.report.filled_quantity },
          { state: 'CANCELED', filled_quantity: decimal('0.06') },
        )
        await exchange.behave({})
        const whole = await exchange.send({
          type: 'LIMIT',
          price: decimal('61000'),
          tif_mode: 'IOC',
          side: 'BUY',
        })
        assert.equal(whole.report.state, 'FILLED')
      },
      async 'LIMIT FOK'() {
        await exchange.behave({ fill_at_most: '0.06' })
        const { one, report } = await exchange.send({
          type: 'LIMIT',
          price: decimal('61000'),
          tif_mode: 'FOK',
        })
        assert.deepEqual(
          { state: report.state, filled_quantity: report.filled_quantity },
          { state: 'CANCELED', filled_quantity: 0n },
        )
        await received(one, 'limit', 'FOK')
        await exchange.behave({})
        const whole = await exchange.send({
          type: 'LIMIT',
          price: decimal('61000'),
          tif_mode: 'FOK',
        })
        assert.deepEqual(
          { state: whole.report.state, filled_quantity: whole.report.filled_quantity },
          { state: 'FILLED', filled_quantity: TENTH },
        )
      },
    }
    async function atMarket(tif_mode: 'GTC' | 'IOC') {
      const { one, report } = await exchange.send({ type: 'MARKET', tif_mode })
      assert.deepEqual(
        { state: report.state, filled_quantity: report.filled_quantity },
        { state: 'FILLED', filled_quantity: TENTH },
      )
      await received(one, 'market', 'GTC')
      await exchange.behave({ fill_at_most: '0.06' })
      const part = await exchange.send({ type: 'MARKET', tif_mode, side: 'SELL' })
      assert.deepEqual(
        { state: part.report.state, filled_quantity: part.report.filled_quantity },
        { state: 'CANCELED', filled_quantity: decimal('0.06') },
      )
      await exchange.behave({})
    }

    for (const type of TYPES) {
      for (const tif_mode of TIMES) {
        const kind: Kind = `${type} ${tif_mode}`
        const claimed = KINDS[name].includes(kind)
        const proof = claimed ? 'received as that, and behaves so' : 'refused before it is sent'
        test(`${name} ${kind}: ${proof}`, async () => {
          assert.equal(exchange.trading.supports({ type, tif_mode }), claimed)
          if (claimed) return PROOFS[kind]()
          const one = order({
            type,
            tif_mode,
            price: type === 'LIMIT' ? decimal('50000') : null,
            expires_at: tif_mode === 'GTD' ? (await exchange.now()) + MINUTE : null,
          })
          const answer = await exchange.trading.send(one)
          assert.deepEqual(answer, {
            outcome: 'refused',
            reason: `${name} has no ${type} order with ${tif_mode}`,
            native: null,
          })
          assert.equal(await exchange.received(one), 0)
        })
      }
    }

    test(`${name}: GTD without a time, a time without GTD, a past time: refused`, async () => {
      const limit = { type: 'LIMIT', price: decimal('50000') } as const
      const earlier = await exchange.received()
      for (const more of [
        { tif_mode: 'GTC', expires_at: Date.now() + MINUTE },
        { tif_mode: 'GTD', expires_at: null },
      ] as const) {
        assert.equal((await exchange.trading.send(order({ ...limit, ...more }))).outcome, 'refused')
      }
      assert.equal(await exchange.received(), earlier)
      if (!KINDS[name].includes('LIMIT GTD')) return
      const past = await exchange.trading.send(
        order({ ...limit, tif_mode: 'GTD', expires_at: (await exchange.now()) - MINUTE }),
      )
      assert.ok(past.outcome === 'refused' && past.native !== null)
    })
  }
})
