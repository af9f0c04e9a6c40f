/**
 * Login, refresh, change of password. Answers to a stranger never tell whether an address is known.
 */
import { ApiError, refuse } from '../core/errors.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { Principal, Source } from '../http/index.ts'
import { besideCall } from '../store/calls.ts'
import { only } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { addressBlockOf } from '../core/networks.ts'
import { TokenBuckets } from '../core/token-buckets.ts'
import {
  assertNotBlocked,
  countFailure,
  countSuccess,
  KNOWN_MILLISECONDS,
  throttlesOf,
} from './login-throttle.ts'
import { PasswordChecks } from './password-checks.ts'
import { mayUsePassword, passwordsOff } from './passwords-allowed.ts'
import { assertStrongPassword, hashPassword, passwordMatches } from './passwords.ts'
import { proveFactor } from './proving.ts'
import type { ShownFactor } from './proving.ts'
import { securityEntries } from './security-log.ts'
import { beginSession, continueSession, endSessions } from './sessions.ts'
import type { SessionKind } from './sessions.ts'
import type { AccessClaims, Identity } from './tokens.ts'
import { consoleTokensOf } from './console-tokens.ts'
import type { ConsoleTokens } from './console-tokens.ts'
import type { User } from './users.schema.ts'
import { normalizeEmail } from './emails.ts'
import type { Role } from './permissions.ts'
import { USER_COLUMNS, USERS } from './users.ts'

type Credentials = { email: string; password: string } & ShownFactor

/** Where a request with credentials comes from. */
type Door = Source & {
  /** Of an earlier login on the same device, expired or not. */
  id_token?: string | undefined
}

/** Each session, in this process. */
const REFRESHES = new TokenBuckets({ burst: 600, per_second: 10 })
const CHECKS = new PasswordChecks()

/** A user whose password has just been checked. */
type CheckedUser = {
  workspace: WorkspaceId
  id: UserId
  email: string
  password_hash: string
  must_change_password: boolean
  second_factor: boolean
  roles: Role[]
}

/** Throws 3002, 1004, 1007, or 4291 after repeated failures. */
export async function login(
  app: AccessApp,
  credentials: Credentials,
  door: Door,
): Promise<{ id_token: string; access_token: string; refresh_token: string }> {
  const { identity, refresh_token } = await openSession(app, credentials, door, 'PROGRAM')
  return { ...app.access.tokens.sign(identity), refresh_token }
}

/** The same for the console, which keeps the refresh token where no script finds it. */
export async function loginToConsole(
  app: AccessApp,
  credentials: Credentials,
  door: Door,
): Promise<ConsoleTokens & { refresh_token: string }> {
  const { identity, refresh_token } = await openSession(app, credentials, door, 'CONSOLE')
  return { ...consoleTokensOf(app, identity), refresh_token }
}

async function openSession(
  app: AccessApp,
  credentials: Credentials,
  door: Door,
  kind: SessionKind,
): Promise<{ identity: Identity; refresh_token: string }> {
  const user = await checkPassword(app, credentials, door)
  if (user.must_change_password) {
    noteFailure(app, 'PASSWORD_CHANGE_REQUIRED', user, door)
    throw new ApiError('RequirePasswordChange')
  }
  if (!(await mayUsePassword(app.db, user))) {
    noteFailure(app, 'PASSWORDS_OFF', user, door)
    throw passwordsOff()
  }
  const proof = user.second_factor ? await proveFactor(app, user, credentials, door) : undefined
  const by = { password_hash: user.password_hash, proof }
  const session = await beginSession(app, user, { kind, source: door, by })
  if (session !== undefined) return session
  noteFailure(app, 'WRONG_PASSWORD', user, door)
  throw new ApiError('WrongUserNamePassword')
}

/** Throws 3002, or 4291. */
export async function checkPassword(
  app: AccessApp,
  { email, password }: Credentials,
  door: Door,
): Promise<CheckedUser> {
  const { db, clock } = app
  const normal = normalizeEmail(email)
  const user = only(
    await db.query<CheckedUser & { state: User['state'] }>(sql`
      select workspace, id, email, password_hash, must_change_password, second_factor, roles, state
      from users
      where email = ${normal}`),
  )
  const device = await knownDevice(app, user?.id, door)
  const attempt = { email: normal, address: door.address, device }
  const throttles = await throttlesOf(db, clock, attempt)
  let failure: SignInFailure = 'SLOWED_DOWN'
  try {
    await assertNotBlocked(db, clock, throttles)
    const matches = await CHECKS.check(addressBlockOf(door.address), () =>
      passwordMatches(user?.password_hash, password),
    )
    if (!matches || user?.state !== 'ACTIVE') {
      await besideCall(() => countFailure(db, clock, throttles))
      failure = failureOf(user)
      throw new ApiError('WrongUserNamePassword')
    }
    await besideCall(() => countSuccess(db, clock, attempt, throttles))
    return user
  } catch (error) {
    if (error instanceof ApiError) noteFailure(app, failure, user, door)
    throw error
  }
}

export async function emailOf(
  { db }: AccessApp,
  { workspace, user_id }: Principal,
): Promise<string> {
  const user = only(
    await db.query<{ email: string }>(sql`
      select email
      from users
      where workspace = ${workspace}
        and id = ${user_id}`),
  )
  if (user === undefined) throw new ApiError('MissingToken')
  return user.email
}

type SignInFailure =
  | 'WRONG_PASSWORD'
  | 'UNKNOWN_ACCOUNT'
  | 'DISABLED'
  | 'SLOWED_DOWN'
  | 'PASSWORD_CHANGE_REQUIRED'
  | 'PASSWORDS_OFF'

function failureOf(user: { state: User['state'] } | undefined): SignInFailure {
  if (user === undefined) return 'UNKNOWN_ACCOUNT'
  return user.state === 'ACTIVE' ? 'WRONG_PASSWORD' : 'DISABLED'
}

/** An address that is nobody's is not kept: people type passwords in its field. */
function noteFailure(
  { access }: AccessApp,
  reason: SignInFailure,
  user: { workspace: WorkspaceId; id: UserId; email: string } | undefined,
  source: Source,
): void {
  const { workspace } = user ?? {}
  access.security.note({ kind: 'SIGN_IN_FAILED', workspace, user, source, details: { reason } })
}

/** The session in which this device logged in before, if it was this user who did. */
async function knownDevice(
  { clock, access }: AccessApp,
  user_id: UserId | undefined,
  { id_token, session_id }: Door,
): Promise<string | undefined> {
  if (session_id !== undefined || id_token === undefined) return session_id
  const known = await access.tokens.verifyIdentity(id_token)
  const isKnown =
    known !== undefined &&
    known.user_id === user_id &&
    known.issued_at > clock.now() - KNOWN_MILLISECONDS
  return isKnown ? known.session_id : undefined
}

/**
 * New tokens for the session of both. Writes nothing, so that any number may run at once. Throws
 * 1006 for anything wrong with either token or the session, 4291 when a session does it in a loop.
 */
export async function refresh(
  app: AccessApp,
  body: { access_token: string; refresh_token: string },
  source: Source,
): Promise<{ id_token: string; access_token: string }> {
  const claims = await app.access.tokens.verifyExpired(body.access_token)
  if (claims !== undefined) assertCalm(claims.session_id)
  const identity =
    claims === undefined
      ? undefined
      : await continueSession(app, claims.session_id, {
          refresh_token: body.refresh_token,
          kind: 'PROGRAM',
        })
  if (identity === undefined || identity.user_id !== claims?.user_id)
    throw refuseRefresh(app, claims, source)
  return app.access.tokens.sign(identity)
}

/**
 * The same in the console. A page that has shown one user's work does not go on as another one, who
 * has logged in beside it: 1006.
 */
export async function refreshConsole(
  app: AccessApp,
  sent: {
    access_token?: string | undefined
    session_id?: string
    refresh_token?: string
  },
  source: Source,
): Promise<ConsoleTokens> {
  const { access_token, session_id, refresh_token } = sent
  // A browser that was closed has neither: nothing was refused.
  if (access_token === undefined && refresh_token === undefined)
    throw new ApiError('RefreshTokenInvalid')
  const claims =
    access_token === undefined ? undefined : await app.access.tokens.verifyExpired(access_token)
  const identity =
    session_id === undefined || refresh_token === undefined
      ? undefined
      : await continueSession(app, session_id, { refresh_token, kind: 'CONSOLE' })
  const isOther = access_token !== undefined && claims?.user_id !== identity?.user_id
  if (identity === undefined || isOther) throw refuseRefresh(app, claims, source)
  assertCalm(identity.session_id)
  return consoleTokensOf(app, identity)
}

function refuseRefresh(
  { access }: AccessApp,
  claims: AccessClaims | undefined,
  source: Source,
): ApiError {
  access.security.note({
    kind: 'REFRESH_REFUSED',
    workspace: claims?.workspace,
    user: claims === undefined ? undefined : { id: claims.user_id },
    source: { ...source, session_id: claims?.session_id },
  })
  return new ApiError('RefreshTokenInvalid')
}

/** By session, so that nobody is held up by what others send. */
function assertCalm(session_id: string): void {
  const wait = Math.ceil(REFRESHES.waitFor(session_id, 1) / 1000)
  if (wait > 0)
    throw new ApiError('RateLimited', `refreshed too often: try again in ${wait} s`, [], wait)
  REFRESHES.take(session_id, 1)
}

/**
 * Ends every session of the user but that of the door. Works also for a user who gets 1004 at
 * login. Throws 3002 for a wrong old password, 1007 without a second factor where there is one,
 * 3001 WEAK_PASSWORD.
 */
export async function changePassword(
  app: AccessApp,
  { new_password, ...credentials }: Credentials & { new_password: string },
  door: Door,
): Promise<User> {
  const { session_id } = door
  const user = await checkPassword(app, credentials, door)
  // In a session it was shown before.
  if (user.second_factor && session_id === undefined)
    await proveFactor(app, user, credentials, door)
  await assertStrongPassword(new_password, user.email, 'new_password')
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
    if (changed === undefined) {
      noteFailure(app, 'WRONG_PASSWORD', user, door)
      throw new ApiError('WrongUserNamePassword')
    }
    await tx.query(
      securityEntries(workspace, app.clock.now(), [
        { kind: 'PASSWORD_CHANGED', user, actor: id, source: door },
      ]),
    )
    await endSessions(app, tx, {
      workspace,
      user_id: id,
      ...(session_id === undefined ? {} : { except: session_id }),
    })
    return changed
  })
}
