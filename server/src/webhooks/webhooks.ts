/**
 * Webhooks: where the events of a workspace are delivered to. A webhook gets what its owner may
 * read: who made it or last changed or resumed it. So nobody sends by it what they may not see.
 */
import { mustExist } from '../core/assert.ts'
import { permissionRequired, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WebhookId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import { activeCaller, securityEntries } from '../access/index.ts'
import { readableTypes } from '../events/index.ts'
import type { Caller } from '../http/index.ts'
import { lastEventSequences } from '../ledger/index.ts'
import type { EventType } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { insertRow, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { WebhooksApp } from './app.ts'
import { cancelWaiting, putDeliveryTask, startAgain } from './deliveries.ts'
import { lockWebhook, PROGRESS, WEBHOOKS, WEBHOOK_COLUMNS } from './rows.ts'
import { wrapSecret } from './secrets.ts'
import { newSecret } from '../core/signing.ts'
import { assertTarget } from './targets.ts'
import { WEBHOOK_MOVES } from './webhooks.schema.ts'
import type {
  ChangeWebhookBody,
  CreateWebhookBody,
  PauseCause,
  Webhook,
} from './webhooks.schema.ts'

const HOUR_MILLISECONDS = 3_600_000
const OVERLAP_HOURS = 24
const NOT_PAUSED = { pause_cause: null, pause_reason: null, paused_at: null }

export async function createWebhook(
  caller: Caller,
  app: WebhooksApp,
  tx: Tx,
  body: CreateWebhookBody,
): Promise<Webhook> {
  const { workspace, by } = caller
  const { types = [], ordered = false } = body
  const url = assertTarget(body.url, app.targets)
  await assertMayRead(caller, tx, types)
  const now = app.clock.now()
  const id = newId<WebhookId>(now)
  const head = (await lastEventSequences(tx, [workspace])).get(workspace) ?? 0
  const row = {
    workspace,
    id,
    label: body.label,
    url,
    types,
    ordered,
    ...wrapSecret(app.wrapping, { workspace, id }, newSecret()),
    state: 'ACTIVE',
    owner_id: by,
  } as const
  const [webhook] = await tx.query<Webhook>(sql`
    ${insertRow(WEBHOOKS, row, { by, now })}
    returning ${WEBHOOK_COLUMNS}`)
  const sequence = Math.min(body.after ?? head, head)
  await tx.query(
    insertRow(
      PROGRESS,
      { workspace, webhook_id: id, sequence, failures: 0, not_before: 0 },
      { by, now },
    ),
  )
  await record(caller, app, tx, { id, what: 'CREATED', url })
  return mustExist(webhook, 'it was inserted')
}

/** Whoever changes it owns it from then on. */
export async function changeWebhook(
  caller: Caller,
  app: WebhooksApp,
  tx: Tx,
  { id, version, ...body }: ChangeWebhookBody,
): Promise<Webhook> {
  const before = await lockWebhook(tx, caller.workspace, id, 'id')
  if (version !== undefined && version !== before.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the webhook has changed: its version is ${before.version}`,
    )
  const url = assertTarget(body.url, app.targets)
  await assertMayRead(caller, tx, body.types)
  const set = { ...body, url, owner_id: caller.by }
  const after = await update(caller, app, tx, { id, set })
  if (url !== before.url) await beginAnew(caller, app, tx, { webhook_id: id })
  await record(caller, app, tx, { id, what: 'CHANGED', url })
  return after
}

/** What the receiver did before is forgotten, and all that waits is due, while it is active. */
async function beginAnew(
  { workspace, by }: Caller,
  { clock }: WebhooksApp,
  tx: Tx,
  { webhook_id, ...more }: { webhook_id: WebhookId; sequence?: number },
): Promise<void> {
  const now = clock.now()
  const set = { failing_since: null, failures: 0, not_before: 0, ...more }
  await tx.query(updateRow(PROGRESS, { where: { workspace, webhook_id }, set, by, now }))
  await startAgain(tx, clock, { workspace, by, webhook_id })
  await putDeliveryTask(tx, clock, workspace, webhook_id)
}

/** Repeats are deliveries that wait or come later; what has gone out already has gone. */
export async function pauseWebhook(
  caller: Caller,
  app: WebhooksApp,
  tx: Tx,
  { webhook_id, ...why }: { webhook_id: WebhookId; cause: PauseCause; reason: string | null },
): Promise<Webhook> {
  const { id, state } = await lockWebhook(tx, caller.workspace, webhook_id)
  if (state !== 'ACTIVE')
    throw refuse('STATE_NOT_ALLOWED', 'webhook_id', 'the webhook is paused already')
  const set = {
    pause_cause: why.cause,
    pause_reason: why.reason,
    paused_at: app.clock.now(),
  }
  const after = await update(caller, app, tx, {
    id,
    set,
    move: move(WEBHOOK_MOVES, 'ACTIVE', 'PAUSED'),
  })
  await record(caller, app, tx, { id, what: 'PAUSED', cause: why.cause, reason: why.reason })
  return after
}

/** Goes on where it stopped, or with `skip` with what happens from now on. */
export async function resumeWebhook(
  caller: Caller,
  app: WebhooksApp,
  tx: Tx,
  { webhook_id, skip }: { webhook_id: WebhookId; skip: boolean },
): Promise<Webhook> {
  const { workspace, by } = caller
  const { id, state, types } = await lockWebhook(tx, workspace, webhook_id)
  if (state !== 'PAUSED')
    throw refuse('STATE_NOT_ALLOWED', 'webhook_id', 'the webhook is not paused')
  await assertMayRead(caller, tx, types)
  const head = (await lastEventSequences(tx, [workspace])).get(workspace) ?? 0
  if (skip) await cancelWaiting(tx, app.clock, { ...caller, webhook_id }, 'left out by a user')
  await beginAnew(caller, app, tx, { webhook_id, ...(skip ? { sequence: head } : {}) })
  const after = await update(caller, app, tx, {
    id,
    set: { ...NOT_PAUSED, owner_id: by },
    move: move(WEBHOOK_MOVES, 'PAUSED', 'ACTIVE'),
  })
  await record(caller, app, tx, { id, what: 'RESUMED', skip })
  return after
}

/** What waits is not delivered; what was delivered can be read for as long as it is kept. */
export async function deleteWebhook(
  caller: Caller,
  app: WebhooksApp,
  tx: Tx,
  webhook_id: WebhookId,
): Promise<Webhook> {
  const { workspace } = caller
  const { id, state } = await lockWebhook(tx, workspace, webhook_id)
  await tx.query(sql`
    delete from webhook_progress
    where workspace = ${workspace}
      and webhook_id = ${id}`)
  await cancelWaiting(tx, app.clock, { ...caller, webhook_id }, 'the webhook was deleted')
  const after = await update(caller, app, tx, {
    id,
    set: { ...NOT_PAUSED, ...NO_FORMER, wrapped_secret: null, wrapped_by: null },
    move: move(WEBHOOK_MOVES, state, 'DELETED'),
  })
  await record(caller, app, tx, { id, what: 'DELETED' })
  return after
}

const NO_FORMER = { former_wrapped_secret: null, former_wrapped_by: null, former_until: null }

/** The former secret signs too for `overlap_hours`, so that receivers can take over the new one. */
export async function rotateSecret(
  caller: Caller,
  app: WebhooksApp,
  tx: Tx,
  { webhook_id, overlap_hours }: { webhook_id: WebhookId; overlap_hours?: number | undefined },
): Promise<Webhook> {
  const { workspace } = caller
  const { id, wrapped_secret, wrapped_by } = await lockWebhook(tx, workspace, webhook_id)
  const hours = overlap_hours ?? OVERLAP_HOURS
  const former_until = app.clock.now() + hours * HOUR_MILLISECONDS
  const after = await update(caller, app, tx, {
    id,
    set: {
      ...wrapSecret(app.wrapping, { workspace, id }, newSecret()),
      ...(hours === 0
        ? NO_FORMER
        : {
            former_wrapped_secret: wrapped_secret,
            former_wrapped_by: wrapped_by,
            former_until,
          }),
    },
  })
  await record(caller, app, tx, { id, what: 'SECRET_ROTATED', overlap_hours: hours })
  return after
}

/** Throws 1003: who sends events somewhere must be able to read them. */
async function assertMayRead(
  { workspace, by, api_key }: Caller,
  tx: Tx,
  types: readonly EventType[],
): Promise<void> {
  // A user does not end by time.
  const owner = api_key ?? (await activeCaller(tx, workspace, by, 0))
  if (owner?.permissions.has('events.read') !== true)
    throw permissionRequired('events.read', 'the owner of a webhook')
  if (types.length > 0) readableTypes(owner.permissions, types)
}

type Change = Pick<Parameters<typeof updateRow<WebhookFields>>[1], 'set' | 'move'> & { id: string }
type WebhookFields = NonNullable<NonNullable<(typeof WEBHOOKS)['types']>['row']>

async function update(
  { workspace, by }: Caller,
  { clock }: WebhooksApp,
  tx: Tx,
  { id, ...change }: Change,
): Promise<Webhook> {
  const changed = updateRow(WEBHOOKS, { where: { workspace, id }, ...change, by, now: clock.now() })
  const [webhook] = await tx.query<Webhook>(sql`
    ${changed}
    returning ${WEBHOOK_COLUMNS}`)
  return mustExist(webhook, 'it is locked')
}

async function record(
  { workspace, by, source }: Caller,
  { clock }: WebhooksApp,
  tx: Tx,
  { id, ...details }: { id: string; what: string } & Record<string, unknown>,
): Promise<void> {
  await tx.query(
    securityEntries(workspace, clock.now(), [
      {
        kind: 'WEBHOOK_CHANGED',
        actor: by,
        source,
        details: { webhook_id: id, ...details },
        record_id: id,
      },
    ]),
  )
}
