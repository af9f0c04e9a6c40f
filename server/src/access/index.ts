import type { Clock } from '../core/clock.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import type { AccessApp } from './access.ts'
import { authEndpoints } from './auth.http.ts'
import { forgetOldFailures } from './login-throttle.ts'
import { securityLogEndpoint } from './security-log.http.ts'
import { consoleLoginEndpoints } from './console-login.http.ts'
import { sessionsEndpoints } from './sessions.http.ts'
import { forgetOldSessions } from './sessions.ts'
import { forgetOldSigningKeys } from './signing-keys.ts'
import { usersEndpoints } from './users.http.ts'

export { openAccess } from './access.ts'
export type { Access } from './access.ts'
export { accessDeskFeed, userNames } from './desk-feed.ts'
export { generatePassword } from './passwords.ts'
export { PERMISSIONS, PERMISSIONS_OF, ROLES } from './permissions.ts'
export type { Permission, Role } from './permissions.ts'
export { chainSecurityLog, verifySecurityLog } from './security-chain.ts'
export { recordConfiguration, recordForInstallation, securityEntries } from './security-log.ts'
export { sessionLimitsFrom } from './session-limits.ts'
export type { SessionLimits } from './session-limits.ts'
export { listSigningKeys, rotateSigningKeys, wrappingKeysOf } from './signing-keys.ts'
export {
  DEFAULT_SETTINGS,
  putSettings,
  settingsOf,
  settingsRead,
  settingsSchema,
} from './settings.ts'
export type { Settings } from './settings.ts'
export { activeUser, createFirstUser, createFirstUserOf, createUser } from './users.ts'
export type { User } from './users.schema.ts'
export { createWorkspace } from './workspaces.ts'
export { keyFileFrom, wrappingFault } from './wrapping-file.ts'

export function accessEndpoints(app: AccessApp): Endpoint[] {
  return [
    ...authEndpoints(app),
    ...consoleLoginEndpoints(app),
    ...sessionsEndpoints(app),
    ...usersEndpoints(app),
    securityLogEndpoint(),
  ]
}

/**
 * Housekeeping: sessions, failed logins and signing keys whose time is over. To be called now and
 * then; answers how many it deleted.
 */
export async function forgetOldAccess(db: Db, clock: Clock): Promise<number> {
  return (
    (await forgetOldSessions(db, clock)) +
    (await forgetOldFailures(db, clock)) +
    (await forgetOldSigningKeys(db, clock))
  )
}
