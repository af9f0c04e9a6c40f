/**
 * Hints to listeners of the database: that there are events, that tasks are due. They are sent
 * after the commit of what they tell of, by themselves: PostgreSQL lets transactions that notify
 * commit only one after the other, over all workspaces. A hint may be lost; listeners look too.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from './sql.ts'
import type { Query } from './sql.ts'

/** A later hint with the same `key` replaces it. */
export type Hint = { channel: string; payload: string; key?: string }

/** Of one process, one after the other; what comes meanwhile goes together. */
const PAUSE_MILLISECONDS = 20

export class HintSender {
  readonly #run: (query: Query) => Promise<unknown>
  readonly #waiting = new Map<string, Hint>()
  #sending: Promise<void> | undefined

  constructor(run: (query: Query) => Promise<unknown>) {
    this.#run = run
  }

  send(hints: readonly Hint[]): void {
    if (hints.length === 0) return
    for (const hint of hints) this.#waiting.set(`${hint.channel} ${hint.key ?? hint.payload}`, hint)
    this.#sending ??= this.#sendAll()
  }

  /** Resolves when what waits has been sent. */
  async close(): Promise<void> {
    await this.#sending
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const hints = [...this.#waiting.values()]
      this.#waiting.clear()
      // Lost when the database does not answer.
      await this.#run(notification(hints)).catch(() => undefined)
      await pause(PAUSE_MILLISECONDS)
    }
    this.#sending = undefined
  }
}

const notification = (hints: readonly Hint[]): Query => sql`
  select pg_notify(hint.channel, hint.payload)
  from unnest(
    ${hints.map((hint) => hint.channel)}::text[], ${hints.map((hint) => hint.payload)}::text[]
  ) as hint (channel, payload)`
