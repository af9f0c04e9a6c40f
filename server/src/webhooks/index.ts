import type { Endpoint } from '../http/index.ts'
import type { WebhooksApp } from './app.ts'
import { deliveriesEndpoints } from './deliveries.http.ts'
import { webhooksEndpoints as ownEndpoints } from './webhooks.http.ts'

export { webhooksDeskFeed } from './desk-feed.ts'
export { forgetOldDeliveries } from './keeping.ts'
export { targetRulesFrom } from './targets.ts'
export { DELIVER_TASK } from './app.ts'
export {
  DELIVERED_AT_ONCE,
  deliveryTasks,
  FOLLOW_TASK,
  webhookMailTasks,
  webhookTasks,
} from './tasks.ts'
export { webhookFigures } from './webhook-figures.ts'

export const webhooksEndpoints = (app: WebhooksApp): Endpoint[] => [
  ...ownEndpoints(app),
  ...deliveriesEndpoints(app),
]
