/**
 * Token buckets, one for each key. They live in this process alone, so that a look costs no query
 * and no lock: several processes together allow several times as much.
 */
type Rate = {
  /** What a full bucket holds. */
  burst: number
  /** What flows in. */
  per_second: number
}

type Bucket = { tokens: number; at: number }

const MAXIMUM_KEYS = 10_000

export class TokenBuckets {
  readonly #rate: Rate
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate
    this.#now = now
  }

  /** Milliseconds until the bucket holds so much; 0 when it does now. */
  waitFor(key: string, tokens: number): number {
    const missing = tokens - this.#filled(key).tokens
    return missing <= 0 ? 0 : Math.ceil((missing / this.#rate.per_second) * 1000)
  }

  /** May leave a debt, which is never more than a full bucket. */
  take(key: string, tokens: number): void {
    const bucket = this.#filled(key)
    bucket.tokens = Math.max(bucket.tokens - tokens, -this.#rate.burst)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > MAXIMUM_KEYS && oldest !== undefined) this.#buckets.delete(oldest)
  }

  #filled(key: string): Bucket {
    const now = this.#now()
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: this.#rate.burst, at: now }
    const flowed = ((now - at) / 1000) * this.#rate.per_second
    return { tokens: Math.min(tokens + flowed, this.#rate.burst), at: now }
  }
}
