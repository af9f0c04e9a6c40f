import type { ApiKeyId, UserId, WorkspaceId } from '../core/ids.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { API_KEY_MOVES } from './api-keys.schema.ts'
import type { ApiKey } from './api-keys.schema.ts'
import { permissionsOf } from './permissions.ts'
import { USER_MOVES } from './users.schema.ts'
import type { User } from './users.schema.ts'

/** A program has no address for mail. */
type ActiveCaller = { email: string | null; permissions: ReadonlySet<string> }

/**
 * Who may what now, for work that goes on without a request. Undefined of a disabled user and of an
 * API key that is over.
 */
export async function activeCaller(
  reader: Reader,
  workspace: WorkspaceId,
  id: UserId | ApiKeyId,
  now: number,
): Promise<ActiveCaller | undefined> {
  const user = only(
    await reader.query<Pick<User, 'email' | 'roles'>>(sql`
      select email, roles
      from users
      where workspace = ${workspace}
        and id = ${id}
        and ${stateIn(USER_MOVES, 'ACTIVE')}`),
  )
  if (user !== undefined) return { email: user.email, permissions: permissionsOf(user.roles) }
  const key = only(
    await reader.query<Pick<ApiKey, 'permissions'>>(sql`
      select permissions
      from api_keys
      where workspace = ${workspace}
        and id = ${id}
        and ${stateIn(API_KEY_MOVES, 'ACTIVE')}
        and expires_at > ${now}`),
  )
  return key && { email: null, permissions: new Set<string>(key.permissions) }
}
