/** Whether this process can serve, said within two seconds, whatever hangs. */
import type { Db } from './store/db.ts'
import { sql } from './store/sql.ts'

const ANSWER_MILLISECONDS = 1_500
const NO_ANSWER = 'the database does not answer'

/** What the probe of a process asks over, so that no other work is waited for. */
export const PROBE_LIMITS = {
  maximumConnections: 1,
  waitMilliseconds: ANSWER_MILLISECONDS,
  statementMilliseconds: ANSWER_MILLISECONDS,
  graceMilliseconds: 0,
} as const

export class Readiness {
  readonly #probe: Pick<Db, 'query'>
  readonly #fault: () => string | undefined
  #asking: Promise<string | undefined> | undefined

  /** `fault`: what this process knows to be wrong by itself. */
  constructor(probe: Pick<Db, 'query'>, fault: () => string | undefined) {
    this.#probe = probe
    this.#fault = fault
  }

  /** What is missing, in a sentence; undefined when nothing is. */
  async missing(): Promise<string | undefined> {
    const fault = this.#fault()
    if (fault !== undefined) return fault
    // However many ask, and however long it takes: one question at a time.
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, ANSWER_MILLISECONDS, NO_ANSWER)
    })
    try {
      return await Promise.race([this.#asking, late])
    } finally {
      clearTimeout(timer)
    }
  }

  async #ask(): Promise<string | undefined> {
    try {
      const [row] = await this.#probe.query<{ read_only: string }>(
        sql`select current_setting('transaction_read_only') as read_only`,
      )
      return row?.read_only === 'off' ? undefined : 'the database takes no writes'
    } catch {
      return NO_ANSWER
    }
  }
}
