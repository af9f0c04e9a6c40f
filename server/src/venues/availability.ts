/** Whether venues answer. Rows change only when their state does. */
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import type { Db } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import type { Venue } from './contract.ts'
import { SERVICES, VENUES } from './rows.ts'
import { CAPABILITIES, MAXIMUM_FAULT, SERVICE_MOVES, VENUE_MOVES } from './venues.schema.ts'
import type { VenueRecord } from './venues.schema.ts'

const WORKER = 'venues'

/** A venue that has not answered for this long is UNREACHABLE. */
const UNREACHABLE_AFTER_MILLISECONDS = 30_000

const VENUE_BACK = move(VENUE_MOVES, 'UNREACHABLE', 'CONNECTED')

type AvailabilityApp = {
  db: Db
  clock: Clock
  log?: { warn(details: object, message: string): void }
}

/** The venue answered: it is there, and so are its services. */
export async function markSeen(
  { db, clock }: AvailabilityApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
  adapter: Venue,
): Promise<void> {
  const now = clock.now()
  const capabilities = CAPABILITIES.filter((capability) => adapter[capability] !== undefined)
  // Without a new version, because this happens all the time. That a venue answers is not all that
  // its connection needs.
  const isConnecting = stateIn(VENUE_MOVES, 'CONNECTING')
  await db.query(sql`
    update venues
    set last_seen_at = greatest(last_seen_at, ${now}),
      fault = case when ${isConnecting} then fault end,
      fault_since = case when ${isConnecting} then fault_since end
    where workspace = ${workspace}
      and id = ${venue_id}`)
  const isGone = stateIn(VENUE_MOVES, VENUE_BACK.from)
  await db.query(
    updateRow(VENUES, {
      where: sql`
        workspace = ${workspace}
        and id = ${venue_id}
        and (${isGone} or capabilities <> ${capabilities}::text[])`,
      set: { state: sql`case when ${isGone} then ${VENUE_BACK.to} else state end`, capabilities },
      by: WORKER,
      now,
    }),
  )
  await db.query(
    updateRow(SERVICES, {
      where: { workspace, venue_id },
      move: move(SERVICE_MOVES, 'DEGRADED', 'RUNNING'),
      by: WORKER,
      now,
    }),
  )
}

/**
 * Why it did not answer, or could not be connected, for people: in its row, and in the log when it
 * is another reason than before.
 */
export async function noteFault(
  { db, clock, log }: AvailabilityApp,
  { workspace, id, label }: Pick<VenueRecord, 'workspace' | 'id' | 'label'>,
  error: unknown,
): Promise<void> {
  const fault = faultIn(error)
  // Without a new version: nothing of the venue has changed.
  const changed = await db.query(sql`
    update venues
    set fault = ${fault}, fault_since = coalesce(fault_since, ${clock.now()})
    where workspace = ${workspace}
      and id = ${id}
      and fault is distinct from ${fault}
    returning id`)
  if (changed.length > 0) log?.warn({ venue_id: id, fault }, `${label} is not available: ${fault}`)
}

/** An adapter says by RangeError what cannot be right. Anything else is a mistake of ours. */
function faultIn(error: unknown): string {
  const isSaid = error instanceof ApiError || error instanceof RangeError
  const words = isSaid ? error.message : 'a fault of Kontor itself, which its log has'
  return words.slice(0, MAXIMUM_FAULT)
}

/** It did not answer: its services are DEGRADED at once, the venue is UNREACHABLE after a while. */
export async function markMissed(
  app: AvailabilityApp,
  venue: Pick<VenueRecord, 'workspace' | 'id' | 'label'>,
  error: unknown,
): Promise<void> {
  const { db, clock } = app
  const { workspace, id: venue_id } = venue
  const now = clock.now()
  await noteFault(app, venue, error)
  await db.query(
    updateRow(VENUES, {
      where: sql`
        workspace = ${workspace}
        and id = ${venue_id}
        and coalesce(last_seen_at, 0) < ${now - UNREACHABLE_AFTER_MILLISECONDS}`,
      move: move(VENUE_MOVES, 'CONNECTED', 'UNREACHABLE'),
      by: WORKER,
      now,
    }),
  )
  await db.query(
    updateRow(SERVICES, {
      where: { workspace, venue_id },
      move: move(SERVICE_MOVES, 'RUNNING', 'DEGRADED'),
      by: WORKER,
      now,
    }),
  )
}
