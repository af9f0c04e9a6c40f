/**
 * The lane's connections: few, used by one batch at a time over all workspaces of this process. A
 * batch that finds all of them in use waits for its turn, first come first served.
 */
import type pg from 'pg'
import type { Db } from '../../store/db.ts'

/** In use at once, over all workspaces of this process. */
const MAXIMUM_CONNECTIONS = 8
/** Kept open while no batch needs them. */
const KEPT_CONNECTIONS = 2

export class LaneConnections {
  readonly #db: Db
  readonly #idle: pg.Client[] = []
  readonly #waiting: (() => void)[] = []
  #inUse = 0
  #closed = false

  constructor(db: Db) {
    this.#db = db
  }

  /** Waits for a turn, then answers a connection; throws when the database cannot be reached. */
  async take(): Promise<pg.Client> {
    if (this.#inUse < MAXIMUM_CONNECTIONS) this.#inUse += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return this.#idle.pop() ?? (await this.#connect())
    } catch (error) {
      this.#passTurn()
      throw error
    }
  }

  /** Hands a connection back. A broken one is closed and not used again. */
  give(client: pg.Client, broken: boolean): void {
    if (broken || this.#closed || this.#idle.length >= KEPT_CONNECTIONS)
      void client.end().catch(() => undefined)
    else this.#idle.push(client)
    this.#passTurn()
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#idle.map((client) => client.end()))
  }

  async #connect(): Promise<pg.Client> {
    const client = await this.#db.connect({ pipeline: true })
    // A connection that dies between batches is noticed by the next query on it.
    client.on('error', () => undefined)
    await client.query('set plan_cache_mode = force_generic_plan')
    return client
  }

  #passTurn(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#inUse -= 1
    else next()
  }
}
