/** Deliveries as people and the API see them: what waits, what was answered, and once more. */
import { notFound, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WebhookDeliveryId, WebhookId, WorkspaceId } from '../core/ids.ts'
import { moveFromAny, move } from '../core/moves.ts'
import type { Clock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import type { Caller } from '../http/index.ts'
import { eventAt } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { putTasks } from '../store/tasks.ts'
import { DELIVER_TASK } from './app.ts'
import { AttemptRecord, DELIVERY_MOVES, TEST_TYPE } from './deliveries.schema.ts'
import type { Attempt, Delivery, DeliveryDetails } from './deliveries.schema.ts'
import { DELIVERIES, DELIVERY_COLUMNS, lockWebhook } from './rows.ts'

const SHOWN_ATTEMPTS = 50

type OfWebhook = Pick<Caller, 'workspace' | 'by'> & { webhook_id: string }

/** Throws 4004. */
export async function deliveryById(
  reader: Reader,
  workspace: WorkspaceId,
  delivery_id: string,
): Promise<Delivery> {
  const delivery = only(
    await reader.query<Delivery>(sql`
      select ${DELIVERY_COLUMNS}
      from webhook_deliveries
      where workspace = ${workspace}
        and id = ${delivery_id}`),
  )
  if (delivery === undefined) throw notFound('delivery', delivery_id, 'webhook_delivery_id')
  return delivery
}

/** With its attempts, newest first, and the body as it is sent now. */
export async function detailsOf(reader: Reader, delivery: Delivery): Promise<DeliveryDetails> {
  const { workspace, id } = delivery
  const history = await reader.query<Attempt>(sql`
    select ${columnsOf(AttemptRecord)}
    from webhook_attempts
    where workspace = ${workspace}
      and delivery_id = ${id}
    order by number desc
    limit ${SHOWN_ATTEMPTS}`)
  return { ...delivery, request_body: await bodyOf(reader, delivery), history }
}

/**
 * The event as GET /events answers it. It is read each time: a text that was erased meanwhile is
 * not delivered.
 */
export async function bodyOf(reader: Reader, delivery: Delivery): Promise<string> {
  const { workspace, event_sequence, message_id } = delivery
  if (event_sequence === null) return JSON.stringify(testEvent(delivery))
  const event = mustExist(await eventAt(reader, workspace, event_sequence), 'events are kept')
  const { id, type, sequence, resource_id, occurred_at, data } = event
  if (id !== message_id) throw new Error(`event ${sequence} is no longer the one to deliver`)
  return JSON.stringify({ id, type, sequence, workspace, resource_id, occurred_at, data })
}

const testEvent = (delivery: Delivery): object => ({
  id: delivery.message_id,
  type: TEST_TYPE,
  sequence: null,
  workspace: delivery.workspace,
  resource_id: delivery.webhook_id,
  occurred_at: delivery.system_created_at,
  data: { message: 'This is a test. Nothing has happened.' },
})

/** A delivery of no event, by which receiver and signature can be tried. */
export async function sendTest(
  { workspace, by }: Caller,
  clock: Clock,
  tx: Tx,
  webhook_id: WebhookId,
): Promise<Delivery> {
  await lockActive(tx, workspace, webhook_id)
  const now = clock.now()
  const row = {
    workspace,
    id: newId<WebhookDeliveryId>(now),
    webhook_id,
    message_id: newId(now),
    event_type: TEST_TYPE,
    resource_id: webhook_id,
    state: 'PENDING',
    attempts: 0,
    step: 0,
    due_at: now,
  } as const
  const [delivery] = await tx.query<Delivery>(sql`
    ${insertRow(DELIVERIES, row, { by, now })}
    returning ${DELIVERY_COLUMNS}`)
  await askNow(tx, clock, workspace, webhook_id)
  return mustExist(delivery, 'it was inserted')
}

/** Once more from the beginning, with the same message id. What waits is tried now. */
export async function redeliver(
  { workspace, by }: Caller,
  clock: Clock,
  tx: Tx,
  delivery: Pick<Delivery, 'id' | 'webhook_id'>,
): Promise<Delivery> {
  const { id, webhook_id } = delivery
  await lockActive(tx, workspace, webhook_id)
  const now = clock.now()
  const again = {
    where: { workspace, id },
    set: { step: 0, due_at: now, delivered_at: null },
    by,
    now,
  }
  const moved = updateRow(DELIVERIES, { ...again, move: moveFromAny(DELIVERY_MOVES, 'PENDING') })
  const hastened = updateRow(DELIVERIES, { ...again, where: { workspace, id, state: 'PENDING' } })
  for (const change of [moved, hastened]) {
    const [changed] = await tx.query<Delivery>(sql`
      ${change}
      returning ${DELIVERY_COLUMNS}`)
    if (changed === undefined) continue
    await askNow(tx, clock, workspace, webhook_id)
    return changed
  }
  throw notFound('delivery', id, 'webhook_delivery_id')
}

/** Nothing is sent while a webhook is paused. Throws 4004, and 3001 NOT_ACTIVE. */
export async function lockActive(
  tx: Tx,
  workspace: WorkspaceId,
  webhook_id: string,
): Promise<void> {
  const { state } = await lockWebhook(tx, workspace, webhook_id)
  if (state !== 'ACTIVE')
    throw refuse('NOT_ACTIVE', 'webhook_id', 'the webhook is paused: resume it first')
}

export const putDeliveryTask = (
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  webhook_id: string,
): Promise<void> =>
  putTasks(tx, [{ workspace, kind: DELIVER_TASK, subject_id: webhook_id, due_at: clock.now() }])

/** A person wants to know: the receiver is asked, although it is being left alone. */
async function askNow(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  webhook_id: string,
): Promise<void> {
  await tx.query(sql`
    update webhook_progress
    set not_before = least(not_before, ${clock.now()})
    where workspace = ${workspace}
      and webhook_id = ${webhook_id}`)
  await putDeliveryTask(tx, clock, workspace, webhook_id)
}

/** Of all that waits, nothing is delivered. */
export async function cancelWaiting(
  tx: Tx,
  clock: Clock,
  { workspace, webhook_id, by }: OfWebhook,
  reason: string,
): Promise<void> {
  await tx.query(
    updateRow(DELIVERIES, {
      where: { workspace, webhook_id },
      move: move(DELIVERY_MOVES, 'PENDING', 'CANCELED'),
      set: { reason },
      by,
      now: clock.now(),
    }),
  )
}

/** All that waits is due, at the beginning of the ladder. */
export async function startAgain(
  tx: Tx,
  clock: Clock,
  { workspace, webhook_id, by }: OfWebhook,
): Promise<void> {
  const now = clock.now()
  await tx.query(
    updateRow(DELIVERIES, {
      where: { workspace, webhook_id, state: 'PENDING' },
      set: { step: 0, due_at: now },
      by,
      now,
    }),
  )
}

/** So many are counted at most. */
export async function countWaiting(
  reader: Reader,
  workspace: WorkspaceId,
  webhook_id: string,
  most: number,
): Promise<number> {
  const [row] = await reader.query<{ count: number }>(sql`
    select count(*)::integer as count
    from (
      select
      from webhook_deliveries
      where workspace = ${workspace}
        and webhook_id = ${webhook_id}
        and ${stateIn(DELIVERY_MOVES, 'PENDING')}
      limit ${most}
    ) as counted`)
  return row?.count ?? 0
}
