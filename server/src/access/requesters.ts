/** Who asks for something, as the policy sees it. */
import { isId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Role } from './permissions.ts'

export type Requester = {
  requester: { user_id: string | null; api_key_id: string | null; roles: readonly Role[] }
  /** Who may not approve it: who asks, and who set up or changed the program that asks. */
  excluded: readonly string[]
}

/** `by`: a user, an API key, or a worker, behind which is nobody. */
export async function requesterOf(
  reader: Reader,
  workspace: WorkspaceId,
  by: string,
): Promise<Requester> {
  const nobody = { user_id: null, api_key_id: null, roles: [] }
  if (!isId(by)) return { requester: nobody, excluded: [by] }
  const [found] = await reader.query<{ roles: Role[] | null; people: (string | null)[] }>(sql`
    select roles, array[]::text[] as people
    from users
    where workspace = ${workspace}
      and id = ${by}
    union all
    select null, array[system_created_by, system_updated_by]
    from api_keys
    where workspace = ${workspace}
      and id = ${by}`)
  if (found === undefined) return { requester: nobody, excluded: [by] }
  const { roles, people } = found
  const requester =
    roles === null ? { ...nobody, api_key_id: by } : { user_id: by, api_key_id: null, roles }
  return { requester, excluded: [by, ...people.filter((person) => person !== null)] }
}
