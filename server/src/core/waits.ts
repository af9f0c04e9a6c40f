/** Those who wait for something that many share: how many they are, and for how long. */
export class Waits {
  /** Oldest first. */
  readonly #waiting = new Set<{ since: number }>()
  readonly #onEnd: (seconds: number) => void

  constructor(onEnd: (seconds: number) => void = () => undefined) {
    this.#onEnd = onEnd
  }

  /** Begins the work at once. It counts as a wait until it has ended, however it ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const wait = { since: performance.now() }
    this.#waiting.add(wait)
    try {
      return await work()
    } finally {
      this.#waiting.delete(wait)
      this.#onEnd(secondsSince(wait))
    }
  }

  get count(): number {
    return this.#waiting.size
  }

  /** Of the one who waits longest, in seconds; 0 when nobody waits. */
  get longest(): number {
    const [oldest] = this.#waiting
    return oldest === undefined ? 0 : secondsSince(oldest)
  }
}

const secondsSince = ({ since }: { since: number }): number => (performance.now() - since) / 1000
