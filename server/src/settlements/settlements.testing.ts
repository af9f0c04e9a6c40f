/** For tests: a broker that is paid after the trade, customers who trade there, and the desk. */
import assert from 'node:assert/strict'
import { mustExist } from '../core/assert.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Decimal } from '../core/decimal.ts'
import { repeat } from '../core/service.testing.ts'
import { balancesOf, verifyBooks } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import { startSandbox } from '../venues/sandbox-process.testing.ts'
import { SettlementService } from './service.testing.ts'
import type { Part, Settlement } from './settlements.schema.ts'

const PACE = 20
const FAR_MILLISECONDS = 30 * 86_400_000

export type Customer = { id: string; account_id: string }
export type Fill = {
  id: string
  venue_id: string
  base_asset: string
  quantity: string
  settlement_state: string
  settlement_id: string | null
  foreign_id: string
  busted: boolean
}
type Venue = {
  id: string
  label: string
  workspace: WorkspaceId
  settlement: string
  services: { id: string; type: string }[]
}
type Account = { id: string; type: string; venue_id: string | null }
type Position = { asset: string; difference: string }
type Need = { kind: string; count: number }
type Balance = { total: string; trading: string; withdrawing: string }

export async function openSettlementWorld(): Promise<SettlementWorld> {
  const world = new SettlementWorld(
    await testDatabase({ maximumConnections: 3 }),
    await startSandbox(),
  )
  try {
    await world.start()
    return world
  } catch (error) {
    await world.close()
    throw error
  }
}

export const partOf = ({ parts }: Settlement, direction: Part['direction'], asset?: string): Part =>
  mustExist(
    parts.find(
      (part) => part.direction === direction && (asset === undefined || part.asset === asset),
    ),
    `a settlement has an ${direction} part`,
  )

export class SettlementWorld extends SettlementService {
  /** World time runs faster than ours. */
  readonly #timerange_to = Date.now() + FAR_MILLISECONDS
  #prime: Venue | undefined
  #accounts: readonly Account[] = []
  #customers = 0

  override async start(): Promise<void> {
    await this.sandbox.control('POST', 'clock', { pace: PACE })
    await super.start()
    const venues = await this.call<Venue[]>('GET', '/venues')
    this.#prime = venues.find((venue) => venue.settlement === 'POST_TRADE')
    this.#accounts = await this.call('GET', '/accounts')
  }

  /** The broker, which is paid after the trade. */
  get prime(): Venue {
    return mustExist(this.#prime, 'a venue settles after the trade')
  }

  get workspace(): WorkspaceId {
    return this.prime.workspace
  }

  #accountOf(type: string, venue_id: string | null = null): string {
    const is = (account: Account) => account.type === type && account.venue_id === venue_id
    return this.#accounts.find(is)?.id ?? ''
  }

  async customer(booking_schema: 'ADVANCED' | 'SIMPLE' = 'ADVANCED'): Promise<Customer> {
    this.#customers += 1
    const customer = await this.call<Customer>('POST', '/customers', {
      type: 'RETAIL',
      label: `Customer ${this.#customers}`,
      margin: 'DEFAULT',
      booking_schema,
      ignore_balance_check: false,
      ignore_margin: false,
      first_name: 'S',
      last_name: String(this.#customers),
    })
    const house = this.#accountOf('HOUSE')
    for (const [asset = '', quantity = ''] of [
      ['EUR', '100000'],
      ['BTC', '1'],
    ])
      await this.#book(house, customer.account_id, { asset, quantity })
    return customer
  }

  async #book(
    debit: string,
    credit: string,
    { asset, quantity }: { asset: string; quantity: string },
  ): Promise<void> {
    await this.call('POST', '/bookings', {
      asset,
      legs: [
        { account_id: debit, type: 'DEBIT', quantity },
        { account_id: credit, type: 'CREDIT', quantity },
      ],
    })
  }

  /** 5 EUR by hand between the house and the broker's account of trades. */
  async bookByHand(debit: 'HOUSE' | 'TRADING', credit: 'HOUSE' | 'TRADING'): Promise<void> {
    const accountOf = (type: 'HOUSE' | 'TRADING') =>
      this.#accountOf(type, type === 'HOUSE' ? null : this.prime.id)
    await this.#book(accountOf(debit), accountOf(credit), { asset: 'EUR', quantity: '5' })
  }

  async route(): Promise<string> {
    const [route] = await this.call<{ id: string }[]>('GET', '/price-stream/routes')
    return mustExist(route, 'a route is priced').id
  }

  async trade(customer: Customer, side: 'BUY' | 'SELL', amount: string): Promise<string> {
    const route_id = await this.route()
    const { id } = await this.until('a fresh price', async () => {
      const answer = await this.ask<{ id: string }>('POST', '/executions', {
        route_id,
        amount,
        side,
        execution_type: 'MARKET',
        customers: [{ customer_id: customer.id }],
      })
      if (!answer.success && answer.error_details?.[0]?.code !== 'STALE_PRICE')
        throw new Error(JSON.stringify(answer))
      return answer.success ? answer.data : undefined
    })
    await this.until('the end of the execution', async () => {
      const execution = await this.call<{ state: string; reason: string | null }>(
        'GET',
        `/executions/${id}`,
      )
      const { state, reason } = execution
      if (state === 'FAILED' || state === 'CANCELED')
        throw new Error(`the execution is ${state}: ${reason}`)
      return state === 'DONE' ? true : undefined
    })
    return id
  }

  /** The broker takes the trades of an execution back; they are read at once. */
  async bust(execution_id: string): Promise<void> {
    const url = `/executions/${execution_id}/orders/fills`
    for (const { foreign_id } of await this.call<Fill[]>('GET', url))
      await this.sandbox.control('POST', `prime/trades/${foreign_id}/bust`, {})
    // As if it were time to look back far: more than seconds may have passed since the trade.
    await this.database.db.query(sql`
      update trade_cursors
      set cursor = jsonb_set(cursor::jsonb, '{looked_back_at}', '0')::text`)
    await this.until('the busted trades', async () => {
      await this.database.db.query(
        sql`
          update tasks
          set due_at = 0
          where kind = 'observe_trades'
            and leased_until is null`,
      )
      return (await this.call<Fill[]>('GET', url)).every((fill) => fill.busted) ? true : undefined
    })
  }

  /** Everything that is not settled yet. */
  claim(headers?: Record<string, string>): Promise<Settlement> {
    const body = { timerange_from: 1_000_000_000_000, timerange_to: this.#timerange_to }
    return this.call<Settlement>('POST', '/settlements', body, headers)
  }

  cover(id: string, body: object = {}, headers?: Record<string, string>): Promise<Settlement> {
    return this.call<Settlement>('PUT', `/settlements/${id}/parts`, body, headers)
  }

  initiate(id: string, body: object = {}, headers?: Record<string, string>): Promise<Settlement> {
    return this.call<Settlement>('POST', `/settlements/${id}/initiate`, body, headers)
  }

  settlement(id: string): Promise<Settlement> {
    return this.call<Settlement>('GET', `/settlements/${id}`)
  }

  settled(id: string): Promise<Settlement> {
    return this.until(`the end of settlement ${id}`, async () => {
      const settlement = await this.settlement(id)
      if (settlement.state === 'SETTLED') return settlement
      await this.#relateArrivals(settlement)
      return undefined
    })
  }

  /** As a person does with coins, of which nothing but their quantity speaks for a part. */
  async #relateArrivals({ parts }: Settlement): Promise<void> {
    const waiting = parts.filter(({ state, arrival }) => state === 'INITIATED' && arrival !== null)
    if (waiting.length === 0) return
    const deposits = await this.call<{ id: string }[]>('GET', '/treasury/deposits?state=UNASSIGNED')
    for (const { id } of deposits) {
      const suggestions = await this.call<{ part_id: string | null }[]>(
        'GET',
        `/treasury/deposits/${id}/transfer-suggestions`,
      )
      const part = waiting.find((part) => suggestions.some(({ part_id }) => part_id === part.id))
      if (part !== undefined)
        await this.call('POST', `/treasury/deposits/${id}/relate`, { part_id: part.id })
    }
  }

  /**
   * The request dies at this point with the process, and is repeated with its key at the next one.
   */
  async repeated<Data>(
    point: string,
    request: (headers: Record<string, string>) => Promise<Data>,
  ): Promise<Data> {
    await this.dieAt(point)
    const headers = { 'idempotency-key': newId() }
    await assert.rejects(request(headers))
    assert.equal(await this.api.exited, 'SIGKILL', point)
    await this.startApi()
    return repeat(() => request(headers))
  }

  /** In one line: error code, and the first detail's code. */
  async refusal(method: string, url: string, body?: unknown): Promise<string> {
    const { error_code, error_details } = await this.ask(method, url, body)
    return `${error_code} ${error_details?.[0]?.code}`
  }

  /** How many the desk must look at; undefined for none of the kind. */
  async needed(kind: string): Promise<number | undefined> {
    const { needs } = await this.call<{ needs: Need[] }>('GET', '/overview')
    return needs.find((need) => need.kind === kind)?.count
  }

  /** The total of an account by asset; what is 0 is left out. */
  async totals(type: string, venue_id: string | null = null): Promise<Record<string, string>> {
    const balances = await this.call<Record<string, { total: string }>>(
      'GET',
      `/bookings/accounts/${this.#accountOf(type, venue_id)}/balance`,
    )
    const totals = Object.entries(balances).map(([asset, { total }]) => [asset, total])
    return Object.fromEntries(totals.filter(([, total]) => total !== '0'))
  }

  async balance({ account_id }: Customer, asset: string): Promise<Balance | undefined> {
    const url = `/bookings/accounts/${account_id}/balance`
    return (await this.call<Record<string, Balance>>('GET', url))[asset]
  }

  async unsettled({ account_id }: Customer, asset: string): Promise<Decimal | undefined> {
    const balances = await balancesOf(this.database.db, this.workspace, account_id)
    return balances.find((balance) => balance.asset === asset)?.unsettled
  }

  async openHolds(): Promise<number | undefined> {
    const [row] = await this.database.db.query<{ count: number }>(
      sql`
        select count(*)::int as count
        from holds
        where workspace = ${this.workspace}
          and state = 'OPEN'`,
    )
    return row?.count
  }

  async verify(): Promise<Awaited<ReturnType<typeof verifyBooks>>['faults']> {
    return (await verifyBooks(this.database.db, this.workspace)).faults
  }

  /** Nothing is owed, lies with the broker, is on its way or blocked, and the books are whole. */
  async assertAllSettled(): Promise<void> {
    assert.deepEqual(
      {
        trading: await this.totals('TRADING', this.prime.id),
        venue: await this.totals('VENUE', this.prime.id),
        transit: await this.totals('TRANSIT'),
        holds: await this.openHolds(),
      },
      { trading: {}, venue: {}, transit: {}, holds: 0 },
    )
    assert.deepEqual(await this.verify(), [])
  }

  /** In one asset or in all; a venue that did not answer in time is compared again. */
  agree(asset?: string): Promise<true> {
    return this.until('venues and books to agree', async () => {
      const positions = await this.call<Position[]>('POST', '/desk/reconciliation/run')
      const differing = positions.filter((position) => position.difference !== '0')
      return differing.every((position) => asset !== undefined && position.asset !== asset)
        ? true
        : undefined
    })
  }
}
