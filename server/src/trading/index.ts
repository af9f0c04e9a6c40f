import type { Endpoint } from '../http/index.ts'
import type { TaskHandler } from '../store/tasks.ts'
import type { TradingApp } from './app.ts'
import { accountTradeEndpoints } from './account-trades/account-trades.http.ts'
import { TRADES_TASK, tradesTask } from './account-trades/account-trades.ts'
import { executionEndpoints } from './executions/executions.http.ts'
import { orderTasks } from './orders/orders.ts'
import { resolutionEndpoints } from './orders/resolution.http.ts'
import { stopTasks } from './executions/stops.ts'
import { quoteEndpoints } from './quotes/quotes.http.ts'
import { routeEndpoints } from './routes/routes.http.ts'

export { applyPriceRoutes } from './routes/declarations.ts'
export { startFollowing } from './routes/price-feed.ts'
export { dropOldQuotes, makeQuotePartitions } from './quotes/partitions.ts'
export { expireQuotes, hasQuotes } from './quotes/quotes.ts'
export { isStopInDoubt } from './executions/in-doubt.ts'
export { EXECUTION_TASK, FILL_COLUMNS } from './executions/rows.ts'
export {
  correctFills,
  isClaimableBy,
  fillById,
  fillsByIds,
  fillsClaimedBy,
  isClaimedBy,
  isUncorrected,
  moveFills,
  releaseCredits,
  uncorrectedFills,
  unsettledFills,
} from './orders/unsettled-fills.ts'
export { FillRecord } from './executions/fills.schema.ts'
export { PriceRouteDeclaration } from './routes/routes.schema.ts'
export { EXECUTION_MOVES } from './states.ts'
export { TRADES_TASK } from './account-trades/account-trades.ts'
export { hearOrders } from './account-trades/hearing.ts'
export { ordersInFlight, tradeOfSize, unfinishedAt } from './reports/in-flight.ts'
export { tradedByHour } from './reports/by-hour.ts'
export { tradedSince, tradingDeskFeed } from './reports/desk-feed.ts'
export { executionsOf } from './reports/timeline.ts'
export { toldTrades } from './reports/told-trades.ts'
export type { ToldTrade } from './reports/told-trades.ts'
export type { InFlightOrder } from './reports/in-flight.ts'
export type { DeclaredPriceRoute } from './routes/routes.schema.ts'
export type { Execution } from './executions/executions.schema.ts'
export type { Fill } from './executions/fills.schema.ts'
export type { Quote } from './quotes/quotes.schema.ts'

export function tradingEndpoints(app: TradingApp): Endpoint[] {
  return [
    ...routeEndpoints(app),
    ...quoteEndpoints(app),
    ...executionEndpoints(app),
    ...resolutionEndpoints(app),
    ...accountTradeEndpoints(app),
  ]
}

export function tradingTasks(app: TradingApp): Record<string, TaskHandler> {
  return { ...orderTasks(app), ...stopTasks(app), [TRADES_TASK]: tradesTask(app) }
}
