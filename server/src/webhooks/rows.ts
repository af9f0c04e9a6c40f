/** Webhooks as they are stored. */
import { notFound } from '../core/errors.ts'
import type { WebhookId, WorkspaceId } from '../core/ids.ts'
import { closed, id, integer, nullable, text, time, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { allColumnsOf, columnsOf, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateNotIn } from '../store/states.ts'
import { DeliveryRecord } from './deliveries.schema.ts'
import { WEBHOOK_MOVES, WebhookRecord } from './webhooks.schema.ts'
import type { Webhook } from './webhooks.schema.ts'

const bytes = () => nullable(Type.Unsafe<Buffer>({ type: 'string', 'x-column': 'bytea' }))

/** The secret and, until its time is over, the former one. */
const inside = {
  wrapped_secret: bytes(),
  wrapped_by: nullable(text()),
  former_wrapped_secret: bytes(),
  former_wrapped_by: nullable(text()),
  former_until: nullable(time()),
}
export type WrappedSecrets = Static<typeof Secrets>
const Secrets = closed(inside)

export const WEBHOOKS = tableOf('webhooks', WebhookRecord, { inside })
export const WEBHOOK_COLUMNS = columnsOf(WebhookRecord)
export type WebhookRow = Webhook & WrappedSecrets

const Progress = closed({
  workspace: id<WorkspaceId>(),
  webhook_id: id<WebhookId>(),
  /** Of the last event that has been read for it. */
  sequence: integer(0, Number.MAX_SAFE_INTEGER),
  /** Since its receiver last took something; null while it takes. */
  failing_since: nullable(time()),
  /** How often in a row it could not be reached, or asked for time. */
  failures: integer(0, Number.MAX_SAFE_INTEGER),
  /** Nothing is sent before. */
  not_before: time(),
})
export type Progress = Static<typeof Progress>
export const PROGRESS = tableOf('webhook_progress', Progress)

/** `step`: where it stands in the ladder of attempts. */
export const DELIVERIES = tableOf('webhook_deliveries', DeliveryRecord, {
  inside: { step: integer(0, Number.MAX_SAFE_INTEGER) },
})
export const DELIVERY_COLUMNS = columnsOf(DeliveryRecord)

/** Throws 4004, also for one that was deleted. */
export async function lockWebhook(
  tx: Tx,
  workspace: WorkspaceId,
  webhook_id: string,
  path = 'webhook_id',
): Promise<WebhookRow> {
  const webhook = only(
    await tx.query<WebhookRow>(sql`
      select ${allColumnsOf(WEBHOOKS)}
      from webhooks
      where workspace = ${workspace}
        and id = ${webhook_id}
        and ${stateNotIn(WEBHOOK_MOVES, 'DELETED')}
      for update`),
  )
  if (webhook === undefined) throw notFound('webhook', webhook_id, path)
  return webhook
}

/** Also one that was deleted. */
export async function findWebhook(
  reader: Reader,
  workspace: WorkspaceId,
  webhook_id: string,
): Promise<WebhookRow | undefined> {
  return only(
    await reader.query<WebhookRow>(sql`
      select ${allColumnsOf(WEBHOOKS)}
      from webhooks
      where workspace = ${workspace}
        and id = ${webhook_id}`),
  )
}

/** Throws 4004. */
export async function webhookById(
  reader: Reader,
  workspace: WorkspaceId,
  webhook_id: string,
): Promise<WebhookRow> {
  const webhook = await findWebhook(reader, workspace, webhook_id)
  if (webhook === undefined) throw notFound('webhook', webhook_id, 'webhook_id')
  return webhook
}

export async function progressOf(
  reader: Reader,
  workspace: WorkspaceId,
  webhook_id: string,
): Promise<Progress | undefined> {
  return only(
    await reader.query<Progress>(sql`
      select ${columnsOf(Progress)}
      from webhook_progress
      where workspace = ${workspace}
        and webhook_id = ${webhook_id}`),
  )
}
