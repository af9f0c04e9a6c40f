import { isId } from '../core/ids.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { ListQuery } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import type { DeskFeed } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { permissionsOf } from './permissions.ts'
import type { Role } from './permissions.ts'
import { USER_MOVES } from './users.schema.ts'
import type { User } from './users.schema.ts'

export const accessDeskFeed: DeskFeed = {
  searchables: [
    {
      kind: 'user',
      permission: 'users.write',
      table: 'users',
      show: (workspace, ids) => sql`
        select
          id,
          coalesce(name, email) as title,
          email as subtitle,
          state,
          system_created_at as at,
          null::text as parent_kind,
          null::uuid as parent_id
        from users
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
    },
  ],
  needs: [],
}

/**
 * The names of these users and API keys, by id. An id that is nobody's (a worker's name) is left
 * out.
 */
export async function userNames(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const callers = [...new Set(ids)].filter(isId)
  if (callers.length === 0) return new Map()
  const rows = await reader.query<{ id: string; name: string }>(sql`
    select id, coalesce(name, email) as name
    from users
    where workspace = ${workspace}
      and id = any(${callers}::uuid[])
    union all
    select id, label as name
    from api_keys
    where workspace = ${workspace}
      and id = any(${callers}::uuid[])`)
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** Those who can log in, by the name that colleagues know. */
export const colleagues = (workspace: WorkspaceId): ListQuery<{ id: UserId; name: string }> => ({
  select: sql`
    select id, coalesce(name, email) as name
    from users`,
  conditions: [sql`workspace = ${workspace}`, stateIn(USER_MOVES, 'ACTIVE')],
  key: { column: 'id', type: 'uuid' },
})

/** Those of them who can log in. */
export async function colleaguesAmong(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly UserId[],
): Promise<UserId[]> {
  const rows = await reader.query<{ id: UserId }>(sql`
    select id
    from users
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])
      and ${stateIn(USER_MOVES, 'ACTIVE')}`)
  return rows.map(({ id }) => id)
}

export type ActiveUser = {
  id: UserId
  roles: readonly Role[]
  permissions: ReadonlySet<string>
}

/** Those who can log in, with what each may do now. */
export async function activeUsers(reader: Reader, workspace: WorkspaceId): Promise<ActiveUser[]> {
  const rows = await reader.query<Pick<User, 'id' | 'roles'>>(sql`
    select id, roles
    from users
    where workspace = ${workspace}
      and ${stateIn(USER_MOVES, 'ACTIVE')}`)
  return rows.map(({ id, roles }) => ({ id, roles, permissions: permissionsOf(roles) }))
}
