/** Administrators: who may change users. One remains in each workspace. */
import { refuse } from '../core/errors.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { Reader, Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { PERMISSIONS_OF, ROLES } from './permissions.ts'
import type { Role } from './permissions.ts'
import { USER_MOVES } from './users.schema.ts'

const ADMINISTRATOR_ROLES = ROLES.filter((role) => PERMISSIONS_OF[role].includes('users.write'))

/** Whether somebody but this user may change users. */
export async function hasAdministrator(
  reader: Reader,
  workspace: WorkspaceId,
  but: UserId | null = null,
): Promise<boolean> {
  const administrators = await reader.query(sql`
    select 1
    from users
    where workspace = ${workspace}
      and ${stateIn(USER_MOVES, 'ACTIVE')}
      and roles && ${ADMINISTRATOR_ROLES}::text[]
      and id is distinct from ${but}::uuid
    limit 1`)
  return administrators.length > 0
}

export const isAdministrator = (roles: readonly Role[]): boolean =>
  roles.some((role) => ADMINISTRATOR_ROLES.includes(role))

export async function assertAdministratorRemains(tx: Tx, workspace: WorkspaceId): Promise<void> {
  if (!(await hasAdministrator(tx, workspace)))
    throw refuse(
      'CONFLICT',
      'roles',
      'at least one active user must keep the permission to change users',
    )
}
