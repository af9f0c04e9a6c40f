/** Following the events of a workspace: page after page, then waiting for news. */
import type { WorkspaceId } from '../core/ids.ts'
import { page } from '../http/index.ts'
import type { Message } from '../http/index.ts'
import { lastEventSequences, eventsAfter } from '../ledger/index.ts'
import type { Event, EventFilter } from '../ledger/index.ts'
import type { Db, Reader } from '../store/db.ts'
import type { EventWatch } from './watch.ts'

export type FollowApp = { db: Db; events: EventWatch }

const PAGE_EVENTS = 200
const HEARTBEAT_MILLISECONDS = 15_000

/**
 * From `after` (from now on when absent) until `leaving` is aborted; [] after 15 s without news.
 */
export async function* followEvents(
  app: FollowApp,
  workspace: WorkspaceId,
  filter: EventFilter,
  leaving: AbortSignal,
): AsyncGenerator<Message[]> {
  let after = filter.after ?? (await headOf(app.db, workspace))
  while (!leaving.aborted) {
    const page = await nextEvents(app.db, workspace, { ...filter, after }, PAGE_EVENTS)
    after = page.after
    if (page.events.length > 0)
      yield page.events.map(({ sequence, type, ...event }): Message => ({
        id: String(sequence),
        event: type,
        data: { ...event, sequence, type },
      }))
    if (page.more) continue
    const start = performance.now()
    await app.events.waitForNews(workspace, after, HEARTBEAT_MILLISECONDS, leaving)
    if (performance.now() - start >= HEARTBEAT_MILLISECONDS) yield []
  }
}

async function headOf(reader: Reader, workspace: WorkspaceId): Promise<number> {
  return (await lastEventSequences(reader, [workspace])).get(workspace) ?? 0
}

/** The next events, and how far has been looked: what comes later lies after `after`. */
export async function nextEvents(
  reader: Reader,
  workspace: WorkspaceId,
  filter: EventFilter & { after: number },
  limit: number,
): Promise<{ events: Event[]; after: number; more: boolean }> {
  const head = await headOf(reader, workspace)
  if (head <= filter.after) return { events: [], after: filter.after, more: false }
  const { items, next } = await page(
    reader,
    eventsAfter(reader, workspace, { ...filter, up_to: head }),
    limit,
    undefined,
  )
  const events = items as Event[]
  const more = next !== undefined
  return { events, after: more ? (events.at(-1)?.sequence ?? head) : head, more }
}
