/**
 * Settlements as flows: a trade on credit, claimed, covered and paid. At its end it was paid once,
 * and nobody owes anything.
 */
import { sql } from '../../../server/src/store/sql.ts'
import { execute } from './executions.ts'
import { around, unless } from './flow.ts'
import type { Flow, FlowRun, Outcome } from './flow.ts'
import type { World } from './world.ts'

type SettlementRecord = {
  id: string
  state: string
  parts: {
    id: string
    state: string
    arrival: string | null
    direction: string
    withdrawal_id: string | null
    deposit_id: string | null
  }[]
}
type Withdrawal = { id: string; state: string }

const EARLIEST = 1_000_000_000_000
/** World time runs ahead of ours. */
const LATEST = 4_000_000_000_000
const KINDS = ['settlement', 'poll_venue', 'observe_trades', 'withdrawal']

class Settlement implements FlowRun {
  readonly subject = undefined
  readonly marks: string[]
  readonly #world: World
  readonly #execution: string
  readonly #key: string
  #claimed: string | undefined

  private constructor(world: World, execution: string, key: string) {
    this.#world = world
    this.#execution = execution
    this.#key = key
    this.marks = [execution]
  }

  static async begin(world: World, side: 'BUY' | 'SELL', key: string): Promise<Settlement> {
    const execution = await execute(
      world,
      {
        route: 'BTC/EUR at Prime',
        order: { execution_type: 'MARKET', side, amount: '0.011' },
        customers: [{ customer_id: world.customer.id }],
      },
      key,
    )
    return new Settlement(world, execution, key)
  }

  async outcome(): Promise<Outcome | undefined> {
    await lookNow(this.#world)
    if (this.#claimed === undefined) return this.#settleOnceTraded()
    const settlement = await this.#world.call<SettlementRecord>(
      'GET',
      `/settlements/${this.#claimed}`,
    )
    if (settlement.state === 'SETTLED') return this.#settledOutcome(settlement)
    await this.#relateArrivals(settlement)
    return undefined
  }

  /** As a person does with coins, of which nothing but their quantity speaks for a part. */
  async #relateArrivals({ parts }: SettlementRecord): Promise<void> {
    const waiting = parts.filter(({ arrival }) => arrival === 'EXPECTED').map(({ id }) => id)
    if (waiting.length === 0) return
    const nobodys = await this.#world.call<{ id: string }[]>(
      'GET',
      '/treasury/deposits?state=unassigned',
    )
    for (const { id } of nobodys) {
      const url = `/treasury/deposits/${id}`
      const suggestions = await this.#world.call<{ part_id: string | null }[]>(
        'GET',
        `${url}/transfer-suggestions`,
      )
      const part_id = suggestions.find(({ part_id }) => waiting.includes(part_id ?? ''))?.part_id
      if (part_id !== undefined)
        await this.#world.call('POST', `${url}/relate`, { part_id }, `${this.#key}-relate-${id}`)
    }
  }

  async waiting(): Promise<string[]> {
    return []
  }

  async #settleOnceTraded(): Promise<Outcome | undefined> {
    const [execution] = await this.#world.db.query<{ state: string }>(
      sql`
        select state
        from executions
        where workspace = ${this.#world.workspace}
          and id = ${this.#execution}`,
    )
    const state = execution?.state
    if (state === 'FAILED' || state === 'CANCELED')
      return { state, asked: null, effects: 0, hold: '?', wrong: [`the trade is ${state}`] }
    if (state === 'DONE') this.#claimed = await this.#settle()
    return undefined
  }

  async #settle(): Promise<string> {
    const { id } = await this.#world.call<SettlementRecord>(
      'POST',
      '/settlements',
      { timerange_from: EARLIEST, timerange_to: LATEST },
      `${this.#key}-claim`,
    )
    this.marks.push(id)
    await this.#world.call('PUT', `/settlements/${id}/parts`, {}, `${this.#key}-cover`)
    await this.#world.call('POST', `/settlements/${id}/initiate`, {}, `${this.#key}-initiate`)
    return id
  }

  async #settledOutcome({ id, state, parts }: SettlementRecord): Promise<Outcome> {
    const { db, workspace } = this.#world
    const withdrawals = await db.query<Withdrawal>(
      sql`
        select id, state
        from withdrawals
        where workspace = ${workspace}
          and settlement_id = ${id}`,
    )
    const unsettled = await this.#unsettledFills()
    const holds = await this.#openHolds(withdrawals)
    const wrong = [
      ...unless(
        withdrawals.length === 1 && withdrawals[0]?.state === 'SUCCESS',
        `${withdrawals.length} withdrawals: ${withdrawals.map((row) => row.state).join()}`,
      ),
      ...unless(
        parts.length === 2 &&
          parts.every((part) => part.state === 'SUCCESS' && part.deposit_id !== null),
        `parts ${parts.map((part) => part.state).join()}`,
      ),
      ...unless(unsettled === 0, `${unsettled} fills are not settled`),
      ...(await owed(this.#world)),
      ...unless(holds === 0, 'a hold is left open'),
    ]
    const hold = holds === 0 ? 'captured' : `${holds} open`
    return { state, asked: null, effects: withdrawals.length, hold, wrong }
  }

  async #unsettledFills(): Promise<number> {
    const fills = await this.#world.db.query(
      sql`
        select id
        from fills
        where workspace = ${this.#world.workspace}
          and execution_id = ${this.#execution}
          and settlement_state <> 'SETTLED'`,
    )
    return fills.length
  }

  async #openHolds(withdrawals: readonly Withdrawal[]): Promise<number> {
    const causes = [this.#execution, ...withdrawals.map(({ id }) => id)]
    const holds = await this.#world.db.query(
      sql`
        select id
        from holds
        where workspace = ${this.#world.workspace}
          and state = 'OPEN'
          and cause_id = any(${causes}::uuid[])`,
    )
    return holds.length
  }
}

/** What would be looked at every few seconds is looked at now. */
const lookNow = ({ db, workspace }: World) =>
  db.query(
    sql`
      update tasks
      set due_at = 0
      where workspace = ${workspace}
        and kind = any(${KINDS}::text[])
        and leased_until is null
        and due_at > ${Date.now() + 500}`,
  )

async function owed({ db, workspace, venues }: World): Promise<string[]> {
  const totals = await db.query<{ type: string; asset: string; total: string }>(sql`
    select a.type, b.asset, b.total
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    where b.workspace = ${workspace}
      and a.venue_id = ${venues.prime}
      and a.type in ('TRADING', 'VENUE')
      and b.total <> 0`)
  return totals.map((total) => `${total.type} at Prime has ${total.total} ${total.asset}`)
}

const settlementFlow = (name: string, side: 'BUY' | 'SELL'): Flow => ({
  name,
  venue: 'prime',
  points: around('settlement', 'progress'),
  api: around('settlement', 'create', 'cover', 'initiate'),
  meets: ['none', 'lists a record that cannot be read'],
  apart: 1,
  begin: (world, _expected, key) => Settlement.begin(world, side, key),
})

export const SETTLEMENT_FLOWS: readonly Flow[] = [
  settlementFlow('settlement: bought', 'BUY'),
  settlementFlow('settlement: sold', 'SELL'),
]
