import type { TaskHandler } from '../store/tasks.ts'
import type { TradingApp } from './trading-app.ts'
import { TRADES_TASK, tradesTask } from './account-trades.ts'
import { orderTasks } from './orders.ts'
import { stopTasks } from './stops.ts'

export { applyPriceRoutes, startFollowing } from './routes.ts'
export { expireQuotes, hasQuotes } from './quotes.ts'
export { FILL_COLUMNS } from './execution-rows.ts'
export {
  availableTo,
  fillById,
  fillsByIds,
  fillsHeldBy,
  isHeldBy,
  moveFills,
  settledSteps,
  unsettledFills,
} from './settling.ts'
export { tradingEndpoints } from './trading.http.ts'
export { FillRecord, PriceRouteDeclaration } from './trading.schema.ts'
export { TRADES_TASK } from './account-trades.ts'
export { ordersUnderway, tradeOfSize, unfinishedAt } from './underway.ts'
export { tradedSince, tradingOverseen } from './overseen.ts'
export { executionsOf } from './stories.ts'
export type { UnderwayOrder } from './underway.ts'
export type { DeclaredPriceRoute, Execution, Fill, Quote } from './trading.schema.ts'

export function tradingTasks(app: TradingApp): Record<string, TaskHandler> {
  return { ...orderTasks(app), ...stopTasks(app), [TRADES_TASK]: tradesTask(app) }
}
