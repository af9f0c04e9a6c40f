/** For tests of executions over HTTP: a world with one customer, and what tests ask of it. */
import assert from 'node:assert/strict'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import type { TestServer } from '../../http/testing.ts'
import { bookingsOf, holdsOf } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Quote } from '../quotes/quotes.schema.ts'
import { openTradingApi, showBooking } from '../testing/desk.testing.ts'
import { fillFor, openWorld, report } from '../testing/trading.fixture.ts'
import type { World } from '../testing/trading.fixture.ts'
import type { Execution } from './executions.schema.ts'

type Fields = Record<string, unknown>

export class ExecutionDesk {
  readonly world: World
  readonly api: TestServer
  /** The customer whom requests name. */
  alice!: Customer

  private constructor(world: World, api: TestServer) {
    this.world = world
    this.api = api
  }

  static async open(): Promise<ExecutionDesk> {
    const world = await openWorld()
    return new ExecutionDesk(world, await openTradingApi(world))
  }

  /** An exchange that has said nothing yet, a market, and a new customer. */
  async reset(): Promise<void> {
    const { exchange } = this.world
    exchange.sends = []
    exchange.finds = []
    exchange.sent = []
    exchange.settlement = 'PREFUNDED'
    exchange.pair.taker_fee = decimal('0.0026')
    this.world.market()
    this.alice = await this.world.customer()
  }

  async close(): Promise<void> {
    await this.api.close()
    await this.world.close()
  }

  body(more: Fields = {}): Fields {
    return {
      route_id: this.world.route.id,
      amount: '1.5',
      side: 'BUY',
      execution_type: 'MARKET',
      customers: [{ customer_id: this.alice.id }],
      ...more,
    }
  }

  async execute(more: Fields = {}, headers: Record<string, string> = {}): Promise<Execution> {
    const options = { body: this.body(more), headers }
    const answer = await this.api.call<Execution>('POST', '/executions', options)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  /** Why a request is refused: status, code, detail, path. */
  async refused(url: string, body: unknown): Promise<unknown[]> {
    const { status, error_code, error_details } = await this.api.call('POST', url, { body })
    return [status, error_code, error_details?.[0]?.code, error_details?.[0]?.path]
  }

  async quote(more: Fields = {}): Promise<Quote> {
    const answer = await this.api.call<Quote>('POST', '/price-stream/quotes', {
      body: {
        route_id: this.world.route.id,
        request_asset: 'BTC',
        request_quantity: '1.5',
        risk_duration_ms: 10_000,
        customer_id: this.alice.id,
        ...more,
      },
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  async bookings(id: string): Promise<string[]> {
    const { database, workspace } = this.world
    return (await bookingsOf(database.db, workspace, id)).map(showBooking)
  }

  async openHolds(id: string): Promise<string[]> {
    const { database, workspace } = this.world
    return (await holdsOf(database.db, workspace, id))
      .filter((hold) => hold.state === 'OPEN')
      .map((hold) => `${hold.asset} ${format(hold.remaining)}`)
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
    return rows.map((event) => event.type)
  }

  /** The exchange fills every order at once. */
  fillAll(): void {
    this.world.exchange.sends = [
      (order) => ({
        outcome: 'accepted',
        report: report('FILLED', [fillFor(newId(), '60000', format(order.quantity))]),
      }),
    ]
  }
}
