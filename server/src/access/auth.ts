/** Login, refresh, change of password. Answers to a stranger never tell whether an address is known. */
import type { Clock } from '../core/clock.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Principal } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Access } from './access.ts'
import { assertNotBlocked, countFailure, forgetFailures } from './login-failures.ts'
import { assertStrongPassword, hashPassword, passwordMatches } from './passwords.ts'
import { beginSession, continueSession, endSessions } from './sessions.ts'
import type { User } from './users.schema.ts'
import { normalizeEmail, userColumns } from './users.ts'

export type AccessParts = { db: Db; clock: Clock; access: Access }

type Credentials = { email: string; password: string }
type KnownUser = {
  workspace: WorkspaceId
  id: string
  email: string
  password_hash: string
  must_change_password: boolean
}

/** Throws 3002, 1004, or 4291 after repeated failures. */
export async function login(
  parts: AccessParts,
  credentials: Credentials,
): Promise<{ id_token: string; access_token: string; refresh_token: string }> {
  const user = await knownUser(parts, credentials)
  if (user.must_change_password) throw new ApiError('RequirePasswordChange')
  const begun = await beginSession(parts.db, parts.clock, user)
  if (begun === undefined) throw new ApiError('WrongUserNamePassword')
  return { ...parts.access.tokens.sign(begun.identity), refresh_token: begun.refresh_token }
}

async function knownUser(
  { db, clock }: AccessParts,
  { email, password }: Credentials,
): Promise<KnownUser> {
  const address = normalizeEmail(email)
  await assertNotBlocked(db, clock, address)
  const user = only(
    await db.query<KnownUser & { state: string }>(sql`
    select workspace, id, email, password_hash, must_change_password, state from users where email = ${address}`),
  )
  const right = await passwordMatches(user?.password_hash, password)
  if (!right || user?.state !== 'ACTIVE') {
    await countFailure(db, clock, address)
    throw new ApiError('WrongUserNamePassword')
  }
  await forgetFailures(db, clock, address)
  return user
}

/**
 * New tokens for the session of both, as often as wanted. Writes nothing, so that any number may run at
 * once. Throws 1006 for anything wrong with either token or the session.
 */
export async function refresh(
  { db, clock, access }: AccessParts,
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
 * Also for who gets 1004 at login: without a token, by e-mail and old password. With a token that session goes on;
 * every other session of the user ends. Throws 3002 for a wrong old password, 3001 WEAK_PASSWORD.
 */
export async function changePassword(
  parts: AccessParts,
  body: Credentials & { new_password: string },
  caller?: Principal,
): Promise<User> {
  const user = await knownUser(parts, body)
  assertStrongPassword(body.new_password, user.email, 'new_password')
  if (await passwordMatches(user.password_hash, body.new_password))
    throw refuse('WEAK_PASSWORD', 'new_password', 'new_password must differ from the old one')
  const hash = await hashPassword(body.new_password)
  return parts.db.tx(async (tx) => {
    const changed = only(
      await tx.query<User>(sql`
      update users set password_hash = ${hash}, must_change_password = false, system_updated_at = ${parts.clock.now()}, system_updated_by = ${user.id}, version = version + 1
      where workspace = ${user.workspace} and id = ${user.id} and state = 'ACTIVE' and password_hash = ${user.password_hash} returning ${userColumns}`),
    )
    if (changed === undefined) throw new ApiError('WrongUserNamePassword')
    await endSessions(parts.access, tx, parts.clock, {
      workspace: user.workspace,
      user_id: user.id,
      ...(caller === undefined ? {} : { except: caller.session_id }),
    })
    return changed
  })
}
