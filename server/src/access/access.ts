/**
 * Who calls: the guard in front of every endpoint. A request costs a look into two maps: the
 * verified token, whose expiry is checked each time, and the live session.
 */
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { UserId } from '../core/ids.ts'
import type { Authenticate } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { openSessionCache, putBounded } from './session-cache.ts'
import { openTokens } from './tokens.ts'
import type { AccessClaims, Tokens } from './tokens.ts'

const MAXIMUM_TOKENS = 20_000
const KEY_CHARACTERS = 32
const BEARER = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

export type Access = {
  /** Throws 1001 without a valid token of a live session, 1005 when it has expired. */
  authenticate: Authenticate
  /**
   * To be called inside the transaction that takes something from this user: this process forgets
   * what it knew.
   */
  doubt(user_id: UserId): void
  tokens: Tokens
}

export type AccessApp = { db: Db; clock: Clock; access: Access }

export async function openAccess(db: Db, clock: Clock): Promise<Access> {
  const tokens = await openTokens(db, clock)
  const sessions = await openSessionCache(db)
  const readClaims = claimsReader(tokens)
  return {
    tokens,
    doubt: (user_id) => {
      sessions.doubt(user_id)
    },
    authenticate(authorization) {
      const claims = readClaims(authorization)
      if (claims.expires_at <= clock.now()) throw new ApiError('TokenExpired')
      return sessions.principalOf(claims.session_id)
    },
  }
}

/** Reads the claims of a bearer token. A token is verified once. */
function claimsReader(tokens: Tokens): (authorization: string | undefined) => AccessClaims {
  const verified = new Map<string, { authorization: string; claims: AccessClaims }>()
  return (authorization) => {
    if (authorization === undefined) throw new ApiError('MissingToken')
    // The end of its signature finds a token faster than its whole text, which is then compared.
    const end = authorization.slice(-KEY_CHARACTERS)
    const entry = verified.get(end)
    if (entry?.authorization === authorization) return entry.claims
    const token = BEARER.exec(authorization)?.[1]
    const claims = token === undefined ? undefined : tokens.verify(token)
    if (claims === undefined) throw new ApiError('MissingToken')
    putBounded(verified, end, { authorization, claims }, MAXIMUM_TOKENS)
    return claims
  }
}
