/** An administrator links a user to who a provider speaks of, or parts the two. */
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { SignInProviderId, UserId, UserIdentityId, WorkspaceId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { insertRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { AccessApp } from '../access.ts'
import { assertMayGrant } from '../api-key-grants.ts'
import { securityEntries } from '../security-log.ts'
import { endSessions } from '../sessions.ts'
import type { User } from '../users.schema.ts'
import { grantOf, lockUsersOf, USER_COLUMNS } from '../users.ts'
import type { UserIdentity } from './providers.schema.ts'
import { IDENTITY_COLUMNS, lockProvider, USER_IDENTITIES } from './rows.ts'

/** Throws 4004, and 3001 DUPLICATE where somebody here is linked to that person already. */
export async function linkIdentity(
  caller: Caller,
  { clock }: AccessApp,
  tx: Tx,
  body: { user_id: UserId; provider_id: SignInProviderId; subject: string },
): Promise<UserIdentity> {
  const { workspace, by, source } = caller
  const { user_id, provider_id, subject } = body
  await lockUsersOf(tx, workspace)
  const user = await userToLink(tx, caller, user_id)
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

/** Who lets somebody in as this user hands on what the user has. */
async function userToLink(tx: Tx, caller: Caller, user_id: UserId): Promise<User> {
  const user = only(
    await tx.query<User>(sql`
      select ${USER_COLUMNS}
      from users
      where workspace = ${caller.workspace}
        and id = ${user_id}
      for update`),
  )
  if (user === undefined) throw notFound('user', user_id, 'user_id')
  assertMayGrant(caller, grantOf(user.roles))
  return user
}

/** Ends the sessions of the user. Throws 4004. */
export async function unlinkIdentity(
  { workspace, by, source }: Caller,
  app: AccessApp,
  tx: Tx,
  { user_id, identity_id }: { user_id: UserId; identity_id: UserIdentityId },
): Promise<UserIdentity> {
  await lockUsersOf(tx, workspace)
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
        user: { id: user_id },
        actor: by,
        source,
        details: { issuer, subject },
      },
    ]),
  )
  return identity
}
