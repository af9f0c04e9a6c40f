/**
 * The venue's allow-list. A request is stored with a reference of ours before the venue is asked,
 * and recorded only while that reference is still the route's, and the route as it was when the
 * venue was asked: an answer for an earlier destination, or an older one, changes nothing. A task
 * asks until the venue has decided, repeats a request whose outcome was not observed (the venue
 * answers the existing entry), and afterwards looks now and then whether the entry is still there.
 */
import type { TreasuryRouteId } from '../../core/ids.ts'
import { refuse } from '../../core/errors.ts'
import { assertMove, canMove } from '../../core/moves.ts'
import { newId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import { lockLane } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import { updateGuardedRow, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { nextPollAt } from '../../store/tasks.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import { isUnreachable, withTimeLimit } from '../../venues/index.ts'
import type {
  Allowlist,
  AllowlistEntry,
  Outcome,
  TransferDetails,
  VenueRecord,
} from '../../venues/index.ts'
import { publishAllowlistState, requested, scheduleAllow } from './allow-requests.ts'
import type { AllowlistChange } from './allow-requests.ts'
import { createCollection } from './collections.ts'
import type { CollectionResult } from './collections.ts'
import { jsonOf, updateRoute } from './edits.ts'
import { checkRoute, ROUTE_COLUMNS, routeById, ROUTES, senderOf } from './routes.ts'
import type { Route, RouteRow } from './routes.ts'
import { ALLOWLIST_MOVES } from './routes.schema.ts'
import type { AllowRouteBody, RouteDraft } from './routes.schema.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'

const POLL_MILLISECONDS = 2_000
const LOOK_AGAIN_MILLISECONDS = 600_000
const ALLOW_TIMEOUT_MILLISECONDS = 15_000

/**
 * PUT …/allow: applies what the body changes, asks the venue, and answers the route as it stands
 * then.
 */
export async function allowRoute(
  { workspace, by }: Caller,
  app: TreasuryApp,
  route_id: TreasuryRouteId,
  body: AllowRouteBody,
): Promise<Route> {
  const known = await routeById(app.db, workspace, route_id)
  const draft = routeDraft(known, body)
  const { allowlist } = await allowlistOf(app, known)
  const checked = await checkRoute(app, workspace, draft)
  const external_id = newId()
  await app.db.tx(async (tx) => {
    await lockLane(tx, workspace)
    const now = app.clock.now()
    const edit = { ...draft, workspace, id: route_id }
    const row = await updateRoute(tx, edit, checked, { by, now })
    if (row.allowlist_state !== 'PENDING_APPROVAL')
      assertMove(ALLOWLIST_MOVES, row.allowlist_state, 'PENDING_APPROVAL')
    // The version was raised by the edit.
    const update = { where: { workspace, id: route_id }, set: requested(external_id) }
    await tx.query(updateGuardedRow(ROUTES, update))
    await publishAllowlistState(tx, app.clock, row, { state: 'PENDING_APPROVAL', reason: null })
    await scheduleAllow(tx, row, now + ALLOW_TIMEOUT_MILLISECONDS)
  })
  const route = await routeById(app.db, workspace, route_id)
  const refused = await sendAllowRequest(app, allowlist, route, external_id)
  if (refused !== undefined) throw refuse('REFUSED_BY_VENUE', '', `the venue refused: ${refused}`)
  return routeById(app.db, workspace, route_id)
}

function routeDraft(known: Route, body: AllowRouteBody): RouteDraft & { version?: number } {
  for (const field of ['from_wallet_id', 'to_wallet_id', 'protocol'] as const) {
    if (body[field] !== undefined && body[field] !== known[field])
      throw refuse('CONFLICT', field, `${field} is not the route's; change the route first`)
  }
  const { from_wallet_id, to_wallet_id, protocol, transfer } = known
  return {
    from_wallet_id,
    to_wallet_id,
    protocol,
    label: body.label ?? known.label,
    transfer: { from: body.transfer?.from ?? transfer.from, to: body.transfer?.to ?? transfer.to },
    ...(body.version === undefined ? {} : { version: body.version }),
  }
}

async function allowlistOf(
  app: TreasuryApp,
  route: Route,
): Promise<{ venue: VenueRecord; allowlist: Allowlist }> {
  const { venue, adapter } = await senderOf(app, route.from_wallet)
  if (adapter.allowlist === undefined)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      '',
      `the venue ${venue.label} has no allow-list that can be changed`,
    )
  return { venue, allowlist: adapter.allowlist }
}

const allowlistDestination = (route: Route) => ({
  asset: route.from_wallet.asset,
  protocol: route.protocol,
  destination_address: route.to_wallet.address,
  tag: route.transfer.to['tag'] ?? null,
  transfer: route.transfer,
})

/**
 * Sends the request and records the outcome. Answers the venue's reason when it refused. An unknown
 * outcome is left to the task.
 */
async function sendAllowRequest(
  app: TreasuryApp,
  allowlist: Allowlist,
  known: Route,
  external_id: string,
): Promise<string | undefined> {
  const collection = await createCollection(app, known)
  const route =
    collection.collected === 'made' ? await routeById(app.db, known.workspace, known.id) : known
  const outcome = await allowOutcome(allowlist, route, collection, external_id)
  if (outcome === undefined || outcome.outcome === 'unknown') {
    await scheduleAllow(app.db, route, app.clock.now() + POLL_MILLISECONDS)
    return undefined
  }
  const asked = { route, external_id, in_state: 'PENDING_APPROVAL' } as const
  if (outcome.outcome === 'refused') {
    const { reason } = outcome
    await recordAllowlistState(app, asked, { state: 'FAILED', reason })
    return reason
  }
  const { state, transfer } = outcome.report
  await recordAllowlistState(app, asked, { state, transfer, reason: null })
  return undefined
}

/** Without its collection the destination cannot be allowed. */
async function allowOutcome(
  allowlist: Allowlist,
  route: Route,
  collection: CollectionResult,
  external_id: string,
): Promise<Outcome<AllowlistEntry> | undefined> {
  if (collection.collected === 'unknown') return undefined
  if (collection.collected === 'refused')
    return { outcome: 'refused', reason: collection.reason, native: null }
  const destination = allowlistDestination(route)
  return outcomeInTime(allowlist.allow({ ...destination, label: route.label, external_id }))
}

/** The outcome, or undefined when it did not come in time: then nobody knows it. */
async function outcomeInTime<T>(act: Promise<T>): Promise<T | undefined> {
  try {
    return await withTimeLimit(act, 'the venue', ALLOW_TIMEOUT_MILLISECONDS)
  } catch (error) {
    if (isUnreachable(error)) return undefined
    throw error
  }
}

/** Only our own fields: what the venue adds to them (the collection it made) is kept. */
const mergedTransfer = (known: TransferDetails, told: TransferDetails): TransferDetails => {
  const { on_allowlist: _told, allowlist_state: _state, ...to } = told.to
  return { from: { ...known.from, ...told.from }, to: { ...known.to, ...to } }
}

/** What the venue was asked about, and what was known then. */
type AllowlistQuestion = {
  route: Pick<Route, 'workspace' | 'id'>
  external_id: string
  in_state: RouteRow['allowlist_state']
}

/**
 * Only while the request's reference is still the route's. Of two that ask at once, what the first
 * recorded stays: the answer of the other is older than it, and adds only what the venue made.
 */
async function recordAllowlistState(
  app: TreasuryApp,
  { route: { workspace, id }, external_id, in_state }: AllowlistQuestion,
  told: AllowlistChange & { transfer?: TransferDetails },
): Promise<void> {
  await app.db.tx(async (tx) => {
    // Before the row, whatever the answer: the row may have moved since the venue was asked.
    await lockLane(tx, workspace)
    const rows = await tx.query<RouteRow>(sql`
      select ${ROUTE_COLUMNS}
      from treasury_routes
      where workspace = ${workspace}
        and id = ${id}
        and allow_external_id = ${external_id}
      for update`)
    const row = only(rows)
    if (row === undefined) return
    const isLate = row.allowlist_state !== in_state
    const state = isLate ? row.allowlist_state : told.state
    const reason = isLate ? row.allow_reason : told.reason
    if (state !== row.allowlist_state && !canMove(ALLOWLIST_MOVES, row.allowlist_state, state))
      return
    const now = app.clock.now()
    const stored = jsonOf(mergedTransfer(row.transfer, told.transfer ?? row.transfer))
    const update = updateRow(ROUTES, {
      where: sql`workspace = ${workspace}
        and id = ${id}
        and (
          allowlist_state <> ${state}
          or transfer <> ${stored}
          or allow_reason is distinct from ${reason}
        )`,
      set: { allowlist_state: state, transfer: stored, allow_reason: reason },
      by: TREASURY_WORKER,
      now,
    })
    await tx.query(update)
    if (state !== row.allowlist_state) await publishAllowlistState(tx, app.clock, row, told)
    const wait = state === 'PENDING_APPROVAL' ? POLL_MILLISECONDS : LOOK_AGAIN_MILLISECONDS
    await scheduleAllow(tx, row, now + wait)
  })
}

/** Until the venue has decided; then whether its decision still stands. */
export const allowRouteTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const route = await routeById(app.db, workspace, subject_id)
    const external_id = route.allow_external_id
    if (
      external_id === null ||
      (route.allowlist_state !== 'PENDING_APPROVAL' && route.allowlist_state !== 'APPROVED')
    )
      return 'done'
    const pending = route.allowlist_state === 'PENDING_APPROVAL'
    const again = (): TaskResult => ({
      again_at: nextPollAt(
        { subject_id },
        app.clock.now(),
        pending ? POLL_MILLISECONDS : LOOK_AGAIN_MILLISECONDS,
      ),
    })
    try {
      const { venue, allowlist } = await allowlistOf(app, route)
      const state = await withTimeLimit(allowlist.state(allowlistDestination(route)), venue.label)
      if (state === route.allowlist_state) return again()
      const asked = { route, external_id, in_state: route.allowlist_state }
      if (state !== null) await recordAllowlistState(app, asked, { state, reason: null })
      else if (pending) await sendAllowRequest(app, allowlist, route, external_id)
      else await recordAllowlistState(app, asked, { state: 'REMOVED', reason: null })
    } catch (error) {
      if (!isUnreachable(error)) throw error
    }
    return again()
  }
