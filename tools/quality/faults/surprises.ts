/** What somebody at a venue does with a movement that is under way, or over. */
import { sql } from '../../../server/src/store/sql.ts'
import { BOOKED_INSTEAD } from './flow.ts'
import { holdOf } from './transfers.ts'
import { PACE, VENUES } from './world.ts'
import type { VenueKey, World } from './world.ts'

export type Surprise = {
  /** For all rows that meet it. */
  before?(world: World, venue: VenueKey): Promise<void>
  /** `marks`: of the row. True when it was done, once for each row. */
  act(world: World, marks: readonly string[]): Promise<boolean>
}

/** Longer than it takes to act, and than a replacement needs after it. */
const IN_MEMPOOL_SECONDS = 15

type Sent = {
  id: string
  external_id: string
  state: string
  reason: string | null
  venue_id: string
}

const withdrawalsOf = ({ db, workspace }: World, marks: readonly string[]) =>
  db.query<Sent>(sql`
    select id, external_id, state, reason, venue_id
    from withdrawals
    where workspace = ${workspace}
      and (id::text = any(${[...marks]}) or job_id::text = any(${[...marks]}))
    order by output`)

/** The control interface answers 404 and 409 while it cannot be done yet. */
const isTooEarly = (error: unknown): boolean => /: (404|409) /.test(String(error))

/** While it is in the mempool. */
const atCustodiansDesk = (action: 'boost' | 'drop'): Surprise => ({
  before: ({ sandbox }, venue) =>
    sandbox.fault(venue, 'confirm', 'LATE', {
      remaining: -1,
      delay_ms: IN_MEMPOOL_SECONDS * 1000 * PACE,
    }),
  async act(world, marks) {
    const [sent] = await withdrawalsOf(world, marks)
    if (sent === undefined) return false
    const [path, body] =
      sent.venue_id === world.venues.managed
        ? [`managed/requests/${sent.external_id}`, { decision: action }]
        : [`fireblocks/transactions/${sent.external_id}/${action}`, {}]
    try {
      await world.sandbox.control('POST', path, body)
      return true
    } catch (error) {
      if (isTooEarly(error)) return false
      throw error
    }
  },
})

export const BOOST = atCustodiansDesk('boost')
export const DROP = atCustodiansDesk('drop')

type Arrived = { foreign_id: string; state: string; venue: VenueKey; bookings: number }

/** Of these venues, by its quantity. */
async function depositOf(
  { db, workspace, venues }: World,
  among: readonly VenueKey[],
  quantity: string,
): Promise<Arrived | undefined> {
  const [deposit] = await db.query<Omit<Arrived, 'venue'> & { venue_id: string }>(sql`
    select d.foreign_id, d.state, d.venue_id,
      (
        select count(*)::integer
        from bookings b
        where b.workspace = d.workspace
          and b.reference_id = d.id
      ) as bookings
    from deposits d
    where d.workspace = ${workspace}
      and d.quantity = ${quantity}
      and d.venue_id = any(${among.map((key) => venues[key])}::uuid[])`)
  const venue = among.find((key) => venues[key] === deposit?.venue_id)
  return deposit && venue && { ...deposit, venue }
}

/** Screening keeps it; nothing is booked until it is released. */
export const RELEASE: Surprise = {
  async act(world, [quantity = '']) {
    const deposit = await depositOf(world, ['fireblocks'], quantity)
    await world.poll('fireblocks')
    if (deposit?.state !== 'PENDING_REVIEW') return false
    if (deposit.bookings > 0) throw new Error('what is frozen is booked')
    const [frozen] = world.outside<{ id: string }>(
      `
        select id
        from vault_transactions
        where incoming = 1
          and amount = ?`,
      quantity,
    )
    await world.sandbox.control('POST', `fireblocks/transactions/${frozen?.id}`, {
      action: 'unfreeze',
    })
    return true
  },
}

/** How a venue takes back what it has credited. Of no other venue that is documented. */
export const TAKEN_BACK: Readonly<
  Partial<Record<VenueKey, (world: World, deposit: Arrived, quantity: string) => Promise<unknown>>>
> = {
  bank: (world, _deposit, quantity) => {
    const [wire] = world.outside<{ id: number }>(
      `
        select id
        from bank_wires
        where cents = ?
          and kind = 'PAYMENT'
          and message_id is null`,
      String(Math.round(Number(quantity) * 100)),
    )
    return world.sandbox.control('POST', 'bank/reverse', { wire_id: `W${wire?.id}` })
  },
  kraken: ({ sandbox }, { foreign_id }) =>
    sandbox.control('POST', `kraken/deposits/${foreign_id}/return`, {}),
  bitstamp: ({ sandbox }, { foreign_id }) =>
    sandbox.control('POST', `bitstamp/deposits/${foreign_id}/return`, {}),
}
const TAKING_BACK = VENUES.filter((venue) => venue in TAKEN_BACK)

/** After it was credited here. */
export const RECALL: Surprise = {
  async act(world, [quantity = '']) {
    const deposit = await depositOf(world, TAKING_BACK, quantity)
    for (const venue of TAKING_BACK)
      if (venue === (deposit?.venue ?? venue)) await world.poll(venue)
    if (deposit?.state !== 'SUCCESSFUL') return false
    await TAKEN_BACK[deposit.venue]?.(world, deposit, quantity)
    return true
  },
}

type Position = { venue_id: string; difference: string }

/** Nothing is booked before a person decides, and reconciliation shows what left. */
const UNTIL_RESOLVED: Surprise = {
  async act(world, marks) {
    const [sent] = await withdrawalsOf(world, marks)
    if (sent?.state !== 'UNKNOWN') return false
    if (!sent.reason?.startsWith(`the bank booked ${BOOKED_INSTEAD} instead of`)) return false
    const hold = await holdOf(world, [sent.id])
    if (!hold.startsWith('OPEN 0 0')) throw new Error(`hold ${hold} before a person decides`)
    const positions = await world.call<Position[]>('POST', '/desk/reconciliation/run')
    const isApart = positions.some(
      ({ venue_id, difference }) => venue_id === sent.venue_id && Number(difference) !== 0,
    )
    if (!isApart) return false
    await world.call('POST', `/treasury/withdrawals/${sent.id}/resolve`, {
      state: 'FAILED',
      evidence: 'the bank says that the rest will not follow',
    })
    return true
  },
}

export const WRONG_AMOUNT = { amount: BOOKED_INSTEAD, surprise: UNTIL_RESOLVED }
