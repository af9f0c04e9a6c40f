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
import type { SessionLimits } from './session-limits.ts'
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
/** Real time. How late it is stored that a session was used. */
const STORE_MILLISECONDS = 20_000

export async function openSessionCache(db: Db, limits: SessionLimits): Promise<SessionCache> {
  const [start] = await db.query<{ epoch: number }>(sql`
    select epoch
    from access_epoch`)
  return new SessionCache(db, limits, start?.epoch ?? 0)
}

type Known = {
  principal: Principal
  expires_at: number
  /** It ends when it is not used for so long. */
  idle_ms: number
  used_at: number
}

const isOver = ({ expires_at, idle_ms, used_at }: Known, now: number): boolean =>
  now >= expires_at || now - used_at >= idle_ms

class SessionCache {
  readonly #db: Db
  readonly #limits: SessionLimits
  /** null: the session is over, and for good. */
  readonly #sessions = new Map<string, Known | null>()
  /** Until when a user's sessions are not kept, by user. */
  readonly #doubts = new Map<UserId, number>()
  #epoch: number
  #refreshedAt = performance.now()
  #refreshing: Promise<void> | undefined
  /** How often sessions were dropped. */
  #drops = 0
  #storedAt = performance.now()
  /** Domain time: uses up to then are stored. */
  #storedUse = 0

  constructor(db: Db, limits: SessionLimits, epoch: number) {
    this.#db = db
    this.#limits = limits
    this.#epoch = epoch
  }

  /** At once when the session is known. Throws 1001 when it is over. */
  principalOf(session_id: string, now: number): Principal | Promise<Principal> {
    const age = performance.now() - this.#refreshedAt
    if (age > TRUST_MILLISECONDS) return this.#refreshedPrincipal(session_id, now)
    // A failure shows when the answer is waited for: trust runs out.
    if (age > REFRESH_MILLISECONDS && this.#refreshing === undefined)
      this.#refresh().catch(() => undefined)
    return this.#knownPrincipal(session_id, now) ?? this.#load(session_id, now)
  }

  /** When it was last used here; 0 when that is not known. */
  usedAt(session_id: string): number {
    return this.#sessions.get(session_id)?.used_at ?? 0
  }

  /** Stores when sessions were last used. */
  async storeUses(): Promise<void> {
    this.#storedAt = performance.now()
    const used = [...this.#sessions].flatMap(([id, known]) =>
      known !== null && known.used_at > this.#storedUse ? [{ id, at: known.used_at }] : [],
    )
    if (used.length === 0) return
    // Without waiting for whoever ends some of them at this moment, who would wait for us.
    await this.#db.query(sql`
      update sessions
      set last_used_at = uses.at
      from (
        select sessions.id, used.at
        from sessions
        join unnest(${used.map(({ id }) => id)}::uuid[], ${used.map(({ at }) => at)}::bigint[])
          as used(id, at) on used.id = sessions.id
        where sessions.last_used_at < used.at
        for update of sessions skip locked
      ) as uses
      where sessions.id = uses.id`)
    this.#storedUse = Math.max(...used.map(({ at }) => at))
  }

  /** To be called inside the transaction that takes something from this user. */
  doubt(user_id: UserId): void {
    this.#doubts.set(user_id, performance.now() + DOUBT_MILLISECONDS)
    this.#drop(user_id)
  }

  async #refreshedPrincipal(session_id: string, now: number): Promise<Principal> {
    await this.#refresh()
    return this.#knownPrincipal(session_id, now) ?? this.#load(session_id, now)
  }

  #knownPrincipal(session_id: string, now: number): Principal | undefined {
    const known = this.#sessions.get(session_id)
    if (known === null) throw new ApiError('MissingToken')
    // It may have been used in another process since.
    if (known === undefined || isOver(known, now)) return undefined
    known.used_at = now
    return known.principal
  }

  async #load(session_id: string, now: number): Promise<Principal> {
    for (;;) {
      const before = this.#drops
      const known = await readSession(this.#db, this.#limits, session_id)
      // A change that came in between may be newer than what was read.
      if (this.#drops !== before) continue
      if (known !== null && isOver(known, now)) throw new ApiError('MissingToken')
      if (known !== null) known.used_at = now
      if (known === null || !this.#doubts.has(known.principal.user_id))
        putBounded(this.#sessions, session_id, known, MAXIMUM_SESSIONS)
      if (known === null) throw new ApiError('MissingToken')
      return known.principal
    }
  }

  #refresh(): Promise<void> {
    // What fails now is tried again with the next ones.
    if (performance.now() - this.#storedAt > STORE_MILLISECONDS)
      this.storeUses().catch(() => undefined)
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
    for (const [id, known] of this.#sessions)
      if (known?.principal.user_id === user_id) this.#sessions.delete(id)
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

type SessionRow = {
  workspace: WorkspaceId
  user_id: UserId
  roles: Role[]
  kind: string
  expires_at: number
  last_used_at: number
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
      sessions.last_used_at
    from sessions
    join users on users.workspace = sessions.workspace and users.id = sessions.user_id
    where sessions.id = ${session_id}
      and sessions.revoked_at is null
      and ${stateIn(USER_MOVES, 'ACTIVE', 'users.state')}`)
  if (row === undefined) return null
  const { workspace, user_id, roles, kind, expires_at, last_used_at } = row
  return {
    principal: { workspace, user_id, session_id, permissions: permissionsOf(roles) },
    expires_at,
    idle_ms: kind === 'CONSOLE' ? idle_ms : Infinity,
    used_at: last_used_at,
  }
}
