/**
 * The venue's allow-list. A request is stored with a reference of ours before the venue is asked,
 * and recorded only while that reference is still the route's: an answer for an earlier destination
 * changes nothing. A task asks until the venue has decided, repeats a request whose outcome was not
 * observed (the venue answers the existing entry), and afterwards looks now and then whether the
 * entry is still there.
 */
import { refuse } from '../../core/errors.ts'
import { assertMove, canMove } from '../../core/moves.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import type { EventOf } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { nextPollAt, putTasks } from '../../store/tasks.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import { isUnreachable, withTimeLimit } from '../../venues/index.ts'
import type {
  Allowlist,
  AllowlistEntry,
  AllowlistState,
  TransferDetails,
  VenueRecord,
} from '../../venues/index.ts'
import { createCollection } from './collections.ts'
import { checkRoute, ROUTE_COLUMNS, routeById, senderOf, updateRoute } from './routes.ts'
import type { Route, RouteRow } from './routes.ts'
import { ALLOWLIST_MOVES } from './routes.schema.ts'
import type { AllowlistStage, AllowRouteBody, RouteDraft } from './routes.schema.ts'
import type { TreasuryApp } from '../app.ts'

const POLL_MILLISECONDS = 2_000
const LOOK_AGAIN_MILLISECONDS = 600_000
const ALLOW_TIMEOUT_MILLISECONDS = 15_000
const WORKER = 'treasury'

/**
 * PUT …/allow: applies what the body changes, asks the venue, answers the route as it stands then.
 */
export async function allowRoute(
  app: TreasuryApp,
  workspace: WorkspaceId,
  route_id: string,
  body: AllowRouteBody,
  by: string,
): Promise<Route> {
  const known = await routeById(app.db, workspace, route_id)
  const draft = routeDraft(known, body)
  const { allowlist } = await allowlistOf(app, known)
  const checked = await checkRoute(app, workspace, draft)
  const external_id = newId()
  await app.db.tx(async (tx) => {
    await lockLane(tx, workspace)
    const row = await updateRoute(tx, app.clock.now(), workspace, route_id, draft, checked, by)
    if (row.allowlist_state !== 'PENDING_APPROVAL')
      assertMove(ALLOWLIST_MOVES, row.allowlist_state, 'PENDING_APPROVAL')
    await tx.query(
      sql`
        update treasury_routes
        set allowlist_state = 'PENDING_APPROVAL', allow_external_id = ${external_id},
          allow_reason = null
        where workspace = ${workspace}
          and id = ${route_id}`,
    )
    await publishAllowlistState(tx, app.clock, row, 'PENDING_APPROVAL', null)
    await putTasks(tx, [
      {
        workspace,
        kind: 'allow_route',
        subject_id: route_id,
        due_at: app.clock.now() + ALLOW_TIMEOUT_MILLISECONDS,
      },
    ])
  })
  const route = await routeById(app.db, workspace, route_id)
  const refused = await sendAllowRequest(app, allowlist, route, external_id)
  if (refused !== undefined) throw refuse('REFUSED_BY_VENUE', '', `the venue refused: ${refused}`)
  return routeById(app.db, workspace, route_id)
}

/** Asks for the allow-list as the configuration demands: stored here, sent by the task. */
export async function requestAllow(
  db: Db,
  clock: TreasuryApp['clock'],
  route: Route,
): Promise<void> {
  if (
    !canMove(ALLOWLIST_MOVES, route.allowlist_state, 'PENDING_APPROVAL') ||
    route.allowlist_state === 'APPROVED'
  )
    return
  await db.tx(async (tx) => {
    await lockLane(tx, route.workspace)
    const asked = await tx.query(sql`
      update treasury_routes
      set allowlist_state = 'PENDING_APPROVAL', allow_external_id = ${newId()}, allow_reason = null,
        version = version + 1, system_updated_at = ${clock.now()}, system_updated_by = ${WORKER}
      where workspace = ${route.workspace}
        and id = ${route.id}
        and allowlist_state = ${route.allowlist_state}
      returning 1`)
    if (asked.length > 0) await publishAllowlistState(tx, clock, route, 'PENDING_APPROVAL', null)
    await putTasks(tx, [
      {
        workspace: route.workspace,
        kind: 'allow_route',
        subject_id: route.id,
        due_at: clock.now(),
      },
    ])
  })
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
      `the venue ${venue.label} has no allow-list that we could write`,
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
 * Sends the request and records what came back; answers the venue's reason when it refused. An
 * unknown outcome is left to the task.
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
  const answer =
    collection.collected === 'refused'
      ? { outcome: 'refused' as const, reason: collection.reason }
      : collection.collected === 'unknown'
        ? undefined
        : await outcomeInTime(
            allowlist.allow({ ...allowlistDestination(route), label: route.label, external_id }),
          )
  if (answer === undefined || answer.outcome === 'unknown') {
    await putTasks(app.db, [
      {
        workspace: route.workspace,
        kind: 'allow_route',
        subject_id: route.id,
        due_at: app.clock.now() + POLL_MILLISECONDS,
      },
    ])
    return undefined
  }
  if (answer.outcome === 'refused') {
    await recordAllowlistState(app, route, external_id, 'FAILED', route.transfer, answer.reason)
    return answer.reason
  }
  await recordAllowlistState(
    app,
    route,
    external_id,
    answer.report.state,
    mergedTransfer(route, answer.report),
    null,
  )
  return undefined
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
const mergedTransfer = (route: Route, entry: AllowlistEntry): TransferDetails => {
  const { on_allowlist: _told, allowlist_state: _state, ...to } = entry.transfer.to
  return {
    from: { ...route.transfer.from, ...entry.transfer.from },
    to: { ...route.transfer.to, ...to },
  }
}

async function recordAllowlistState(
  app: TreasuryApp,
  route: Route,
  external_id: string,
  state: AllowlistState,
  transfer: TransferDetails,
  reason: string | null,
): Promise<void> {
  const now = app.clock.now()
  await app.db.tx(async (tx) => {
    if (state !== route.allowlist_state) await lockLane(tx, route.workspace)
    const row = only(
      await tx.query<RouteRow>(
        sql`
          select ${ROUTE_COLUMNS}
          from treasury_routes
          where workspace = ${route.workspace}
            and id = ${route.id}
            and allow_external_id = ${external_id}
          for update`,
      ),
    )
    if (row === undefined) return
    const next: AllowlistStage = state
    // Two who ask at once: what the first recorded as final stays.
    if (next !== row.allowlist_state && !canMove(ALLOWLIST_MOVES, row.allowlist_state, next)) return
    await tx.query(sql`
      update treasury_routes
      set allowlist_state = ${next}, transfer = ${JSON.stringify(transfer)}::jsonb,
        allow_reason = ${reason}, version = version + 1, system_updated_at = ${now},
        system_updated_by = ${WORKER}
      where workspace = ${route.workspace}
        and id = ${route.id}
        and (
          allowlist_state <> ${next}
          or transfer <> ${JSON.stringify(transfer)}::jsonb
          or allow_reason is distinct from ${reason}
        )`)
    if (next !== row.allowlist_state) await publishAllowlistState(tx, app.clock, row, state, reason)
    await putTasks(tx, [
      {
        workspace: route.workspace,
        kind: 'allow_route',
        subject_id: route.id,
        due_at: now + (next === 'PENDING_APPROVAL' ? POLL_MILLISECONDS : LOOK_AGAIN_MILLISECONDS),
      },
    ])
  })
}

const EVENT_OF: Readonly<Record<AllowlistState, EventOf<'route'>>> = {
  PENDING_APPROVAL: 'allowlist_requested',
  APPROVED: 'allowlist_approved',
  REJECTED: 'allowlist_refused',
  FAILED: 'allowlist_refused',
  REMOVED: 'allowlist_removed',
}

/** In the transaction that brings the route to this state. */
async function publishAllowlistState(
  tx: Tx,
  clock: TreasuryApp['clock'],
  {
    id,
    workspace,
    label,
    to_wallet_id,
    protocol,
  }: Pick<RouteRow, 'id' | 'workspace' | 'label' | 'to_wallet_id' | 'protocol'>,
  allowlist_state: AllowlistState,
  reason: string | null,
): Promise<void> {
  await publishEvents(tx, clock, workspace, [
    {
      type: `route.${EVENT_OF[allowlist_state]}`,
      resource_id: id,
      data: { label, to_wallet_id, protocol, allowlist_state, reason },
    },
  ])
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
      if (state !== null)
        await recordAllowlistState(app, route, external_id, state, route.transfer, null)
      else if (pending) await sendAllowRequest(app, allowlist, route, external_id)
      else await recordAllowlistState(app, route, external_id, 'REMOVED', route.transfer, null)
    } catch (error) {
      if (!isUnreachable(error)) throw error
    }
    return again()
  }
