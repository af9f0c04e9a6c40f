/** One read for all who ask for the same at the same moment. */

type SharedRead = {
  result: Promise<unknown>
  /** Unix milliseconds; Infinity while it is under way. */
  until: number
  waiting: number
  /** When the exchange was asked; null while the read waits for its turn. */
  begun_at: number | null
  gone: AbortController
}

type Ask<Result> = (gone: AbortSignal, begin: () => void) => Promise<Result>

const serves = ({ until, begun_at }: SharedRead, since: number): boolean =>
  Date.now() < until && (begun_at === null || begun_at >= since)

export class SharedReads {
  readonly #freshFor: number
  readonly #reads = new Map<string, SharedRead>()

  /** `freshFor`: how long an answer serves others, in milliseconds. */
  constructor(freshFor: number) {
    this.#freshFor = freshFor
  }

  /**
   * `ask` is given up when all who wait for it have gone, and says when it begins. `since`: an
   * answer to a question that was asked earlier does not do.
   */
  read<Result>(
    key: string,
    { signal, since = 0 }: { signal?: AbortSignal | undefined; since?: number },
    ask: Ask<Result>,
  ): Promise<Result> {
    const known = this.#reads.get(key)
    const shared = known !== undefined && serves(known, since) ? known : this.#begin(key, ask)
    shared.waiting += 1
    signal?.addEventListener(
      'abort',
      () => {
        shared.waiting -= 1
        if (shared.waiting > 0 || shared.until < Infinity) return
        if (this.#reads.get(key) === shared) this.#reads.delete(key)
        shared.gone.abort()
      },
      { once: true },
    )
    return shared.result as Promise<Result>
  }

  /** What has not begun is given up. */
  close(): void {
    for (const { gone } of this.#reads.values()) gone.abort()
  }

  /** What was answered before may no longer be so. */
  forget(): void {
    for (const [key, { until }] of this.#reads) if (until < Infinity) this.#reads.delete(key)
  }

  #begin<Result>(key: string, ask: Ask<Result>): SharedRead {
    const gone = new AbortController()
    const { promise: result, resolve } = Promise.withResolvers<Result>()
    const shared: SharedRead = { result, until: Infinity, waiting: 0, begun_at: null, gone }
    resolve(
      ask(gone.signal, () => {
        shared.begun_at = Date.now()
      }),
    )
    this.#reads.set(key, shared)
    const drop = () => {
      if (this.#reads.get(key) === shared) this.#reads.delete(key)
    }
    result.then(() => {
      shared.until = Date.now() + this.#freshFor
      if (this.#freshFor === 0) drop()
      else setTimeout(drop, this.#freshFor).unref()
    }, drop)
    return shared
  }
}
