/** What the venues deal in: asked now, or as they said last. */
import { formatNullable } from './balances.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { insertRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AssetProtocols, Protocol } from './contract.ts'
import { readLive } from './live-reads.ts'
import type { Venues } from './registry.ts'
import { VENUE_SNAPSHOTS, venueById } from './rows.ts'
import { isUnreachable, withTimeLimit } from './time-limit.ts'
import type { AssetProtocolsRecord } from './venues.schema.ts'

/** GET /venues/:venue_id/protocols: now, or as the venue said last; 2003 when it never did. */
export async function protocolsOfVenue(
  app: { db: Db; venues: Venues },
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<AssetProtocolsRecord[]> {
  const venue = await venueById(app.db, workspace, venue_id)
  try {
    const { adapter } = await app.venues.connect(workspace, venue_id)
    const ask = () => withTimeLimit(adapter.protocols(), venue.label)
    return (await readLive(adapter, 'protocols', ask)).map(protocolsShape)
  } catch (error) {
    if (!isUnreachable(error)) throw error
    const stored = await readStoredProtocols(app.db, workspace, venue_id)
    if (stored === undefined) throw new ApiError('VenueUnreachable', error.message)
    return stored
  }
}

export async function storeProtocols(
  db: Db,
  { workspace, id: venue_id }: { workspace: WorkspaceId; id: VenueId },
  assets: readonly AssetProtocols[],
  protocols_at: number,
): Promise<void> {
  const protocols = assets.map(protocolsShape)
  const row = { workspace, venue_id, protocols_at, protocols }
  await db.query(sql`
    ${insertRow(VENUE_SNAPSHOTS, row, { by: null, now: protocols_at })}
    on conflict (workspace, venue_id) do update
    set protocols_at = excluded.protocols_at, protocols = excluded.protocols`)
}

/** When they were stored last, null when they never were; and a hash of the configuration. */
export async function readStorage(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<{ protocols_at: number | null; configured: string }> {
  const row = only(
    await reader.query<{ protocols_at: number | null; configured: string }>(sql`
      select s.protocols_at, md5(v.config::text) as configured
      from venues v
      left join venue_snapshots s on s.workspace = v.workspace
        and s.venue_id = v.id
      where v.workspace = ${workspace}
        and v.id = ${venue_id}`),
  )
  if (row === undefined) throw notFound('venue', venue_id, 'venue_id')
  return row
}

/** What the venue said last that it deals in; undefined when it never did. */
export async function readStoredProtocols(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<AssetProtocolsRecord[] | undefined> {
  const row = only(
    await reader.query<{ protocols: AssetProtocolsRecord[] | null }>(sql`
      select protocols
      from venue_snapshots
      where workspace = ${workspace}
        and venue_id = ${venue_id}`),
  )
  // What was stored by an earlier version says nothing of what is not served.
  return row?.protocols?.map((asset) => ({ ...asset, unserved: asset.unserved ?? [] }))
}

/** The protocols of an asset over all venues of the workspace, as far as they are known. */
export async function readKnownProtocols(
  reader: Reader,
  workspace: WorkspaceId,
  asset: string,
): Promise<string[]> {
  const rows = await reader.query<{ protocol: string }>(sql`
    select distinct p.protocol ->> 'protocol' as protocol
    from venue_snapshots s, jsonb_array_elements(s.protocols) a (asset),
      jsonb_array_elements(a.asset -> 'protocols') p (protocol)
    where s.workspace = ${workspace}
      and s.protocols is not null
      and a.asset ->> 'asset' = ${asset}
    order by 1`)
  return rows.map((row) => row.protocol)
}

/** The protocols of an asset by which the venues of the workspace are configured to move it. */
export async function readConfiguredProtocols(
  reader: Reader,
  workspace: WorkspaceId,
  asset: string,
): Promise<string[]> {
  const rows = await reader.query<{ protocol: string }>(sql`
    select distinct t.term ->> 'protocol' as protocol
    from venues v, jsonb_array_elements(v.config -> 'terms') t (term)
    where v.workspace = ${workspace}
      and t.term ->> 'asset' = ${asset}
    order by 1`)
  return rows.map((row) => row.protocol)
}

function protocolsShape({ asset, protocols, unserved = [] }: AssetProtocols): AssetProtocolsRecord {
  return {
    asset,
    unserved,
    protocols: protocols.map((protocol: Protocol) => ({
      ...protocol,
      min_withdrawal: formatNullable(protocol.min_withdrawal),
      max_withdrawal: formatNullable(protocol.max_withdrawal),
    })),
  }
}
