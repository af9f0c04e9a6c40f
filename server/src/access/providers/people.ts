/**
 * Whom the claims of a provider let in, and as what. A person is an issuer and a subject, as OpenID
 * Connect Core 1.0, 5.7, demands: an e-mail address may pass to somebody else.
 */
import { newId } from '../../core/ids.ts'
import type { UserId, UserIdentityId } from '../../core/ids.ts'
import type { Source } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Tx } from '../../store/db.ts'
import { insertRow, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { AccessApp } from '../access.ts'
import { mailIdentityLinked } from '../account-mails.ts'
import { hasAdministrator, isAdministrator } from '../administrators.ts'
import { normalizeEmail } from '../emails.ts'
import { ROLES } from '../permissions.ts'
import type { Role } from '../permissions.ts'
import { securityEntries } from '../security-log.ts'
import { endSessions } from '../sessions.ts'
import { settingsOf } from '../settings.ts'
import type { User } from '../users.schema.ts'
import { createUserOnce, haveSameRoles, lockUsersOf, USER_COLUMNS, USERS } from '../users.ts'
import type { Claims } from './calls.ts'
import type { UserIdentity } from './providers.schema.ts'
import { isStillDeclared, SINGLE_SIGN_ON, USER_IDENTITIES } from './rows.ts'
import type { ProviderRow } from './rows.ts'

const MAXIMUM_NAME = 500
const EMAIL = /^[^\s@]{1,190}@[^\s@]{1,63}$/

export type Refusal =
  | 'NOT_BEGUN'
  | 'NO_ROLE'
  | 'UNKNOWN_PERSON'
  | 'DISABLED'
  | 'OTHER_PERSON'
  | 'EMAIL_MISSING'
  | 'EMAIL_TAKEN'
  | 'SECOND_FACTOR'
  | 'LAST_ADMINISTRATOR'

type Admitted = { user: User } | { refused: Refusal; user?: User }

type Signing = {
  app: AccessApp
  tx: Tx
  provider: ProviderRow
  claims: Claims
  source: Source
  /** Of a user who is made: hashing takes long, and nobody else may change users meanwhile. */
  password_hash: string
}

/** Takes the roles anew. What it refuses is committed: who has no role any more has no session. */
export async function admit(signing: Signing): Promise<Admitted> {
  const { tx, provider, claims } = signing
  await lockUsersOf(tx, provider.workspace)
  // It was asked meanwhile, for seconds: who has removed it has ended all its sessions.
  if (!(await isStillDeclared(tx, provider))) return { refused: 'NOT_BEGUN' }
  const roles = rolesIn(provider, claims)
  const found = await personOf(signing)
  if ('refused' in found) return found
  const { user } = found
  if (roles.length === 0) {
    if (user !== undefined && found.linked === undefined) await endAll(signing, user)
    return { refused: 'NO_ROLE', ...(user === undefined ? {} : { user }) }
  }
  if (user?.state === 'DISABLED') return { refused: 'DISABLED', user }
  const { second_factor_roles } = await settingsOf(tx, provider.workspace)
  const isDemanded = user?.second_factor === true || hasAny(roles, second_factor_roles)
  if (isDemanded && !provider.proves_second_factor)
    return { refused: 'SECOND_FACTOR', ...(user === undefined ? {} : { user }) }
  if (user === undefined) return createPerson(signing, roles)
  return admitKnown(signing, { user, roles, linked: found.linked })
}

const hasAny = (roles: readonly Role[], demanded: readonly string[]): boolean =>
  roles.some((role) => demanded.includes(role))

/** Of all that are mapped, those whose value the claim has. */
function rolesIn(
  { roles_claim, role_mapping }: Pick<ProviderRow, 'roles_claim' | 'role_mapping'>,
  claims: Claims,
): Role[] {
  const claimed = claimAt(claims, roles_claim)
  const values = new Set([claimed].flat().filter((value) => typeof value === 'string'))
  const roles = new Set(
    role_mapping.filter(({ value }) => values.has(value)).map(({ role }) => role),
  )
  return ROLES.filter((role) => roles.has(role))
}

/** By its whole name first: names of claims may be addresses, which have dots. */
function claimAt(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return (claims as Readonly<Record<string, unknown>>)[path]
  let value: unknown = claims
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

/** `linked`: how the person becomes this user, where that is new. */
type Found = { user?: User; linked?: UserIdentity['linked'] }

async function personOf({ tx, provider, claims }: Signing): Promise<Found | { refused: Refusal }> {
  const { workspace } = provider
  const known = only(
    await tx.query<User>(sql`
      select ${USER_COLUMNS}
      from users
      where workspace = ${workspace}
        and id = (
          select user_id
          from user_identities
          where workspace = ${workspace}
            and issuer = ${claims.iss}
            and subject = ${claims.sub}
        )
      for update`),
  )
  if (known !== undefined) return { user: known }
  const email = emailIn(claims)
  if (email === undefined || claims['email_verified'] !== true || !provider.links_by_email)
    return {}
  const user = only(
    await tx.query<User>(sql`
      select ${USER_COLUMNS}
      from users
      where workspace = ${workspace}
        and email = ${email}
      for update`),
  )
  if (user === undefined) return {}
  const others = await tx.query(sql`
    select 1
    from user_identities
    where workspace = ${workspace}
      and user_id = ${user.id}
      and issuer = ${claims.iss}`)
  return others.length > 0 ? { refused: 'OTHER_PERSON' } : { user, linked: 'EMAIL' }
}

function emailIn(claims: Claims): string | undefined {
  const { email } = claims
  return typeof email === 'string' && EMAIL.test(email) ? normalizeEmail(email) : undefined
}

async function createPerson(signing: Signing, roles: Role[]): Promise<Admitted> {
  const { app, tx, provider, claims, source, password_hash } = signing
  if (!provider.creates_users) return { refused: 'UNKNOWN_PERSON' }
  const email = emailIn(claims)
  if (email === undefined || claims['email_verified'] === false) return { refused: 'EMAIL_MISSING' }
  const name = nameIn(claims)
  const draft = {
    workspace: provider.workspace,
    email,
    ...(name === undefined ? {} : { name }),
    roles,
    password_hash,
    must_change_password: false,
  }
  const stamp = { by: SINGLE_SIGN_ON, now: app.clock.now(), source }
  const user = await createUserOnce(tx, draft, stamp)
  if (user === undefined) return { refused: 'EMAIL_TAKEN' }
  await link(signing, user.id, 'CREATED')
  return { user }
}

function nameIn({ name }: Claims): string | undefined {
  if (typeof name !== 'string') return undefined
  const plain = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return plain === '' ? undefined : plain.slice(0, MAXIMUM_NAME).trim()
}

type Known = { user: User; roles: Role[]; linked: UserIdentity['linked'] | undefined }

async function admitKnown(signing: Signing, { user, roles, linked }: Known): Promise<Admitted> {
  const { app, tx, provider, source } = signing
  const { workspace } = provider
  const before = user.roles
  const isChanged = !haveSameRoles(user, { roles })
  const wasLast =
    isAdministrator(before) &&
    !isAdministrator(roles) &&
    !(await hasAdministrator(tx, workspace, user.id))
  if (wasLast) return { refused: 'LAST_ADMINISTRATOR', user }
  const now = app.clock.now()
  const stamp = { by: SINGLE_SIGN_ON, now }
  if (linked !== undefined) {
    await link(signing, user.id, linked)
    await mailIdentityLinked(tx, { workspace, user_id: user.id }, stamp)
  }
  if (!isChanged) return { user }
  await tx.query(updateRow(USERS, { where: { workspace, id: user.id }, set: { roles }, ...stamp }))
  await tx.query(
    securityEntries(workspace, now, [
      {
        kind: 'ROLES_CHANGED',
        user,
        actor: SINGLE_SIGN_ON,
        source,
        details: { before, after: roles, provider_id: provider.id },
      },
    ]),
  )
  await endSessions(app, tx, { workspace, user_id: user.id })
  return { user }
}

async function link(
  { app, tx, provider, claims, source }: Signing,
  user_id: UserId,
  linked: UserIdentity['linked'],
): Promise<void> {
  const { workspace, id: provider_id } = provider
  const { iss: issuer, sub: subject } = claims
  const now = app.clock.now()
  const identity = { workspace, id: newId<UserIdentityId>(now), user_id, issuer, subject, linked }
  await tx.query(insertRow(USER_IDENTITIES, identity, { by: SINGLE_SIGN_ON, now }))
  await tx.query(
    securityEntries(workspace, now, [
      {
        kind: 'IDENTITY_LINKED',
        user: { id: user_id },
        actor: SINGLE_SIGN_ON,
        source,
        details: { provider_id, issuer, subject, linked },
      },
    ]),
  )
}

/** The provider no longer gives the person anything here. */
async function endAll({ app, tx, provider, source }: Signing, user: User): Promise<void> {
  const { workspace, id: provider_id } = provider
  await endSessions(app, tx, { workspace, user_id: user.id })
  await tx.query(
    securityEntries(workspace, app.clock.now(), [
      {
        kind: 'SESSION_ENDED',
        user,
        actor: SINGLE_SIGN_ON,
        source,
        details: { provider_id, reason: 'NO_ROLE' },
      },
    ]),
  )
}
