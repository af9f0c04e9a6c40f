/** What was opened, and how it is closed: also when somebody ends the run half-way. */
const ENDING = ['SIGINT', 'SIGTERM'] as const

export class Opened {
  readonly #ends: (() => Promise<void>)[] = []
  /** Leaves no process, folder or database behind. */
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    void this.close()
      .catch(() => undefined)
      .then(() => process.kill(process.pid, signal))
  }

  constructor() {
    for (const signal of ENDING) process.once(signal, this.#onSignal)
  }

  add(end: () => Promise<void>): void {
    this.#ends.push(end)
  }

  /**
   * The last one opened is the first one closed. One that cannot be closed keeps none of the others
   * open.
   */
  async close(): Promise<void> {
    const errors: unknown[] = []
    for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop())
      await end().catch((error: unknown) => {
        errors.push(error)
      })
    for (const signal of ENDING) process.off(signal, this.#onSignal)
    if (errors.length > 0) throw new AggregateError(errors, 'the world could not be closed')
  }
}
