/** Requests for the allow-list as they are stored and told; allowlist.ts sends them. */
import { canMove } from '../../core/moves.ts'
import { newId } from '../../core/ids.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import type { EventOf } from '../../ledger/index.ts'
import type { Db, Hinting, Tx } from '../../store/db.ts'
import { updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import type { AllowlistState } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { ROUTES } from './routes.ts'
import type { Route, RouteRow } from './routes.ts'
import { ALLOWLIST_MOVES } from './routes.schema.ts'

export type AllowlistChange = { state: AllowlistState; reason: string | null }

export const requested = (external_id: string) => ({
  allowlist_state: 'PENDING_APPROVAL' as const,
  allow_external_id: external_id,
  allow_reason: null,
})

export const scheduleAllow = (
  writer: Hinting,
  { workspace, id }: Pick<RouteRow, 'workspace' | 'id'>,
  due_at: number,
): Promise<void> => putTasks(writer, [{ workspace, kind: 'allow_route', subject_id: id, due_at }])

/** Asks for the allow-list as the configuration demands: stored here, sent by the task. */
export async function requestAllow(
  db: Db,
  clock: TreasuryApp['clock'],
  route: Route,
): Promise<void> {
  await db.tx(async (tx) => {
    await lockLane(tx, route.workspace)
    await requestAllowIn(tx, { clock, by: TREASURY_WORKER }, route)
  })
}

/** The same in the transaction of what the route is for, under the lane's lock. */
export async function requestAllowIn(
  tx: Tx,
  { clock, by }: { clock: TreasuryApp['clock']; by: string },
  route: RouteRow,
): Promise<void> {
  const { workspace, id, allowlist_state } = route
  if (allowlist_state === 'APPROVED') return
  if (!canMove(ALLOWLIST_MOVES, allowlist_state, 'PENDING_APPROVAL')) return
  const now = clock.now()
  const update = updateRow(ROUTES, {
    where: { workspace, id, allowlist_state },
    set: requested(newId()),
    by,
    now,
  })
  const changed = await tx.query(sql`
    ${update}
    returning 1`)
  if (changed.length > 0)
    await publishAllowlistState(tx, clock, route, { state: 'PENDING_APPROVAL', reason: null })
  await scheduleAllow(tx, route, now)
}

const EVENT_OF: Readonly<Record<AllowlistState, EventOf<'route'>>> = {
  PENDING_APPROVAL: 'allowlist_requested',
  APPROVED: 'allowlist_approved',
  REJECTED: 'allowlist_refused',
  FAILED: 'allowlist_refused',
  REMOVED: 'allowlist_removed',
}

/** In the transaction that brings the route to this state. */
export async function publishAllowlistState(
  tx: Tx,
  clock: TreasuryApp['clock'],
  route: Pick<RouteRow, 'id' | 'workspace' | 'label' | 'to_wallet_id' | 'protocol'>,
  { state, reason }: AllowlistChange,
): Promise<void> {
  const { id, workspace, label, to_wallet_id, protocol } = route
  const data = { label, to_wallet_id, protocol, allowlist_state: state, reason }
  const type = `route.${EVENT_OF[state]}` as const
  await publishEvents({ workspace }, { tx, clock }, [{ type, resource_id: id, data }])
}
