/**
 * For tests of trading over HTTP: a world with the endpoints in front of it, and what tests ask
 * again and again.
 */
import assert from 'node:assert/strict'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import { bookingsOf, holdsOf } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { VenueOrder } from '../../venues/index.ts'
import { tradingDeskFeed } from '../reports/desk-feed.ts'
import { fillFor, openWorld, report } from './trading.fixture.ts'
import type { World } from './trading.fixture.ts'
import { tradingEndpoints } from '../index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { Order } from '../executions/orders.schema.ts'

export type Desk = Awaited<ReturnType<typeof openDesk>>

export async function openDesk() {
  const world = await openWorld()
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
  const api = await testServer({
    db: world.database.db,
    clock: world.clock,
    endpoints: tradingEndpoints(world.app),
    authenticate: async () => principal,
  })
  const { db } = world.database
  const { workspace, exchange } = world
  return {
    world,
    api,
    /** An exchange that has said nothing yet. */
    reset() {
      exchange.sends = []
      exchange.finds = []
      exchange.cancels = []
      exchange.sent = []
      exchange.canceled = []
      exchange.settlement = 'PREFUNDED'
      world.market()
    },
    async execute(
      body: Record<string, unknown>,
      headers: Record<string, string> = {},
    ): Promise<Execution> {
      const answer = await api.call<Execution>('POST', '/executions', {
        body: { route_id: world.route.id, ...body },
        headers,
      })
      assert.equal(answer.status, 200, answer.text)
      return answer.data
    },
    /** Why a request is refused: status, code, detail, path. */
    async refused(
      method: 'POST' | 'DELETE',
      url: string,
      body?: Record<string, unknown>,
    ): Promise<unknown[]> {
      const answer = await api.call(
        method,
        url,
        body === undefined ? {} : { body: { route_id: world.route.id, ...body } },
      )
      return [
        answer.status,
        answer.error_code,
        answer.error_details?.[0]?.code,
        answer.error_details?.[0]?.path,
      ]
    },
    async cancel(id: string, headers: Record<string, string> = {}): Promise<Execution> {
      const answer = await api.call<Execution>('DELETE', `/executions/${id}`, { headers })
      assert.equal(answer.status, 200, answer.text)
      return answer.data
    },
    async read(id: string): Promise<Execution> {
      return (await api.call<Execution>('GET', `/executions/${id}`)).data
    },
    async orders(id: string): Promise<Order[]> {
      return (await api.call<Order[]>('GET', `/executions/${id}/orders`)).data.toReversed()
    },
    async held(id: string): Promise<string[]> {
      return (await holdsOf(db, workspace, id))
        .filter((hold) => hold.state === 'OPEN')
        .map((hold) => `${hold.asset} ${format(hold.remaining)}`)
    },
    async booked(id: string): Promise<string[]> {
      return (await bookingsOf(db, workspace, id)).map(
        (booking) =>
          `${booking.type} ${booking.asset}: ${booking.legs.map((leg) => `${leg.type === 'DEBIT' ? 'D' : 'C'} ${leg.account_label} ${leg.quantity}`).join(', ')}`,
      )
    },
    async events(id: string): Promise<string[]> {
      const rows = await db.query<{ type: string }>(
        sql`
          select type
          from events
          where workspace = ${workspace}
            and resource_id = ${id}
          order by sequence`,
      )
      return rows.map((event) => event.type.replace('execution.', ''))
    },
    /** How much of it the overview would show. */
    async needs(kind: string): Promise<number | undefined> {
      const need = tradingDeskFeed.needs.find((need) => need.kind === kind)
      return (
        need &&
        (await db.query<{ count: number }>(need.select(workspace, world.clock.now())))[0]?.count
      )
    },
    /** The exchange fills the order at this price, in this part. */
    fills: (price: string, part?: string) => (order: VenueOrder) => {
      const quantity = part ?? format(order.quantity)
      const whole = decimal(quantity) === order.quantity
      return {
        outcome: 'accepted' as const,
        report: {
          ...report(whole ? 'FILLED' : 'PARTIALLY_FILLED', [fillFor(newId(), price, quantity)]),
          foreign_id: `O${order.client_order_id}`,
        },
      }
    },
    total: (execution: Execution): Decimal =>
      execution.customers.reduce((sum, customer) => sum + decimal(customer.filled_volume), 0n),
    async close() {
      await api.close()
      await world.close()
    },
  }
}

export type { World }
