/**
 * From events to deliveries. Each webhook has a cursor: how far the events of its workspace have
 * been read for it. Deliveries are stored in the transaction that moves the cursor, so a kill loses
 * none and doubles none. What a webhook is behind lies in the events and nowhere else: only so many
 * deliveries wait at once, and while it is paused none is made.
 */
import { activeCaller } from '../access/index.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import type { UserId, WebhookId, WorkspaceId } from '../core/ids.ts'
import { nextEvents, permissionOfEvent } from '../events/index.ts'
import { EVENT_TYPES } from '../ledger/index.ts'
import type { Event, EventType } from '../ledger/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insertRows } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import type { TaskResult } from '../store/tasks.ts'
import { WORKER } from './app.ts'
import type { WebhooksApp } from './app.ts'
import { countWaiting, putDeliveryTask } from './deliveries.ts'
import { pauseByItself } from './pausing.ts'
import { DELIVERIES } from './rows.ts'
import { WEBHOOK_MOVES } from './webhooks.schema.ts'

const LOOK_MILLISECONDS = 1_000
export const PAGE_EVENTS = 200
/** Of one webhook at one look, so that one with much to catch up delays no other. */
const PAGES = 5
/** Of one webhook. */
const MAXIMUM_WAITING = 10_000
/** One of which so many wait is not looked at for this long: each look counts them. */
const FULL_MILLISECONDS = 10_000
/** A cursor that only passes over what it does not want is stored this often. */
const STORED_EVERY = 1_000

type Followed = {
  workspace: WorkspaceId
  webhook_id: WebhookId
  owner_id: UserId
  types: readonly EventType[]
}
type Behind = Followed & { sequence: number; head: number }

/** Until when webhooks are not looked at. */
export type Resting = Map<WebhookId, number>

/** One look at all webhooks that are behind. Its cost grows with them, not with history. */
export async function followEvents(app: WebhooksApp, resting: Resting): Promise<TaskResult> {
  const now = app.clock.now()
  for (const [id, until] of resting) if (until <= now) resting.delete(id)
  let isCaughtUp = true
  for (const webhook of await webhooksBehind(app.db))
    if (!resting.has(webhook.webhook_id))
      isCaughtUp = (await followWebhook(app, webhook, resting)) && isCaughtUp
  return { again_at: app.clock.now() + (isCaughtUp ? LOOK_MILLISECONDS : 0) }
}

const webhooksBehind = (reader: Reader): Promise<Behind[]> =>
  reader.query<Behind>(sql`
    select w.workspace, w.id as webhook_id, w.owner_id, w.types, p.sequence,
      l.event_sequence as head
    from webhooks w
    join webhook_progress p on p.workspace = w.workspace
      and p.webhook_id = w.id
    join lanes l on l.workspace = w.workspace
    where ${stateIn(WEBHOOK_MOVES, 'ACTIVE', 'w.state')}
      and p.sequence < l.event_sequence`)

/** Whether nothing is left that could be taken now. */
async function followWebhook(
  app: WebhooksApp,
  webhook: Behind,
  resting: Resting,
): Promise<boolean> {
  const types = await typesOf(app, webhook)
  if (types === undefined) {
    await pauseByItself(app, webhook, 'OWNER', 'its owner may no longer read events')
    return true
  }
  let { sequence } = webhook
  for (let pages = 0; pages < PAGES; pages += 1) {
    if (await isFull(app.db, webhook)) {
      resting.set(webhook.webhook_id, app.clock.now() + FULL_MILLISECONDS)
      return true
    }
    const filter = { after: sequence, type: types }
    const page = await nextEvents(app.db, webhook.workspace, filter, PAGE_EVENTS)
    if (page.events.length === 0 && page.after - webhook.sequence < STORED_EVERY) return true
    const step = { from: sequence, to: page.after }
    if (!(await storeDeliveries(app, webhook, page.events, step))) return true
    if (!page.more) return true
    sequence = page.after
  }
  return false
}

/** What it wants and its owner may read now; undefined where that is nothing for good. */
export async function typesOf(
  { db, clock }: Pick<WebhooksApp, 'db' | 'clock'>,
  { workspace, owner_id, types }: Followed,
): Promise<EventType[] | undefined> {
  const owner = await activeCaller(db, workspace, owner_id, clock.now())
  if (owner?.permissions.has('events.read') !== true) return undefined
  return (types.length === 0 ? EVENT_TYPES : types).filter((type) =>
    owner.permissions.has(permissionOfEvent(type)),
  )
}

export const isFull = async (
  reader: Reader,
  { workspace, webhook_id }: Pick<Followed, 'workspace' | 'webhook_id'>,
): Promise<boolean> =>
  (await countWaiting(reader, workspace, webhook_id, MAXIMUM_WAITING)) >= MAXIMUM_WAITING

/** Whether it was this process that moved the cursor. */
function storeDeliveries(
  app: WebhooksApp,
  { workspace, webhook_id }: Followed,
  events: readonly Event[],
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  return withFailpoints('webhook.store', webhook_id, () =>
    app.db.tx(async (tx) => {
      const moved = await tx.query(sql`
        update webhook_progress
        set sequence = ${to}
        where workspace = ${workspace}
          and webhook_id = ${webhook_id}
          and sequence >= ${from}
          and sequence < ${to}
        returning 1`)
      if (moved.length === 0) return false
      await insertDeliveries(tx, app, { workspace, webhook_id }, events)
      return true
    }),
  )
}

/** One that is there already stays as it is. */
export async function insertDeliveries(
  tx: Tx,
  { clock }: WebhooksApp,
  { workspace, webhook_id }: Pick<Followed, 'workspace' | 'webhook_id'>,
  events: readonly Event[],
): Promise<void> {
  if (events.length === 0) return
  const now = clock.now()
  const rows = events.map(({ id: message_id, sequence, type, resource_id }) => ({
    workspace,
    id: newId(now),
    webhook_id,
    message_id,
    event_sequence: sequence,
    event_type: type,
    resource_id,
    state: 'PENDING' as const,
    attempts: 0,
    step: 0,
    due_at: now,
  }))
  await tx.query(sql`
    ${insertRows(DELIVERIES, rows, { by: WORKER, now })}
    on conflict (workspace, webhook_id, message_id) do nothing`)
  await putDeliveryTask(tx, clock, workspace, webhook_id)
}
