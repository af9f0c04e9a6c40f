/**
 * The door for programs: who shows the secret of an API key. One that this process knows costs a
 * hash and a look into a map. One that it has never seen costs a query, and anybody can invent one,
 * so each network address has a budget of those.
 */
import type { Clock } from '../core/clock.ts'
import { ApiError, keyRefused } from '../core/errors.ts'
import { addressBlockOf } from '../core/networks.ts'
import { TokenBuckets } from '../core/token-buckets.ts'
import type { Principal } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { hashOf } from './api-key-secrets.ts'
import { cacheKeyOf } from './known-callers.ts'
import type { Program } from './known-callers.ts'
import type { SessionCache } from './session-cache.ts'

/** Secrets that this process has never seen, of one network address. */
const UNKNOWN = { burst: 300, per_second: 5 }
/** How coarse it is stored when a secret was used. */
const STORE_MILLISECONDS = 60_000

export class Programs {
  readonly #db: Db
  readonly #clock: Clock
  readonly #known: SessionCache
  readonly #unknown = new TokenBuckets(UNKNOWN)
  readonly #storing = new Set<Promise<void>>()

  constructor(db: Db, clock: Clock, known: SessionCache) {
    this.#db = db
    this.#clock = clock
    this.#known = known
  }

  /**
   * Throws 1001 for a secret that is unknown, with a detail for one that is over or comes from a
   * network that its key does not name; 4291 for too many that are unknown.
   */
  principalOf(secret: string, { ip }: { readonly ip: string }): Principal | Promise<Principal> {
    const key = cacheKeyOf(hashOf(secret))
    if (this.#known.ownerOf(key) === undefined) return this.#firstSeen(key, ip)
    const principal = this.#known.principalOf(key, this.#clock.now())
    return principal instanceof Promise
      ? principal.then((known) => this.#admitted(known, ip))
      : this.#admitted(principal, ip)
  }

  /** Whose it is, as far as this process has seen it; for the security log. */
  ownerOf(secret: string): Principal | undefined {
    return this.#known.ownerOf(cacheKeyOf(hashOf(secret)))
  }

  /** Waits until what is being stored is stored. */
  async close(): Promise<void> {
    await Promise.all(this.#storing)
  }

  async #firstSeen(key: string, ip: string): Promise<Principal> {
    const block = addressBlockOf(ip)
    const wait = Math.ceil(this.#unknown.waitFor(block, 1) / 1000)
    if (wait > 0)
      throw new ApiError('RateLimited', `too many unknown keys: try again in ${wait} s`, [], wait)
    // Taken first, so that many at once are not let through together.
    this.#unknown.take(block, 1)
    let invented = false
    try {
      return this.#admitted(await this.#known.principalOf(key, this.#clock.now()), ip)
    } catch (error) {
      // Not so where the database did not answer.
      invented = error instanceof ApiError && this.#known.ownerOf(key) === undefined
      throw error
    } finally {
      if (!invented) this.#unknown.take(block, -1)
    }
  }

  #admitted(principal: Principal, ip: string): Principal {
    const program = principal.api_key as Program
    if (!program.admits(ip))
      throw keyRefused('API_KEY_NETWORK', `the API key is not accepted from ${ip}`)
    const now = this.#clock.now()
    if (now - program.stored_at >= STORE_MILLISECONDS) this.#noteUse(program, ip, now)
    return principal
  }

  #noteUse(program: Program, ip: string, now: number): void {
    const { secret_id, stored_at } = program
    program.stored_at = now
    const storing = this.#db
      .query(
        sql`
          update api_key_secrets
          set last_used_at = ${now}, last_used_address = ${ip}
          where id = ${secret_id}
            and (last_used_at is null or last_used_at < ${now})`,
      )
      .then(
        () => undefined,
        () => {
          // The next request stores it.
          program.stored_at = stored_at
        },
      )
      .finally(() => {
        this.#storing.delete(storing)
      })
    this.#storing.add(storing)
  }
}
