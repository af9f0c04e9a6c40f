/**
 * Allow-list collections that the venue makes for a route when none is named: once, under a
 * reference that the save of the route stored. The save asks at once; when it does not hear the
 * outcome, or its process dies, a task goes on under the same reference, which the venue answers
 * with what it made. An answer for an earlier destination changes nothing.
 */
import { withFailpoints } from '../../core/failpoint.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import { updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { isUnreachable, withTimeLimit } from '../../venues/index.ts'
import type { Allowlist, Outcome } from '../../venues/index.ts'
import { jsonOf } from './edits.ts'
import { COLLECTION_FIELD, ROUTE_COLUMNS, routeById, ROUTES, senderOf } from './routes.ts'
import type { Route, RouteRow } from './routes.ts'
import { COLLECT_TASK } from '../tasks.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'

const POLL_MILLISECONDS = 5_000
const TIMEOUT_MILLISECONDS = 5_000

/** Whether the route waits for its collection. */
const awaitsCollection = (route: Pick<RouteRow, 'collection_external_id' | 'transfer'>): boolean =>
  route.collection_external_id !== null && route.transfer.from[COLLECTION_FIELD] === undefined

/** The venue's answer as it was recorded; `unknown` is asked again by the task. */
export type CollectionResult =
  | { collected: 'made' | 'none needed' | 'unknown' }
  | { collected: 'refused'; reason: string }

/**
 * Has the venue make the collection that the route waits for. What the venue does is an answer, not
 * an error.
 */
export async function createCollection(app: TreasuryApp, route: Route): Promise<CollectionResult> {
  if (!awaitsCollection(route)) return { collected: 'none needed' }
  try {
    const { venue, adapter } = await senderOf(app, route.from_wallet)
    const { allowlist } = adapter
    if (allowlist === undefined) return { collected: 'none needed' }
    const outcome = await withFailpoints('route.collect', route.id, () =>
      withTimeLimit(requestCollection(allowlist, route), venue.label, TIMEOUT_MILLISECONDS),
    )
    if (outcome.outcome === 'unknown') return { collected: 'unknown' }
    await withFailpoints('route.collected', route.id, () => recordCollection(app, route, outcome))
    return outcome.outcome === 'accepted'
      ? { collected: 'made' }
      : { collected: 'refused', reason: outcome.reason }
  } catch (error) {
    if (isUnreachable(error)) return { collected: 'unknown' }
    throw error
  }
}

const requestCollection = (
  allowlist: Allowlist,
  route: Route,
): Promise<Outcome<{ collection: string }>> =>
  allowlist.collect({
    external_id: route.collection_external_id ?? '',
    label: route.label,
    asset: route.from_wallet.asset,
    protocol: route.protocol,
    destination_address: route.to_wallet.address,
    tag: route.transfer.to['tag'] ?? null,
    transfer: route.transfer,
  })

/**
 * Kept with the route, unless the route has another destination by now. After a refusal the next
 * save or allow request asks again.
 */
async function recordCollection(
  app: TreasuryApp,
  { workspace, id, collection_external_id }: Route,
  outcome: Exclude<Outcome<{ collection: string }>, { outcome: 'unknown' }>,
): Promise<void> {
  await app.db.tx(async (tx) => {
    await lockLane(tx, workspace)
    const rows = await tx.query<RouteRow>(sql`
      select ${ROUTE_COLUMNS}
      from treasury_routes
      where workspace = ${workspace}
        and id = ${id}
        and collection_external_id = ${collection_external_id}
      for update`)
    const row = only(rows)
    if (row === undefined || !awaitsCollection(row)) return
    const refused = outcome.outcome === 'refused'
    const details = refused
      ? { reason: outcome.reason }
      : { [COLLECTION_FIELD]: outcome.report.collection }
    const set = refused
      ? { collection_external_id: null }
      : { transfer: jsonOf({ ...row.transfer, from: { ...row.transfer.from, ...details } }) }
    const update = { where: { workspace, id }, set, by: TREASURY_WORKER, now: app.clock.now() }
    await tx.query(updateRow(ROUTES, update))
    const type = refused ? 'route.collection_refused' : 'route.collection_created'
    const { label, to_wallet_id, protocol } = row
    const data = { label, to_wallet_id, protocol, ...details }
    await publishEvents({ workspace }, { tx, clock: app.clock }, [{ type, resource_id: id, data }])
  })
}

/** What the save of a route could not finish. */
export const collectionTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const { collected } = await createCollection(
      app,
      await routeById(app.db, workspace, subject_id),
    )
    return collected === 'unknown' ? { again_at: app.clock.now() + POLL_MILLISECONDS } : 'done'
  }

/** The route as it stands after its venue was asked for what it waits for. */
export async function withCollection(app: TreasuryApp, route: Route): Promise<Route> {
  const { collected } = await createCollection(app, route)
  if (collected === 'unknown')
    await putTasks(app.db, [
      {
        workspace: route.workspace,
        kind: COLLECT_TASK,
        subject_id: route.id,
        due_at: app.clock.now(),
      },
    ])
  return collected === 'none needed' ? route : routeById(app.db, route.workspace, route.id)
}
