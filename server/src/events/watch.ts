/**
 * Waits for news: who follows the events of a workspace is woken when there are more. PostgreSQL
 * notifies after a commit, which is only a hint: once a second one query asks for all workspaces
 * that somebody waits for.
 */
import type pg from 'pg'
import type { WorkspaceId } from '../core/ids.ts'
import { EVENT_CHANNEL, lastEventSequences } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'

type WatchApp = { db: Db; log: { warn(fields: object, message: string): void } }

type Waiter = { workspace: WorkspaceId; after: number; wake(): void }

const LOOK_MILLISECONDS = 1_000

export function watchEvents(app: WatchApp): EventWatch {
  return new EventWatch(app)
}

/** Listens and looks only while somebody waits, or has lately. */
export class EventWatch {
  readonly #app: WatchApp
  readonly #waiters = new Set<Waiter>()
  /** The last event known, by workspace. */
  readonly #sequences = new Map<WorkspaceId, number>()
  /** Where somebody was behind the last event known: is it still there? */
  readonly #behind = new Set<WorkspaceId>()
  #listener: pg.Client | undefined
  #looking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(app: WatchApp) {
    this.#app = app
  }

  /**
   * Resolves when the workspace may have events after this sequence, after `limit_ms`, or when
   * `leaving` is aborted.
   */
  waitForNews(
    workspace: WorkspaceId,
    after: number,
    limit_ms: number,
    leaving: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve) => {
      const sequence = this.#sequences.get(workspace) ?? 0
      if (this.#closed || leaving.aborted) return resolve()
      if (after < sequence) {
        this.#behind.add(workspace)
        this.#lookSoon()
        return resolve()
      }
      const wake = () => {
        clearTimeout(limit)
        leaving.removeEventListener('abort', wake)
        this.#waiters.delete(waiter)
        resolve()
      }
      const waiter: Waiter = { workspace, after, wake }
      const limit = setTimeout(wake, limit_ms)
      leaving.addEventListener('abort', wake)
      this.#waiters.add(waiter)
      this.#lookSoon()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const waiter of this.#waiters) waiter.wake()
    await this.#looking
    clearTimeout(this.#timer)
    await this.#listener?.end()
  }

  #lookSoon(): void {
    if (this.#timer === undefined) this.#looking ??= this.#look()
  }

  async #look(): Promise<void> {
    const { db, log } = this.#app
    try {
      if (this.#listener === undefined) await this.#listen()
      const waiting = [...this.#waiters].map((waiter) => waiter.workspace)
      const workspaces = new Set([...waiting, ...this.#behind])
      this.#behind.clear()
      for (const [workspace, sequence] of await lastEventSequences(db, [...workspaces])) {
        // Also when the database was set back: or who is behind the old last event never waits.
        this.#sequences.set(workspace, sequence)
        this.#notice(workspace, sequence)
      }
    } catch (error) {
      log.warn({ error: String(error) }, 'the events could not be looked at; looking again')
    }
    this.#looking = undefined
    if (!this.#closed) this.#lookLater()
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#waiters.size > 0 || this.#behind.size > 0) this.#looking ??= this.#look()
    }, LOOK_MILLISECONDS)
  }

  async #listen(): Promise<void> {
    const client = await this.#app.db.connect()
    const forget = () => {
      if (this.#listener === client) this.#listener = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    client.on('notification', ({ payload = '' }) => {
      const [workspace, sequence] = payload.split(' ')
      this.#notice(workspace as WorkspaceId, Number(sequence))
    })
    try {
      await client.query(`listen ${EVENT_CHANNEL}`)
    } catch (error) {
      // One that did not answer is not left behind.
      client.end().catch(() => undefined)
      throw error
    }
    this.#listener = client
  }

  #notice(workspace: WorkspaceId, sequence: number): void {
    this.#sequences.set(workspace, Math.max(sequence, this.#sequences.get(workspace) ?? 0))
    for (const waiter of this.#waiters)
      if (waiter.workspace === workspace && waiter.after < sequence) waiter.wake()
  }
}
