/**
 * Reconciliation: what each venue holds against its account in the books, asset by asset, and
 * wallet by wallet where the venue lists them.
 *
 * The books and what is in flight are read before the venue answers and again under the lane's
 * lock. An asset for which both readings differ did not stand still and is looked at again. What
 * movements in flight explain is no difference. Any other is a break once it has stayed the same
 * for a while (comparison.ts), and ceases to be one when it vanishes.
 *
 * Read is only what is there now: the cost does not grow with history. An asset that is not
 * configured is not in the books and is left out, like its deposits.
 */
import type { Clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import { assetsOf, lockLane, publishEvents } from '../../ledger/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import type { Db, Tx } from '../../store/db.ts'
import { putTasks } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { MAXIMUM_IN_FLIGHT } from '../../treasury/index.ts'
import { totalsByWallet, withTimeLimit } from '../../venues/index.ts'
import type { VenueBalance, VenueRecord, Venues } from '../../venues/index.ts'
import { recordAsset } from './asset-comparison.ts'
import { openBreaks } from './breaks.ts'
import { CONFIRM_MILLISECONDS } from './comparison.ts'
import { notCompared, youngOrders } from './open-orders.ts'
import { takeDays, takeMissedDays } from './day-taking.ts'
import { positionsOf } from './positions.ts'
import type { Position } from './reconciliation.schema.ts'
import { storedLines } from './stored-lines.ts'
import { booksOf, fingerprintOf, ordersOf } from './venue-books.ts'
import type { VenueBooks } from './venue-books.ts'

export type ReconciliationApp = { db: Db; clock: Clock; venues: Pick<Venues, 'connect' | 'list'> }

/** Subject: the workspace. */
export const RECONCILE_TASK = 'reconcile'
const EVERY_MILLISECONDS = 60_000
const QUIET_ATTEMPTS = 3
const VENUES_AT_ONCE = 4

export const reconcileTask =
  (app: ReconciliationApp): TaskHandler =>
  async ({ workspace }) => {
    const checking = await reconcileVenues(app, workspace)
    return { again_at: app.clock.now() + (checking ? CONFIRM_MILLISECONDS : EVERY_MILLISECONDS) }
  }

/**
 * POST /desk/reconciliation/run: compares now; what is in doubt is looked at again soon. Answers
 * every position.
 */
export async function reconcileNow(
  { workspace }: Pick<Caller, 'workspace'>,
  app: ReconciliationApp,
): Promise<Position[]> {
  if (await reconcileVenues(app, workspace))
    await putTasks(app.db, [
      {
        workspace,
        kind: RECONCILE_TASK,
        subject_id: workspace,
        due_at: app.clock.now() + CONFIRM_MILLISECONDS,
      },
    ])
  return positionsOf(app.db, workspace, app.clock.now())
}

/**
 * Whether a difference was found that must be seen again before it is a break. A fault at one venue
 * is thrown once the others have been compared.
 */
async function reconcileVenues(app: ReconciliationApp, workspace: WorkspaceId): Promise<boolean> {
  const venues = (await app.venues.list(workspace)).filter(
    (venue) => venue.state !== 'DISABLED' && venue.connected_at !== null,
  )
  const faults: unknown[] = []
  let checking = false
  for (let next = 0; next < venues.length; next += VENUES_AT_ONCE) {
    const looks = await Promise.allSettled(
      venues.slice(next, next + VENUES_AT_ONCE).map((venue) => reconcileVenue(app, venue)),
    )
    for (const look of looks)
      if (look.status === 'fulfilled') checking ||= look.value
      else faults.push(look.reason)
  }
  if (faults.length > 0) throw faults[0]
  return checking
}

async function reconcileVenue(app: ReconciliationApp, venue: VenueRecord): Promise<boolean> {
  let checking = false
  for (let attempt = 0; attempt < QUIET_ATTEMPTS; attempt += 1) {
    const before = await booksOf(app.db, venue)
    const balances = await readBalances(app, venue)
    if (balances === undefined) {
      await takeMissedDays(app.db, venue, app.clock.now())
      return checking
    }
    const result = await app.db.tx((tx) =>
      compareVenue({ tx, clock: app.clock }, venue, { before, balances }),
    )
    checking = result.checking
    if (!result.restless) break
  }
  return checking
}

/** Undefined while the venue does not answer, or refuses to be read: its own state shows that. */
async function readBalances(
  app: ReconciliationApp,
  venue: VenueRecord,
): Promise<VenueBalance[] | undefined> {
  try {
    const { adapter } = await app.venues.connect(venue.workspace, venue.id)
    return await withTimeLimit((signal) => adapter.balances({ signal, fresh: true }), venue.label)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

/** Before the lane's lock: the books, then what the venue answered. */
type Reading = { before: VenueBooks; balances: readonly VenueBalance[] }

/** Under the lane's lock: nothing moves in the books meanwhile. */
async function compareVenue(
  { tx, clock }: { tx: Tx; clock: Clock },
  venue: VenueRecord,
  { before, balances }: Reading,
): Promise<{ checking: boolean; restless: boolean }> {
  const { workspace } = venue
  await lockLane(tx, workspace)
  await takeDays(tx, venue, clock.now())
  const books = await booksOf(tx, venue)
  if (books.in_flight.length > MAXIMUM_IN_FLIGHT) return { checking: false, restless: false }
  const configured = await assetsOf(tx, workspace)
  const stored = await storedLines(tx, venue)
  const open = await openBreaks(tx, workspace, venue.id)
  const assets = new Set([
    ...books.ledger.keys(),
    ...balances.map((balance) => balance.asset).filter((asset) => configured.has(asset)),
  ])
  const events: EventDraft[] = []
  const now = clock.now()
  let [checking, restless] = [false, false]
  for (const asset of [...assets].toSorted()) {
    const held = totalsByWallet(balances, asset)
    const known = stored.filter((line) => line.asset === asset)
    const young = youngOrders(ordersOf(books, asset), now)
    // The first look opens no break. It makes the line that says that nothing is compared.
    if (held === undefined || (known.length > 0 && notCompared(young, asset) !== null)) continue
    if (fingerprintOf(before, asset) !== fingerprintOf(books, asset)) {
      restless = true
      continue
    }
    const recorded = await recordAsset(
      { tx, venue, books, now },
      {
        asset,
        held,
        stored: known,
        open: open.filter((known) => known.asset === asset),
      },
    )
    checking ||= recorded.checking
    events.push(...recorded.events)
  }
  await publishEvents({ workspace }, { tx, clock }, events)
  return { checking, restless }
}
