/** Whether venues answer. Rows change only when their state does. */
import type { Clock } from '../core/clock.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import type { Db } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import type { Venue } from './contract.ts'
import { SERVICES, VENUES } from './rows.ts'
import { CAPABILITIES, SERVICE_MOVES, VENUE_MOVES } from './venues.schema.ts'

const WORKER = 'venues'

/** A venue that has not answered for this long is UNREACHABLE. */
const UNREACHABLE_AFTER_MILLISECONDS = 30_000

const VENUE_BACK = move(VENUE_MOVES, 'UNREACHABLE', 'CONNECTED')

type AvailabilityApp = { db: Db; clock: Clock }

/** The venue answered: it is there, and so are its services. */
export async function markSeen(
  { db, clock }: AvailabilityApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
  adapter: Venue,
): Promise<void> {
  const now = clock.now()
  const capabilities = CAPABILITIES.filter((capability) => adapter[capability] !== undefined)
  // Without a new version, because this happens all the time.
  await db.query(sql`
    update venues
    set last_seen_at = greatest(last_seen_at, ${now})
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

/** It did not answer: its services are DEGRADED at once, the venue is UNREACHABLE after a while. */
export async function markMissed(
  { db, clock }: AvailabilityApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<void> {
  const now = clock.now()
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
