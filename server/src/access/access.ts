/**
 * Who calls: the guard in front of every endpoint. A user's request costs a look into two maps: the
 * verified token, whose expiry is checked each time, and the live session. That of a program costs
 * a hash and a look (programs.ts).
 */
import type { Clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import type { ApiKeyId, UserId } from '../core/ids.ts'
import type { Authenticate, NotedCall, RefusedRequest } from '../http/index.ts'
import type { TargetRules } from '../core/targets.ts'
import type { Db } from '../store/db.ts'
import { secretIn } from './api-key-secrets.ts'
import { Programs } from './programs.ts'
import { SecurityLog } from './noted-entries.ts'
import type { RefusedAttempt } from './security-log.ts'
import { openSessionCache, putBounded } from './session-cache.ts'
import { sessionLimitsFrom } from './session-limits.ts'
import type { KeyOptions } from './signing-keys.ts'
import type { SessionLimits } from './session-limits.ts'
import { openTokens } from './tokens.ts'
import type { AccessClaims, Tokens } from './tokens.ts'

const MAXIMUM_TOKENS = 20_000
const KEY_CHARACTERS = 32
const BEARER = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i

export type Access = {
  /**
   * Throws 1001 without a valid token of a live session or an API key, 1005 when a token has
   * expired.
   */
  authenticate: Authenticate
  /**
   * To be called inside the transaction that takes something from this user or API key: this
   * process forgets what it knew.
   */
  doubt(id: UserId | ApiKeyId): void
  tokens: Tokens
  security: SecurityLog
  limits: SessionLimits
  /** When this process last saw the session used; 0 when it does not know. */
  usedAt(session_id: string): number
  /** Notes a request that was refused for who sent it. */
  refused(request: RefusedRequest): void
  /** Notes a call that changed nothing. */
  noted(call: NotedCall): void
  /** Writes what was noted. */
  close(): Promise<void>
}

type AccessOptions = KeyOptions & {
  /** Told when the security log cannot be written; it is tried again. */
  report?(error: unknown): void
  /** Those of an empty environment when absent. */
  limits?: SessionLimits
}

export type AccessApp = {
  db: Db
  clock: Clock
  access: Access
  /** Where people open the console, to which passkeys are bound. */
  console_url?: string | undefined
  /** Where providers of single sign-on may lie. */
  signInTargets: TargetRules
}

export async function openAccess(
  db: Db,
  clock: Clock,
  options: AccessOptions = {},
): Promise<Access> {
  const security = new SecurityLog(db, clock, options)
  const tokens = await openTokens(db, clock, options)
  const limits = options.limits ?? sessionLimitsFrom({})
  const sessions = await openSessionCache(db, limits)
  const programs = new Programs(db, clock, sessions)
  const readClaims = claimsReader(tokens)
  const ownerOf = (authorization: string | undefined): Owner => {
    const secret = secretIn(authorization)
    return secret === undefined
      ? claimsOrNone(authorization, readClaims)
      : (programs.ownerOf(secret) ?? {})
  }
  return {
    tokens,
    security,
    limits,
    usedAt: (session_id) => sessions.usedAt(session_id),
    refused: (request) => {
      security.note(attemptOf(request, ownerOf))
    },
    noted: (call) => {
      security.note(noteOf(call))
    },
    async close() {
      tokens.close()
      await programs.close()
      await sessions.storeUses().catch(() => undefined)
      await security.close()
    },
    doubt: (id) => {
      sessions.doubt(id)
    },
    authenticate(authorization, from) {
      const secret = secretIn(authorization)
      if (secret !== undefined) return programs.principalOf(secret, from)
      const claims = readClaims(authorization)
      const now = clock.now()
      if (claims.expires_at <= now) throw new ApiError('TokenExpired')
      return sessions.principalOf(claims.session_id, now)
    },
  }
}

type Owner = Partial<Pick<AccessClaims, 'workspace' | 'user_id' | 'session_id'>>

/** A token that we signed tells whose it was, also when its session is over. */
function attemptOf(
  request: RefusedRequest,
  ownerOf: (authorization: string | undefined) => Owner,
): RefusedAttempt {
  const { error, reason, principal, authorization, source, method, path } = request
  const { workspace, user_id, session_id } = principal ?? ownerOf(authorization)
  return {
    workspace,
    kind: error === 'PermissionDenied' ? 'PERMISSION_DENIED' : 'TOKEN_REFUSED',
    ...(user_id === undefined ? {} : { user: { id: user_id }, actor: user_id }),
    source: { ...source, session_id },
    details: { method, path, reason },
    ...aboutOf(request),
  }
}

const aboutOf = ({ operation, request_id, record_id }: RefusedRequest | NotedCall) => ({
  record_id,
  ...(operation === undefined ? {} : { call: { operation, request_id } }),
})

const noteOf = ({ principal, ...noted }: NotedCall): RefusedAttempt => ({
  workspace: principal.workspace,
  kind: noted.kind,
  actor: principal.user_id,
  source: { ...noted.source, session_id: principal.session_id },
  details: noted.details,
  ...aboutOf({ principal, ...noted }),
})

function claimsOrNone(authorization: string | undefined, readClaims: ReadClaims): Owner {
  try {
    return readClaims(authorization)
  } catch {
    return {}
  }
}

type ReadClaims = (authorization: string | undefined) => AccessClaims

/** Reads the claims of a bearer token. A token is verified once. */
function claimsReader(tokens: Tokens): ReadClaims {
  const verified = new Map<string, { authorization: string; claims: AccessClaims }>()
  let { generation } = tokens
  return (authorization) => {
    if (authorization === undefined) throw new ApiError('MissingToken')
    if (tokens.generation !== generation) {
      verified.clear()
      generation = tokens.generation
    }
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
