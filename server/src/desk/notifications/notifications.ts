/** A person's own notifications. None is shown of a record that the person may not see any more. */
import { userNames } from '../../access/index.ts'
import type { Clock } from '../../core/clock.ts'
import { refuse } from '../../core/errors.ts'
import type { NotificationId, WorkspaceId } from '../../core/ids.ts'
import { permissionOfEvent } from '../../events/index.ts'
import type { ListQuery, Principal } from '../../http/index.ts'
import type { Db, Reader, Tx } from '../../store/db.ts'
import type { DeskFeed } from '../../store/desk-feed.ts'
import { columnsOf, tableOf, updateRow } from '../../store/rows.ts'
import { raw, sql, where } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { NotedPlaces } from '../notes/records.ts'
import { allDeskFeeds } from '../overview/desk-feed.ts'
import { INSIDE, MAXIMUM_COUNTED, NotificationRecord } from './notifications.schema.ts'
import type { Notification } from './notifications.schema.ts'
import { standingOf } from './standing.ts'

export const NOTIFICATIONS = tableOf('notifications', NotificationRecord, {
  inside: INSIDE,
  computed: ['record_title', 'author_name', 'waiting'],
})
const COMPUTED = {
  record_title: sql`null::text`,
  author_name: sql`null::text`,
  waiting: sql`null::integer`,
}
export const NOTIFICATION_COLUMNS = columnsOf(NotificationRecord, { computed: COMPUTED })

/** As of their events. */
const WITHOUT_NOTES = [
  ['approval', permissionOfEvent('approval.requested')],
  ['setting', permissionOfEvent('setting.drifted')],
  ['declaration', permissionOfEvent('declaration.drifted')],
] as const

type Whose = Pick<Principal, 'workspace' | 'user_id' | 'permissions'>
type Owner = Pick<Whose, 'workspace' | 'user_id'>

export const visibleKinds = (places: NotedPlaces, permissions: ReadonlySet<string>): string[] =>
  [
    ...[...places].map(([kind, { permission }]) => [kind, permission] as const),
    ...WITHOUT_NOTES,
  ].flatMap(([kind, permission]) => (permissions.has(permission) ? [kind] : []))

const ownConditions = (places: NotedPlaces, whose: Whose): Query[] => [
  sql`workspace = ${whose.workspace}`,
  sql`user_id = ${whose.user_id}`,
  sql`record_kind = any(${visibleKinds(places, whose.permissions)})`,
]

/** `beside`: of modules on the desk's own floor. */
export function listOfNotifications(
  app: { db: Db; clock: Clock },
  { places, beside }: { places: NotedPlaces; beside: readonly DeskFeed[] },
  whose: Whose,
  unread: boolean | undefined,
): ListQuery<Notification> {
  return {
    select: sql`
      select ${NOTIFICATION_COLUMNS}
      from notifications`,
    conditions: [
      ...ownConditions(places, whose),
      ...(unread === undefined ? [] : [sql`read_at is ${raw(unread ? 'null' : 'not null')}`]),
    ],
    key: { column: 'id', type: 'uuid' },
    enrich: (rows: Notification[]) => withNames(app, whose, beside, rows),
  }
}

async function withNames(
  app: { db: Db; clock: Clock },
  whose: Whose,
  beside: readonly DeskFeed[],
  rows: readonly Notification[],
): Promise<Notification[]> {
  const { workspace } = whose
  const authors = rows.flatMap(({ author_id }) => author_id ?? [])
  const [names, shown, waitingOf] = await Promise.all([
    userNames(app.db, workspace, authors),
    shownOf(app.db, workspace, beside, rows),
    standingOf(app, beside, whose, rows),
  ])
  return rows.map((row) => {
    const record = shown.get(`${row.record_kind} ${row.record_id}`)
    return {
      ...row,
      record_title: record?.title ?? null,
      author_name: names.get(row.author_id ?? '') ?? null,
      waiting: waitingOf(row, record?.state),
    }
  })
}

type Shown = { id: string; title: string; state: string }

async function shownOf(
  reader: Reader,
  workspace: WorkspaceId,
  beside: readonly DeskFeed[],
  rows: readonly Notification[],
): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>()
  await Promise.all(
    allDeskFeeds(beside).searchables.map(async ({ kind, show }) => {
      const ids = rows.flatMap((row) => (row.record_kind === kind ? [row.record_id] : []))
      if (ids.length === 0) return
      for (const one of await reader.query<Shown>(show(workspace, ids)))
        shown.set(`${kind} ${one.id}`, one)
    }),
  )
  return shown
}

/** Counted up to a bound, which nobody reads any more. */
export async function countUnread(
  reader: Reader,
  places: NotedPlaces,
  whose: Whose,
): Promise<{ unread: number; complete: boolean }> {
  const [row] = await reader.query<{ unread: number }>(sql`
    select count(*)::int as unread
    from (
      select 1
      from notifications
      ${where([...ownConditions(places, whose), sql`read_at is null`])}
      limit ${MAXIMUM_COUNTED}
    ) as counted`)
  const unread = row?.unread ?? 0
  return { unread, complete: unread < MAXIMUM_COUNTED }
}

/** Throws 3001 NOT_FOUND naming one that is not the caller's. Those that are read stay so. */
export async function markRead(
  tx: Tx,
  clock: Clock,
  { workspace, user_id }: Owner,
  ids: readonly NotificationId[] | undefined,
): Promise<void> {
  await assertOwn(tx, { workspace, user_id }, ids ?? [])
  const now = clock.now()
  const update = updateRow(NOTIFICATIONS, {
    where: sql`
      workspace = ${workspace}
        and user_id = ${user_id}
        and read_at is null
        and ${ids === undefined ? sql`true` : sql`id = any(${ids}::uuid[])`}`,
    set: { read_at: now, to_mail: false },
    by: user_id,
    now,
  })
  await tx.query(update)
}

async function assertOwn(
  tx: Tx,
  { workspace, user_id }: Owner,
  ids: readonly NotificationId[],
): Promise<void> {
  const rows = await tx.query<{ id: NotificationId }>(sql`
    select id
    from notifications
    where workspace = ${workspace}
      and user_id = ${user_id}
      and id = any(${ids}::uuid[])`)
  const own = new Set(rows.map(({ id }) => id))
  const missing = ids.findIndex((id) => !own.has(id))
  if (missing !== -1)
    throw refuse('NOT_FOUND', `ids[${missing}]`, `notification ${ids[missing]} does not exist`)
}
