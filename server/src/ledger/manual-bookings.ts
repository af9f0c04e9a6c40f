/** Bookings that a person makes by hand. */
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { format, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { ApiError, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { readTime, storedReplyId } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import type { Db, Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { amountOf, assetByCode } from './assets.ts'
import { bookingById, shapeOfCommitted } from './bookings.ts'
import type { Change } from './changes.ts'
import { askedBy } from './lane/lane.ts'
import type { Lane } from './lane/lane.ts'
import type { Booking, CreateBookingBody, LegType } from './ledger.schema.ts'

/** Milliseconds; a booking's value date must lie within it. null: open on that side. */
export type OpenPeriod = { from: number | null; to: number | null }

export type LedgerApp = {
  db: Db
  clock: Clock
  lane: Lane
  /** The workspace's open period, a setting. */
  openPeriod(workspace: WorkspaceId): Promise<OpenPeriod>
}

/** POST /bookings. Refuses what `composeManualBooking` and the lane refuse. */
export async function bookByHand(
  caller: Caller,
  app: LedgerApp,
  body: CreateBookingBody,
): Promise<Booking> {
  const { workspace, idempotency } = caller
  try {
    const change = await composeManualBooking(caller, app, body)
    return await commitBooking(app, change)
  } catch (error) {
    // What was booked before is answered again, also when the period has been closed since.
    const booking_id =
      error instanceof ApiError ? await storedReplyId(app.db, workspace, idempotency) : undefined
    if (booking_id === undefined) throw error
    return bookingById(app.db, workspace, booking_id)
  }
}

async function commitBooking({ db, lane }: LedgerApp, change: Change): Promise<Booking> {
  const { workspace } = change
  const committed = await lane.commit(change)
  if (committed.verdict === 'accepted') {
    const [booking] = committed.bookings
    assert(booking !== undefined, 'the change books once')
    return shapeOfCommitted(workspace, booking)
  }
  assert('booking_id' in committed.reply, 'a booking replays by its id')
  return bookingById(db, workspace, committed.reply.booking_id)
}

/**
 * The change that makes one MANUAL booking. Refuses SCALE, UNKNOWN_ASSET, UNBALANCED and
 * PERIOD_CLOSED.
 */
async function composeManualBooking(
  caller: Caller,
  app: LedgerApp,
  body: CreateBookingBody,
): Promise<Change> {
  const { workspace, by } = caller
  const asset = await assetByCode(app.db, workspace, body.asset)
  const legs = body.legs.map((leg, index) => ({
    account_id: leg.account_id,
    type: leg.type,
    quantity: amountOf(leg.quantity, asset, `legs[${index}].quantity`),
  }))
  const side = (type: LegType) =>
    sum(legs.filter((leg) => leg.type === type).map((leg) => leg.quantity))
  const [debit, credit] = [side('DEBIT'), side('CREDIT')]
  if (debit !== credit)
    throw refuse(
      'UNBALANCED',
      'legs',
      `DEBIT legs sum to ${format(debit)}, CREDIT legs to ${format(credit)}`,
    )
  const value_date =
    body.value_date === undefined
      ? undefined
      : parseValueDate(body.value_date, await app.openPeriod(workspace))
  const booking = {
    id: newId(),
    type: 'MANUAL' as const,
    asset: asset.code,
    legs,
    ...(value_date === undefined ? {} : { value_date }),
    ...(body.description === undefined ? {} : { description: body.description }),
  }
  return {
    workspace,
    class: 'command',
    by,
    ledger: [{ step: 'book', booking }],
    ...askedBy(caller, { booking_id: booking.id }),
  }
}

function parseValueDate(text: number | string, { from, to }: OpenPeriod): number {
  const time = readTime(text, 'value_date')
  if ((from !== null && time < from) || (to !== null && time >= to)) {
    const edge = (at: number | null) => (at === null ? 'open' : new Date(at).toISOString())
    throw refuse(
      'PERIOD_CLOSED',
      'value_date',
      `value_date ${new Date(time).toISOString()} is outside the open period ` +
        `from ${edge(from)} to ${edge(to)}`,
    )
  }
  return time
}

const MAXIMUM_LEGS_LOOKED_AT = 500

/** Among the last legs of an account, the latest MANUAL booking that moved just this quantity. */
export async function findManualBooking(
  reader: Reader,
  workspace: WorkspaceId,
  { account_id, asset, quantity }: { account_id: string; asset: string; quantity: Decimal },
): Promise<string | undefined> {
  const [found] = await reader.query<{ id: string }>(sql`
    select b.id
    from (
      select booking_sequence, quantity
      from legs
      where workspace = ${workspace}
        and account_id = ${account_id}
      order by booking_sequence desc
      limit ${MAXIMUM_LEGS_LOOKED_AT}
    ) as l
    join bookings b on b.workspace = ${workspace}
      and b.sequence = l.booking_sequence
    where l.quantity = ${format(quantity)}::numeric
      and b.asset = ${asset}
      and b.type = 'MANUAL'
    order by b.sequence desc
    limit 1`)
  return found?.id
}
