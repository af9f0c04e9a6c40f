/** Keeping, changing and deleting saved views. What others do not share does not exist. */
import { userNames } from '../access/index.ts'
import { mustExist } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { notFound, permissionRequired, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { ViewId, WorkspaceId } from '../core/ids.ts'
import type { Principal } from '../http/index.ts'
import { assertVersion } from '../ledger/index.ts'
import { constraintOf, only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { ViewRecord } from './views.schema.ts'
import type { ChangeViewBody, SaveViewBody, View } from './views.schema.ts'

/** Of one user, so that nobody fills the menus. */
export const MAXIMUM_VIEWS = 200
/** Who may delete what a colleague has left behind. */
const TIDIES = 'users.write'

export const VIEWS = tableOf('views', ViewRecord, { computed: ['user_name'] })
export const VIEW_COLUMNS = columnsOf(ViewRecord, {
  computed: { user_name: sql`null::text` },
})

export async function withUserNames(
  reader: Reader,
  workspace: WorkspaceId,
  views: readonly View[],
): Promise<View[]> {
  const ids = views.map(({ user_id }) => user_id)
  const names = await userNames(reader, workspace, ids)
  return views.map((view) => ({ ...view, user_name: names.get(view.user_id) ?? null }))
}

/** Who does it, in an open transaction. */
type Parts = { tx: Tx; clock: Clock }

/** Throws DUPLICATE, ABOVE_MAXIMUM. */
export async function saveView(
  { workspace, user_id }: Principal,
  { tx, clock }: Parts,
  { shared = false, ...body }: SaveViewBody,
): Promise<View> {
  const [known] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count
    from views
    where workspace = ${workspace}
      and user_id = ${user_id}`)
  if ((known?.count ?? 0) >= MAXIMUM_VIEWS)
    throw refuse('ABOVE_MAXIMUM', 'name', `a user keeps at most ${MAXIMUM_VIEWS} views`)
  const row = { workspace, id: newId<ViewId>(clock.now()), user_id, ...body, shared }
  return written(tx, insertRow(VIEWS, row, { by: user_id, now: clock.now() }))
}

/** Throws 4004, 1003, STALE_VERSION, DUPLICATE. */
export async function changeView(
  principal: Principal,
  { tx, clock }: Parts,
  { id, version, ...set }: ChangeViewBody & { id: ViewId },
): Promise<View> {
  const { workspace, user_id } = principal
  const view = await seenView(tx, principal, id)
  if (view.user_id !== user_id) throw refuse('CONFLICT', 'view_id', 'the view is of somebody else')
  assertVersion('view', view, version)
  const change = { where: { workspace, id }, set, by: user_id, now: clock.now() }
  return written(tx, updateRow(VIEWS, change))
}

/** Answers the view as it was. Throws 4004, 1003. */
export async function deleteView(principal: Principal, tx: Tx, id: ViewId): Promise<View> {
  const { workspace, user_id, permissions } = principal
  const view = await seenView(tx, principal, id)
  if (view.user_id !== user_id && !permissions.has(TIDIES))
    throw permissionRequired(TIDIES, 'deleting a view of somebody else')
  await tx.query(sql`
    delete from views
    where workspace = ${workspace}
      and id = ${id}`)
  return view
}

async function seenView(tx: Tx, { workspace, user_id }: Principal, id: ViewId): Promise<View> {
  const views = await tx.query<View>(sql`
    select ${VIEW_COLUMNS}
    from views
    where workspace = ${workspace}
      and id = ${id}
    for update`)
  const view = only(views)
  if (view === undefined || (view.user_id !== user_id && !view.shared))
    throw notFound('view', id, 'view_id')
  return view
}

async function written(tx: Tx, write: Query): Promise<View> {
  try {
    const [view] = await tx.query<View>(sql`
      ${write}
      returning ${VIEW_COLUMNS}`)
    return mustExist(view, 'a write returns its row')
  } catch (error) {
    if (constraintOf(error) === 'views_name')
      throw refuse('DUPLICATE', 'name', 'you have a view of this name for this list')
    throw error
  }
}
