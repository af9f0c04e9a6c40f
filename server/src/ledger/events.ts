/**
 * The events of a workspace, gapless and in commit order: the rows of `events` and the bookings, of
 * which each is its own event. Both are read in one statement, so that no event is passed over.
 * The lane publishes them, or `publishEvents` in an ordinary transaction that moves no money.
 */
import type { Clock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import { newId } from '../core/ids.ts'
import { storableJson } from '../core/storable.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { closed, id, nullable, oneOf, page, text, time, Type } from '../http/index.ts'
import type { Caller, ListQuery, Static } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import type { Hint } from '../store/hints.ts'
import { insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { bookingsByIds } from './bookings.ts'
import { EVENT_TYPES } from './event-types.ts'
import type { EventType } from './event-types.ts'
import type { EventDraft } from './changes.ts'

/** The payload says `<workspace> <sequence of the last event>`. A hint, which may be lost. */
export const EVENT_CHANNEL = 'events'

export const EventRecord = closed(
  {
    id: id(),
    type: oneOf(EVENT_TYPES),
    sequence: Type.Integer({
      minimum: 1,
      description: 'Gapless and in commit order within the workspace',
    }),
    workspace: id<WorkspaceId>(),
    resource_id: id('The record of the event: a deposit, withdrawal, execution, booking, …'),
    occurred_at: time(),
    data: Type.Unsafe<Record<string, Json>>({
      type: 'object',
      additionalProperties: true,
      description: 'By type: see docs/events.md',
    }),
  },
  { title: 'Event' },
)
export type Event = Static<typeof EventRecord>

/** `told_by`: who caused it. */
const EVENT_ROWS = tableOf('events', EventRecord, { inside: { told_by: nullable(text()) } })

export type EventFilter = {
  after?: number
  up_to?: number
  /** Of no type at all when there is none. */
  type?: readonly EventType[]
  resource_id?: string
  newest_first?: boolean
}

type EventRow = Omit<Event, 'data'> & { data: Record<string, Json> | null }

const BOOKED = sql`
  select *
  from (
    select workspace, event_sequence as sequence, id, 'booking.created'::text as type,
      id as resource_id, booked_at as occurred_at, null::jsonb as data
    from bookings
  ) as booked`

const stored = (condition: Query): Query => sql`
  select *
  from (
    select workspace, sequence, id, type, resource_id, occurred_at, data
    from events
    where ${condition}
  ) as stored`

/**
 * Oldest first, or newest first. One part for each type, in the order of its index,
 * so that rare events are found without reading the others.
 */
export function eventsAfter(
  reader: Reader,
  workspace: WorkspaceId,
  { after = 0, up_to, type, resource_id, newest_first = false }: EventFilter,
): ListQuery<Event> {
  const ofType = (name: EventType) =>
    name === 'booking.created' ? BOOKED : stored(sql`type = ${name}`)
  const [select = BOOKED, ...merged] =
    type === undefined ? [stored(sql`true`), BOOKED] : [...new Set(type)].map(ofType)
  return {
    select,
    merged,
    conditions: [
      sql`workspace = ${workspace}`,
      ...(type?.length === 0 ? [sql`false`] : []),
      sql`sequence > ${after}`,
      ...(up_to === undefined ? [] : [sql`sequence <= ${up_to}`]),
      ...(resource_id === undefined ? [] : [sql`resource_id = ${resource_id}`]),
    ],
    key: {
      column: 'sequence',
      type: 'bigint',
      ...(newest_first ? {} : { order: 'oldest first' as const }),
    },
    enrich: (rows: EventRow[]) => withBookings(reader, workspace, rows),
  }
}

async function withBookings(
  reader: Reader,
  workspace: WorkspaceId,
  rows: readonly EventRow[],
): Promise<Event[]> {
  const booked = rows.filter((row) => row.data === null).map((row) => row.id)
  const bookings = new Map(
    (await bookingsByIds(reader, workspace, booked)).map((booking) => [booking.id, booking]),
  )
  return rows.map((row) => ({
    ...row,
    data: row.data ?? mustExist(bookings.get(row.id), 'an event without data is a booking'),
  }))
}

/** The event of this sequence. */
export async function eventAt(
  reader: Reader,
  workspace: WorkspaceId,
  sequence: number,
): Promise<Event | undefined> {
  const { items } = await page(
    reader,
    eventsAfter(reader, workspace, { after: sequence - 1, up_to: sequence }),
    1,
    undefined,
  )
  return (items as Event[])[0]
}

/** The sequence of the last event of each of these workspaces, of all when none is named. */
export async function lastEventSequences(
  reader: Reader,
  workspaces?: readonly WorkspaceId[],
): Promise<Map<WorkspaceId, number>> {
  const rows = await reader.query<{ workspace: WorkspaceId; event_sequence: number }>(
    sql`
      select workspace, event_sequence
      from lanes
      where ${workspaces === undefined ? sql`true` : sql`workspace = any(${workspaces}::uuid[])`}`,
  )
  return new Map(rows.map((row) => [row.workspace, row.event_sequence]))
}

/**
 * Takes the lane's lock: the first act of a transaction that will publish an event, before it
 * touches the rows of its module.
 */
export async function lockLane(tx: Tx, workspace: WorkspaceId): Promise<void> {
  await tx.query(sql`
    select 1
    from lanes
    where workspace = ${workspace}
    for update`)
}

/** `by`: the user or worker who did it, where one is known. */
type Author = Pick<Caller, 'workspace'> & Partial<Pick<Caller, 'by'>>

/** Publishes events in this transaction, which moves no money and holds the lane's lock. */
export async function publishEvents(
  { workspace, by }: Author,
  { tx, clock }: { tx: Tx; clock: Clock },
  drafts: readonly EventDraft[],
): Promise<void> {
  if (drafts.length === 0) return
  const row = only(
    await tx.query<{ event_sequence: number; committed_at: number }>(sql`
      update lanes
      set event_sequence = event_sequence + ${drafts.length},
        committed_at = greatest(committed_at, ${clock.now()})
      where workspace = ${workspace}
      returning event_sequence, committed_at`),
  )
  const { event_sequence, committed_at } = mustExist(row, `workspace ${workspace} has books`)
  const stamp = { by: by ?? null, now: committed_at }
  for (const [index, { type, resource_id, data }] of drafts.entries()) {
    const event = {
      workspace,
      sequence: event_sequence - drafts.length + index + 1,
      id: newId(committed_at),
      type,
      resource_id,
      occurred_at: committed_at,
      data: sql`${storableJson(data)}::jsonb`,
      told_by: stamp.by,
    }
    await tx.query(insertRow(EVENT_ROWS, event, stamp))
  }
  tx.hint(eventHint(workspace, event_sequence))
}

/** Tells who follows the events of the workspace that there are more. */
export const eventHint = (workspace: WorkspaceId, event_sequence: number): Hint => ({
  channel: EVENT_CHANNEL,
  payload: `${workspace} ${event_sequence}`,
  key: workspace,
})
