import { mustExist } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { notFound, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import { text, Type } from '../http/index.ts'
import type { Caller, Source } from '../http/index.ts'
import { constraintOf, only } from '../store/db.ts'
import type { Db, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { assertAdministratorRemains } from './administrators.ts'
import { assertMayGrant } from './api-key-grants.ts'
import type { Grant } from './api-key-grants.ts'
import { assertOneLine } from './one-line.ts'
import { assertStrongPassword, generatePassword, hashPassword } from './passwords.ts'
import { permissionsOf, ROLES } from './permissions.ts'
import type { Role } from './permissions.ts'
import { normalizeEmail } from './emails.ts'
import { securityEntries } from './security-log.ts'
import { endSessions } from './sessions.ts'
import { assertMayTakeOver } from './taking-over.ts'
import { USER_MOVES, UserRecord } from './users.schema.ts'
import type { ChangeUserBody, CreateUserBody, User } from './users.schema.ts'
import { createWorkspace } from './workspaces.ts'

type UserDraft = CreateUserBody & { password: string }

/** `access_epoch` is the number of the last change that must end sessions. */
export const USERS = tableOf('users', UserRecord, {
  inside: { password_hash: text(), access_epoch: Type.Integer() },
})
export const USER_COLUMNS = columnsOf(UserRecord)

const FIRST_START_LOCK = 4_711_000_011
const FIRST_WORKSPACE = 'Main'
/** Who makes the first user of a workspace, in the security log. */
const FIRST_BY = 'kontor'
/**
 * Throws 3001 DUPLICATE when the address is taken, in this workspace or another; WEAK_PASSWORD;
 * 1003 where a program would grant more than it has.
 */
export async function createUser(
  caller: Caller,
  tx: Tx,
  clock: Clock,
  body: UserDraft,
): Promise<User> {
  const { workspace, by, source } = caller
  assertMayGrant(caller, grantOf(body.roles))
  assertOneLine(body.name, 'name')
  const email = normalizeEmail(body.email)
  await assertStrongPassword(body.password, email, 'password')
  return insertUser(tx, { ...body, workspace, email }, { by, now: clock.now(), source })
}

/** The first user of a workspace, who has every role. */
export function createFirstUserOf(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  { email, password }: { email: string; password: string },
): Promise<User> {
  const draft = {
    workspace,
    email: normalizeEmail(email),
    roles: [...ROLES],
    password,
    must_change_password: false,
  }
  return insertUser(tx, draft, { by: null, now: clock.now(), source: undefined })
}

type Stamped = { by: string | null; now: number; source: Source | undefined }

async function insertUser(
  tx: Tx,
  draft: UserDraft & { workspace: WorkspaceId },
  stamp: Stamped,
): Promise<User> {
  const { password, ...user_draft } = draft
  const password_hash = await hashPassword(password)
  const user = await createUserOnce(tx, { ...user_draft, password_hash }, stamp)
  if (user === undefined) throw emailTaken()
  return user
}

type HashedDraft = Omit<CreateUserBody, 'password'> & {
  workspace: WorkspaceId
  password_hash: string
}

/** Undefined when the address is taken, in this workspace or another. */
export async function createUserOnce(
  tx: Tx,
  draft: HashedDraft,
  { source, ...stamp }: Stamped,
): Promise<User | undefined> {
  const row = {
    workspace: draft.workspace,
    id: newId(),
    email: draft.email,
    name: draft.name ?? null,
    password_hash: draft.password_hash,
    roles: draft.roles,
    state: 'ACTIVE',
    must_change_password: draft.must_change_password ?? true,
  } as const
  const [user] = await tx.query<User>(sql`
    ${insertRow(USERS, row, stamp)}
    on conflict (email) do nothing
    returning ${USER_COLUMNS}`)
  if (user === undefined) return undefined
  const { roles } = user
  await tx.query(
    securityEntries(draft.workspace, stamp.now, [
      { kind: 'USER_CREATED', user, actor: stamp.by ?? FIRST_BY, source, details: { roles } },
    ]),
  )
  return user
}

const emailTaken = () => refuse('DUPLICATE', 'email', 'a user with this e-mail address exists')

/**
 * Changes a user. Other roles, another password, the demand to change it, and DISABLED end the
 * user's sessions at once. Nobody changes the own roles or state, and one active user who may
 * change users remains (3001 CONFLICT).
 */
export async function changeUser(
  caller: Caller,
  app: AccessApp,
  tx: Tx,
  body: ChangeUserBody,
): Promise<User> {
  const { workspace } = caller
  assertOneLine(body.name, 'name')
  const before = await lockUser(tx, workspace, body.id, 'id')
  // Who sets the password of a user has what the user has.
  assertMayGrant(caller, grantOf([...before.roles, ...body.roles]))
  const otherRoles = !haveSameRoles(before, body)
  const otherState = body.state !== before.state
  if (body.version !== undefined && body.version !== before.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the user has changed: its version is ${before.version}`,
    )
  if (before.id === caller.by && (otherRoles || otherState))
    throw refuse(
      'CONFLICT',
      otherRoles ? 'roles' : 'state',
      'users cannot change their own roles or state',
    )
  if (before.id === caller.by && body.password !== undefined)
    throw refuse('CONFLICT', 'password', 'the own password is changed with the old one')
  await assertMayTakeOver(tx, workspace, {
    before,
    body,
    stamp: { by: caller.by, now: app.clock.now() },
  })
  const after = await replaceUser(caller, app.clock, tx, { before, body })
  const mustChange = after.must_change_password && !before.must_change_password
  if (otherRoles || otherState || body.password !== undefined || mustChange)
    await endSessions(app, tx, { workspace, user_id: before.id })
  await assertAdministratorRemains(tx, workspace)
  const occurrences = changesOf(caller, before, after, body.password !== undefined)
  if (occurrences.length > 0)
    await tx.query(securityEntries(workspace, app.clock.now(), occurrences))
  return after
}

type Roled = { roles: readonly Role[] }

/** In whatever order. */
export const haveSameRoles = (one: Roled, other: Roled): boolean =>
  one.roles.toSorted().join() === other.roles.toSorted().join()

export const grantOf = (roles: readonly Role[]): Grant => ({
  permissions: [...permissionsOf(roles)],
})

/** What the security log tells of a change. The values of a password are no part of it. */
function changesOf(
  { by, source }: Caller,
  before: User,
  after: User,
  hasNewPassword: boolean,
): Parameters<typeof securityEntries>[2] {
  const common = { user: after, actor: by, source }
  const changed = (['email', 'name', 'state', 'must_change_password'] as const).filter(
    (field) => before[field] !== after[field],
  )
  const rolesChanged = !haveSameRoles(before, after)
  const fieldsOf = (user: User) => Object.fromEntries(changed.map((field) => [field, user[field]]))
  return [
    ...(changed.length === 0
      ? []
      : [
          {
            ...common,
            kind: 'USER_CHANGED' as const,
            details: { before: fieldsOf(before), after: fieldsOf(after) },
          },
        ]),
    ...(rolesChanged
      ? [
          {
            ...common,
            kind: 'ROLES_CHANGED' as const,
            details: { before: before.roles, after: after.roles },
          },
        ]
      : []),
    ...(hasNewPassword ? [{ ...common, kind: 'PASSWORD_CHANGED' as const }] : []),
  ]
}

/** In one order, so that two administrators cannot disable each other at the same moment. */
export async function lockUsersOf(tx: Tx, workspace: WorkspaceId): Promise<void> {
  await tx.query(sql`
    select 1
    from workspaces
    where id = ${workspace}
    for update`)
}

/** Throws 4004. */
export async function lockUser(
  tx: Tx,
  workspace: WorkspaceId,
  id: UserId,
  path: string,
): Promise<User> {
  await lockUsersOf(tx, workspace)
  const user = only(
    await tx.query<User>(sql`
      select ${USER_COLUMNS}
      from users
      where workspace = ${workspace}
        and id = ${id}
      for update`),
  )
  if (user === undefined) throw notFound('user', id, path)
  return user
}

/** A new password must be changed at the next login, unless the request says otherwise. */
async function replaceUser(
  { workspace, by }: Caller,
  clock: Clock,
  tx: Tx,
  { before, body }: { before: User; body: ChangeUserBody },
): Promise<User> {
  const { id, roles, state, password } = body
  const email = normalizeEmail(body.email)
  if (password !== undefined) await assertStrongPassword(password, email, 'password')
  const update = updateRow(USERS, {
    where: { workspace, id },
    ...(state === before.state ? {} : { move: move(USER_MOVES, before.state, state) }),
    set: {
      email,
      name: body.name ?? null,
      roles,
      must_change_password:
        body.must_change_password ?? (password !== undefined || before.must_change_password),
      ...(password === undefined ? {} : { password_hash: await hashPassword(password) }),
    },
    by,
    now: clock.now(),
  })
  const rows = await refuseTakenEmail(() =>
    tx.query<User>(sql`
      ${update}
      returning ${USER_COLUMNS}`),
  )
  return mustExist(rows[0], 'it is locked')
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
 * The first start: one workspace and one user with every role. Without a password one is generated
 * and answered, this once. One that the operator chose is judged like any other: throws 3001
 * WEAK_PASSWORD. Does nothing when there is a user.
 */
export async function createFirstUser(
  db: Db,
  clock: Clock,
  { email, password }: { email: string; password?: string | undefined },
): Promise<{ created: boolean; workspace?: WorkspaceId; password?: string }> {
  return db.tx(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${FIRST_START_LOCK})`)
    const [user] = await tx.query(sql`
      select 1
      from users
      limit 1`)
    if (user !== undefined) return { created: false }
    if (password !== undefined)
      await assertStrongPassword(password, normalizeEmail(email), 'KONTOR_ADMIN_PASSWORD')
    const generated = password === undefined ? generatePassword() : undefined
    const { id } = await createWorkspace(tx, clock, { name: FIRST_WORKSPACE })
    await createFirstUserOf(tx, clock, id, { email, password: password ?? generated ?? '' })
    return {
      created: true,
      workspace: id,
      ...(generated === undefined ? {} : { password: generated }),
    }
  })
}
