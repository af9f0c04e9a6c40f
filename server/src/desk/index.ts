import type { TaskHandler } from '../store/tasks.ts'
import { RECONCILE_TASK, reconcileTask } from './reconciliation.ts'
import type { ReconciliationApp } from './reconciliation.ts'

export { applyConfig, readConfig, workspaceOf } from './config.ts'
export type { ConfigApp } from './config.ts'
export { ConfigSchema } from './config.schema.ts'
export type { Config } from './config.schema.ts'
export { deskEndpoints } from './desk.http.ts'
export type { ReconciliationApp } from './reconciliation.ts'

export const deskTasks = (app: ReconciliationApp): Record<string, TaskHandler> => ({
  [RECONCILE_TASK]: reconcileTask(app),
})
