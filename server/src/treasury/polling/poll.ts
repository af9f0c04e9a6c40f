/**
 * The reading of a venue, every ten seconds: first what left (outgoing.ts), then what arrived
 * (incoming.ts). A cursor says how far each of the two has been read. A message that the venue
 * pushes only makes the task due earlier.
 */
import type { ServiceId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { closed, id, nullable, time, Type } from '../../http/index.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow, tableOf } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { nextPollAt } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { isUnreachable, setAside, venueById } from '../../venues/index.ts'
import type { SetAsideRecord, VenueRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { storeIncoming } from './incoming.ts'
import { recordMovements } from './outgoing.ts'

const POLL_MILLISECONDS = 10_000

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

/** Subject: the venue. */
export const pollTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const again = { again_at: nextPollAt({ subject_id }, app.clock.now(), POLL_MILLISECONDS) }
    try {
      if ((await venueById(app.db, workspace, subject_id)).state === 'DISABLED') return 'done'
      // What left comes first: an own transfer is known when it arrives.
      const trouble = await pollOutgoing(app, workspace, subject_id).then(
        () => undefined,
        (error: unknown) => ({ error }),
      )
      // A failure there does not keep deposits waiting.
      await pollIncoming(app, workspace, subject_id)
      if (trouble !== undefined) throw trouble.error
      return again
    } catch (error) {
      // The next reading continues where this one began. That the venue is down is its own state.
      if (isUnreachable(error)) return again
      throw error
    }
  }

/**
 * Each movement is stored for itself, and the cursor last, with what was set aside: a process that
 * dies in between repeats without effect. What cannot be decided yet keeps the cursor where it is.
 */
async function pollOutgoing(
  app: TreasuryApp,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<void> {
  const { venue, adapter } = await app.venues.connect(workspace, venue_id)
  const service_id = transferServiceOf(venue)
  const { outgoing } = adapter.transfers ?? {}
  if (outgoing === undefined || service_id === undefined) return
  const from = await cursorOf(app.db, 'outgoing_cursors', venue)
  const { movements, set_aside, cursor } = await withFailpoints('outgoing.read', venue_id, () =>
    outgoing(from),
  )
  const source = { venue, service_id }
  const { complete, refused } = await recordMovements(app, source, movements)
  const now = app.clock.now()
  const stored =
    complete && cursor !== from ? [storeCursor('outgoing_cursors', venue, { cursor, now })] : []
  await storeSetAside(app, venue, [...(set_aside ?? []), ...refused], stored)
}

/** With the cursor in one change, so that nothing that was read is lost. */
async function storeSetAside(
  app: TreasuryApp,
  venue: VenueRecord,
  records: readonly SetAsideRecord[],
  cursor: readonly Query[],
): Promise<void> {
  const { workspace } = venue
  const stamp = { by: TREASURY_WORKER, now: app.clock.now() }
  const parts = await setAside(app.db, venue, { kind: 'TRANSFER', records }, stamp)
  if (parts.rows.length > 0) {
    const rows = [...parts.rows, ...cursor]
    const change: Change = { workspace, class: 'fact', by: TREASURY_WORKER, ...parts, rows }
    await withFailpoints('outgoing.set_aside', venue.id, () => app.lane.commit(change))
  } else for (const query of cursor) await app.db.query(query)
}

async function pollIncoming(
  app: TreasuryApp,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<void> {
  const { venue, adapter } = await app.venues.connect(workspace, venue_id)
  const service_id = transferServiceOf(venue)
  const { transfers } = adapter
  if (transfers === undefined || service_id === undefined) return
  const from = await cursorOf(app.db, 'incoming_cursors', venue)
  const asked_at = app.clock.now()
  const { cursor, ...found } = await withFailpoints('deposit.read', venue_id, () =>
    transfers.incoming(from),
  )
  const assets = await assetsOf(app.db, workspace)
  const now = app.clock.now()
  const store = storeCursor('incoming_cursors', venue, { cursor, now })
  const reading = { app, venue, service_id, assets, now, asked_at }
  await storeIncoming(reading, found, cursor === from ? undefined : store)
}

const transferServiceOf = ({ services }: VenueRecord): ServiceId | undefined =>
  services.find(({ type }) => type === 'WOMS')?.id

async function cursorOf(
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

const storeCursor = (
  table: CursorTable,
  { workspace, id }: VenueRecord,
  { cursor, now }: { cursor: string | null; now: number },
): Query => sql`
  ${insertRow(CURSORS[table], { workspace, venue_id: id, cursor }, { by: null, now })}
  on conflict (workspace, venue_id)
  do update set cursor = excluded.cursor, system_updated_at = excluded.system_updated_at`
