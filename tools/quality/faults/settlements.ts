/**
 * Settlements as flows: a trade on credit, claimed, covered and paid. At its end it was paid once,
 * and nobody owes anything.
 */
import { sql } from '../../../server/src/store/sql.ts'
import { around } from './flows.ts'
import type { Begun, Flow, Outcome } from './flows.ts'
import { execute } from './trades.ts'
import type { World } from './world.ts'

type Settlement = {
  id: string
  state: string
  parts: {
    state: string
    direction: string
    withdrawal_id: string | null
    deposit_id: string | null
  }[]
}
type Sent = { id: string; state: string }

const EARLIEST = 1_000_000_000_000
/** World time runs ahead of ours. */
const LATEST = 4_000_000_000_000
const KINDS = ['settlement', 'poll_venue', 'observe_trades', 'withdrawal']

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

const settlement = (name: string, side: 'BUY' | 'SELL'): Flow => ({
  name,
  venue: 'prime',
  points: around('settlement', 'progress'),
  api: around('settlement', 'create', 'cover', 'initiate'),
  meets: ['none'],
  apart: 1,
  async begin(world: World, _expected, key): Promise<Begun> {
    const execution = await execute(
      world,
      'BTC/EUR at Prime',
      { execution_type: 'MARKET', side, amount: '0.011' },
      [{ customer_id: world.customer.id }],
      key,
    )
    const marks = [execution]
    let claimed: string | undefined
    const traded = async () =>
      (
        await world.db.query<{ state: string }>(
          sql`
            select state
            from executions
            where workspace = ${world.workspace}
              and id = ${execution}`,
        )
      )[0]?.state

    async function settle(): Promise<string> {
      const made = await world.call<Settlement>(
        'POST',
        '/settlements',
        { timerange_from: EARLIEST, timerange_to: LATEST },
        `${key}-claim`,
      )
      marks.push(made.id)
      await world.call('PUT', `/settlements/${made.id}/parts`, {}, `${key}-cover`)
      await world.call('POST', `/settlements/${made.id}/initiate`, {}, `${key}-initiate`)
      return made.id
    }

    return {
      subject: undefined,
      marks,
      async outcome(): Promise<Outcome | undefined> {
        await lookNow(world)
        if (claimed === undefined) {
          const state = await traded()
          if (state === 'FAILED' || state === 'CANCELED')
            return { state, asked: null, effects: 0, hold: '?', wrong: [`the trade is ${state}`] }
          if (state === 'DONE') claimed = await settle()
          return undefined
        }
        const { state, parts } = await world.call<Settlement>('GET', `/settlements/${claimed}`)
        if (state !== 'SETTLED') return undefined
        const sent = await world.db.query<Sent>(
          sql`
            select id, state
            from withdrawals
            where workspace = ${world.workspace}
              and settlement_id = ${claimed}`,
        )
        const fills = await world.db.query(
          sql`
            select id
            from fills
            where workspace = ${world.workspace}
              and execution_id = ${execution}
              and settlement_state <> 'SETTLED'`,
        )
        const holds = await world.db.query(
          sql`
            select id
            from holds
            where workspace = ${world.workspace}
              and state = 'OPEN'
              and cause_id = any(${[execution, ...sent.map((sent) => sent.id)]}::uuid[])`,
        )
        const wrong = [
          ...(sent.length === 1 && sent[0]?.state === 'SUCCESS'
            ? []
            : [`${sent.length} withdrawals: ${sent.map((sent) => sent.state).join()}`]),
          ...(parts.length === 2 &&
          parts.every((part) => part.state === 'SUCCESS' && part.deposit_id !== null)
            ? []
            : [`parts ${parts.map((part) => part.state).join()}`]),
          ...(fills.length === 0 ? [] : [`${fills.length} fills are not settled`]),
          ...(await owed(world)),
        ]
        return {
          state,
          asked: null,
          effects: sent.length,
          hold: holds.length === 0 ? 'captured' : `${holds.length} open`,
          wrong: [...wrong, ...(holds.length === 0 ? [] : ['a hold is left open'])],
        }
      },
      waiting: async () => [],
    }
  },
})

export const SETTLEMENT_FLOWS: readonly Flow[] = [
  settlement('settlement: bought', 'BUY'),
  settlement('settlement: sold', 'SELL'),
]
