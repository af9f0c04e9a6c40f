import type { TaskHandler } from '../store/tasks.ts'
import { SETTLEMENT_TASK } from './rows.ts'
import type { SettlementsApp } from './rows.ts'
import { settlementTask } from './transfers.ts'

export { settlementsEndpoints } from './settlements.http.ts'
export { settlementsDeskFeed } from './desk-feed.ts'

export const settlementsTasks = (app: SettlementsApp): Record<string, TaskHandler> => ({
  [SETTLEMENT_TASK]: settlementTask(app),
})
