/**
 * From events to notifications. A task follows the events of each workspace after their commit, and
 * stores whom they concern together with how far it has read: a kill loses none and doubles none.
 * Nothing that books waits for it.
 */
import { activeUsers } from '../../access/index.ts'
import type { ActiveUser } from '../../access/index.ts'
import type { Clock } from '../../core/clock.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { CommentId, NotificationId, UserId, WorkspaceId } from '../../core/ids.ts'
import { nextEvents } from '../../events/index.ts'
import { lastEventSequences } from '../../ledger/index.ts'
import type { Event } from '../../ledger/index.ts'
import type { Db, Reader, Tx } from '../../store/db.ts'
import { columnsOf, insertRow, insertRows, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import type { TaskResult } from '../../store/tasks.ts'
import type { NotedPlaces } from '../notes/records.ts'
import { concerned } from './concerned.ts'
import { COMMENTED, isFor, NOTIFYING_TYPES, waitingOf } from './kinds.ts'
import type { NotificationKind } from './kinds.ts'
import { CursorRow } from './notifications.schema.ts'
import { NOTIFICATIONS } from './notifications.ts'
import { wayOf, wishesOf } from './preferences.ts'

export const TELL_TASK = 'tell_staff'
/** Mails what waits to be mailed; its subject is the user. */
export const MAIL_TASK = 'mail_staff'
export const WORKER = 'notifications'
const LOOK_MILLISECONDS = 1_000
const PAGE_EVENTS = 500
/** What happens together is mailed together. */
const GATHER_MILLISECONDS = 60_000

export type TellingApp = { db: Db; clock: Clock; mailer: object | undefined }
type Parts = TellingApp & { places: NotedPlaces }
type Cursor = { workspace: WorkspaceId; sequence: number }
const CURSORS = tableOf('notification_cursors', CursorRow)

/** One look at all workspaces. */
export async function tellStaff(parts: Parts): Promise<TaskResult> {
  const { db, clock } = parts
  const heads = await lastEventSequences(db)
  const rows = await db.query<Cursor>(sql`
    select ${columnsOf(CursorRow)}
    from notification_cursors`)
  const cursors = new Map(rows.map(({ workspace, sequence }) => [workspace, sequence]))
  for (const [workspace, head] of heads) {
    const after = cursors.get(workspace) ?? 0
    if (after < head) await tellOf(parts, workspace, { after, head })
  }
  return { again_at: clock.now() + LOOK_MILLISECONDS }
}

async function tellOf(
  parts: Parts,
  workspace: WorkspaceId,
  range: { after: number; head: number },
): Promise<void> {
  let { after } = range
  while (after < range.head) {
    const filter = { after, type: NOTIFYING_TYPES }
    const page = await nextEvents(parts.db, workspace, filter, PAGE_EVENTS)
    await withFailpoints('notifications.store', workspace, () =>
      parts.db.tx(async (tx) => {
        if (await moveCursor(tx, { workspace, sequence: page.after }))
          await store(tx, parts, workspace, page.events)
      }),
    )
    ;({ after } = page)
  }
}

/** Whether it was this process that moved it. */
async function moveCursor(tx: Tx, cursor: Cursor): Promise<boolean> {
  const moved = await tx.query(sql`
    ${insertRow(CURSORS, cursor, { by: WORKER, now: 0 })}
    on conflict (workspace) do update
    set sequence = excluded.sequence
    where notification_cursors.sequence < excluded.sequence
    returning 1`)
  return moved.length > 0
}

type Told = {
  user_id: UserId
  kind: NotificationKind
  record_kind: string
  event: Event
  count: number
  comment: { id: CommentId; by: UserId } | undefined
}

async function store(
  tx: Tx,
  { clock, mailer, places }: Parts,
  workspace: WorkspaceId,
  events: readonly Event[],
): Promise<void> {
  if (events.length === 0) return
  const users = await activeUsers(tx, workspace)
  const wishes = await wishesOf(
    tx,
    workspace,
    users.map(({ id }) => id),
  )
  const told = [
    ...waitingFor(events, users),
    ...(await commentsFor(tx, places, { workspace, users, events })),
  ].filter(({ user_id, kind }) => wayOf(wishes.get(user_id), kind) !== 'OFF')
  const now = clock.now()
  const rows = told.map((one) => rowOf(one, { workspace, now, byMail: byMail(one) }))
  await insert(tx, rows, now)
  await mailLater(tx, workspace, now, rows)

  function byMail({ user_id, kind }: Told): boolean {
    return mailer !== undefined && wayOf(wishes.get(user_id), kind) === 'MAIL'
  }
}

/** However much happens, each user is told once of each kind. */
function waitingFor(events: readonly Event[], users: readonly ActiveUser[]): Told[] {
  const told = new Map<string, Told>()
  for (const event of events) {
    const waiting = waitingOf(event)
    if (waiting === undefined) continue
    const { kind } = waiting
    for (const user of users) {
      const { id: user_id } = user
      const { by, requested_by: asked = by } = event.data
      if ([by, asked].includes(user_id) || !isFor(event, waiting, user)) continue
      const key = `${user_id} ${kind}`
      const count = (told.get(key)?.count ?? 0) + 1
      told.set(key, {
        user_id,
        kind,
        record_kind: recordKindOf(event),
        event,
        count,
        comment: undefined,
      })
    }
  }
  return [...told.values()]
}

const recordKindOf = ({ type }: Event): string => type.split('.')[0] ?? ''

type Happened = {
  workspace: WorkspaceId
  users: readonly ActiveUser[]
  events: readonly Event[]
}
type Commented = { kind: string; comment_id: CommentId; by: UserId }

async function commentsFor(
  reader: Reader,
  places: NotedPlaces,
  { workspace, users, events }: Happened,
): Promise<Told[]> {
  const told: Told[] = []
  for (const event of events) {
    if (event.type !== COMMENTED) continue
    const { kind: record_kind, comment_id, by } = event.data as Commented
    const place = places.get(record_kind)
    if (place === undefined) continue
    for (const [user_id, kind] of await concerned(reader, workspace, place, event)) {
      const user = users.find(({ id }) => id === user_id)
      if (user_id === by || user?.permissions.has(place.permission) !== true) continue
      const comment = { id: comment_id, by }
      told.push({ user_id, kind, record_kind, event, count: 1, comment })
    }
  }
  return told
}

const rowOf = (
  { user_id, kind, record_kind, event, count, comment }: Told,
  { workspace, now, byMail }: { workspace: WorkspaceId; now: number; byMail: boolean },
) => ({
  workspace,
  id: newId<NotificationId>(now),
  user_id,
  kind,
  record_kind: record_kind as never,
  record_id: event.resource_id,
  event_type: event.type,
  event_sequence: event.sequence,
  count,
  comment_id: comment?.id ?? null,
  author_id: comment?.by ?? null,
  read_at: null,
  to_mail: byMail,
  mail_id: null,
})
type Row = ReturnType<typeof rowOf>

async function insert(tx: Tx, rows: readonly Row[], now: number): Promise<void> {
  const stamp = { by: WORKER, now }
  const counting = rows.filter(({ comment_id }) => comment_id === null)
  const single = rows.filter(({ comment_id }) => comment_id !== null)
  // What counts becomes new again, so that it stands on top, and who has read the old is not done.
  if (counting.length > 0)
    await tx.query(sql`
      ${insertRows(NOTIFICATIONS, counting, stamp)}
      on conflict (workspace, user_id, kind)
        where read_at is null
          and comment_id is null
      do update
      set id = excluded.id,
        count = notifications.count + excluded.count,
        record_kind = excluded.record_kind,
        record_id = excluded.record_id,
        event_type = excluded.event_type,
        event_sequence = excluded.event_sequence,
        to_mail = excluded.to_mail,
        system_updated_at = excluded.system_updated_at,
        version = notifications.version + 1`)
  if (single.length > 0)
    await tx.query(sql`
      ${insertRows(NOTIFICATIONS, single, stamp)}
      on conflict (workspace, user_id, comment_id)
        where comment_id is not null
      do nothing`)
}

async function mailLater(
  tx: Tx,
  workspace: WorkspaceId,
  now: number,
  rows: readonly Row[],
): Promise<void> {
  const users = new Set(rows.flatMap(({ user_id, to_mail }) => (to_mail ? [user_id] : [])))
  await putTasks(
    tx,
    [...users].map((subject_id) => ({
      workspace,
      kind: MAIL_TASK,
      subject_id,
      due_at: now + GATHER_MILLISECONDS,
    })),
    'quietly',
  )
}
