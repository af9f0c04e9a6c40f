/** Who passes is let out before the gate closes, and nobody passes while it is closed. */
export class Gate {
  #inside = 0
  #closed: Promise<void> | undefined
  #onEmpty: (() => void) | undefined

  async pass<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed !== undefined) await this.#closed
    this.#inside += 1
    try {
      return await work()
    } finally {
      this.#inside -= 1
      if (this.#inside === 0) this.#onEmpty?.()
    }
  }

  async close(work: () => Promise<void>): Promise<void> {
    while (this.#closed !== undefined) await this.#closed
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closed = promise
    try {
      if (this.#inside > 0)
        await new Promise<void>((empty) => {
          this.#onEmpty = empty
        })
      await work()
    } finally {
      this.#closed = undefined
      this.#onEmpty = undefined
      resolve()
    }
  }
}
