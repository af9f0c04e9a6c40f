/**
 * The live sessions that this process knows, with their users' permissions.
 *
 * A session that ends, a user disabled or given other roles is noticed at once in the process that
 * did it, and within TRUST_MILLISECONDS in every other. Each change has a number in commit order
 * (`access_epoch`). A process trusts what it knows only while it has recently read newer numbers.
 */
import { ApiError } from '../core/errors.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { Principal } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { permissionsOf } from './permissions.ts'
import type { Role } from './permissions.ts'
import { USER_MOVES } from './users.schema.ts'

/** Real time. After this, the next request reads the changes beside its own work. */
const REFRESH_MILLISECONDS = 500
/** Real time. After this, a request waits until the changes are read. */
const TRUST_MILLISECONDS = 1500
/**
 * How long the sessions of a user who was changed are not kept. No transaction of a change lasts
 * longer.
 */
const DOUBT_MILLISECONDS = 60_000
const MAXIMUM_SESSIONS = 20_000

export async function openSessionCache(db: Db): Promise<SessionCache> {
  const [start] = await db.query<{ epoch: number }>(sql`
    select epoch
    from access_epoch`)
  return new SessionCache(db, start?.epoch ?? 0)
}

class SessionCache {
  readonly #db: Db
  /** null: the session is over, and for good. */
  readonly #principals = new Map<string, Principal | null>()
  /** Until when a user's sessions are not kept, by user. */
  readonly #doubts = new Map<UserId, number>()
  #epoch: number
  #refreshedAt = performance.now()
  #refreshing: Promise<void> | undefined
  /** How often sessions were dropped. */
  #drops = 0

  constructor(db: Db, epoch: number) {
    this.#db = db
    this.#epoch = epoch
  }

  /** At once when the session is known. Throws 1001 when it is over. */
  principalOf(session_id: string): Principal | Promise<Principal> {
    const age = performance.now() - this.#refreshedAt
    if (age > TRUST_MILLISECONDS) return this.#refreshedPrincipal(session_id)
    // A failure shows when the answer is waited for: trust runs out.
    if (age > REFRESH_MILLISECONDS && this.#refreshing === undefined)
      this.#refresh().catch(() => undefined)
    return this.#knownPrincipal(session_id) ?? this.#load(session_id)
  }

  /** To be called inside the transaction that takes something from this user. */
  doubt(user_id: UserId): void {
    this.#doubts.set(user_id, performance.now() + DOUBT_MILLISECONDS)
    this.#drop(user_id)
  }

  async #refreshedPrincipal(session_id: string): Promise<Principal> {
    await this.#refresh()
    return this.#knownPrincipal(session_id) ?? this.#load(session_id)
  }

  #knownPrincipal(session_id: string): Principal | undefined {
    const principal = this.#principals.get(session_id)
    if (principal === null) throw new ApiError('MissingToken')
    return principal
  }

  async #load(session_id: string): Promise<Principal> {
    for (;;) {
      const before = this.#drops
      const principal = await readPrincipal(this.#db, session_id)
      // A change that came in between may be newer than what was read.
      if (this.#drops !== before) continue
      if (principal === null || !this.#doubts.has(principal.user_id))
        putBounded(this.#principals, session_id, principal, MAXIMUM_SESSIONS)
      if (principal === null) throw new ApiError('MissingToken')
      return principal
    }
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#readChanges().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #readChanges(): Promise<void> {
    const now = performance.now()
    const changes = await this.#db.query<{ id: UserId; access_epoch: number }>(sql`
      select id, access_epoch
      from users
      where access_epoch > ${this.#epoch}`)
    for (const change of changes) {
      this.#drop(change.id)
      this.#epoch = Math.max(this.#epoch, change.access_epoch)
    }
    for (const [user_id, until] of this.#doubts) if (until < now) this.#doubts.delete(user_id)
    this.#refreshedAt = now
  }

  #drop(user_id: UserId): void {
    this.#drops += 1
    for (const [id, principal] of this.#principals)
      if (principal?.user_id === user_id) this.#principals.delete(id)
  }
}

/** The oldest entry makes room. */
export function putBounded<V>(map: Map<string, V>, key: string, value: V, maximum: number): void {
  if (map.size >= maximum) {
    const [oldest] = map.keys()
    if (oldest !== undefined) map.delete(oldest)
  }
  map.set(key, value)
}

async function readPrincipal(db: Db, session_id: string): Promise<Principal | null> {
  const [row] = await db.query<{ workspace: WorkspaceId; user_id: UserId; roles: Role[] }>(sql`
    select sessions.workspace, sessions.user_id, users.roles
    from sessions
    join users on users.workspace = sessions.workspace and users.id = sessions.user_id
    where sessions.id = ${session_id}
      and sessions.revoked_at is null
      and ${stateIn(USER_MOVES, 'ACTIVE', 'users.state')}`)
  return row === undefined
    ? null
    : {
        workspace: row.workspace,
        user_id: row.user_id,
        session_id,
        permissions: permissionsOf(row.roles),
      }
}
