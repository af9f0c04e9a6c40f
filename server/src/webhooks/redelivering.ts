/**
 * A range of events that is delivered again. It is worked off in pages, after the request: what
 * has failed, or all events of the webhook's types, also those whose deliveries are kept no more.
 */
import { refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WebhookId, WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import { nextEvents } from '../events/index.ts'
import { closed, flag, id, integer, text } from '../http/index.ts'
import type { Caller, Static } from '../http/index.ts'
import { lastEventSequences } from '../ledger/index.ts'
import type { Event } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { putTasks } from '../store/tasks.ts'
import type { TaskKey, TaskResult } from '../store/tasks.ts'
import type { WebhooksApp } from './app.ts'
import { lockActive, putDeliveryTask } from './deliveries.ts'
import { DELIVERY_MOVES } from './deliveries.schema.ts'
import type { Delivery, Redelivery, RedeliverRangeBody } from './deliveries.schema.ts'
import { insertDeliveries, isFull, PAGE_EVENTS, typesOf } from './following.ts'
import { DELIVERIES, findWebhook } from './rows.ts'
import type { WebhookRow } from './rows.ts'
import { WEBHOOK_MOVES } from './webhooks.schema.ts'

/** Works off one range; its subject is the range. */
export const REDELIVER_TASK = 'redeliver_webhook'
const WAIT_MILLISECONDS = 10_000
const PAGES = 5

const Range = closed({
  workspace: id<WorkspaceId>(),
  id: id(),
  webhook_id: id<WebhookId>(),
  /** Up to here it is done. */
  position: integer(0, Number.MAX_SAFE_INTEGER),
  up_to: integer(0, Number.MAX_SAFE_INTEGER),
  only_failed: flag(),
  asked_by: text(),
})
type Range = Static<typeof Range>
const RANGES = tableOf('webhook_redeliveries', Range)

export async function redeliverRange(
  { workspace, by }: Caller,
  { clock }: WebhooksApp,
  tx: Tx,
  { webhook_id, after, up_to, only = 'FAILED' }: RedeliverRangeBody & { webhook_id: WebhookId },
): Promise<Redelivery> {
  await lockActive(tx, workspace, webhook_id)
  const head = (await lastEventSequences(tx, [workspace])).get(workspace) ?? 0
  if (up_to !== undefined && up_to <= after)
    throw refuse('RANGE', 'up_to', 'up_to must be greater than after')
  const range = { id: newId(), webhook_id, up_to: Math.min(up_to ?? head, head) }
  const now = clock.now()
  const only_failed = only === 'FAILED'
  const row = { ...range, workspace, position: after, only_failed, asked_by: by }
  await tx.query(insertRow(RANGES, row, { by, now }))
  await putTasks(tx, [{ workspace, kind: REDELIVER_TASK, subject_id: range.id, due_at: now }])
  return { ...range, after, only }
}

export async function workOffRange(
  app: WebhooksApp,
  { workspace, subject_id }: Pick<TaskKey, 'workspace' | 'subject_id'>,
): Promise<TaskResult> {
  const { db, clock } = app
  const range = only(
    await db.query<Range>(sql`
      select ${columnsOf(Range)}
      from webhook_redeliveries
      where workspace = ${workspace}
        and id = ${subject_id}`),
  )
  if (range === undefined) return 'done'
  const webhook = await findWebhook(db, workspace, range.webhook_id)
  let { position } = range
  for (let pages = 0; pages < PAGES; pages += 1) {
    if (webhook === undefined || webhook.state === 'DELETED' || position >= range.up_to) {
      await forgetRange(app, range)
      return 'done'
    }
    if (webhook.state !== 'ACTIVE' || (await isFull(db, range)))
      return { again_at: clock.now() + WAIT_MILLISECONDS }
    const from = { ...range, position }
    position = await (range.only_failed ? failedAgain(app, from) : allAgain(app, from, webhook))
  }
  return { again_at: clock.now() }
}

const forgetRange = ({ db }: WebhooksApp, { workspace, id }: Range): Promise<unknown> =>
  db.query(sql`
    delete from webhook_redeliveries
    where workspace = ${workspace}
      and id = ${id}`)

/** Answers up to where it is done. */
function failedAgain(app: WebhooksApp, range: Range): Promise<number> {
  const { workspace, webhook_id, position, up_to } = range
  return app.db.tx(async (tx) => {
    if (!(await isActive(tx, workspace, webhook_id))) return position
    const failed = await tx.query<{ event_sequence: number }>(sql`
      select event_sequence
      from webhook_deliveries
      where workspace = ${workspace}
        and webhook_id = ${webhook_id}
        and ${stateIn(DELIVERY_MOVES, 'FAILED')}
        and event_sequence > ${position}
        and event_sequence <= ${up_to}
      order by event_sequence
      limit ${PAGE_EVENTS}`)
    const last = failed.at(-1)?.event_sequence
    const done = last === undefined || failed.length < PAGE_EVENTS ? up_to : last
    const which = sql`event_sequence > ${position} and event_sequence <= ${done}`
    await startOver(tx, app, range, { which, ended: ['FAILED'] })
    await storePosition(tx, app, range, done)
    return done
  })
}

async function allAgain(app: WebhooksApp, range: Range, webhook: WebhookRow): Promise<number> {
  const { workspace, webhook_id, position: after, up_to } = range
  const types = await typesOf(app, { ...webhook, webhook_id })
  const filter = { after, type: types ?? [] }
  const page = await nextEvents(app.db, workspace, filter, PAGE_EVENTS)
  const done = Math.min(page.after, up_to)
  const events: Event[] = page.events.filter(({ sequence }) => sequence <= up_to)
  return app.db.tx(async (tx) => {
    if (!(await isActive(tx, workspace, webhook_id))) return after
    const which = sql`message_id = any(${events.map((event) => event.id)}::uuid[])`
    await startOver(tx, app, range, { which, ended: ['FAILED', 'DELIVERED', 'CANCELED'] })
    await insertDeliveries(tx, app, range, events)
    await storePosition(tx, app, range, done)
    return done
  })
}

/** It stays so until the transaction ends. */
async function isActive(tx: Tx, workspace: WorkspaceId, webhook_id: WebhookId): Promise<boolean> {
  const found = await tx.query(sql`
    select
    from webhooks
    where workspace = ${workspace}
      and id = ${webhook_id}
      and ${stateIn(WEBHOOK_MOVES, 'ACTIVE')}
    for share`)
  return found.length > 0
}

/** Those that have ended in one of these states. */
async function startOver(
  tx: Tx,
  { clock }: WebhooksApp,
  { workspace, webhook_id, asked_by }: Range,
  { which, ended }: { which: Query; ended: readonly Delivery['state'][] },
): Promise<void> {
  const now = clock.now()
  await tx.query(
    updateRow(DELIVERIES, {
      where: sql`workspace = ${workspace} and webhook_id = ${webhook_id} and ${which}`,
      move: move(DELIVERY_MOVES, ended, 'PENDING'),
      set: { step: 0, due_at: now, delivered_at: null },
      by: asked_by,
      now,
    }),
  )
  await putDeliveryTask(tx, clock, workspace, webhook_id)
}

async function storePosition(
  tx: Tx,
  { clock }: WebhooksApp,
  { workspace, id: range_id, asked_by }: Range,
  position: number,
): Promise<void> {
  const where = { workspace, id: range_id }
  await tx.query(updateRow(RANGES, { where, set: { position }, by: asked_by, now: clock.now() }))
}
