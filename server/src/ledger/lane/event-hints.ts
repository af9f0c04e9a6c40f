import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { EVENT_CHANNEL } from '../events.ts'

const HINT_PAUSE_MILLISECONDS = 50

/**
 * Announces in the database that there are new events, at most every 50 ms per workspace, after the
 * commit: inside it, NOTIFY would make the commits of all workspaces wait for each other.
 */
export class EventHints {
  readonly #reader: Reader
  /** Not announced yet. */
  readonly #latest = new Map<WorkspaceId, number>()
  readonly #pauses = new Map<WorkspaceId, NodeJS.Timeout>()
  readonly #sending = new Set<Promise<unknown>>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  announce(workspace: WorkspaceId, sequence: number): void {
    this.#latest.set(workspace, sequence)
    if (!this.#pauses.has(workspace)) this.#send(workspace)
  }

  async close(): Promise<void> {
    for (const pause of this.#pauses.values()) clearTimeout(pause)
    await Promise.all(this.#sending)
  }

  #send(workspace: WorkspaceId): void {
    const sequence = this.#latest.get(workspace)
    this.#latest.delete(workspace)
    if (sequence === undefined) {
      this.#pauses.delete(workspace)
      return
    }
    // Lost when the database does not answer. Readers look by themselves too.
    const sent: Promise<unknown> = this.#reader
      .query(sql`select pg_notify(${EVENT_CHANNEL}, ${`${workspace} ${sequence}`})`)
      .catch(() => undefined)
      .finally(() => this.#sending.delete(sent))
    this.#sending.add(sent)
    const pause = setTimeout(() => {
      this.#send(workspace)
    }, HINT_PAUSE_MILLISECONDS)
    this.#pauses.set(workspace, pause)
  }
}
