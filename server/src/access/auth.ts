/**
 * Login, refresh, change of password. Answers to a stranger never tell whether an address is known.
 */
import { ApiError, refuse } from '../core/errors.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import { only } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { assertNotBlocked, countFailure, forgetFailures } from './login-failures.ts'
import { assertStrongPassword, hashPassword, passwordMatches } from './passwords.ts'
import { beginSession, continueSession, endSessions } from './sessions.ts'
import type { User } from './users.schema.ts'
import { normalizeEmail, USER_COLUMNS, USERS } from './users.ts'

type Credentials = { email: string; password: string }

/** A user whose password has just been checked. */
type CheckedUser = {
  workspace: WorkspaceId
  id: UserId
  email: string
  password_hash: string
  must_change_password: boolean
}

/** Throws 3002, 1004, or 4291 after repeated failures. */
export async function login(
  app: AccessApp,
  credentials: Credentials,
): Promise<{ id_token: string; access_token: string; refresh_token: string }> {
  const user = await checkPassword(app, credentials)
  if (user.must_change_password) throw new ApiError('RequirePasswordChange')
  const session = await beginSession(app.db, app.clock, user)
  if (session === undefined) throw new ApiError('WrongUserNamePassword')
  return { ...app.access.tokens.sign(session.identity), refresh_token: session.refresh_token }
}

async function checkPassword(
  { db, clock }: AccessApp,
  { email, password }: Credentials,
): Promise<CheckedUser> {
  const address = normalizeEmail(email)
  await assertNotBlocked(db, clock, address)
  const user = only(
    await db.query<CheckedUser & { state: User['state'] }>(sql`
      select workspace, id, email, password_hash, must_change_password, state
      from users
      where email = ${address}`),
  )
  const matches = await passwordMatches(user?.password_hash, password)
  if (!matches || user?.state !== 'ACTIVE') {
    await countFailure(db, clock, address)
    throw new ApiError('WrongUserNamePassword')
  }
  await forgetFailures(db, clock, address)
  return user
}

/**
 * New tokens for the session of both, as often as wanted. Writes nothing, so that any number may
 * run at once. Throws 1006 for anything wrong with either token or the session.
 */
export async function refresh(
  { db, clock, access }: AccessApp,
  body: { access_token: string; refresh_token: string },
): Promise<{ id_token: string; access_token: string }> {
  const claims = await access.tokens.verifyExpired(body.access_token)
  const identity =
    claims === undefined
      ? undefined
      : await continueSession(db, clock, claims.session_id, body.refresh_token)
  if (identity === undefined || identity.user_id !== claims?.user_id)
    throw new ApiError('RefreshTokenInvalid')
  return access.tokens.sign(identity)
}

/**
 * Ends every session of the user but `session_id`. Works also for a user who gets 1004 at login.
 * Throws 3002 for a wrong old password, 3001 WEAK_PASSWORD.
 */
export async function changePassword(
  app: AccessApp,
  { new_password, ...credentials }: Credentials & { new_password: string },
  session_id?: string,
): Promise<User> {
  const user = await checkPassword(app, credentials)
  assertStrongPassword(new_password, user.email, 'new_password')
  if (await passwordMatches(user.password_hash, new_password))
    throw refuse('WEAK_PASSWORD', 'new_password', 'new_password must differ from the old one')
  const { workspace, id, password_hash } = user
  const update = updateRow(USERS, {
    where: { workspace, id, state: 'ACTIVE', password_hash },
    set: { password_hash: await hashPassword(new_password), must_change_password: false },
    by: id,
    now: app.clock.now(),
  })
  return app.db.tx(async (tx) => {
    const changed = only(
      await tx.query<User>(sql`
        ${update}
        returning ${USER_COLUMNS}`),
    )
    if (changed === undefined) throw new ApiError('WrongUserNamePassword')
    await endSessions(app, tx, {
      workspace,
      user_id: id,
      ...(session_id === undefined ? {} : { except: session_id }),
    })
    return changed
  })
}
