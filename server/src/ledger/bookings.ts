/** Bookings as they are stored, listed and shown. */
import { decimal, format } from '../core/decimal.ts'
import { notFound } from '../core/errors.ts'
import type { AccountId, BookingId, WorkspaceId } from '../core/ids.ts'
import { isTagged } from '../http/index.ts'
import type { ListQuery } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { CommittedBooking } from './changes.ts'
import type { Booking, BookingType, LegType } from './ledger.schema.ts'

type BookingRow = Omit<
  Booking,
  | 'legs'
  | 'system_created_at'
  | 'system_created_by'
  | 'system_updated_at'
  | 'system_updated_by'
  | 'version'
> & { booked_at: number; booked_by: string | null }
type LegRow = {
  booking_sequence: number
  leg_no: number
  account_id: AccountId
  account_label: string
  type: LegType
  quantity: string
  balance_after: string
}

const COLUMNS = `
  b.sequence, b.id, b.workspace, b.type, b.asset, b.value_date, b.booked_at, b.booked_by,
    b.reference_type, b.reference_id, b.description, b.reverses_id`
const SELECT = raw(`
  select ${COLUMNS}
  from bookings b`)
/**
 * Leg by leg, from the key on: merged with the bookings, all that are newer than the key would be
 * read. Of a type, without reading the account's others.
 */
const selectByAccount = (type?: BookingType): Query => sql`
  select distinct on (l.booking_sequence) l.booking_sequence, ${raw(COLUMNS)}
  from ${type === undefined ? sql`legs` : sql`(select * from legs where booking_type = ${type})`} l
  cross join lateral (
    select *
    from bookings
    where workspace = l.workspace
      and sequence = l.booking_sequence
    limit 1
  ) b`

export async function bookingById(
  reader: Reader,
  workspace: WorkspaceId,
  id: BookingId,
): Promise<Booking> {
  const rows = await reader.query<BookingRow>(
    sql`${SELECT} where b.workspace = ${workspace} and b.id = ${id}`,
  )
  const [booking] = await withLegs(reader, workspace, rows)
  if (booking === undefined) throw notFound('booking', id, 'booking_id')
  return booking
}

/** All bookings of one cause (a withdrawal, an execution), oldest first. */
export async function bookingsOf(
  reader: Reader,
  workspace: WorkspaceId,
  reference_id: string,
): Promise<Booking[]> {
  return withLegs(
    reader,
    workspace,
    await reader.query<BookingRow>(
      sql`
        ${SELECT}
        where b.workspace = ${workspace}
          and b.reference_id = ${reference_id}
        order by b.sequence`,
    ),
  )
}

/** The bookings with these ids, in no order. */
export async function bookingsByIds(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Booking[]> {
  if (ids.length === 0) return []
  return withLegs(
    reader,
    workspace,
    await reader.query<BookingRow>(
      sql`${SELECT} where b.workspace = ${workspace} and b.id = any(${ids}::uuid[])`,
    ),
  )
}

type BookingFilter = {
  sequence_from?: number
  sequence_to?: number
  from?: number
  to?: number
  type?: BookingType[]
  account_id?: AccountId
  reference_id?: string
  tag?: string
}

/**
 * Times become sequences first (a batch has one time), so that one index serves every combination.
 */
export async function listBookings(
  reader: Reader,
  workspace: WorkspaceId,
  filter: BookingFilter,
): Promise<ListQuery<Booking>> {
  const column = filter.account_id === undefined ? 'b.sequence' : 'l.booking_sequence'
  const key = raw(column)
  const conditions: Query[] =
    filter.account_id === undefined
      ? [sql`b.workspace = ${workspace}`]
      : [sql`l.workspace = ${workspace}`, sql`l.account_id = ${filter.account_id}`]
  if (filter.sequence_from !== undefined) conditions.push(sql`${key} >= ${filter.sequence_from}`)
  if (filter.sequence_to !== undefined) conditions.push(sql`${key} < ${filter.sequence_to}`)
  if (filter.from !== undefined)
    conditions.push(sql`${key} >= ${await sequenceAt(reader, workspace, filter.from)}`)
  if (filter.to !== undefined)
    conditions.push(sql`${key} < ${await sequenceAt(reader, workspace, filter.to)}`)
  if (filter.type !== undefined && filter.account_id === undefined)
    conditions.push(sql`b.type = any(${filter.type})`)
  if (filter.reference_id !== undefined)
    conditions.push(sql`b.reference_id = ${filter.reference_id}`)
  if (filter.tag !== undefined) conditions.push(isTaggedBooking(key, workspace, filter.tag))
  const [select = SELECT, ...merged] = filter.account_id === undefined ? [] : ofAccount(filter)
  return {
    select,
    merged,
    conditions,
    key: { column, type: 'bigint' },
    enrich: (rows: BookingRow[]) => withLegs(reader, workspace, rows),
  }
}

/** The list has the order of sequences. */
const isTaggedBooking = (key: Query, workspace: WorkspaceId, tag: string): Query => sql`
  ${key} = any(array(
    select tagged.sequence
    from bookings tagged
    where tagged.workspace = ${workspace}
      and ${isTagged({ workspace, kind: 'booking', id: 'tagged.id' }, tag)}
  ))`

const ofAccount = ({ type }: BookingFilter): Query[] =>
  type === undefined ? [selectByAccount()] : [...new Set(type)].map(selectByAccount)

/** The first sequence booked at or after this time; one beyond the last when there is none. */
export async function sequenceAt(
  reader: Reader,
  workspace: WorkspaceId,
  time: number,
): Promise<number> {
  const [after] = await reader.query<{ first_sequence: number }>(
    sql`
      select first_sequence
      from batches
      where workspace = ${workspace}
        and committed_at >= ${time}
      order by committed_at, batch_no
      limit 1`,
  )
  return after?.first_sequence ?? Number.MAX_SAFE_INTEGER
}

async function withLegs(
  reader: Reader,
  workspace: WorkspaceId,
  rows: BookingRow[],
): Promise<Booking[]> {
  if (rows.length === 0) return []
  const legs = await reader.query<LegRow>(sql`
    select l.booking_sequence, l.leg_no, l.account_id, a.label as account_label, l.type, l.quantity,
      l.balance_after
    from legs l
    join accounts a on a.workspace = l.workspace
      and a.id = l.account_id
    where l.workspace = ${workspace}
      and l.booking_sequence = any(${rows.map((row) => row.sequence)}::bigint[])
    order by l.booking_sequence, l.leg_no`)
  const bySequence = Map.groupBy(legs, (leg) => leg.booking_sequence)
  return rows.map((row) =>
    bookingShape(
      row,
      (bySequence.get(row.sequence) ?? []).map(
        ({ account_id, account_label, type, quantity, balance_after }) => ({
          account_id,
          account_label,
          type,
          quantity,
          balance_after,
        }),
      ),
    ),
  )
}

function bookingShape(
  { booked_at, booked_by, ...row }: BookingRow,
  legs: Booking['legs'],
): Booking {
  return {
    ...row,
    legs,
    system_created_at: booked_at,
    system_created_by: booked_by,
    system_updated_at: booked_at,
    system_updated_by: booked_by,
    version: 1,
  }
}

/** What the lane just booked, as the endpoint answers it. */
export function shapeOfCommitted(workspace: WorkspaceId, booking: CommittedBooking): Booking {
  return bookingShape(
    {
      sequence: booking.sequence,
      id: booking.id,
      workspace,
      type: booking.type,
      asset: booking.asset,
      value_date: booking.value_date,
      booked_at: booking.booked_at,
      booked_by: booking.booked_by,
      reference_type: booking.reference_type ?? null,
      reference_id: booking.reference_id ?? null,
      description: booking.description ?? null,
      reverses_id: booking.reverses_id ?? null,
    },
    booking.legs.map((leg) => ({
      ...leg,
      quantity: format(leg.quantity),
      balance_after: format(leg.balance_after),
    })),
  )
}

type HashedRow = BookingRow & {
  event_sequence: number
  batch_no: number
  description_salt: Buffer | null
  description_digest: Buffer | null
}

/** Rows of one batch as they were hashed, for the verifier. */
export async function bookingsBetween(
  reader: Reader,
  workspace: WorkspaceId,
  first: number,
  last: number,
): Promise<CommittedBooking[]> {
  const rows = await reader.query<HashedRow>(sql`
    select sequence, id, event_sequence, batch_no, type, asset, value_date, booked_at, booked_by,
      reference_type, reference_id, description, description_salt, description_digest, reverses_id
    from bookings
    where workspace = ${workspace}
      and sequence between ${first} and ${last}
    order by sequence`)
  const legs = await reader.query<LegRow>(sql`
      select booking_sequence, leg_no, account_id, '' as account_label, type, quantity,
        balance_after
      from legs
      where workspace = ${workspace}
        and booking_sequence between ${first} and ${last}
      order by booking_sequence, leg_no`)
  const bySequence = Map.groupBy(legs, (leg) => leg.booking_sequence)
  return rows.map((row) => ({
    ...hashedBooking(row),
    legs: (bySequence.get(row.sequence) ?? []).map((leg) => ({
      account_id: leg.account_id,
      account_label: '',
      type: leg.type,
      quantity: decimal(leg.quantity),
      balance_after: decimal(leg.balance_after),
    })),
  }))
}

function hashedBooking(row: HashedRow): Omit<CommittedBooking, 'legs'> {
  const { reference_type, reference_id, reverses_id, ...rest } = row
  const { description, description_salt, description_digest, ...booking } = rest
  return {
    ...booking,
    booked_by: booking.booked_by ?? '',
    ...(reference_type === null ? {} : { reference_type }),
    ...(reference_id === null ? {} : { reference_id }),
    ...(reverses_id === null ? {} : { reverses_id }),
    ...(description === null ? {} : { description }),
    ...(description_salt === null ? {} : { description_salt }),
    ...(description_digest === null ? {} : { description_digest }),
  }
}
