/** The due work of webhooks. */
import type { TaskHandler } from '../store/tasks.ts'
import { DELIVER_TASK } from './app.ts'
import type { WebhooksApp } from './app.ts'
import { deliver } from './delivering.ts'
import { followEvents } from './following.ts'
import type { Resting } from './following.ts'
import { TELL_TASK, tellOwner } from './pausing.ts'
import { REDELIVER_TASK, workOffRange } from './redelivering.ts'

/** Makes deliveries of events; one for all workspaces. */
export const FOLLOW_TASK = 'follow_webhooks'
/** So many webhooks are delivered to at once, by one process. */
export const DELIVERED_AT_ONCE = 64

/** What makes deliveries, and asks nobody. */
export function webhookTasks(app: WebhooksApp): Record<string, TaskHandler> {
  const resting: Resting = new Map()
  return {
    [FOLLOW_TASK]: () => followEvents(app, resting),
    [REDELIVER_TASK]: (task) => workOffRange(app, task),
  }
}

/** What asks the mail server. */
export const webhookMailTasks = (app: WebhooksApp): Record<string, TaskHandler> => ({
  [TELL_TASK]: ({ workspace, subject_id }) => tellOwner(app, workspace, subject_id),
})

/** What asks receivers, and so needs slots of its own: some are slow. */
export const deliveryTasks = (app: WebhooksApp): Record<string, TaskHandler> => ({
  [DELIVER_TASK]: (task) => deliver(app, task),
})
