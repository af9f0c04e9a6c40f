/** The events and bookings of some resources, in the order of their commits. */
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { bookingsByIds } from '../bookings.ts'
import type { EventType } from '../event-types.ts'
import type { Booking } from '../ledger.schema.ts'

export type RecordedEvent = {
  sequence: number
  type: EventType
  resource_id: string
  at: number
  by: string | null
  data: Record<string, Json>
}
export type RecordedBooking = {
  sequence: number
  resource_id: string
  at: number
  booking: Booking
}

/** The latest `limit` of each, oldest first. */
export async function historyOf(
  reader: Reader,
  workspace: WorkspaceId,
  resource_ids: readonly string[],
  limit: number,
): Promise<{ events: RecordedEvent[]; bookings: RecordedBooking[] }> {
  const events = await reader.query<RecordedEvent>(sql`
    select e.sequence, e.type, e.resource_id, e.occurred_at as at, e.told_by as by, e.data
    from unnest(${resource_ids}::uuid[]) as r (id)
    cross join lateral (
      select *
      from events
      where workspace = ${workspace}
        and resource_id = r.id
      order by sequence desc
      limit ${limit}
    ) e
    order by e.sequence desc
    limit ${limit}`)
  const booked = await reader.query<{
    id: string
    event_sequence: number
    reference_id: string
    booked_at: number
  }>(sql`
    select b.id, b.event_sequence, b.reference_id, b.booked_at
    from unnest(${resource_ids}::uuid[]) as r (id)
    cross join lateral (
      select id, event_sequence, reference_id, booked_at
      from bookings
      where workspace = ${workspace}
        and reference_id = r.id
      order by sequence desc
      limit ${limit}
    ) b
    order by b.event_sequence desc
    limit ${limit}`)
  const ids = booked.map(({ id }) => id)
  const found = await bookingsByIds(reader, workspace, ids)
  const bookings = new Map(found.map((booking) => [booking.id, booking]))
  return {
    events: events.toReversed(),
    bookings: booked.toReversed().flatMap(({ id, event_sequence, reference_id, booked_at }) => {
      const booking = bookings.get(id)
      return booking === undefined
        ? []
        : [{ sequence: event_sequence, resource_id: reference_id, at: booked_at, booking }]
    }),
  }
}

/** What the latest bookings on an account were made for, newest first. */
export async function latestBookingCauses(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  limit: number,
): Promise<{ reference_type: string; reference_id: string }[]> {
  return reader.query<{ reference_type: string; reference_id: string }>(sql`
    select b.reference_type, b.reference_id
    from (
      select booking_sequence
      from legs
      where workspace = ${workspace}
        and account_id = ${account_id}
      order by booking_sequence desc
      limit ${limit}
    ) l
    join bookings b on b.workspace = ${workspace}
      and b.sequence = l.booking_sequence
    where b.reference_id is not null
      and b.reference_type is not null
    order by b.sequence desc`)
}
