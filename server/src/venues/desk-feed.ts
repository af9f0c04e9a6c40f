import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import type { DeskFeed } from '../store/desk-feed.ts'
import type { Reader } from '../store/db.ts'
import { stateNotIn } from '../store/states.ts'
import { isSilent, SILENT_SINCE } from './silence.ts'
import { VENUE_MOVES } from './venues.schema.ts'

/** Of the venues, by name. */
const MAXIMUM_REASONS = 10

export const venuesDeskFeed: DeskFeed = {
  searchables: [
    {
      kind: 'venue',
      permission: 'venues.read',
      table: 'venues',
      show: (workspace, ids) =>
        sql`
          select id, label as title, kind as subtitle, state, system_created_at as at,
            null::text as parent_kind, null::uuid as parent_id
          from venues
          where workspace = ${workspace}
            and id = any(${ids}::uuid[])`,
    },
  ],
  needs: [
    {
      kind: 'venues_stale',
      permission: 'venues.read',
      title: 'Venues that do not answer',
      list: '/venues',
      filter: {},
      select: (workspace, now) => sql`
        select count(*)::integer as count, min(${SILENT_SINCE}) as oldest_at,
          (
            array_agg(v.label || ': ' || v.fault order by v.label)
              filter (where v.fault is not null)
          )[1:${MAXIMUM_REASONS}] as reasons
        from venues v
        left join venue_snapshots s on s.workspace = v.workspace
          and s.venue_id = v.id
        where v.workspace = ${workspace}
          and ${isSilent(now)}`,
    },
    {
      kind: 'venues_unserved',
      permission: 'venues.read',
      title: 'Venues that cannot serve what is configured',
      list: '/venues',
      filter: {},
      select: (workspace) => sql`
        select count(*)::integer as count, min(v.system_updated_at) as oldest_at
        from venues v
        where v.workspace = ${workspace}
          and ${stateNotIn(VENUE_MOVES, 'DISABLED', 'v.state')}
          and v.unserved <> '[]'`,
    },
  ],
}

export type VenueHolding = {
  venue_id: VenueId
  label: string
  asset: string
  total: string | null
  at: number | null
}

/**
 * What each venue said last that it holds for us; null where it did not say all of an asset.
 * DISABLED venues are left out.
 */
export function readVenueHoldings(reader: Reader, workspace: WorkspaceId): Promise<VenueHolding[]> {
  return reader.query<VenueHolding>(sql`
    select v.id as venue_id, v.label, b.asset,
      case when bool_and(b.total is not null) then trim_scale(sum(b.total)) end as total,
      max(s.balances_at) as at
    from venues v
    join venue_snapshots s on s.workspace = v.workspace
      and s.venue_id = v.id
    join venue_balances b on b.workspace = v.workspace
      and b.venue_id = v.id
    where v.workspace = ${workspace}
      and ${stateNotIn(VENUE_MOVES, 'DISABLED', 'v.state')}
    group by v.id, v.label, b.asset
    order by v.label, b.asset`)
}
