import type { Clock } from '../core/clock.ts'
import { notFound, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Principal, Static } from '../http/index.ts'
import { constraintOf, only } from '../store/db.ts'
import type { Db, Tx } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import type { Access } from './access.ts'
import { assertStrongPassword, generatedPassword, hashPassword } from './passwords.ts'
import { PERMISSIONS_OF, ROLES } from './permissions.ts'
import type { Role } from './permissions.ts'
import { endSessions } from './sessions.ts'
import type { newUser, User, userChange } from './users.schema.ts'
import { createWorkspace } from './workspaces.ts'

export const userColumns =
  raw(`id, workspace, email, name, roles, state, must_change_password, last_login_at,
  system_created_at, system_created_by, system_updated_at, system_updated_by, version`)

const FIRST_START_LOCK = 4_711_000_011
const FIRST_WORKSPACE = 'Main'
const MAY_WRITE_USERS = ROLES.filter((role) => PERMISSIONS_OF[role].includes('users.write'))

/** Addresses are compared as people read them. */
export const normalizeEmail = (email: string) => email.normalize('NFC').toLowerCase()

export type UserDraft = Static<typeof newUser> & { workspace: WorkspaceId; by?: string }

/** Throws 3001 DUPLICATE when the address is taken, in this workspace or another; WEAK_PASSWORD. */
export async function createUser(tx: Tx, clock: Clock, draft: UserDraft): Promise<User> {
  const email = normalizeEmail(draft.email)
  assertStrongPassword(draft.password, email, 'password')
  return insertUser(tx, clock, { ...draft, email })
}

async function insertUser(tx: Tx, clock: Clock, draft: UserDraft): Promise<User> {
  const now = clock.now()
  const by = draft.by ?? null
  const [made] = await tx.query<User>(sql`
    insert into users (workspace, id, email, name, password_hash, roles, state, must_change_password, system_created_at, system_created_by, system_updated_at, system_updated_by)
    values (${draft.workspace}, ${newId()}, ${draft.email}, ${draft.name ?? null}, ${await hashPassword(draft.password)}, ${draft.roles}, 'ACTIVE', ${draft.must_change_password ?? true}, ${now}, ${by}, ${now}, ${by})
    on conflict (email) do nothing
    returning ${userColumns}`)
  if (made === undefined) throw emailTaken()
  return made
}

const emailTaken = () => refuse('DUPLICATE', 'email', 'a user with this e-mail address exists')

/**
 * Changes a user. Other roles, another password, the demand to change it, and DISABLED end the user's sessions at once.
 * Nobody changes the own roles or state, and one active user who may change users remains (3001 CONFLICT).
 */
export async function updateUser(
  access: Access,
  tx: Tx,
  clock: Clock,
  principal: Principal,
  change: Static<typeof userChange>,
): Promise<User> {
  const { workspace } = principal
  // In one order, so that two administrators cannot disable each other at the same moment.
  await tx.query(sql`select 1 from workspaces where id = ${workspace} for update`)
  const known = only(
    await tx.query<User>(
      sql`select ${userColumns} from users where workspace = ${workspace} and id = ${change.id} for update`,
    ),
  )
  if (known === undefined) throw notFound('user', change.id, 'id')
  if (change.version !== undefined && change.version !== known.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the user has changed: its version is ${known.version}`,
    )
  const otherRoles = known.roles.toSorted().join() !== change.roles.toSorted().join()
  if (known.id === principal.user_id && (otherRoles || change.state !== known.state))
    throw refuse(
      'CONFLICT',
      otherRoles ? 'roles' : 'state',
      'nobody changes their own roles or state',
    )
  const email = normalizeEmail(change.email)
  if (change.password !== undefined) assertStrongPassword(change.password, email, 'password')
  const mustChange =
    change.must_change_password ?? (change.password !== undefined || known.must_change_password)
  const hash = change.password === undefined ? null : await hashPassword(change.password)
  const changed = await refuseTakenEmail(() =>
    tx.query<User>(sql`
    update users set email = ${email}, name = ${change.name ?? null}, roles = ${change.roles}, state = ${change.state}, must_change_password = ${mustChange},
      password_hash = coalesce(${hash}, password_hash), system_updated_at = ${clock.now()}, system_updated_by = ${principal.user_id}, version = version + 1
    where workspace = ${workspace} and id = ${change.id} returning ${userColumns}`),
  )
  if (
    otherRoles ||
    change.state !== known.state ||
    hash !== null ||
    (mustChange && !known.must_change_password)
  ) {
    await endSessions(access, tx, clock, { workspace, user_id: change.id })
  }
  const [left] = await tx.query(
    sql`select 1 from users where workspace = ${workspace} and state = 'ACTIVE' and roles && ${MAY_WRITE_USERS}::text[] limit 1`,
  )
  if (left === undefined)
    throw refuse('CONFLICT', 'roles', 'one active user who may change users must remain')
  const user = only(changed)
  if (user === undefined) throw notFound('user', change.id, 'id')
  return user
}

async function refuseTakenEmail<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (constraintOf(error) === 'users_email') throw emailTaken()
    throw error
  }
}

/**
 * The first start: one workspace and one user with every role. Without a password one is generated and answered, this
 * once; a given one is the operator's choice and is not judged. Does nothing when there is a user.
 */
export async function createFirstUser(
  db: Db,
  clock: Clock,
  { email, password }: { email: string; password?: string | undefined },
): Promise<{ created: boolean; workspace?: WorkspaceId; password?: string }> {
  return db.tx(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${FIRST_START_LOCK})`)
    const [somebody] = await tx.query(sql`select 1 from users limit 1`)
    if (somebody !== undefined) return { created: false }
    const generated = password === undefined ? generatedPassword() : undefined
    const { id } = await createWorkspace(tx, clock, { name: FIRST_WORKSPACE })
    const roles: Role[] = [...ROLES]
    await insertUser(tx, clock, {
      workspace: id,
      email: normalizeEmail(email),
      roles,
      password: password ?? generated ?? '',
      must_change_password: false,
    })
    return {
      created: true,
      workspace: id,
      ...(generated === undefined ? {} : { password: generated }),
    }
  })
}
