/** How each user wants to be told. Whoever has never said it is told as is usual. */
import { assertTimeZone } from '../../access/index.ts'
import type { UserId, WorkspaceId } from '../../core/ids.ts'
import type { Principal, Static } from '../../http/index.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { mayGet, NOTIFICATION_KINDS, usualWay } from './kinds.ts'
import type { NotificationKind, Way } from './kinds.ts'
import { PreferencesRow } from './notifications.schema.ts'
import type { Preferences, PutPreferencesBody } from './notifications.schema.ts'

type Row = Static<typeof PreferencesRow>
const PREFERENCES = tableOf('notification_preferences', PreferencesRow)

type Wishes = Omit<Row, 'workspace' | 'user_id'>
const NONE: Wishes = { ways: {}, language: null, time_zone: null }

/** Of those of them who have said anything. */
export async function wishesOf(
  reader: Reader,
  workspace: WorkspaceId,
  users: readonly UserId[],
): Promise<ReadonlyMap<UserId, Wishes>> {
  const rows = await reader.query<Row>(sql`
    select ${columnsOf(PreferencesRow)}
    from notification_preferences
    where workspace = ${workspace}
      and user_id = any(${users}::uuid[])`)
  return new Map(rows.map((row) => [row.user_id, row]))
}

export const wayOf = (wishes: Wishes | undefined, kind: NotificationKind): Way =>
  wishes?.ways[kind] ?? usualWay(kind)

type Whose = Pick<Principal, 'workspace' | 'user_id' | 'permissions'>

export async function preferencesOf(
  reader: Reader,
  { workspace, user_id, permissions }: Whose,
): Promise<Preferences> {
  const wishes = (await wishesOf(reader, workspace, [user_id])).get(user_id) ?? NONE
  return {
    kinds: NOTIFICATION_KINDS.filter((kind) => mayGet(kind, permissions)).map((kind) => ({
      kind,
      way: wayOf(wishes, kind),
    })),
    language: wishes.language,
    time_zone: wishes.time_zone,
  }
}

/** Throws FORMAT for a time zone that there is not. */
export async function putPreferences(
  tx: Tx,
  whose: Whose,
  { kinds = [], language, time_zone }: PutPreferencesBody,
): Promise<Preferences> {
  const { workspace, user_id } = whose
  if (time_zone !== undefined) assertTimeZone(time_zone, 'time_zone')
  const ways = Object.fromEntries(kinds.map(({ kind, way }) => [kind, way])) as Row['ways']
  const row = { workspace, user_id, ways, language: language ?? null, time_zone: time_zone ?? null }
  await tx.query(sql`
    ${insertRow(PREFERENCES, row, { by: null, now: 0 })}
    on conflict (workspace, user_id) do update
    set ways = notification_preferences.ways || excluded.ways,
      language = excluded.language,
      time_zone = excluded.time_zone`)
  return preferencesOf(tx, whose)
}
