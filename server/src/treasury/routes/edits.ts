/**
 * Routes are created and changed. A route to another destination (wallet, protocol, tag or
 * allow-list collection) starts again on the venue's allow-list.
 */
import type { TreasuryRouteId, WalletId, WorkspaceId } from '../../core/ids.ts'
import { mustExist } from '../../core/assert.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { onceInTransaction, withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Tx } from '../../store/db.ts'
import { insertRow, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import type { TransferDetails } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { COLLECT_TASK } from '../tasks.ts'
import { checkRoute, COLLECTION_FIELD, ROUTE_COLUMNS, routeById, ROUTES } from './routes.ts'
import type { CheckedRoute, Route, RouteRow } from './routes.ts'
import type { RouteDraft } from './routes.schema.ts'

/**
 * The request that saves a route asks for its collection at once; the task is for what it misses.
 */
const COLLECT_LATER_MILLISECONDS = 6_000

type RouteDeclarationKey = { key: string; declared_hash: string }
/** Who edits: a request, or the configuration file. */
type RouteEditor = Pick<Caller, 'workspace' | 'by'> & Partial<Pick<Caller, 'idempotency'>>
type RouteEdit = RouteDraft & { id: TreasuryRouteId; version?: number }
type Stamp = { by: string; now: number }

/** A repeat under the same key answers the route that it made. */
export async function createRoute(
  caller: RouteEditor,
  app: TreasuryApp,
  draft: RouteDraft,
  declared?: RouteDeclarationKey,
): Promise<Route> {
  const { workspace, idempotency, by } = caller
  const { id } = await withIdempotentReplay(app, workspace, idempotency, async () => {
    const checked = await checkRoute(app, workspace, draft)
    const stamp = { by, now: app.clock.now() }
    return onceInTransaction(app, { workspace, idempotency }, async (tx) => {
      await lockLane(tx, workspace)
      const route = await insertRoute(tx, { ...draft, workspace }, checked, { ...stamp, declared })
      await announceRoute(tx, app.clock, route)
      return { id: route.id }
    }) as Promise<{ id: string }>
  })
  return routeById(app.db, workspace, id)
}

/** A route that was checked, in the transaction of what it is made for, under the lane's lock. */
export async function addRoute(
  tx: Tx,
  { clock, by }: { clock: TreasuryApp['clock']; by: string },
  draft: Pick<RouteDraft, 'label' | 'protocol'> & { workspace: WorkspaceId },
  checked: NewRoute,
): Promise<RouteRow> {
  const route = await insertRoute(tx, draft, checked, { by, now: clock.now() })
  await announceRoute(tx, clock, route)
  return route
}

async function announceRoute(tx: Tx, clock: TreasuryApp['clock'], route: RouteRow): Promise<void> {
  if (route.collection_external_id !== null) await scheduleCollection(tx, route, clock.now())
  await publishRoute(tx, clock, 'route.created', route)
}

/** Both ends of it are stored. */
type NewRoute = Pick<CheckedRoute, 'transfer' | 'collects'> & {
  from: { id: WalletId }
  to: { id: WalletId }
}

function insertRoute(
  tx: Tx,
  {
    workspace,
    label,
    protocol,
  }: Pick<RouteDraft, 'label' | 'protocol'> & {
    workspace: WorkspaceId
  },
  { from, to, transfer, collects }: NewRoute,
  { by, now, declared }: Stamp & { declared?: RouteDeclarationKey | undefined },
): Promise<RouteRow> {
  const isCollected = collects && transfer.from[COLLECTION_FIELD] === undefined
  const insert = insertRow(
    ROUTES,
    {
      workspace,
      id: newId(),
      label,
      from_wallet_id: from.id,
      to_wallet_id: to.id,
      protocol,
      transfer: jsonOf(transfer),
      settlement: {},
      allowlist_state: 'NOT_REQUESTED',
      collection_external_id: isCollected ? newId() : null,
      state: 'ACTIVE',
      key: declared?.key ?? null,
      declared_hash: declared?.declared_hash ?? null,
    },
    { by, now },
  )
  return written(tx, insert)
}

/** What the allow-list shows is added when a route is answered, and not stored. */
export const jsonOf = (transfer: TransferDetails): Query => sql`${JSON.stringify(transfer)}::jsonb`

async function written(tx: Tx, write: Query): Promise<RouteRow> {
  const rows = await tx.query<RouteRow>(sql`
    ${write}
    returning ${ROUTE_COLUMNS}`)
  return mustExist(only(rows), 'a write returns its row')
}

const scheduleCollection = (
  tx: Tx,
  { workspace, id }: Pick<RouteRow, 'workspace' | 'id'>,
  now: number,
): Promise<void> => {
  const due_at = now + COLLECT_LATER_MILLISECONDS
  return putTasks(tx, [{ workspace, kind: COLLECT_TASK, subject_id: id, due_at }])
}

export async function changeRoute(
  { workspace, by }: RouteEditor,
  app: TreasuryApp,
  edit: RouteEdit,
  declared?: RouteDeclarationKey,
): Promise<Route> {
  const checked = await checkRoute(app, workspace, edit)
  const row = await app.db.tx(async (tx) => {
    await lockLane(tx, workspace)
    const stamp = { by, now: app.clock.now() }
    const changed = await updateRoute(tx, { ...edit, workspace }, checked, { ...stamp, declared })
    return publishRoute(tx, app.clock, 'route.changed', changed)
  })
  return { ...row, from_wallet: checked.from, to_wallet: checked.to }
}

/** In the transaction of the write, which holds the lane's lock. */
async function publishRoute(
  tx: Tx,
  clock: TreasuryApp['clock'],
  type: 'route.created' | 'route.changed',
  row: RouteRow,
): Promise<RouteRow> {
  const { label, from_wallet_id, to_wallet_id, protocol, transfer, allowlist_state, version } = row
  const data = {
    label,
    from_wallet_id,
    to_wallet_id,
    protocol,
    transfer,
    allowlist_state,
    version,
  }
  await publishEvents({ workspace: row.workspace }, { tx, clock }, [
    { type, resource_id: row.id, data },
  ])
  return row
}

/** The write of a change that was checked before. Throws 4004, STALE_VERSION. */
export async function updateRoute(
  tx: Tx,
  edit: RouteEdit & { workspace: WorkspaceId },
  { transfer, collects }: Pick<CheckedRoute, 'transfer' | 'collects'>,
  { by, now, declared }: Stamp & { declared?: RouteDeclarationKey | undefined },
): Promise<RouteRow> {
  const { workspace, id } = edit
  const known = await lockedRoute(tx, workspace, id)
  if (edit.version !== undefined && edit.version !== known.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the route has changed: its version is ${known.version}`,
    )
  const { reference, ...next } = chooseCollection(known, { ...edit, transfer }, collects)
  const update = updateRow(ROUTES, {
    where: { workspace, id },
    set: {
      label: edit.label,
      from_wallet_id: edit.from_wallet_id,
      to_wallet_id: edit.to_wallet_id,
      protocol: edit.protocol,
      transfer: jsonOf(next.transfer),
      ...(sameDestination(known, next) ? {} : NOT_REQUESTED),
      collection_external_id: reference,
      ...(declared === undefined ? {} : { declared_hash: declared.declared_hash }),
    },
    by,
    now,
  })
  const row = await written(tx, update)
  if (reference !== null && reference !== known.collection_external_id)
    await scheduleCollection(tx, row, now)
  return row
}

const NOT_REQUESTED = {
  allowlist_state: 'NOT_REQUESTED',
  allow_external_id: null,
  allow_reason: null,
} as const

async function lockedRoute(tx: Tx, workspace: WorkspaceId, id: TreasuryRouteId): Promise<RouteRow> {
  const rows = await tx.query<RouteRow>(sql`
    select ${ROUTE_COLUMNS}
    from treasury_routes
    where workspace = ${workspace}
      and id = ${id}
    for update`)
  const row = only(rows)
  if (row === undefined) throw notFound('route', id, 'route_id')
  return row
}

type RouteDestination = Pick<RouteDraft, 'from_wallet_id' | 'to_wallet_id' | 'protocol'> & {
  transfer: TransferDetails
}

/**
 * A collection at the venue belongs to one destination: sent back with another one it is the old
 * destination's. Where none is named, the one that the venue made for this destination stays; else
 * the venue makes one under a new reference.
 */
function chooseCollection(
  known: RouteRow,
  next: RouteDestination,
  collects: boolean,
): RouteDestination & { reference: string | null } {
  const same = sameEnds(known, next)
  const before = known.transfer.from[COLLECTION_FIELD]
  const { [COLLECTION_FIELD]: named, ...from } = next.transfer.from
  if (named !== undefined && (same || named !== before))
    return { ...next, reference: named === before ? known.collection_external_id : null }
  const made = collects ? newId() : null
  const kept = same ? known.collection_external_id : null
  const collection = kept !== null && before !== undefined ? { [COLLECTION_FIELD]: before } : {}
  return {
    ...next,
    transfer: { ...next.transfer, from: { ...from, ...collection } },
    reference: kept ?? made,
  }
}

const sameDestination = (known: RouteRow, next: RouteDestination): boolean =>
  sameEnds(known, next) &&
  known.transfer.from[COLLECTION_FIELD] === next.transfer.from[COLLECTION_FIELD]

const sameEnds = (known: RouteRow, next: RouteDestination): boolean =>
  known.from_wallet_id === next.from_wallet_id &&
  known.to_wallet_id === next.to_wallet_id &&
  known.protocol === next.protocol &&
  known.transfer.to['tag'] === next.transfer.to['tag']
