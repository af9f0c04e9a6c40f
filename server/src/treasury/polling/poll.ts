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
import { isUnreachable, venueById } from '../../venues/index.ts'
import type { VenueRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { pollDraft } from './incoming.ts'
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
 * Each movement is stored for itself, and the cursor last: a process that dies in between repeats
 * without effect. What cannot be decided yet keeps the cursor where it is.
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
  const { movements, cursor } = await withFailpoints('outgoing.read', venue_id, () =>
    outgoing(from),
  )
  const complete = await recordMovements(app, { venue, service_id }, movements)
  if (complete && cursor !== from) {
    const now = app.clock.now()
    await app.db.query(storeCursor('outgoing_cursors', venue, { cursor, now }))
  }
}

/** All movements and the new cursor are stored in one change. */
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
  const { movements, cursor } = await withFailpoints('deposit.read', venue_id, () =>
    transfers.incoming(from),
  )
  const assets = await assetsOf(app.db, workspace)
  const now = app.clock.now()
  const draft = await pollDraft({ app, venue, service_id, assets, now, asked_at }, movements)
  if (draft === 'not open') return
  const store = storeCursor('incoming_cursors', venue, { cursor, now })
  if (draft.rows.length > 0 || draft.guards.length > 0) {
    const rows = [...draft.rows, store]
    const change: Change = { workspace, class: 'fact', by: TREASURY_WORKER, ...draft, rows }
    await withFailpoints('deposit.store', venue_id, () => app.lane.commit(change))
  } else if (cursor !== from) {
    await app.db.query(store)
  }
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
