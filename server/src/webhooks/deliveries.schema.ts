import type { WebhookDeliveryId, WebhookId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import { MAXIMUM_ANSWER, MAXIMUM_REASON } from '../core/calling.ts'
import {
  closed,
  id,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  text,
  time,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { EVENT_TYPES } from '../ledger/index.ts'

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELED'] as const
type DeliveryState = (typeof DELIVERY_STATES)[number]

/**
 * FAILED: every attempt of three days failed. CANCELED: nobody waits for it any more, or the owner
 * of the webhook may not read it. What has ended can be delivered again.
 */
export const DELIVERY_MOVES: Moves<DeliveryState> = {
  PENDING: ['DELIVERED', 'FAILED', 'CANCELED'],
  DELIVERED: ['PENDING'],
  FAILED: ['PENDING'],
  CANCELED: ['PENDING'],
}

/** The type of a delivery that tests a webhook. It is of no event. */
export const TEST_TYPE = 'webhook.test'
export const DELIVERY_TYPES = [...EVENT_TYPES, TEST_TYPE] as const

/** A booking may have thousands of legs. */
const MAXIMUM_BODY = 10_000_000

const headers = (description: string) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
  })

export const DeliveryRecord = record('WebhookDelivery', {
  id: id<WebhookDeliveryId>(),
  webhook_id: id<WebhookId>(),
  message_id: id('The header webhook-id, and the id of the event; the same in every attempt'),
  event_sequence: nullable(integer(1, Number.MAX_SAFE_INTEGER, 'Null of a test')),
  event_type: oneOf(DELIVERY_TYPES),
  resource_id: id('The record of the event; of a test the webhook'),
  state: oneOf(DELIVERY_STATES),
  attempts: integer(0, Number.MAX_SAFE_INTEGER),
  due_at: time('When it is tried next, while PENDING'),
  status: nullable(integer(100, 999, 'Of the last answer')),
  reason: nullable(text(MAXIMUM_REASON, 'Why the last attempt failed')),
  delivered_at: nullable(time()),
})
export type Delivery = Static<typeof DeliveryRecord>

export const AttemptRecord = closed(
  {
    number: integer(1, Number.MAX_SAFE_INTEGER),
    started_at: time(),
    duration_ms: nullable(integer(0, Number.MAX_SAFE_INTEGER)),
    url: text(1_000),
    request_headers: headers('As they were sent'),
    status: nullable(integer(100, 999)),
    response_headers: nullable(headers('Those that say what came back')),
    response_body: nullable(text(MAXIMUM_ANSWER, 'Its beginning')),
    reason: nullable(text(MAXIMUM_REASON, 'Why it failed')),
  },
  { title: 'WebhookAttempt' },
)
export type Attempt = Static<typeof AttemptRecord>

export const DeliveryDetails = record('WebhookDeliveryDetails', {
  ...DeliveryRecord.properties,
  request_body: nullable(text(MAXIMUM_BODY, 'As it is sent now')),
  history: Type.Array(AttemptRecord, { description: 'Its attempts, newest first, at most 50' }),
})
export type DeliveryDetails = Static<typeof DeliveryDetails>

const REDELIVERED = ['FAILED', 'ALL'] as const

export const RedeliverRange = closed(
  {
    after: integer(0, Number.MAX_SAFE_INTEGER, 'The events after this sequence'),
    up_to: optional(
      integer(1, Number.MAX_SAFE_INTEGER, 'Up to this one; up to the last one when absent'),
    ),
    only: optional(
      oneOf(REDELIVERED, 'Deliveries that have FAILED, when absent, or ALL events of its types'),
    ),
  },
  { title: 'RedeliverRange' },
)
export type RedeliverRangeBody = Static<typeof RedeliverRange>

export const Redelivery = closed(
  {
    id: id(),
    webhook_id: id<WebhookId>(),
    after: integer(0, Number.MAX_SAFE_INTEGER),
    up_to: integer(0, Number.MAX_SAFE_INTEGER),
    only: oneOf(REDELIVERED),
  },
  { title: 'WebhookRedelivery' },
)
export type Redelivery = Static<typeof Redelivery>
