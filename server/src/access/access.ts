/**
 * Who calls: the guard in front of every endpoint. A request costs a look into two maps: the verified token (its
 * expiry is checked each time) and the live session with its user's permissions.
 *
 * A session that ends, a user disabled or given other roles is noticed at once in the process that did it and within
 * TRUST_MILLISECONDS in every other: each change has a number in commit order (`access_epoch`), and a process trusts
 * what it knows only while it has recently asked for newer numbers.
 */
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { Authenticate, Principal } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { permissionsOf } from './permissions.ts'
import type { Role } from './permissions.ts'
import { openTokens } from './tokens.ts'
import type { AccessClaims, Tokens } from './tokens.ts'

/** After this, the next request asks for changes beside its own work; after TRUST it waits for the answer. Real time. */
const REFRESH_MILLISECONDS = 500
const TRUST_MILLISECONDS = 1500
/** Longer than the transaction of a change can last: so long its user's sessions are read from the database. */
const DOUBT_MILLISECONDS = 60_000
const MAXIMUM_TOKENS = 20_000
const MAXIMUM_SESSIONS = 20_000
const KEY_CHARACTERS = 32
const BEARER = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

export type Access = {
  /** Throws 1001 without a valid token of a live session, 1005 when it has expired. */
  authenticate: Authenticate
  /** To be called inside the transaction that takes something from this user: this process forgets what it knew. */
  doubt(user_id: UserId): void
  tokens: Tokens
}

export async function openAccess(db: Db, clock: Clock): Promise<Access> {
  const tokens = await openTokens(db, clock)
  const verified = new Map<string, { authorization: string; claims: AccessClaims }>()
  /** null: the session is over, and for good. */
  const sessions = new Map<string, Principal | null>()
  const doubted = new Map<string, number>()
  const [start] = await db.query<{ epoch: number }>(sql`select epoch from access_epoch`)
  let epoch = start?.epoch ?? 0
  let refreshedAt = performance.now()
  let drops = 0
  let refreshing: Promise<void> | undefined

  function forget(user_id: UserId): void {
    drops += 1
    for (const [id, principal] of sessions) if (principal?.user_id === user_id) sessions.delete(id)
  }

  async function readEpoch(): Promise<void> {
    const now = performance.now()
    const changes = await db.query<{ id: string; access_epoch: number }>(
      sql`select id, access_epoch from users where access_epoch > ${epoch}`,
    )
    for (const change of changes) {
      forget(change.id)
      epoch = Math.max(epoch, change.access_epoch)
    }
    for (const [user_id, until] of doubted) if (until < now) doubted.delete(user_id)
    refreshedAt = now
  }

  function refreshEpoch(): Promise<void> {
    refreshing ??= readEpoch().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  async function load(session_id: string): Promise<Principal | null> {
    for (;;) {
      const before = drops
      const principal = await principalOf(db, session_id)
      // A change that came in between may be newer than what was read.
      if (drops !== before) continue
      if (principal === null || !doubted.has(principal.user_id))
        remember(sessions, session_id, principal, MAXIMUM_SESSIONS)
      return principal
    }
  }

  async function loaded(session_id: string): Promise<Principal> {
    const principal = await load(session_id)
    if (principal === null) throw new ApiError('MissingToken')
    return principal
  }

  async function afterRefresh(session_id: string): Promise<Principal> {
    await refreshEpoch()
    const principal = sessions.get(session_id)
    if (principal === null) throw new ApiError('MissingToken')
    return principal ?? loaded(session_id)
  }

  function claimsOf(authorization: string | undefined): AccessClaims {
    if (authorization === undefined) throw new ApiError('MissingToken')
    // The end of its signature finds a token faster than its whole text, which is then compared.
    const end = authorization.slice(-KEY_CHARACTERS)
    const known = verified.get(end)
    if (known?.authorization === authorization) return known.claims
    const token = BEARER.exec(authorization)?.[1]
    const claims = token === undefined ? undefined : tokens.verify(token)
    if (claims === undefined) throw new ApiError('MissingToken')
    remember(verified, end, { authorization, claims }, MAXIMUM_TOKENS)
    return claims
  }

  return {
    tokens,
    doubt(user_id) {
      doubted.set(user_id, performance.now() + DOUBT_MILLISECONDS)
      forget(user_id)
    },
    authenticate(authorization) {
      const claims = claimsOf(authorization)
      if (claims.expires_at <= clock.now()) throw new ApiError('TokenExpired')
      const age = performance.now() - refreshedAt
      if (age > TRUST_MILLISECONDS) return afterRefresh(claims.session_id)
      // A failure shows when the answer is waited for: trust runs out.
      if (age > REFRESH_MILLISECONDS && refreshing === undefined)
        refreshEpoch().catch(() => undefined)
      const principal = sessions.get(claims.session_id)
      if (principal === null) throw new ApiError('MissingToken')
      return principal ?? loaded(claims.session_id)
    },
  }
}

/** The oldest entry makes room. */
function remember<V>(map: Map<string, V>, key: string, value: V, maximum: number): void {
  if (map.size >= maximum) {
    const [oldest] = map.keys()
    if (oldest !== undefined) map.delete(oldest)
  }
  map.set(key, value)
}

async function principalOf(db: Db, session_id: string): Promise<Principal | null> {
  const [row] = await db.query<{ workspace: WorkspaceId; user_id: string; roles: Role[] }>(sql`
    select sessions.workspace, sessions.user_id, users.roles from sessions join users on users.workspace = sessions.workspace and users.id = sessions.user_id
    where sessions.id = ${session_id} and sessions.revoked_at is null and users.state = 'ACTIVE'`)
  return row === undefined
    ? null
    : {
        workspace: row.workspace,
        user_id: row.user_id,
        session_id,
        permissions: permissionsOf(row.roles),
      }
}
