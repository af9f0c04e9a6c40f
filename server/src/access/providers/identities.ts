/** An administrator links a user to who a provider speaks of, or parts the two. */
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { SignInProviderId, UserId, UserIdentityId, WorkspaceId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { insertRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { AccessApp } from '../access.ts'
import { mailIdentityLinked } from '../account-mails.ts'
import { assertMayGrant } from '../api-key-grants.ts'
import { securityEntries } from '../security-log.ts'
import { endSessions } from '../sessions.ts'
import { assertMayLink } from '../taking-over.ts'
import { grantOf, lockUser } from '../users.ts'
import type { UserIdentity } from './providers.schema.ts'
import { IDENTITY_COLUMNS, lockProvider, USER_IDENTITIES } from './rows.ts'

/**
 * The user is told by mail. Throws 4004, 1003; 3001 DUPLICATE where somebody here is linked to that
 * person already, CONFLICT where nobody gets into the account of another.
 */
export async function linkIdentity(
  caller: Caller,
  { clock }: AccessApp,
  tx: Tx,
  body: { user_id: UserId; provider_id: SignInProviderId; subject: string },
): Promise<UserIdentity> {
  const { workspace, by, source } = caller
  const { user_id, provider_id, subject } = body
  const user = await lockUser(tx, workspace, user_id, 'user_id')
  // Who lets somebody in as this user hands on what the user has.
  assertMayGrant(caller, grantOf(user.roles))
  await assertMayLink(tx, workspace, { user, by })
  const { issuer } = await lockProvider(tx, workspace, provider_id, 'provider_id')
  const now = clock.now()
  const row = { workspace, id: newId<UserIdentityId>(now), user_id, issuer, subject } as const
  const [identity] = await tx.query<UserIdentity>(sql`
    ${insertRow(USER_IDENTITIES, { ...row, linked: 'BY_HAND' }, { by, now })}
    on conflict (workspace, issuer, subject) do nothing
    returning ${IDENTITY_COLUMNS}`)
  if (identity === undefined)
    throw refuse('DUPLICATE', 'subject', 'a user is linked to this person already')
  await tx.query(
    securityEntries(workspace, now, [
      {
        kind: 'IDENTITY_LINKED',
        user,
        actor: by,
        source,
        details: { provider_id, issuer, subject, linked: 'BY_HAND' },
      },
    ]),
  )
  if (user_id !== by) await mailIdentityLinked(tx, { workspace, user_id }, { by, now })
  return identity
}

/** Throws 4004. */
export async function assertUser(
  reader: Reader,
  workspace: WorkspaceId,
  user_id: UserId,
): Promise<void> {
  const users = await reader.query(sql`
    select 1
    from users
    where workspace = ${workspace}
      and id = ${user_id}`)
  if (users.length === 0) throw notFound('user', user_id, 'user_id')
}

/** Ends the sessions of the user. Throws 4004, 1003. */
export async function unlinkIdentity(
  caller: Caller,
  app: AccessApp,
  tx: Tx,
  { user_id, identity_id }: { user_id: UserId; identity_id: UserIdentityId },
): Promise<UserIdentity> {
  const { workspace, by, source } = caller
  const user = await lockUser(tx, workspace, user_id, 'user_id')
  assertMayGrant(caller, grantOf(user.roles))
  const [identity] = await tx.query<UserIdentity>(sql`
    delete from user_identities
    where workspace = ${workspace}
      and id = ${identity_id}
      and user_id = ${user_id}
    returning ${IDENTITY_COLUMNS}`)
  if (identity === undefined) throw notFound('identity', identity_id, 'identity_id')
  const { issuer, subject } = identity
  await endSessions(app, tx, { workspace, user_id })
  await tx.query(
    securityEntries(workspace, app.clock.now(), [
      {
        kind: 'IDENTITY_UNLINKED',
        user,
        actor: by,
        source,
        details: { issuer, subject },
      },
    ]),
  )
  return identity
}
