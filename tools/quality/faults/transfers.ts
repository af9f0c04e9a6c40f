/** What must be true of a withdrawal: in our books, and in those of its venue. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { around, BOOKED_INSTEAD, unless } from './flow.ts'
import type { Expectation, Outcome } from './flow.ts'
import type { VenueKey, World } from './world.ts'

export const SENDING = around(
  'withdrawal',
  'load',
  'connect',
  'intent',
  'send',
  'record',
  'claimed',
  'find',
  'follow',
)
/** As far as one comes that the venue refuses. */
export const REFUSED = SENDING.slice(0, SENDING.indexOf('withdrawal.record.after') + 1)
const FINAL = ['SUCCESS', 'REJECTED', 'FAILED', 'CANCELED']
/** What an exchange with keys adds to the amount. */
const KRAKEN_FEES: Readonly<Record<string, number>> = { EUR: 1, BTC: 0.0001 }

/** The operation of each venue that sends. */
export const SEND: Readonly<Record<VenueKey, string>> = {
  fireblocks: 'create_transaction',
  kraken: 'Withdraw',
  bitstamp: 'withdrawal',
  okx: 'withdrawal',
  managed: 'create_withdrawal',
  bank: 'payment',
  prime: 'Withdraw',
}

type Transfer = {
  id: string
  external_id: string
  venue: VenueKey
  asset: string
  quantity: string
  address: string
}

/** How often it really left its venue, by the venue's own books. */
async function effectsOf(
  world: World,
  { id, venue, quantity, address }: Transfer,
): Promise<number> {
  if (venue === 'bank')
    return world.outside(
      `
        select id
        from bank_wires
        where end_to_end_id = ?
          and kind in ('PAYMENT', 'FOREIGN')`,
      id.replaceAll('-', ''),
    ).length
  if (venue === 'kraken' || venue === 'bitstamp')
    return world.outside(
      `
        select refid
        from ${venue === 'kraken' ? 'exchange' : 'bitstamp'}_withdrawals
        where amount = ?
          and status <> 'Failure'`,
      quantity,
    ).length
  const { received } = await world.sandbox.control<{
    received: { quantity: string; state: string }[]
  }>('GET', `chain/addresses/${address}`)
  return received.filter(
    (transfer) => transfer.quantity === quantity && transfer.state !== 'FAILED',
  ).length
}

/**
 * How often the venue was asked for it. An exchange gets no reference of ours, but the amount, with
 * or without its fee.
 */
async function askedOf(
  world: World,
  { external_id, venue, asset, quantity }: Transfer,
): Promise<number> {
  const fee = venue === 'kraken' ? (KRAKEN_FEES[asset] ?? 0) : 0
  const amounts = [Number(quantity), Number(quantity) + fee].map((amount) => amount.toFixed(8))
  const counts = await world.sandbox.control<
    { venue: string; operation: string; reference: string; count: number }[]
  >('GET', 'counts')
  return counts
    .filter((count) => count.venue === venue && count.operation === SEND[venue])
    .filter(
      ({ reference }) =>
        reference === external_id ||
        reference === external_id.replaceAll('-', '') ||
        amounts.includes(Number(reference.split(' ').at(-1)).toFixed(8)),
    )
    .reduce((sum, count) => sum + count.count, 0)
}

type Row = {
  external_id: string
  state: string
  reason: string | null
  asset: string
  quantity: string
  destination_address: string
  own_transfer: boolean
}

async function rowOf({ db, workspace }: World, id: string): Promise<Row> {
  const [row] = await db.query<Row>(sql`
    select external_id, state, reason, asset, quantity, destination_address, own_transfer
    from withdrawals
    where workspace = ${workspace}
      and id = ${id}`)
  return mustExist(row, `withdrawal ${id}`)
}

type Hold = { state: string; quantity: string; captured: string; released: string }

/** `captured` or `released` when everything that was blocked for these ended that way. */
export async function holdOf({ db, workspace }: World, causes: string[]): Promise<string> {
  const holds = await db.query<Hold>(sql`
    select state, quantity, captured, released
    from holds
    where workspace = ${workspace}
      and cause_id = any(${causes}::uuid[])`)
  return holds.length === 0 ? 'none' : [...new Set(holds.map(endOf))].toSorted().join(', ')
}

function endOf({ state, quantity, captured, released }: Hold): string {
  if (captured === quantity) return 'captured'
  return released === quantity ? 'released' : `${state} ${captured} ${released} of ${quantity}`
}

export async function bookingsOf({ db, workspace }: World, id: string): Promise<string[]> {
  const bookings = await db.query<{ type: string }>(sql`
    select type
    from bookings
    where workspace = ${workspace}
      and reference_id = ${id}
    order by type`)
  return bookings.map((booking) => booking.type)
}

export type Deposit = { id: string; state: string; own_transfer: boolean; quantity: string }

export const arrivalsOf = ({ db, workspace }: World, id: string) =>
  db.query<Deposit>(
    sql`
      select id, state, own_transfer, quantity
      from deposits
      where workspace = ${workspace}
        and related_withdrawal_id = ${id}`,
  )

/** `arrives`: where an own transfer comes in; `shared`: with a payment of a customer in it. */
export type Sending = { venue: VenueKey; arrives?: VenueKey; shared?: true }

/** Undefined while it is under way. */
export async function transferOutcome(
  world: World,
  id: string,
  expected: Expectation,
  { venue, arrives, shared }: Sending,
): Promise<Outcome | undefined> {
  const row = await rowOf(world, id)
  if (!FINAL.includes(row.state)) return undefined
  const arrival =
    arrives !== undefined && row.state === 'SUCCESS'
      ? await arrivalWrong(world, id, { arrives, shared })
      : []
  if (arrival === undefined) return undefined
  const transfer: Transfer = {
    id,
    external_id: row.external_id,
    venue,
    asset: row.asset,
    quantity: row.quantity,
    address: row.destination_address,
  }
  const [effects, asked, hold, bookings] = [
    await effectsOf(world, transfer),
    await askedOf(world, transfer),
    await holdOf(world, [id]),
    await bookingsOf(world, id),
  ]
  const right = rightEnd(expected, { isOwn: arrives !== undefined, shared })
  const instead = expected === 'short' ? await bookedAfter(world, id) : []
  if (expected === 'short' && instead.length === 0) return undefined
  const fees = bookings.filter((booking) => booking.endsWith('_FEE')).length
  const mostFees = 1 + (await chargesOf(world, id))
  const moved = bookings.filter((booking) => !booking.endsWith('_FEE')).join()
  const wrong = [
    ...arrival,
    ...unless(
      row.state === right.state,
      `state ${row.state} (${row.reason}) instead of ${right.state}`,
    ),
    ...unless(effects === right.effects, `left ${effects} times`),
    // What was refused while nobody lived to note it has to be asked for again: nothing had left.
    ...unless(expected === 'refused' || asked === 1, `asked ${asked} times`),
    ...unless(hold === right.hold, `hold ${hold} instead of ${right.hold}`),
    ...unless(
      expected !== 'short' || instead.join() === BOOKED_INSTEAD,
      `booked ${instead.join()} in its place`,
    ),
    ...unless(moved === right.booked && fees <= mostFees, `booked ${bookings.join() || 'nothing'}`),
  ]
  return { state: row.state, asked, effects, hold, wrong }
}

type Kind = { isOwn: boolean; shared: true | undefined }

function rightEnd(expected: Expectation, { isOwn, shared }: Kind) {
  const isHeld = shared === true || !isOwn
  if (expected === 'refused')
    return { state: 'REJECTED', effects: 0, hold: isHeld ? 'released' : 'none', booked: '' }
  if (expected === 'dropped')
    return { state: 'CANCELED', effects: 0, hold: isHeld ? 'released' : 'none', booked: '' }
  if (expected === 'short') return { state: 'FAILED', effects: 1, hold: 'released', booked: '' }
  return {
    state: 'SUCCESS',
    effects: 1,
    hold: isHeld ? 'captured' : 'none',
    booked: [...(isOwn ? ['TRANSFER'] : []), ...(isHeld ? ['WITHDRAWAL'] : [])].join(),
  }
}

/** Entries of their own by which the venue took a fee: one that comes late is booked by itself. */
async function chargesOf({ db, workspace }: World, id: string): Promise<number> {
  const charges = await db.query(sql`
    select
    from withdrawal_charges
    where workspace = ${workspace}
      and withdrawal_id = ${id}`)
  return charges.length
}

/** What the bank took in its place, as far as it is booked. */
async function bookedAfter({ db, workspace }: World, id: string): Promise<string[]> {
  const rows = await db.query<{ quantity: string }>(sql`
    select trim_scale(quantity)::text as quantity
    from withdrawals
    where workspace = ${workspace}
      and related_withdrawal_id = ${id}
      and origin = 'EXTERNAL'
      and state = 'SUCCESS'`)
  return rows.map(({ quantity }) => quantity)
}

/** Undefined while it has not come; then it is looked for. */
async function arrivalWrong(
  world: World,
  id: string,
  { arrives, shared }: { arrives: VenueKey; shared: true | undefined },
): Promise<string[] | undefined> {
  const arrivals = await arrivalsOf(world, id)
  if (!arrivals.some((arrival) => arrival.state === 'SUCCESSFUL')) {
    await world.poll(arrives)
    return undefined
  }
  const bookings = await bookingsOf(world, arrivals[0]?.id ?? '')
  const booked = bookings.filter((booking) => booking !== 'TRANSFER_FEE').join()
  return [
    ...unless(arrivals.length === 1, `${arrivals.length} arrivals`),
    ...unless(
      booked === (shared ? 'DEPOSIT,DEPOSIT_ASSIGNMENT,TRANSFER' : 'TRANSFER'),
      `arrival booked as ${booked}`,
    ),
  ]
}

/** Blocked, and not called ended, while nobody knows. */
export async function withheldWrong(world: World, id: string, isOwn: boolean): Promise<string[]> {
  const { state, reason } = await rowOf(world, id)
  const hold = await holdOf(world, [id])
  return [
    ...unless(
      state === 'PENDING' || (state === 'UNKNOWN' && reason !== null),
      `${state} (${reason}) while the venue is silent`,
    ),
    ...unless(
      hold.startsWith('OPEN 0 0') || (isOwn && hold === 'none'),
      `hold ${hold} while the venue is silent`,
    ),
  ]
}
