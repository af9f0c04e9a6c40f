/** How far the movements of a venue have been read, in each direction. */
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import { closed, id, nullable, time, Type } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow, tableOf } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { VenueRecord } from '../../venues/index.ts'

const Cursor = closed({
  workspace: id<WorkspaceId>(),
  venue_id: id<VenueId>(),
  cursor: nullable(Type.String()),
  system_updated_at: time(),
})
const CURSORS = {
  incoming_cursors: tableOf('incoming_cursors', Cursor),
  outgoing_cursors: tableOf('outgoing_cursors', Cursor),
}
type CursorTable = keyof typeof CURSORS

export async function cursorOf(
  reader: Reader,
  table: CursorTable,
  { workspace, id }: VenueRecord,
): Promise<string | null> {
  const rows = await reader.query<{ cursor: string | null }>(sql`
    select cursor
    from ${raw(table)}
    where workspace = ${workspace}
      and venue_id = ${id}`)
  return only(rows)?.cursor ?? null
}

export const storeCursor = (
  table: CursorTable,
  { workspace, id }: VenueRecord,
  { cursor, now }: { cursor: string | null; now: number },
): Query => sql`
  ${insertRow(CURSORS[table], { workspace, venue_id: id, cursor }, { by: null, now })}
  on conflict (workspace, venue_id)
  do update set cursor = excluded.cursor, system_updated_at = excluded.system_updated_at`
