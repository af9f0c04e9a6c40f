/**
 * Long lists and other reads that cost much: how many there are at once, and how much one session
 * and one user read over time. A list takes places by the rows that it holds in memory; who finds
 * none waits for a while. What was read is charged afterwards, so that a caller is never refused
 * half-way. All of it is known to this process alone.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { TokenBuckets } from '../core/token-buckets.ts'
import type { Principal } from './caller.ts'
import { callerGone } from './error-answers.ts'
import type { LimitName, Limits, OnReached } from './limits.ts'

/** Lists up to this length take no place. */
const SHORT_ROWS = 100
const ROWS_OF_A_PLACE = 1_000
/** What each read costs beside its rows. */
const ROWS_OF_A_READ = 20
/** A bucket holds what flows in within this. */
const BURST_SECONDS = 10
const RETRY_SECONDS = 5
const NOBODY = 'nobody'

type Who = Pick<Principal, 'user_id' | 'session_id'> | undefined

type Waiter = { user: string; places: number; start(): void }

/** `limit` is absent where the whole list is streamed, of which one chunk is held at a time. */
function placesOf(limit: number | undefined, maximum: number): number {
  if (limit === undefined) return 1
  return isShort(limit) ? 0 : Math.min(Math.ceil(limit / ROWS_OF_A_PLACE), maximum)
}

const isShort = (limit: number | undefined): boolean => limit !== undefined && limit <= SHORT_ROWS

export class BulkReads {
  readonly #limits: Limits
  readonly #onReached: OnReached
  readonly #sessions: TokenBuckets
  readonly #users: TokenBuckets
  readonly #ofUser = new Map<string, number>()
  readonly #waiting: Waiter[] = []
  readonly #queries: (() => void)[] = []
  #taken = 0
  #querying = 0

  constructor(limits: Limits, onReached: OnReached) {
    this.#limits = limits
    this.#onReached = onReached
    const bucketsOf = (per_second: number) =>
      new TokenBuckets({ burst: per_second * BURST_SECONDS, per_second })
    this.#sessions = bucketsOf(limits.rows_per_session)
    this.#users = bucketsOf(limits.rows_per_user)
  }

  get taken(): number {
    return this.#taken
  }

  /** Throws 4291 while the session, or the user, has read more than its share. */
  admit(who: Who): void {
    if (who === undefined) return
    this.#assertShare(this.#sessions.waitFor(who.session_id, 1), 'rows_per_session')
    this.#assertShare(this.#users.waitFor(who.user_id, 1), 'rows_per_user')
  }

  charge(who: Who, rows: number): void {
    if (who === undefined) return
    this.#sessions.take(who.session_id, rows + ROWS_OF_A_READ)
    this.#users.take(who.user_id, rows + ROWS_OF_A_READ)
  }

  /** Waits for places and answers what frees them. Throws 2004 when it takes too long. */
  async enter(who: Who, limit: number | undefined): Promise<() => void> {
    this.admit(who)
    const places = placesOf(limit, this.#limits.list_places_per_user)
    if (places === 0) return () => undefined
    const user = who?.user_id ?? NOBODY
    if (this.#waiting.length > 0 || !this.#fits(user, places) || !this.#isFree(places))
      await this.#turn(user, places)
    else this.#take(user, places)
    let left = false
    return () => {
      if (left) return
      left = true
      this.#take(user, -places)
      this.#admitWaiting()
    }
  }

  /** Long lists query a few at a time, so that other requests find a connection. */
  async query<Result>(limit: number | undefined, work: () => Promise<Result>): Promise<Result> {
    if (isShort(limit)) return work()
    if (this.#querying >= this.#limits.list_queries)
      await new Promise<void>((resolve) => {
        this.#queries.push(resolve)
      })
    else this.#querying += 1
    try {
      return await work()
    } finally {
      const next = this.#queries.shift()
      if (next === undefined) this.#querying -= 1
      else next()
    }
  }

  #assertShare(wait_ms: number, limit: LimitName): void {
    if (wait_ms === 0) return
    this.#onReached(limit)
    const seconds = Math.ceil(wait_ms / 1000)
    throw new ApiError('RateLimited', `too much was read: try again in ${seconds} s`, [], seconds)
  }

  #fits(user: string, places: number): boolean {
    return (this.#ofUser.get(user) ?? 0) + places <= this.#limits.list_places_per_user
  }

  #isFree(places: number): boolean {
    return this.#taken === 0 || this.#taken + places <= this.#limits.list_places
  }

  #take(user: string, places: number): void {
    this.#taken += places
    const count = (this.#ofUser.get(user) ?? 0) + places
    if (count === 0) this.#ofUser.delete(user)
    else this.#ofUser.set(user, count)
  }

  #turn(user: string, places: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = {
      user,
      places,
      start: () => {
        clearTimeout(limit)
        resolve()
      },
    }
    const limit = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      this.#onReached('list_places')
      reject(new ApiError('Busy', 'too many long lists are being read', [], RETRY_SECONDS))
      this.#admitWaiting()
    }, this.#limits.list_wait_ms)
    this.#waiting.push(waiter)
    this.#admitWaiting()
    return promise
  }

  /** In their order. Whose user has too many already is passed over, and nobody else. */
  #admitWaiting(): void {
    for (const waiter of this.#waiting.slice()) {
      if (!this.#fits(waiter.user, waiter.places)) continue
      if (!this.#isFree(waiter.places)) return
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      this.#take(waiter.user, waiter.places)
      waiter.start()
    }
  }
}

/** Until the answer has been sent. Throws 2004 when it takes too long to get a place. */
export async function takePlace(
  bulk: BulkReads,
  request: FastifyRequest,
  reply: FastifyReply,
  limit: number | undefined,
): Promise<void> {
  const leave = await bulk.enter(request.principal, limit)
  for (const end of ['finish', 'close']) reply.raw.once(end, leave)
  if (!reply.raw.destroyed) return
  leave()
  throw callerGone()
}
