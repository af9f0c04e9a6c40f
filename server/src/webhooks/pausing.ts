/** A webhook that pauses by itself, and the word to its owner. */
import { activeCaller } from '../access/index.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { inOneLine } from '../events/index.ts'
import { workerCaller } from '../http/index.ts'
import { putTasks } from '../store/tasks.ts'
import type { TaskResult } from '../store/tasks.ts'
import { WORKER } from './app.ts'
import type { WebhooksApp } from './app.ts'
import { findWebhook } from './rows.ts'
import type { WebhookRow } from './rows.ts'
import { pauseWebhook } from './webhooks.ts'
import type { PauseCause } from './webhooks.schema.ts'

/** Tells the owner of a webhook that it was paused; its subject is the webhook. */
export const TELL_TASK = 'tell_webhook_owner'
const RETRY_MILLISECONDS = 600_000
const GIVE_UP_MILLISECONDS = 3 * 86_400_000

type Paused = { workspace: WorkspaceId; webhook_id: string }

/** Where it is still active. */
export async function pauseByItself(
  app: WebhooksApp,
  { workspace, webhook_id }: Paused,
  cause: PauseCause,
  reason: string,
): Promise<void> {
  const caller = workerCaller(workspace, WORKER)
  const isPaused = await app.db.tx(async (tx) => {
    const webhook = await findWebhook(tx, workspace, webhook_id)
    if (webhook?.state !== 'ACTIVE') return false
    await pauseWebhook(caller, app, tx, { webhook_id, cause, reason })
    const due_at = app.clock.now()
    await putTasks(tx, [{ workspace, kind: TELL_TASK, subject_id: webhook_id, due_at }])
    return true
  })
  if (isPaused) app.log.warn({ workspace, webhook_id, cause, reason }, 'webhook paused')
}

/** By mail, where there is a mail server. The overview shows it in any case. */
export async function tellOwner(
  app: WebhooksApp,
  workspace: WorkspaceId,
  webhook_id: string,
): Promise<TaskResult> {
  const { db, clock, mailer, log } = app
  const webhook = await findWebhook(db, workspace, webhook_id)
  if (mailer === undefined || webhook?.state !== 'PAUSED') return 'done'
  const now = clock.now()
  const paused_at = webhook.paused_at ?? now
  const owner = await activeCaller(db, workspace, webhook.owner_id, now)
  if (!owner?.email || now - paused_at > GIVE_UP_MILLISECONDS) return 'done'
  const sent = await mailer.send({
    // The same in every attempt.
    id: `${webhook_id}.${paused_at}`,
    recipient: owner.email,
    subject: `Kontor: the webhook ${inOneLine(webhook.label)} is paused`,
    body: mailText(webhook),
  })
  if (sent.handover === 'taken') return 'done'
  const { reason } = sent
  log.warn({ workspace, webhook_id, reason }, 'the owner of a webhook was not told yet')
  return sent.handover === 'refused' ? 'done' : { again_at: now + RETRY_MILLISECONDS }
}

const mailText = ({ id, label, pause_reason }: WebhookRow): string =>
  [
    `Kontor has paused the webhook ${inOneLine(label)} (${id}): ${inOneLine(pause_reason ?? '')}.`,
    '',
    'Nothing is lost: what waits, and what happens until then, is delivered once you resume it',
    'in the console (Administration, Webhooks) or by POST /api/webhooks/:webhook_id/resume.',
  ].join('\n')
