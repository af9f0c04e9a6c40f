import { isId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import type { DeskFeed } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'

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
