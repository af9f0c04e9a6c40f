import type { Clock } from '../core/clock.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { brandEndpoints } from './brand.http.ts'
import { apiKeysEndpoints } from './api-keys.http.ts'
import type { UnknownRoutes } from './api-key-grants.ts'
import { forgetOldSecrets } from './api-keys.ts'
import { authEndpoints } from './auth.http.ts'
import { forgetOldFailures } from './login-throttle.ts'
import { auditEndpoint } from './audit.http.ts'
import { securityLogEndpoint } from './security-log.http.ts'
import { consoleLoginEndpoints } from './console-login.http.ts'
import { sessionsEndpoints } from './sessions.http.ts'
import { forgetOldSessions } from './sessions.ts'
import { forgetOldSigningKeys } from './signing-keys.ts'
import { factorsEndpoints } from './factors.http.ts'
import { forgetOldAccountMails } from './account-mails.ts'
import type { InvitingApp } from './account-mails.ts'
import { invitationsEndpoints } from './invitations.http.ts'
import { forgetOldChallenges } from './passkey-challenges.ts'
import { passkeysEndpoints } from './passkeys.http.ts'
import { forgetOldSignIns } from './providers/begun.ts'
import { providersEndpoints } from './providers/providers.http.ts'
import { signInEndpoints } from './providers/sign-in.http.ts'
import { usersEndpoints } from './users.http.ts'

export { openAccess } from './access.ts'
export {
  ACCOUNT_MAIL_MOVES,
  ACCOUNT_MAIL_TASK,
  ACCOUNT_MAILS,
  accountMail,
  newInvitationToken,
} from './account-mails.ts'
export type { AccountMail } from './account-mails.ts'
export { activeCaller } from './active-callers.ts'
export { apiKeysOf, createApiKey, revokeApiKey, rotateApiKey } from './api-keys.ts'
export type { GrantingApp } from './api-key-grants.ts'
export type { ApiKey } from './api-keys.schema.ts'
export type { Access } from './access.ts'
export { accessDeskFeed, activeUsers, colleagues, colleaguesAmong, userNames } from './desk-feed.ts'
export type { ActiveUser } from './desk-feed.ts'
export { requesterOf } from './requesters.ts'
export type { Requester } from './requesters.ts'
export { resetFactorsByOperator, resetPassword, usersOfAll } from './password-reset.ts'
export { isKnownPassword } from './known-passwords.ts'
export { generatePassword } from './passwords.ts'
export { signInRulesFrom } from './providers/providers.ts'
export { clearClientSecretsOfLostKeys, clientSecretsWrappedBy } from './providers/rows.ts'
export { PERMISSIONS, PERMISSIONS_OF, ROLES } from './permissions.ts'
export type { Permission, Role } from './permissions.ts'
export { chainSecurityLog, verifySecurityLog } from './security-chain.ts'
export {
  appliedSections,
  recordConfiguration,
  recordForInstallation,
  securityEntries,
} from './security-log.ts'
export { sessionLimitsFrom } from './session-limits.ts'
export type { SessionLimits } from './session-limits.ts'
export {
  listSigningKeys,
  rotateSigningKeys,
  signingKeysFault,
  wrappingKeysOf,
} from './signing-keys.ts'
export { MAIL_LANGUAGES } from './mail-templates.schema.ts'
export type { MailKind, MailLanguage, MailTemplate, Placeholder } from './mail-templates.schema.ts'
export { assertTimeZone, timeZoneText } from './time-zones.ts'
export { brandWith } from './brand.schema.ts'
export type { Brand } from './brand.schema.ts'
export { keptBrand } from './brand.ts'
export { brandEndpoints } from './brand.http.ts'
export { assertLogo, logoAsText, logoFile, logoType } from './logos.ts'
export {
  CHANGE_COLUMNS,
  handOf,
  HANDS,
  lastChanges,
  recordChanges,
  SettingChange,
  settingId,
} from './setting-changes.ts'
export type { ChangedSetting } from './setting-changes.ts'
export {
  assertMeaning,
  assertSettings,
  isSameSetting,
  moveOpenPeriod,
  normalSetting,
  normalValue,
  putSettings,
  settingsOf,
  settingsRead,
  storeSettings,
} from './settings.ts'
export {
  DEFAULT_SETTINGS,
  SETTING_NAMES,
  SETTINGS,
  settingsSchema,
  SHOWN_AS,
} from './settings.schema.ts'
export type { SettingFacts, SettingName, Settings } from './settings.schema.ts'
export { createFirstUser, createFirstUserOf, createUser } from './users.ts'
export type { User } from './users.schema.ts'
export { createWorkspace, workspaceName } from './workspaces.ts'
export { keyFileFrom, readWrappingKey, wrappingFault } from './wrapping-file.ts'

export function accessEndpoints(
  app: InvitingApp,
  unknownRoutes: UnknownRoutes = async () => [],
): Endpoint[] {
  return [
    ...authEndpoints(app),
    ...consoleLoginEndpoints(app),
    ...sessionsEndpoints(app),
    ...factorsEndpoints(app),
    ...passkeysEndpoints(app),
    ...signInEndpoints(app),
    ...usersEndpoints(app),
    ...providersEndpoints(app),
    ...invitationsEndpoints(app),
    ...apiKeysEndpoints({ ...app, unknownRoutes }),
    securityLogEndpoint(),
    auditEndpoint(),
    ...brandEndpoints(app),
  ]
}

/**
 * Housekeeping: sessions, failed logins and signing keys whose time is over. To be called now and
 * then; answers how many it deleted.
 */
export async function forgetOldAccess(db: Db, clock: Clock): Promise<number> {
  return (
    (await forgetOldSessions(db, clock)) +
    (await forgetOldSecrets(db, clock)) +
    (await forgetOldFailures(db, clock)) +
    (await forgetOldChallenges(db, clock)) +
    (await forgetOldSignIns(db, clock)) +
    (await forgetOldAccountMails(db, clock)) +
    (await forgetOldSigningKeys(db, clock))
  )
}
export { SCREENING_LISTS } from './screening.schema.ts'
