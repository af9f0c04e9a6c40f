import type { Clock } from '../core/clock.ts'
import type { Db } from '../store/db.ts'
import { forgetOldFailures } from './login-failures.ts'
import { forgetOldSessions } from './sessions.ts'

export { openAccess } from './access.ts'
export type { Access } from './access.ts'
export { accessEndpoints } from './access.http.ts'
export { accessDeskFeed, userNames } from './desk-feed.ts'
export { generatedPassword } from './passwords.ts'
export { PERMISSIONS, PERMISSIONS_OF, permissionsOf, ROLES } from './permissions.ts'
export type { Permission, Role } from './permissions.ts'
export {
  DEFAULT_SETTINGS,
  putSettings,
  settingsOf,
  settingsRead,
  settingsSchema,
} from './settings.ts'
export type { Settings } from './settings.ts'
export { createFirstUser, createUser } from './users.ts'
export type { User } from './users.schema.ts'
export { createWorkspace } from './workspaces.ts'

/** Housekeeping: sessions and failed logins whose time is over. To be called now and then; answers how many it deleted. */
export async function forgetOldAccess(db: Db, clock: Clock): Promise<number> {
  return (await forgetOldSessions(db, clock)) + (await forgetOldFailures(db, clock))
}
