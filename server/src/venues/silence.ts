/** Which venues do not answer, and of which of them it was told. */
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import type { Reader, Tx } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { stateIn, stateNotIn } from '../store/states.ts'
import { VENUE_MOVES } from './venues.schema.ts'

/** A venue is asked every ten seconds; what it said longer ago than this is stale. */
export const SILENT_AFTER_MILLISECONDS = 60_000

const AT = raw('coalesce(s.balances_at, v.last_seen_at, v.connected_at, v.system_created_at)')

/** Of `venues v` and `venue_snapshots s`. */
export const SILENT_SINCE = sql`coalesce(v.fault_since, ${AT})`

export const isSilent = (now: number): Query => sql`(
  ${stateNotIn(VENUE_MOVES, 'DISABLED', 'v.state')}
  and (
    ${stateIn(VENUE_MOVES, 'UNREACHABLE', 'v.state')}
    or (${stateIn(VENUE_MOVES, 'CONNECTING', 'v.state')} and v.fault is not null)
    or ${AT} < ${now - SILENT_AFTER_MILLISECONDS}
  )
)`

/** `since`: when it fell silent. `left`: it is asked no more. */
export type SilenceTurn = {
  workspace: WorkspaceId
  venue_id: VenueId
  silent: boolean
  since: number
  left: boolean
}

/** What was not told yet: of one workspace, or of all. */
export function silenceTurns(
  reader: Reader,
  now: number,
  workspace?: WorkspaceId,
): Promise<SilenceTurn[]> {
  return reader.query<SilenceTurn>(sql`
    select v.workspace, v.id as venue_id, v.silent_since is null as silent,
      coalesce(v.silent_since, ${SILENT_SINCE}) as since,
      ${stateIn(VENUE_MOVES, 'DISABLED', 'v.state')} as left
    from venues v
    left join venue_snapshots s on s.workspace = v.workspace
      and s.venue_id = v.id
    where ${workspace === undefined ? sql`true` : sql`v.workspace = ${workspace}`}
      and (v.silent_since is null) = ${isSilent(now)}
    order by v.workspace, v.id`)
}

/** Without a new version: nothing of the venue has changed. */
export async function storeSilence(
  tx: Tx,
  { workspace, venue_id, silent, since }: SilenceTurn,
): Promise<void> {
  await tx.query(sql`
    update venues
    set silent_since = ${silent ? since : null}
    where workspace = ${workspace}
      and id = ${venue_id}`)
}
