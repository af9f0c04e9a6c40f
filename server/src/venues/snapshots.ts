/**
 * What the venues said last. A task asks each venue every ten seconds and stores its balances,
 * whether it answered, and now and then what it deals in. Who needs a figure now asks live and
 * falls back to this.
 */
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { Db } from '../store/db.ts'
import { nextPollAt } from '../store/tasks.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { markMissed, markSeen } from './availability.ts'
import { storeBalances } from './balances.ts'
import type { AssetProtocols, MarketPair, Venue } from './contract.ts'
import { readNeeds, storeUnserved, unservedOf } from './needs.ts'
import { readStorage, storeProtocols } from './protocols.ts'
import type { Venues } from './registry.ts'
import { venueById } from './rows.ts'
import { isUnreachable, NotAsked, withTimeLimit } from './time-limit.ts'
import type { VenueRecord } from './venues.schema.ts'

export type SnapshotApp = {
  db: Db
  clock: Clock
  venues: Venues
  log?: { warn(details: object, message: string): void }
}

const SNAPSHOT_EVERY_MILLISECONDS = 10_000
const PROTOCOLS_EVERY_MILLISECONDS = 600_000
const SNAPSHOT_TIMEOUT_MILLISECONDS = 10_000
/** An exchange that counts calls is asked about many assets one by one. */
const PROTOCOLS_TIMEOUT_MILLISECONDS = 25_000

export function snapshotTask(app: SnapshotApp): TaskHandler {
  // Of what this process has asked what it deals in: as it was configured then.
  const checked = new Map<string, string>()
  return async ({ workspace, subject_id }) => {
    const venue = await venueById(app.db, workspace, subject_id)
    if (venue.state === 'DISABLED') return 'done'
    try {
      await takeSnapshot(app, venue, checked)
    } catch (error) {
      if (!(error instanceof NotAsked)) await markMissed(app, venue, error)
      if (!isUnreachable(error)) throw error
    }
    return { again_at: nextPollAt({ subject_id }, app.clock.now(), SNAPSHOT_EVERY_MILLISECONDS) }
  }
}

async function takeSnapshot(
  app: SnapshotApp,
  venue: VenueRecord,
  checked: Map<string, string>,
): Promise<void> {
  const { workspace, id } = venue
  const asked_at = app.clock.now()
  // Read before it is opened: what is configured meanwhile is asked for again.
  const { protocols_at, configured } = await readStorage(app.db, workspace, id)
  const { adapter } = await app.venues.connect(workspace, id)
  const balances = await withTimeLimit(
    (signal) => adapter.balances({ signal }),
    venue.label,
    SNAPSHOT_TIMEOUT_MILLISECONDS,
  )
  await storeBalances(app.db, venue, balances, asked_at)
  const isChecked = checked.get(id) === configured
  const isOld =
    protocols_at === null || app.clock.now() - protocols_at >= PROTOCOLS_EVERY_MILLISECONDS
  if (isOld || !isChecked) {
    const protocols = await withTimeLimit(
      adapter.protocols(),
      venue.label,
      PROTOCOLS_TIMEOUT_MILLISECONDS,
    )
    await storeProtocols(app.db, venue, protocols, asked_at)
    await checkNeeds(app, venue, { protocols, adapter }, !isChecked)
    checked.set(id, configured)
  }
  await markSeen(app, workspace, id, adapter)
}

type Answered = { protocols: readonly AssetProtocols[]; adapter: Venue }

/** Compares what is configured with what the venue says. A log line for each start and change. */
async function checkNeeds(
  app: SnapshotApp,
  venue: VenueRecord,
  { protocols, adapter }: Answered,
  isFirst: boolean,
): Promise<void> {
  const needs = await readNeeds(app, venue)
  const markets = needs.pairs.length === 0 ? null : await marketsOf(venue, adapter)
  const unserved = unservedOf(needs, protocols, markets)
  const hasChanged = await storeUnserved(app.db, venue, unserved, app.clock.now())
  if (unserved.length === 0 || !(isFirst || hasChanged)) return
  const reasons = unserved.map(({ asset, reason }) => `${asset}: ${reason}`).join('; ')
  app.log?.warn(
    { venue_id: venue.id, unserved },
    `${venue.label} cannot serve what is configured: ${reasons}`,
  )
}

/** null where there are none, or where they cannot be read now: the venue's service is there. */
async function marketsOf({ label }: VenueRecord, { prices }: Venue): Promise<MarketPair[] | null> {
  try {
    return prices === undefined
      ? null
      : [...(await withTimeLimit(prices.pairs(), label, SNAPSHOT_TIMEOUT_MILLISECONDS))]
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return null
  }
}
