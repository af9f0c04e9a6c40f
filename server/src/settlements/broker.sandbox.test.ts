/**
 * What the broker does apart from settlements: trades at its own desk, and how it is paid.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, sum } from '../core/decimal.ts'
import { sql } from '../store/sql.ts'
import { openSettlementWorld } from './settlements.testing.ts'
import type { Customer, Fill, SettlementWorld } from './settlements.testing.ts'

type SettlementMode = 'PREFUNDED' | 'POST_TRADE'

const NOT_SETTLED = new RegExp(
  'venues\\[0\\]\\.settlement: the venue prime has [0-9]+ trades? not settled: ' +
    'it stays POST_TRADE, and becomes PREFUNDED once nothing of that is left',
)

describe('the broker', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
    await world.sandbox.control('POST', 'prime/payouts/automatic', { on: false })
  })
  after(() => world.close())

  it('of a trade in an asset that is in no books the other side is settled', async () => {
    await world.sandbox.control('POST', 'prime/orders', {
      pair: 'ETH/EUR',
      side: 'buy',
      type: 'market',
      volume: '0.5',
    })
    await world.until('its fills', async () => {
      await world.database.db.query(
        sql`
          update tasks
          set due_at = 0
          where kind = 'observe_trades'
            and leased_until is null`,
      )
      const service = world.prime.services.find(({ type }) => type === 'TOMS')
      const fills = await world.call<Fill[]>('GET', `/toms/${service?.id}/fills`)
      const unsettled = fills.filter(
        (fill) => fill.base_asset === 'ETH' && fill.settlement_state === 'UNSETTLED',
      )
      const traded = sum(unsettled.map((fill) => decimal(fill.quantity)))
      return traded === decimal('0.5') ? true : undefined
    })
    const { EUR } = await world.totals('TRADING', world.prime.id)
    const claimed = await world.claim()
    assert.deepEqual(
      claimed.nets.map(({ asset, direction, quantity }) => ({ asset, direction, quantity })),
      [{ asset: 'EUR', direction: 'OUTGOING', quantity: EUR }],
    )
    assert.deepEqual(
      (await world.cover(claimed.id)).parts.map((part) => part.asset),
      ['EUR'],
    )
    await world.initiate(claimed.id)
    await world.settled(claimed.id)
    assert.deepEqual(await world.totals('TRADING', world.prime.id), {})
    assert.deepEqual(await world.verify(), [])
  })

  const paid = async () => {
    const venues = await world.call<{ id: string; settlement: string }[]>('GET', '/venues')
    return venues.find((venue) => venue.id === world.prime.id)?.settlement
  }
  const assertKept = async (from: SettlementMode, why: RegExp) => {
    const to = from === 'PREFUNDED' ? 'POST_TRADE' : 'PREFUNDED'
    const { code, output } = await world.configure(to)
    assert.deepEqual({ code, paid: await paid() }, { code: 1, paid: from }, output)
    assert.match(output, why)
  }
  const assertChanged = async (to: SettlementMode) => {
    const { code, output } = await world.configure(to)
    assert.deepEqual({ code, paid: await paid() }, { code: 0, paid: to }, output)
  }
  const whileResting = async (work: () => Promise<void>) => {
    const { id } = await world.call<{ id: string }>('POST', '/executions', {
      route_id: await world.route(),
      amount: '0.01',
      side: 'BUY',
      execution_type: 'LIMIT',
      price: '30000',
      customers: [{ customer_id: alice.id }],
    })
    await world.until('the resting order', async () => {
      const orders = await world.call<{ state: string }[]>('GET', `/executions/${id}/orders`)
      return orders.find((order) => order.state === 'NEW')
    })
    await work()
    await world.call('DELETE', `/executions/${id}`)
    await world.until('its end', async () => {
      const { state } = await world.call<{ state: string }>('GET', `/executions/${id}`)
      return state === 'CANCELED' ? true : undefined
    })
  }

  it('is paid before or after the trade as before while something traded is open', async () => {
    await world.trade(alice, 'BUY', '0.01')
    await assertKept('POST_TRADE', NOT_SETTLED)
    const claimed = await world.claim()
    await assertKept('POST_TRADE', /trades? not settled/)
    await world.cover(claimed.id)
    await world.initiate(claimed.id)
    await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.01' })
    await world.settled(claimed.id)
    await whileResting(() => assertKept('POST_TRADE', /prime has 1 open order:/))
    await world.bookByHand('HOUSE', 'TRADING')
    await assertKept('POST_TRADE', /5 EUR on its trading account/)
    await world.bookByHand('TRADING', 'HOUSE')
    await assertChanged('PREFUNDED')
    await world.trade(alice, 'BUY', '0.01')
    assert.deepEqual(await world.totals('TRADING', world.prime.id), {})
    const range = { timerange_from: 1_000_000_000_000, timerange_to: 4_000_000_000_000 }
    assert.equal(await world.refusal('POST', '/settlements', range), '3001 RANGE')
    await whileResting(() => assertKept('PREFUNDED', /1 open order/))
    await assertChanged('POST_TRADE')
    assert.deepEqual(await world.verify(), [])
  })
})
