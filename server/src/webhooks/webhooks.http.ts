import type { WebhookId } from '../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryOneOf } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { columnIn, sql } from '../store/sql.ts'
import type { WebhooksApp } from './app.ts'
import { sendTest } from './deliveries.ts'
import { DeliveryRecord, RedeliverRange, Redelivery } from './deliveries.schema.ts'
import { redeliverRange } from './redelivering.ts'
import { WEBHOOK_COLUMNS, WEBHOOKS, webhookById } from './rows.ts'
import { openSecrets } from './secrets.ts'
import { shownOf } from '../store/rows.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  pauseWebhook,
  resumeWebhook,
  rotateSecret,
} from './webhooks.ts'
import {
  ChangeWebhook,
  CreateWebhook,
  PAUSE_CAUSES,
  PauseWebhook,
  ResumeWebhook,
  RotateSecret,
  WEBHOOK_STATES,
  WebhookRecord,
  WebhookSecrets,
} from './webhooks.schema.ts'

const tag = 'Webhooks'
const params = closed({ webhook_id: id<WebhookId>() })
const EXAMPLE = {
  label: 'Orders of the shop',
  url: 'https://shop.example.com/kontor',
  types: ['deposit.assigned', 'withdrawal.succeeded'],
  ordered: true,
}

export function webhooksEndpoints(app: WebhooksApp): Endpoint[] {
  return [...readEndpoints(app), ...writeEndpoints(app), ...stateEndpoints(app), ...sends(app)]
}

function readEndpoints(app: WebhooksApp): Endpoint[] {
  return [
    listEndpoint({
      path: '/webhooks',
      origin: { ours: 'people see where events go, and what is paused' },
      tag,
      operation_id: 'listWebhooks',
      tagged: 'webhook',
      summary: 'List webhooks',
      permission: 'webhooks.read',
      data: WebhookRecord,
      description: 'Without `state`, those that were deleted are left out.',
      query: closed({ state: queryOneOf(WEBHOOK_STATES), pause_cause: queryOneOf(PAUSE_CAUSES) }),
      list: ({ principal, query }) => ({
        select: sql`
          select ${WEBHOOK_COLUMNS}
          from webhooks`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          columnIn('state', query.state ?? ['ACTIVE', 'PAUSED']),
          ...(query.pause_cause === undefined ? [] : [columnIn('pause_cause', query.pause_cause)]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/webhooks/:webhook_id',
      origin: { ours: 'one of the list' },
      tag,
      operation_id: 'getWebhook',
      summary: 'One webhook',
      permission: 'webhooks.read',
      effect: 'read',
      params,
      data: WebhookRecord,
      handle: async ({ params: { webhook_id }, principal }) =>
        shownOf(WEBHOOKS, await webhookById(app.db, principal.workspace, webhook_id)),
    }),
    endpoint({
      method: 'GET',
      path: '/webhooks/:webhook_id/secrets',
      origin: { ours: 'the receiver checks signatures by it' },
      tag,
      operation_id: 'listWebhookSecrets',
      summary: 'The secrets of a webhook',
      permission: 'webhooks.write',
      description:
        'The present one first; during a rotation the former one after it. An empty list when ' +
        'the webhook was deleted, or when its secret was wrapped by another key: rotate it.',
      effect: 'read',
      params,
      data: WebhookSecrets,
      handle: async ({ params: { webhook_id }, principal }) => {
        const webhook = await webhookById(app.db, principal.workspace, webhook_id)
        if (webhook.wrapped_by === null || webhook.wrapped_by !== app.wrapping?.id) return []
        return openSecrets(app.wrapping, webhook, app.clock.now())
      },
    }),
  ]
}

function writeEndpoints(app: WebhooksApp): Endpoint[] {
  const common = { tag, permission: 'webhooks.write', effect: 'transaction' } as const
  return [
    endpoint({
      ...common,
      method: 'POST',
      path: '/webhooks',
      origin: { ours: 'events go to other programs by themselves' },
      operation_id: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'Events are posted to `url`, signed as Standard Webhooks says (docs/webhooks.md). It ' +
        'gets what the caller may read. 1003 without `events.read`, or for a type that the ' +
        'caller may not read; 3001 CONFLICT where the operator has no key file.',
      body: CreateWebhook,
      example: EXAMPLE,
      data: WebhookRecord,
      handle: ({ body, caller }, tx) => createWebhook(caller, app, tx, body),
    }),
    endpoint({
      ...common,
      method: 'PUT',
      path: '/webhooks',
      origin: { ours: 'it goes elsewhere, or other types do' },
      operation_id: 'changeWebhook',
      summary: 'Change a webhook',
      description:
        'The caller owns it from then on: it gets what the caller may read. What waits goes to ' +
        'the new address.',
      body: ChangeWebhook,
      example: { id: '01a1fc75-ea2a-7589-aa8f-000000000031', ...EXAMPLE, version: 1 },
      data: WebhookRecord,
      handle: ({ body, caller }, tx) => changeWebhook(caller, app, tx, body),
    }),
    endpoint({
      ...common,
      method: 'DELETE',
      path: '/webhooks/:webhook_id',
      origin: { ours: 'nobody listens any more' },
      operation_id: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'What waits is not delivered. Deliveries can be read for thirty days.',
      params,
      data: WebhookRecord,
      handle: ({ params: { webhook_id }, caller }, tx) =>
        deleteWebhook(caller, app, tx, webhook_id),
    }),
    endpoint({
      ...common,
      method: 'POST',
      path: '/webhooks/:webhook_id/rotate-secret',
      origin: { ours: 'secrets are changed without a delivery that cannot be verified' },
      operation_id: 'rotateWebhookSecret',
      summary: 'Make a new secret',
      description:
        'The former one signs too for `overlap_hours` (24 when absent): deliveries carry both ' +
        'signatures. With 0 it ends at once. An older one ends in any case.',
      params,
      body: RotateSecret,
      example: { overlap_hours: 24 },
      data: WebhookRecord,
      handle: ({ params: { webhook_id }, body, caller }, tx) =>
        rotateSecret(caller, app, tx, { ...body, webhook_id }),
    }),
  ]
}

function stateEndpoints(app: WebhooksApp): Endpoint[] {
  const common = { tag, permission: 'webhooks.write', effect: 'transaction', params } as const
  return [
    endpoint({
      ...common,
      method: 'POST',
      path: '/webhooks/:webhook_id/pause',
      origin: { ours: 'a receiver is under repair' },
      operation_id: 'pauseWebhook',
      summary: 'Pause a webhook',
      description: 'Nothing is sent, and nothing is lost. Refused: STATE_NOT_ALLOWED.',
      body: PauseWebhook,
      example: { reason: 'the receiver moves to another host' },
      data: WebhookRecord,
      handle: ({ params: { webhook_id }, body, caller }, tx) =>
        pauseWebhook(caller, app, tx, {
          webhook_id,
          cause: 'BY_HAND',
          reason: body.reason ?? null,
        }),
    }),
    endpoint({
      ...common,
      method: 'POST',
      path: '/webhooks/:webhook_id/resume',
      origin: { ours: 'a receiver is back' },
      operation_id: 'resumeWebhook',
      summary: 'Resume a webhook',
      description:
        'What waits is tried at once, and what has happened meanwhile follows; with `skip`, ' +
        'neither. The caller owns it from then on. Refused: STATE_NOT_ALLOWED.',
      body: ResumeWebhook,
      example: { skip: false },
      data: WebhookRecord,
      handle: ({ params: { webhook_id }, body, caller }, tx) =>
        resumeWebhook(caller, app, tx, { webhook_id, skip: body.skip === true }),
    }),
  ]
}

function sends(app: WebhooksApp): Endpoint[] {
  const common = { tag, permission: 'webhooks.write', effect: 'transaction', params } as const
  return [
    endpoint({
      ...common,
      method: 'POST',
      path: '/webhooks/:webhook_id/test',
      origin: { ours: 'receiver and signature are tried before something happens' },
      operation_id: 'testWebhook',
      summary: 'Send a test',
      description:
        'Delivers an event of the type `webhook.test`, which tells of nothing. Refused: ' +
        'NOT_ACTIVE while the webhook is paused.',
      data: DeliveryRecord,
      handle: ({ params: { webhook_id }, caller }, tx) =>
        sendTest(caller, app.clock, tx, webhook_id),
    }),
    endpoint({
      ...common,
      method: 'POST',
      path: '/webhooks/:webhook_id/redeliver',
      origin: { ours: 'a receiver has lost what it had taken' },
      operation_id: 'redeliverRange',
      summary: 'Deliver a range of events again',
      description:
        'By default those that have FAILED; with `ALL`, every event of its types, also when its ' +
        'delivery is kept no more. Each has the same `webhook-id` as the first time. The range ' +
        'is worked off after the answer. Refused: NOT_ACTIVE while the webhook is paused, RANGE.',
      body: RedeliverRange,
      example: { after: 1200, up_to: 1300, only: 'FAILED' },
      data: Redelivery,
      handle: ({ params: { webhook_id }, body, caller }, tx) =>
        redeliverRange(caller, app, tx, { ...body, webhook_id }),
    }),
  ]
}
