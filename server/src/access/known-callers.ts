/** What the database says of a session, by its id, or of the secret of an API key, by its hash. */
import { keyRefused } from '../core/errors.ts'
import type { ApiError } from '../core/errors.ts'
import type { ApiKeyId, UserId, WorkspaceId } from '../core/ids.ts'
import { addressesIn } from '../core/networks.ts'
import type { ApiKeyTerms, Principal } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { API_KEY_MOVES } from './api-keys.schema.ts'
import type { ApiKeyLimits } from './api-keys.schema.ts'
import { DEMANDED } from './factor-rows.ts'
import { permissionsOf } from './permissions.ts'
import type { Permission, Role } from './permissions.ts'
import type { SessionLimits } from './session-limits.ts'
import { USER_MOVES } from './users.schema.ts'

export type Known = {
  principal: Principal
  isSession: boolean
  expires_at: number
  /** It ends when it is not used for so long. */
  idle_ms: number
  used_at: number
  /** What its bearer is told once it is over. */
  refusalAt?(now: number): ApiError
}

/** A program as its requests are let in. */
export type Program = ApiKeyTerms & {
  readonly secret_id: string
  admits(address: string): boolean
  /** Up to when it is stored that it was used. */
  stored_at: number
}

/** Null: the session is over, and for good. Undefined: there is no such secret. */
export function readKnown(
  db: Db,
  limits: SessionLimits,
  key: string,
): Promise<Known | null | undefined> {
  return key.startsWith(SECRET_KEY) ? readSecret(db, key) : readSession(db, limits, key)
}

/** No id of a session begins like this. */
const SECRET_KEY = 'secret '

export const cacheKeyOf = (hash: Buffer): string => SECRET_KEY + hash.toString('hex')

const NOTHING: ReadonlySet<string> = new Set()

type SessionRow = {
  workspace: WorkspaceId
  user_id: UserId
  roles: Role[]
  kind: string
  expires_at: number
  last_used_at: number
  second_factor: boolean
  /** A provider has asked for a second factor. */
  proven_there: boolean
  enrolling: boolean
}

async function readSession(
  db: Db,
  { idle_ms }: SessionLimits,
  session_id: string,
): Promise<Known | null> {
  const [row] = await db.query<SessionRow>(sql`
    select
      sessions.workspace,
      sessions.user_id,
      users.roles,
      sessions.kind,
      sessions.expires_at,
      sessions.last_used_at,
      users.second_factor,
      sessions.provider_id is not null and sessions.factor_at is not null as proven_there,
      sessions.factor_at is null and ${DEMANDED} as enrolling
    from sessions
    join users on users.workspace = sessions.workspace and users.id = sessions.user_id
    join workspaces on workspaces.id = sessions.workspace
    where sessions.id = ${session_id}
      and sessions.revoked_at is null
      and ${stateIn(USER_MOVES, 'ACTIVE', 'users.state')}`)
  if (row === undefined) return null
  const { workspace, user_id, roles, kind, expires_at, last_used_at } = row
  return {
    principal: {
      workspace,
      user_id,
      session_id,
      permissions: row.enrolling ? NOTHING : permissionsOf(roles),
      ...(row.enrolling ? { enrolling: true } : {}),
      ...(row.second_factor || row.proven_there
        ? { confirmedAt: () => factorShownAt(db, session_id) }
        : {}),
    },
    isSession: true,
    expires_at,
    idle_ms: kind === 'CONSOLE' ? idle_ms : Infinity,
    used_at: last_used_at,
  }
}

/** Read each time: another process may have asked for it just now. */
async function factorShownAt(db: Db, session_id: string): Promise<number> {
  const [row] = await db.query<{ factor_at: number | null }>(sql`
    select factor_at
    from sessions
    where id = ${session_id}`)
  return row?.factor_at ?? 0
}

type SecretRow = {
  workspace: WorkspaceId
  id: ApiKeyId
  active: boolean
  permissions: Permission[]
  networks: string[]
  limits: ApiKeyLimits
  key_expires_at: number
  secret_id: string
  expires_at: number | null
  last_used_at: number | null
}

async function readSecret(db: Db, key: string): Promise<Known | undefined> {
  const [row] = await db.query<SecretRow>(sql`
    select
      api_keys.workspace,
      api_keys.id,
      ${stateIn(API_KEY_MOVES, 'ACTIVE', 'api_keys.state')} as active,
      api_keys.permissions,
      api_keys.networks,
      api_keys.limits,
      api_keys.expires_at as key_expires_at,
      api_key_secrets.id as secret_id,
      api_key_secrets.expires_at,
      api_key_secrets.last_used_at
    from api_key_secrets
    join api_keys on api_keys.workspace = api_key_secrets.workspace
      and api_keys.id = api_key_secrets.key_id
    where api_key_secrets.hash = ${Buffer.from(key.slice(SECRET_KEY.length), 'hex')}`)
  if (row === undefined) return undefined
  const { workspace, id, active, networks, key_expires_at, limits, last_used_at } = row
  const program: Program = {
    id,
    permissions: new Set<string>(row.permissions),
    networks,
    expires_at: key_expires_at,
    limited: limits.assets !== null || limits.routes !== null,
    secret_id: row.secret_id,
    admits: networks.length === 0 ? () => true : addressesIn(networks.join()),
    stored_at: last_used_at ?? 0,
  }
  const { permissions } = program
  const user_id = id as string as UserId
  return {
    principal: { workspace, user_id, session_id: id, permissions, api_key: program },
    isSession: false,
    expires_at: active ? Math.min(key_expires_at, row.expires_at ?? Infinity) : 0,
    idle_ms: Infinity,
    used_at: last_used_at ?? 0,
    refusalAt: (now) => {
      if (!active) return keyRefused('API_KEY_REVOKED', 'the API key is revoked')
      return now >= key_expires_at
        ? keyRefused('API_KEY_EXPIRED', 'the API key has expired')
        : keyRefused('API_KEY_ROTATED', 'this secret of the API key ended after a rotation')
    },
  }
}
