/**
 * The live sessions and the secrets of API keys that this process knows, with their permissions. A
 * session is known by its id, a secret by its hash.
 *
 * A session that ends, a user disabled or given other roles, a key that is changed or revoked is
 * noticed at once in the process that did it, and within TRUST_MILLISECONDS in every other. Each
 * change has a number in commit order (`access_epoch`). A process trusts what it knows only while
 * it has recently read newer numbers.
 */
import { ApiError } from '../core/errors.ts'
import type { ApiKeyId, UserId } from '../core/ids.ts'
import type { Principal } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { readKnown } from './known-callers.ts'
import type { Known } from './known-callers.ts'
import type { SessionLimits } from './session-limits.ts'

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

const overError = ({ refusalAt }: Known, now: number): ApiError =>
  refusalAt?.(now) ?? new ApiError('MissingToken')

const isOver = ({ expires_at, idle_ms, used_at }: Known, now: number): boolean =>
  now >= expires_at || now - used_at >= idle_ms

export class SessionCache {
  readonly #db: Db
  readonly #limits: SessionLimits
  /** null: the session is over, and for good. */
  readonly #sessions = new Map<string, Known | null>()
  /** Of every secret that this process has seen. It lets nobody in. */
  readonly #owners = new Map<string, Principal>()
  /** Until when the sessions of a user, or the secrets of an API key, are not kept. */
  readonly #doubts = new Map<UserId | ApiKeyId, number>()
  #epoch: number
  #refreshedAt = performance.now()
  #refreshing: Promise<void> | undefined
  /** How often something was dropped. */
  #drops = 0
  #storedAt = performance.now()
  /** Domain time: uses up to then are stored. */
  #storedUse = 0

  constructor(db: Db, limits: SessionLimits, epoch: number) {
    this.#db = db
    this.#limits = limits
    this.#epoch = epoch
  }

  /** At once when it is known. Throws 1001 for what is over. */
  principalOf(key: string, now: number): Principal | Promise<Principal> {
    const age = performance.now() - this.#refreshedAt
    if (age > TRUST_MILLISECONDS) return this.#refreshedPrincipal(key, now)
    // A failure shows when the answer is waited for: trust runs out.
    if (age > REFRESH_MILLISECONDS && this.#refreshing === undefined)
      this.#refresh().catch(() => undefined)
    return this.#knownPrincipal(key, now) ?? this.#load(key, now)
  }

  /** Whose secret it is, accepted or not, once this process has seen it. */
  ownerOf(key: string): Principal | undefined {
    return this.#owners.get(key)
  }

  /** When it was last used here; 0 when that is not known. */
  usedAt(session_id: string): number {
    return this.#sessions.get(session_id)?.used_at ?? 0
  }

  /** Stores when sessions were last used. */
  async storeUses(): Promise<void> {
    this.#storedAt = performance.now()
    const used = [...this.#sessions].flatMap(([id, known]) =>
      known !== null && known.isSession && known.used_at > this.#storedUse
        ? [{ id, at: known.used_at }]
        : [],
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

  /** To be called inside the transaction that takes something from this user or this API key. */
  doubt(id: UserId | ApiKeyId): void {
    this.#doubts.set(id, performance.now() + DOUBT_MILLISECONDS)
    this.#drop(id)
  }

  async #refreshedPrincipal(key: string, now: number): Promise<Principal> {
    await this.#refresh()
    return this.#knownPrincipal(key, now) ?? this.#load(key, now)
  }

  #knownPrincipal(key: string, now: number): Principal | undefined {
    const known = this.#sessions.get(key)
    if (known === null) throw new ApiError('MissingToken')
    if (known === undefined) return undefined
    if (isOver(known, now)) {
      // A session may have been used in another process since.
      if (known.isSession) return undefined
      throw overError(known, now)
    }
    known.used_at = now
    return known.principal
  }

  async #load(key: string, now: number): Promise<Principal> {
    for (;;) {
      const before = this.#drops
      const known = await readKnown(this.#db, this.#limits, key)
      // A change that came in between may be newer than what was read.
      if (this.#drops !== before) continue
      // Whoever invents keys of programs fills no memory.
      if (known === undefined) throw new ApiError('MissingToken')
      const over = known !== null && isOver(known, now)
      if (known?.isSession === false)
        putBounded(this.#owners, key, known.principal, MAXIMUM_SESSIONS)
      if (over && known.isSession) throw overError(known, now)
      if (known !== null) known.used_at = now
      if (known === null || !this.#doubts.has(known.principal.user_id))
        putBounded(this.#sessions, key, known, MAXIMUM_SESSIONS)
      if (known === null) throw new ApiError('MissingToken')
      if (over) throw overError(known, now)
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
      where access_epoch > ${this.#epoch}
      union all
      select id, access_epoch
      from api_keys
      where access_epoch > ${this.#epoch}`)
    for (const change of changes) {
      this.#drop(change.id)
      this.#epoch = Math.max(this.#epoch, change.access_epoch)
    }
    for (const [id, until] of this.#doubts) if (until < now) this.#doubts.delete(id)
    this.#refreshedAt = now
  }

  #drop(id: UserId | ApiKeyId): void {
    this.#drops += 1
    for (const [key, known] of this.#sessions)
      if (known?.principal.user_id === id) this.#sessions.delete(key)
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
