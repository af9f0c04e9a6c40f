import { ApiError } from '../core/errors.ts'
import type { WebhookDeliveryId, WebhookId } from '../core/ids.ts'
import { permissionOfEvent } from '../events/index.ts'
import { closed, endpoint, id, listEndpoint, queryId, queryOneOf } from '../http/index.ts'
import type { Endpoint, ListQuery, Principal } from '../http/index.ts'
import { columnIn, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { WebhooksApp } from './app.ts'
import { deliveryById, detailsOf, redeliver } from './deliveries.ts'
import {
  DELIVERY_STATES,
  DELIVERY_TYPES,
  DeliveryDetails,
  DeliveryRecord,
  TEST_TYPE,
} from './deliveries.schema.ts'
import type { Delivery } from './deliveries.schema.ts'
import { DELIVERY_COLUMNS } from './rows.ts'

const tag = 'Webhooks'
const ofDelivery = closed({ webhook_delivery_id: id<WebhookDeliveryId>() })

export function deliveriesEndpoints(app: WebhooksApp): Endpoint[] {
  return [
    listEndpoint({
      path: '/webhook-deliveries',
      origin: { ours: 'people see what was delivered, what waits and what failed' },
      tag,
      operation_id: 'listWebhookDeliveries',
      summary: 'List deliveries',
      permission: 'webhooks.read',
      data: DeliveryRecord,
      description:
        'Kept for thirty days after their end. Deliveries of events that the caller may not read ' +
        'are left out.',
      query: closed({
        webhook_id: queryId<WebhookId>(),
        state: queryOneOf(DELIVERY_STATES),
        event_type: queryOneOf(DELIVERY_TYPES),
      }),
      list: ({ principal, query }) => ({
        ...deliveriesOf(readable(principal), query.event_type),
        conditions: [
          sql`workspace = ${principal.workspace}`,
          ...(query.webhook_id === undefined ? [] : [sql`webhook_id = ${query.webhook_id}`]),
          ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/webhook-deliveries/:webhook_delivery_id',
      origin: { ours: 'what was sent and answered, attempt by attempt' },
      tag,
      operation_id: 'getWebhookDelivery',
      summary: 'One delivery with its attempts',
      permission: 'webhooks.read',
      description: '1003 for one of an event that the caller may not read.',
      effect: 'read',
      params: ofDelivery,
      data: DeliveryDetails,
      handle: async ({ params: { webhook_delivery_id }, principal }) =>
        detailsOf(app.db, await readableDelivery(app, principal, webhook_delivery_id)),
    }),
    endpoint({
      method: 'POST',
      path: '/webhook-deliveries/:webhook_delivery_id/redeliver',
      origin: { ours: 'a receiver wants one once more' },
      tag,
      operation_id: 'redeliver',
      summary: 'Deliver one again',
      permission: 'webhooks.write',
      description:
        'From the beginning, with the same `webhook-id`; one that waits is tried now. Refused: ' +
        'NOT_ACTIVE while the webhook is paused.',
      effect: 'transaction',
      params: ofDelivery,
      data: DeliveryRecord,
      handle: async ({ params: { webhook_delivery_id }, principal, caller }, tx) =>
        redeliver(
          caller,
          app.clock,
          tx,
          await readableDelivery(app, principal, webhook_delivery_id),
        ),
    }),
  ]
}

const mayRead = ({ permissions }: Pick<Principal, 'permissions'>, type: Type): boolean =>
  type === TEST_TYPE || permissions.has(permissionOfEvent(type))

type Type = Delivery['event_type']

/** Undefined: of every type. */
function readable(principal: Pick<Principal, 'permissions'>): readonly Type[] | undefined {
  const types = DELIVERY_TYPES.filter((type) => mayRead(principal, type))
  return types.length === DELIVERY_TYPES.length ? undefined : types
}

async function readableDelivery(
  { db }: WebhooksApp,
  principal: Pick<Principal, 'permissions' | 'workspace'>,
  delivery_id: string,
): Promise<Delivery> {
  const delivery = await deliveryById(db, principal.workspace, delivery_id)
  const { event_type } = delivery
  if (event_type !== TEST_TYPE && !mayRead(principal, event_type))
    throw new ApiError(
      'PermissionDenied',
      `${event_type} needs the permission ${permissionOfEvent(event_type)}`,
    )
  return delivery
}

/** One part for each type, in the order of its index. */
function deliveriesOf(
  types: readonly Type[] | undefined,
  asked: readonly Type[] | undefined,
): Pick<ListQuery<never>, 'select' | 'merged'> {
  const where = (condition: Query) => sql`
    select *
    from (
      select ${DELIVERY_COLUMNS}
      from webhook_deliveries
      where ${condition}
    ) as deliveries`
  if (types === undefined && asked === undefined) return { select: where(sql`true`) }
  const wanted = (asked ?? types ?? []).filter((type) => types?.includes(type) ?? true)
  const [select = where(sql`false`), ...merged] = [...new Set(wanted)].map((type) =>
    where(sql`event_type = ${type}`),
  )
  return { select, merged }
}
