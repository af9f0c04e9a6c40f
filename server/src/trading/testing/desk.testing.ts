/**
 * For tests of trading over HTTP: a world with the endpoints in front of it, and what tests ask
 * again and again.
 */
import assert from 'node:assert/strict'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { bookingsOf, holdsOf } from '../../ledger/index.ts'
import type { Booking } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { VenueOrder } from '../../venues/index.ts'
import { tradingDeskFeed } from '../reports/desk-feed.ts'
import { fillFor, openWorld, report } from './trading.fixture.ts'
import type { World } from './trading.fixture.ts'
import { tradingEndpoints } from '../index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { Order } from '../executions/orders.schema.ts'

type Fields = Record<string, unknown>

export class Desk {
  readonly world: World
  readonly api: TestServer

  constructor(world: World, api: TestServer) {
    this.world = world
    this.api = api
  }

  /** An exchange that has said nothing yet. */
  reset(): void {
    const { exchange } = this.world
    exchange.sends = []
    exchange.finds = []
    exchange.cancels = []
    exchange.sent = []
    exchange.canceled = []
    exchange.settlement = 'PREFUNDED'
    this.world.market()
  }

  async execute(body: Fields, headers: Record<string, string> = {}): Promise<Execution> {
    const answer = await this.api.call<Execution>('POST', '/executions', {
      body: { route_id: this.world.route.id, ...body },
      headers,
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  /** Why a request is refused: status, code, detail, path. */
  async refused(method: 'POST' | 'DELETE', url: string, body?: Fields): Promise<unknown[]> {
    const { status, error_code, error_details } = await this.api.call(
      method,
      url,
      body === undefined ? {} : { body: { route_id: this.world.route.id, ...body } },
    )
    return [status, error_code, error_details?.[0]?.code, error_details?.[0]?.path]
  }

  async cancel(id: string, headers: Record<string, string> = {}): Promise<Execution> {
    const answer = await this.api.call<Execution>('DELETE', `/executions/${id}`, { headers })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  async read(id: string): Promise<Execution> {
    return (await this.api.call<Execution>('GET', `/executions/${id}`)).data
  }

  async orders(id: string): Promise<Order[]> {
    return (await this.api.call<Order[]>('GET', `/executions/${id}/orders`)).data.toReversed()
  }

  async held(id: string): Promise<string[]> {
    const { database, workspace } = this.world
    return (await holdsOf(database.db, workspace, id))
      .filter((hold) => hold.state === 'OPEN')
      .map((hold) => `${hold.asset} ${format(hold.remaining)}`)
  }

  async booked(id: string): Promise<string[]> {
    const { database, workspace } = this.world
    return (await bookingsOf(database.db, workspace, id)).map(showBooking)
  }

  async events(id: string): Promise<string[]> {
    const { database, workspace } = this.world
    const rows = await database.db.query<{ type: string }>(
      sql`
        select type
        from events
        where workspace = ${workspace}
          and resource_id = ${id}
        order by sequence`,
    )
    return rows.map((event) => event.type.replace('execution.', ''))
  }

  /** How much of it the overview would show. */
  async needs(kind: string): Promise<number | undefined> {
    const { database, workspace, clock } = this.world
    const need = tradingDeskFeed.needs.find((feedNeed) => feedNeed.kind === kind)
    if (need === undefined) return undefined
    const rows = await database.db.query<{ count: number }>(need.select(workspace, clock.now()))
    return rows[0]?.count
  }

  /** The exchange fills the order at this price, in this part. */
  fills(price: string, part?: string) {
    return (order: VenueOrder) => {
      const quantity = part ?? format(order.quantity)
      const state = decimal(quantity) === order.quantity ? 'FILLED' : 'PARTIALLY_FILLED'
      const foreign_id = `O${order.client_order_id}`
      return {
        outcome: 'accepted' as const,
        report: { ...report(state, [fillFor(newId(), price, quantity)]), foreign_id },
      }
    }
  }

  total(execution: Execution): Decimal {
    return sum(execution.customers.map((customer) => decimal(customer.filled_volume)))
  }

  async close(): Promise<void> {
    await this.api.close()
    await this.world.close()
  }
}

export async function openDesk(): Promise<Desk> {
  const world = await openWorld()
  return new Desk(world, await openTradingApi(world))
}

/** The endpoints of trading, for a caller who may do everything there. */
export function openTradingApi(
  world: World,
  workspace: WorkspaceId = world.workspace,
  more: Partial<Principal> = {},
): Promise<TestServer> {
  const principal: Principal = {
    workspace,
    user_id: newId(),
    session_id: newId(),
    permissions: new Set([
      'trading.routes.read',
      'trading.quotes.read',
      'trading.quotes.create',
      'trading.executions.read',
      'trading.executions.create',
      'trading.executions.resolve',
    ]),
    ...more,
  }
  return testServer({
    db: world.database.db,
    clock: world.clock,
    endpoints: tradingEndpoints(world.app),
    authenticate: async () => principal,
  })
}

/** `EXECUTION EUR: D Alice 100, C Exchange trading 100` */
export function showBooking({ type, asset, legs }: Booking): string {
  const shown = legs.map(
    (leg) => `${leg.type === 'DEBIT' ? 'D' : 'C'} ${leg.account_label} ${leg.quantity}`,
  )
  return `${type} ${asset}: ${shown.join(', ')}`
}
