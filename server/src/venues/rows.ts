/** The rows of venues, their services and their snapshots, and how venues are read. */
import { ApiError, notFound } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { closed, decimalText, id, nullable, record, text, time, Type } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { columnsOf, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AdapterConfig } from './secrets.ts'
import { ServiceShape, VenueShape } from './venues.schema.ts'
import type { AssetProtocolsRecord, VenueRecord } from './venues.schema.ts'

export const VENUES = tableOf('venues', VenueShape, {
  inside: {
    key: text(500, 'Its name in the configuration file'),
    config: Type.Unsafe<AdapterConfig>({ type: 'object' }),
    silent_since: nullable(time('Since when it does not answer, as was told')),
    payout_ibans: Type.Array(text(), { description: 'From which it pays us' }),
  },
  computed: ['services'],
})

export const SERVICES = tableOf(
  'services',
  record('Service', { ...ServiceShape.properties, venue_id: id<VenueId>() }),
)

/** When the balances were read, and what the venue deals in as it said last. */
export const VENUE_SNAPSHOTS = tableOf(
  'venue_snapshots',
  closed({
    workspace: id<WorkspaceId>(),
    venue_id: id<VenueId>(),
    balances_at: nullable(time()),
    protocols_at: nullable(time()),
    protocols: Type.Unsafe<AssetProtocolsRecord[] | null>({}),
  }),
)

/** `wallet` and `protocol` are empty where the venue has none; an unknown figure is null. */
export const VENUE_BALANCES = tableOf(
  'venue_balances',
  closed({
    workspace: id<WorkspaceId>(),
    venue_id: id<VenueId>(),
    wallet: text(),
    asset: text(),
    protocol: text(),
    free: nullable(decimalText()),
    used: nullable(decimalText()),
    total: nullable(decimalText()),
  }),
)

const services = sql`(
  select coalesce(
    jsonb_agg(
      jsonb_build_object('id', s.id, 'type', s.type, 'state', s.state)
      order by s.type
    ),
    '[]'
  )
  from services s
  where s.workspace = v.workspace
    and s.venue_id = v.id
)`
export const VENUE_COLUMNS = columnsOf(VenueShape, { of: 'v', computed: { services } })

export async function venueById(
  reader: Reader,
  workspace: WorkspaceId,
  id: VenueId,
  path = 'venue_id',
): Promise<VenueRecord> {
  const venue = only(
    await reader.query<VenueRecord>(sql`
      select ${VENUE_COLUMNS}
      from venues v
      where v.workspace = ${workspace}
        and v.id = ${id}`),
  )
  if (venue === undefined) throw notFound('venue', id, path)
  return venue
}

export function readVenues(reader: Reader, workspace: WorkspaceId): Promise<VenueRecord[]> {
  return reader.query<VenueRecord>(sql`
    select ${VENUE_COLUMNS}
    from venues v
    where v.workspace = ${workspace}
    order by v.id`)
}

/**
 * Whose venue this is, for a caller without a token: venue ids are unique over all workspaces.
 * Throws 4004.
 */
export async function workspaceOfVenue(reader: Reader, id: VenueId): Promise<WorkspaceId> {
  const row = only(
    await reader.query<{ workspace: WorkspaceId }>(sql`
      select workspace
      from venues
      where id = ${id}`),
  )
  if (row === undefined) throw notFound('venue', id, 'venue_id')
  return row.workspace
}

/**
 * Throws 2003 until what the venue held is in the books: money that moves before would be missing
 * from its opening balance.
 */
export function assertOpened(venue: Pick<VenueRecord, 'label' | 'connected_at'>): void {
  if (venue.connected_at === null)
    throw new ApiError(
      'VenueUnreachable',
      `venue ${venue.label} is not connected yet: what it holds is not in the books`,
    )
}
