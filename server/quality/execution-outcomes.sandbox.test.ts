/**
 * Executions whose outcome their venue does not report, in real processes that may be killed: what
 * a person enters is booked once, and a wish to cancel outlives everything.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openSettlementWorld } from '../src/settlements/settlements.testing.ts'
import type { Customer, SettlementWorld } from '../src/settlements/settlements.testing.ts'
import { sql } from '../src/store/sql.ts'
import { RESOLVE_AFTER_MILLISECONDS } from '../src/trading/orders/deadlines.ts'

type Execution = { id: string; state: string; reason_code: string | null; filled_amount: string }
type Order = {
  state: string
  client_order_id: string
  sent_at: number | null
  confirmed_at: number | null
}
type Trade = { id: string; price: string; volume: string; cost: string; fee: string }
type VenueOrder = { cl_ord_id: string; status: string; trades: Trade[] }

const LOOKUPS = ['OpenOrders', 'ClosedOrders', 'QueryOrders']

describe('an outcome that is not known, and processes that die', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
  })
  after(() => world.close())

  const execution = (id: string) => world.call<Execution>('GET', `/executions/${id}`)
  const orderOf = async (id: string) => {
    const [order] = await world.call<Order[]>('GET', `/executions/${id}/orders`)
    assert.ok(order)
    return order
  }
  const atVenue = async (id: string) => {
    const { client_order_id } = await orderOf(id)
    const orders = await world.sandbox.control<VenueOrder[]>('GET', 'prime/orders')
    return orders.filter((order) => order.cl_ord_id === client_order_id)
  }
  const inState = (id: string, state: string) =>
    world.until(`execution ${id} to be ${state}`, async () => {
      const found = await execution(id)
      return found.state === state ? found : undefined
    })

  /** The broker takes the order, and neither answers nor lets itself be asked. */
  async function unknown(more: object = {}): Promise<string> {
    await world.sandbox.fault('prime', 'AddOrder', 'CUT', { remaining: 1 })
    for (const lookup of LOOKUPS)
      await world.sandbox.fault('prime', lookup, 'DOWN', { remaining: -1 })
    const route_id = await world.route()
    const { id } = await world.until('a fresh price', async () => {
      const answer = await world.ask<Execution>('POST', '/executions', {
        route_id,
        amount: '0.01',
        side: 'BUY',
        execution_type: 'MARKET',
        customers: [{ customer_id: alice.id }],
        ...more,
      })
      return answer.success ? answer.data : undefined
    })
    await inState(id, 'UNKNOWN')
    return id
  }

  async function workerDiesAt(point: string): Promise<void> {
    await world.dieAt(point)
    await world.until(`the worker's death at ${point}`, async () =>
      world.worker.child.signalCode === 'SIGKILL' ? true : undefined,
    )
    await world.restartWorker()
  }

  for (const moment of ['before', 'after'] as const)
    it(`is entered by a person whose request dies ${moment} its commit`, async () => {
      const id = await unknown()
      const [placed] = await atVenue(id)
      const { sent_at } = await orderOf(id)
      // As if it had been sent when a person may speak for it.
      await world.database.db.query(sql`
        update execution_orders
        set sent_at = sent_at - ${RESOLVE_AFTER_MILLISECONDS}::bigint
        where execution_id = ${id}`)
      const fills = placed?.trades.map(({ id: foreign_id, price, volume, cost, fee }) => ({
        foreign_id,
        price,
        quantity: volume,
        volume: cost,
        fee,
        executed_at: sent_at,
      }))
      const body = { state: 'FILLED', evidence: 'their statement', fills }
      const resolved = await world.repeated(`execution.resolve.${moment}`, (headers) =>
        world.call<Execution>('POST', `/executions/${id}/resolve`, body, headers),
      )
      assert.deepEqual([resolved.state, resolved.filled_amount], ['DONE', '0.01'])
      await world.sandbox.control('DELETE', 'faults')
      await world.until(
        'the broker to agree',
        async () => (await orderOf(id)).confirmed_at ?? undefined,
      )
      const booked = await world.call<unknown[]>('GET', `/executions/${id}/orders/fills`)
      assert.equal(booked.length, placed?.trades.length)
      await world.agree()
      assert.deepEqual(await world.verify(), [])
    })

  it('is canceled when somebody wished it in doubt, whoever dies meanwhile', async () => {
    const limit = { execution_type: 'LIMIT', price: '30000' }
    for (const point of ['cancel_intent.after', 'cancel.after', 'cancel_record.before']) {
      const id = await unknown(limit)
      const wished = await world.repeated('execution.cancel_requested', (headers) =>
        world.call<Execution>('DELETE', `/executions/${id}`, undefined, headers),
      )
      assert.equal(wished.state, 'UNKNOWN')
      await world.sandbox.control('DELETE', 'faults')
      await workerDiesAt(`execution.${point}`)
      const canceled = await inState(id, 'CANCELED')
      assert.equal(canceled.reason_code, 'CANCELED_ON_REQUEST')
      assert.deepEqual(
        (await atVenue(id)).map((order) => order.status),
        ['canceled'],
      )
    }
    assert.deepEqual(await world.verify(), [])
  })

  it('was filled first: the wish is not carried out', async () => {
    const id = await unknown()
    await world.call('DELETE', `/executions/${id}`)
    await world.sandbox.control('DELETE', 'faults')
    const done = await inState(id, 'DONE')
    assert.equal(done.reason_code, 'FILLED_BEFORE_CANCEL')
    await world.agree()
    assert.deepEqual(await world.verify(), [])
  })
})
