import type { TaskHandler } from '../store/tasks.ts'
import { SETTLEMENT_TASK } from './settlement-rows.ts'
import type { SettlementsApp } from './settlement-rows.ts'
import { settlementTask } from './transferring.ts'

export { settlementsEndpoints } from './settlements.http.ts'
export { settlementsDeskFeed } from './overseen.ts'

export const settlementsTasks = (app: SettlementsApp): Record<string, TaskHandler> => ({
  [SETTLEMENT_TASK]: settlementTask(app),
})
