import type { AccountId, BookingId } from '../../core/ids.ts'
import {
  closed,
  asset,
  decimalText,
  flag,
  id,
  nullable,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { BOOKING_TYPES } from '../../ledger/index.ts'
import { RECORD_KINDS } from './kinds.ts'

export const TIMELINE_KINDS = [
  'deposit',
  'withdrawal',
  'execution',
  'settlement',
  'job_run',
  'assignment',
  'book_transfer',
  'customer',
] as const

const TimelineBooking = closed(
  {
    id: id<BookingId>(),
    sequence: Type.Integer({ minimum: 1 }),
    type: oneOf(BOOKING_TYPES),
    asset: asset(),
    legs: Type.Array(
      closed({
        account_id: id<AccountId>(),
        account_label: text(),
        type: oneOf(['DEBIT', 'CREDIT']),
        quantity: decimalText(),
      }),
    ),
  },
  { title: 'TimelineBooking' },
)

export const TimelineStep = closed(
  {
    at: time(),
    type: text(
      500,
      "The event's type; quote.created, order.sent, execution.route_chosen and job.… come from " +
        'the records; booking.created where there is only a booking',
    ),
    title: text(2000),
    reason: nullable(text(5000, 'The reason, if one was stored')),
    by: nullable(text(500, "The user's id or the worker's name; null where none was stored")),
    by_name: nullable(text(500, "The user's name")),
    resource: closed({ kind: oneOf(RECORD_KINDS), id: id() }),
    bookings: Type.Array(TimelineBooking, {
      description: 'Bookings of the same commit; none without bookings.read',
    }),
  },
  { title: 'TimelineStep' },
)
export type TimelineStep = Static<typeof TimelineStep>

export const TimelineShape = closed(
  {
    kind: oneOf(TIMELINE_KINDS),
    id: id(),
    steps: Type.Array(TimelineStep, {
      description:
        'Oldest first. Steps of related records need the permission to see these records',
    }),
    truncated: flag('There are earlier steps that are not shown'),
  },
  { title: 'Timeline' },
)
export type Timeline = Static<typeof TimelineShape>
