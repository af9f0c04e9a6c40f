/**
 * Waits for news: who follows the events of a workspace is woken when there are more. PostgreSQL
 * notifies after a commit, which is only a hint: once a second one query asks for all workspaces
 * that somebody waits for.
 */
import type pg from 'pg'
import type { WorkspaceId } from '../core/ids.ts'
import { EVENT_CHANNEL, lastEventSequences } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'

export type EventWatch = {
  /**
   * Resolves when the workspace may have events after this sequence, after `limit_ms`, or when
   * `leaving` is aborted.
   */
  news(workspace: WorkspaceId, after: number, limit_ms: number, leaving: AbortSignal): Promise<void>
  close(): Promise<void>
}

export type WatchApp = { db: Db; log: { warn(fields: object, message: string): void } }

type Waiter = { workspace: WorkspaceId; after: number; wake(): void }

const LOOK_MILLISECONDS = 1_000

/** Listens and looks only while somebody waits, or has lately. */
export function watchEvents({ db, log }: WatchApp): EventWatch {
  const waiting = new Set<Waiter>()
  /** The last event heard of, by workspace. */
  const heads = new Map<string, number>()
  let listener: pg.Client | undefined
  let looking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function heard(workspace: WorkspaceId, sequence: number): void {
    heads.set(workspace, Math.max(sequence, heads.get(workspace) ?? 0))
    for (const each of waiting)
      if (each.workspace === workspace && each.after < sequence) each.wake()
  }

  async function listen(): Promise<void> {
    const client = await db.connect()
    client.on('error', () => {
      if (listener === client) listener = undefined
    })
    client.on('end', () => {
      if (listener === client) listener = undefined
    })
    client.on('notification', ({ payload = '' }) => {
      const [workspace, sequence] = payload.split(' ')
      heard(workspace as WorkspaceId, Number(sequence))
    })
    await client.query(`listen ${EVENT_CHANNEL}`)
    listener = client
  }

  async function look(): Promise<void> {
    try {
      if (listener === undefined) await listen()
      const heads = await lastEventSequences(db, [
        ...new Set([...waiting].map((waiting) => waiting.workspace)),
      ])
      for (const [workspace, sequence] of heads) heard(workspace, sequence)
    } catch (error) {
      log.warn({ error: String(error) }, 'the events could not be looked at; looking again')
    }
    looking = undefined
    if (!closed)
      timer = setTimeout(() => {
        timer = undefined
        if (waiting.size > 0) looking ??= look()
      }, LOOK_MILLISECONDS)
  }

  return {
    news: (workspace, after, limit_ms, leaving) =>
      new Promise((resolve) => {
        if (closed || leaving.aborted || after < (heads.get(workspace) ?? 0)) return resolve()
        const end = () => {
          clearTimeout(limit)
          leaving.removeEventListener('abort', end)
          waiting.delete(each)
          resolve()
        }
        const each: Waiter = { workspace, after, wake: end }
        const limit = setTimeout(end, limit_ms)
        leaving.addEventListener('abort', end)
        waiting.add(each)
        if (timer === undefined) looking ??= look()
      }),
    async close() {
      closed = true
      clearTimeout(timer)
      for (const each of waiting) each.wake()
      await looking
      clearTimeout(timer)
      await listener?.end()
    },
  }
}
