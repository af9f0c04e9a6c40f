import type { SetAsideItemId, VenueId } from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import {
  closed,
  id,
  nullable,
  oneOf,
  record,
  requiredText,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'

export const SET_ASIDE_STATES = ['OPEN', 'RESOLVED', 'DISMISSED'] as const
export type SetAsideState = (typeof SET_ASIDE_STATES)[number]

/** Open again when the venue has changed a record that was resolved, and it is not understood. */
export const SET_ASIDE_MOVES: Moves<SetAsideState> = {
  OPEN: ['RESOLVED', 'DISMISSED'],
  RESOLVED: ['OPEN'],
  DISMISSED: [],
}

/** What the record is about: money that moved, or a trade of our account. */
const SET_ASIDE_KINDS = ['TRANSFER', 'TRADE'] as const
export type SetAsideKind = (typeof SET_ASIDE_KINDS)[number]

export const SetAsideItemRecord = record('SetAsideItem', {
  id: id<SetAsideItemId>(),
  state: oneOf(
    SET_ASIDE_STATES,
    'RESOLVED: its record was understood and taken into the books; DISMISSED: by a user',
  ),
  venue_id: id<VenueId>(),
  kind: oneOf(SET_ASIDE_KINDS),
  foreign_id: text(500, "The venue's id of the record, or one that follows from its content"),
  direction: nullable(oneOf(['IN', 'OUT'], 'Null where the record does not say')),
  reason: Type.String({ description: 'Why it was not understood or not booked' }),
  raw_length: Type.Integer({
    minimum: 0,
    description: 'Characters of the record as the venue gave it',
  }),
  occurred_at: nullable(time('When the venue saw it, where the record says so')),
  retried_at: nullable(time('When a user last tried it again')),
  retried_by: nullable(text()),
  closed_at: nullable(time()),
  closed_by: nullable(text()),
  note: nullable(text(500, 'Why a user dismissed it')),
})
export type SetAsideItem = Static<typeof SetAsideItemRecord>

/** In a list: with what tells one from another at a glance. */
export const SetAsideItemRow = closed(
  {
    ...SetAsideItemRecord.properties,
    amount: nullable(
      text(200, 'Amount and asset as the record has them, unchecked; null where it names none'),
    ),
  },
  { title: 'SetAsideItemRow' },
)
export type SetAsideItemRow = Static<typeof SetAsideItemRow>

const raw = {
  raw: Type.String({
    description:
      'The record as the venue gave it. What cannot be stored is escaped; a very long one is cut',
  }),
}
export const SetAsideItemDetail = closed(
  { ...SetAsideItemRecord.properties, ...raw },
  { title: 'SetAsideItemDetail' },
)
export type SetAsideItemDetail = Static<typeof SetAsideItemDetail>
/** Stored beside what lists show. */
export const RAW_COLUMN = raw

export const DismissSetAsideItem = closed(
  { note: requiredText(500, 'Why the record needs no further attention') },
  { title: 'DismissSetAsideItem' },
)
