/**
 * What the venues said last. A task asks each venue every ten seconds and stores its balances,
 * whether it answered, and now and then what it deals in. Who needs a figure now asks live and
 * falls back to this.
 */
import type { Clock } from '../core/clock.ts'
import type { Db } from '../store/db.ts'
import { nextPollAt } from '../store/tasks.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { markMissed, markSeen } from './availability.ts'
import { storeBalances } from './balances.ts'
import { readStorageTime, storeProtocols } from './protocols.ts'
import type { Venues } from './registry.ts'
import { venueById } from './rows.ts'
import { isUnreachable, withTimeLimit } from './time-limit.ts'
import type { VenueRecord } from './venues.schema.ts'

export type SnapshotApp = { db: Db; clock: Clock; venues: Venues }

const SNAPSHOT_EVERY_MILLISECONDS = 10_000
const PROTOCOLS_EVERY_MILLISECONDS = 600_000
const SNAPSHOT_TIMEOUT_MILLISECONDS = 10_000

export const snapshotTask =
  (app: SnapshotApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const venue = await venueById(app.db, workspace, subject_id)
    if (venue.state === 'DISABLED') return 'done'
    try {
      await takeSnapshot(app, venue)
    } catch (error) {
      await markMissed(app, workspace, venue.id)
      if (!isUnreachable(error)) throw error
    }
    return { again_at: nextPollAt({ subject_id }, app.clock.now(), SNAPSHOT_EVERY_MILLISECONDS) }
  }

async function takeSnapshot(app: SnapshotApp, venue: VenueRecord): Promise<void> {
  const { workspace, id } = venue
  const asked_at = app.clock.now()
  const wait = <Answer>(read: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> =>
    withTimeLimit(read, venue.label, SNAPSHOT_TIMEOUT_MILLISECONDS)
  const { adapter } = await app.venues.connect(workspace, id)
  await storeBalances(app.db, venue, await wait((signal) => adapter.balances({ signal })), asked_at)
  const stored_at = await readStorageTime(app.db, workspace, id)
  if (stored_at === null || app.clock.now() - stored_at >= PROTOCOLS_EVERY_MILLISECONDS)
    await storeProtocols(app.db, venue, await wait(() => adapter.protocols()), asked_at)
  await markSeen(app, workspace, id, adapter)
}
