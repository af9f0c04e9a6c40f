/** Work on one reference is done one piece after the other, on different ones side by side. */
export class Turns<Result> {
  readonly #last = new Map<string, Promise<Result>>()

  async take(reference: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(reference) ?? Promise.resolve()).then(work)
    this.#last.set(reference, turn)
    try {
      return await turn
    } finally {
      if (this.#last.get(reference) === turn) this.#last.delete(reference)
    }
  }

  /** Ends when all work that has begun has ended, however it ended. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#last.values())
  }
}
