/** Where people sign in by a provider, passwords may be left to administrators. */
import { refuse } from '../core/errors.ts'
import type { ApiError } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import type { Role } from './permissions.ts'
import { settingsOf } from './settings.ts'
import { isAdministrator } from './administrators.ts'

/** Administrators always: a provider that is down would lock everybody out. */
export async function mayUsePassword(
  reader: Reader,
  { workspace, roles }: { workspace: WorkspaceId; roles: readonly Role[] },
): Promise<boolean> {
  if (isAdministrator(roles)) return true
  return (await settingsOf(reader, workspace)).passwords === 'EVERYBODY'
}

export const passwordsOff = (): ApiError =>
  refuse(
    'SIGN_IN_REFUSED',
    'password',
    'here only administrators sign in with a password: sign in by a provider',
  )
