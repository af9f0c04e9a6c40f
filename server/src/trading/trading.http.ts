import type { ExecutionId, PriceRouteId, QuoteId, WorkspaceId } from '../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryFlag,
  queryId,
  queryText,
  queryTime,
  queryOneOf,
  Type,
} from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import { accountTradeEndpoints } from './account-trades/account-trades.http.ts'
import { cancelExecution } from './executions/cancellation.ts'
import { executionById, listExecutions, listFills, listOrders } from './executions/rows.ts'
import { createExecution } from './executions/executions.ts'
import { priceHistory } from './routes/price-history.ts'
import { createQuote, listQuotes, quoteById } from './quotes/quotes.ts'
import { ROUTE_COLUMNS, withState } from './routes/routes.ts'
import type { RouteRow } from './routes/routes.ts'
import type { TradingApp } from './app.ts'
import {
  CreateExecution,
  ExecutionRecord,
  ExecutionWithQuote,
} from './executions/executions.schema.ts'
import { CreateQuote, QuoteRecord } from './quotes/quotes.schema.ts'
import { EXECUTION_STATES, QUOTE_STATES } from './states.ts'
import { FillRecord } from './executions/fills.schema.ts'
import { OrderRecord } from './executions/orders.schema.ts'
import { PricePointShape, PriceRouteRecord } from './routes/routes.schema.ts'

export function tradingEndpoints(app: TradingApp): Endpoint[] {
  return [...priceEndpoints(app), ...executionEndpoints(app), ...accountTradeEndpoints(app)]
}

function priceEndpoints(app: TradingApp): Endpoint[] {
  return [
    listEndpoint({
      path: '/price-stream/routes',
      origin: 'SPECIFIED',
      tag: 'Price stream',
      summary: 'Configured price-stream routes',
      permission: 'trading.routes.read',
      data: PriceRouteRecord,
      list: ({ principal }) => ({
        select: sql`
          select ${ROUTE_COLUMNS}
          from price_stream_routes`,
        conditions: [sql`workspace = ${principal.workspace}`],
        key: { column: 'id', type: 'uuid' },
        item: (row: RouteRow) => withState(app.prices, app.clock, row),
      }),
    }),
    endpoint({
      method: 'GET',
      path: '/price-stream/routes/:route_id/history',
      origin: { ours: 'the chart beside a ticket shows how the price moved' },
      tag: 'Price stream',
      summary: 'How its price moved in the last two hours',
      permission: 'trading.routes.read',
      effect: 'read',
      description:
        'Every ten seconds, oldest first; a moment at which a hop had no price is left out.',
      params: closed({ route_id: id<PriceRouteId>() }),
      data: Type.Array(PricePointShape),
      handle: ({ params: { route_id }, principal }) =>
        priceHistory(app, principal.workspace, route_id),
    }),
    listEndpoint({
      path: '/price-stream/quotes',
      origin: 'SPECIFIED',
      tag: 'Price stream',
      summary: 'Quotes',
      permission: 'trading.quotes.read',
      data: QuoteRecord,
      query: closed({ state: queryOneOf(QUOTE_STATES) }),
      description: 'Without `state` those that can still be accepted.',
      list: ({ query, principal }) => listQuotes(principal.workspace, app.clock.now(), query.state),
    }),
    endpoint({
      method: 'GET',
      path: '/price-stream/quotes/:quote_id',
      origin: { ours: 'a quote can be read after it can no longer be accepted' },
      tag: 'Price stream',
      summary: 'One quote',
      permission: 'trading.quotes.read',
      effect: 'read',
      params: closed({ quote_id: id<QuoteId>() }),
      data: QuoteRecord,
      handle: async ({ params: { quote_id }, principal }) => {
        const { taker_fee: _, ...quote } = await quoteById(app.db, principal.workspace, quote_id)
        return quote
      },
    }),
    endpoint({
      method: 'POST',
      path: '/price-stream/quotes',
      origin: 'SPECIFIED',
      tag: 'Price stream',
      summary: 'Ask for a quote',
      permission: 'trading.quotes.create',
      effect: 'own',
      description:
        "Both sides, within liquidity, slippage guard and the route's maximum; what lies beyond is answered with `complete: false`. With a hold time the quote is firm. Refused: STALE_PRICE, SCALE, BELOW_MINIMUM, NOT_ACTIVE; 2001 when `request_asset` is neither base nor quote asset of the route.",
      body: CreateQuote,
      example: {
        route_id: '01a1fc75-ea2a-7589-aa8f-000000000016',
        request_asset: 'BTC',
        request_quantity: '0.01',
        risk_duration_ms: 10000,
        customer_id: '01a1fc75-ea2a-7589-aa8f-000000000002',
      },
      data: QuoteRecord,
      handle: ({ body, principal, idempotency }) =>
        createQuote(app, principal.workspace, body, principal.user_id, idempotency),
    }),
  ]
}

function executionEndpoints(app: TradingApp): Endpoint[] {
  const one = {
    tag: 'Executions',
    permission: 'trading.executions.read',
    params: closed({ execution_id: id<ExecutionId>() }),
  } as const
  return [
    listEndpoint({
      path: '/executions',
      origin: 'SPECIFIED',
      tag: 'Executions',
      summary: 'List executions',
      permission: 'trading.executions.read',
      data: ExecutionRecord,
      description:
        "`created_at_from` is inclusive, `created_at_to` exclusive. `stuck=true`: only those that have been under way for five minutes though they do not rest at their venue: at the market's price, CANCELING, not sent, or resting where nobody can ask any more; `stuck=false`: all others.",
      query: closed({
        state: queryOneOf(EXECUTION_STATES),
        stuck: queryFlag(),
        created_at_from: queryTime(),
        created_at_to: queryTime(),
        customer_id: queryId(),
        client_ref: queryText(),
      }),
      list: ({ query, principal }) =>
        listExecutions(app.db, principal.workspace, query, app.clock.now()),
    }),
    endpoint({
      method: 'POST',
      path: '/executions',
      origin: 'SPECIFIED',
      tag: 'Executions',
      summary: 'Execute',
      permission: 'trading.executions.create',
      effect: 'lane',
      description:
        'Over a route, or over the best one of a `symbol`, for one customer or several. What each may have to give is blocked before anything is sent; one refusal refuses the whole. A firm quote is kept whatever the market does; a LIMIT price is all-in, as in a quote; mode VOLUME goes with MARKET. Refused: STALE_PRICE, NO_LIQUIDITY, QUOTE_EXPIRED, QUOTE_MISMATCH, STATE_NOT_ALLOWED, SCALE, BELOW_MINIMUM, SUM_MISMATCH, INSUFFICIENT_BALANCE, NOT_ACTIVE, UNSUPPORTED_BY_VENUE, HALTED.',
      body: CreateExecution,
      example: {
        route_id: '01a1fc75-ea2a-7589-aa8f-000000000016',
        amount: '0.01',
        side: 'BUY',
        execution_type: 'MARKET',
        customers: [{ customer_id: '01a1fc75-ea2a-7589-aa8f-000000000002' }],
      },
      data: ExecutionRecord,
      handle: ({ body, principal, idempotency }) =>
        createExecution(app, principal.workspace, body, principal.user_id, idempotency),
    }),
    endpoint({
      ...one,
      method: 'DELETE',
      path: '/executions/:execution_id',
      origin: 'SPECIFIED',
      summary: 'Cancel an execution',
      permission: 'trading.executions.create',
      effect: 'lane',
      data: ExecutionRecord,
      description:
        'A LIMIT in PROCESSING comes to CANCELING and its venue is asked; it then becomes CANCELED, DONE when it was filled first, or PROCESSING again when the venue refuses. A STOP_MARKET in WAITING_FOR_TRIGGER is CANCELED at once. Everything else is refused STATE_NOT_ALLOWED.',
      handle: ({ params, principal, idempotency }) =>
        cancelExecution(
          app,
          principal.workspace,
          params.execution_id,
          principal.user_id,
          idempotency,
        ),
    }),
    endpoint({
      ...one,
      method: 'GET',
      path: '/executions/:execution_id',
      origin: 'SPECIFIED',
      summary: 'One execution',
      effect: 'read',
      data: ExecutionRecord,
      handle: ({ params, principal }) =>
        executionById(app.db, principal.workspace, params.execution_id),
    }),
    endpoint({
      ...one,
      method: 'GET',
      path: '/executions/:execution_id/quote',
      origin: 'SPECIFIED',
      summary: 'An execution with its quote',
      effect: 'read',
      data: ExecutionWithQuote,
      handle: async ({ params, principal }) => {
        const execution = await executionById(app.db, principal.workspace, params.execution_id)
        return {
          ...execution,
          quote:
            execution.quote_id === null
              ? null
              : await quoteOf(execution.quote_id, principal.workspace),
        }
      },
    }),
    listEndpoint({
      ...one,
      path: '/executions/:execution_id/orders',
      origin: 'SPECIFIED',
      summary: 'Its orders at venues',
      data: OrderRecord,
      list: ({ params, principal }) => listOrders(app.db, principal.workspace, params.execution_id),
    }),
    listEndpoint({
      ...one,
      path: '/executions/:execution_id/orders/fills',
      origin: 'SPECIFIED',
      summary: 'The fills of its orders',
      data: FillRecord,
      list: ({ params, principal }) => listFills(app.db, principal.workspace, params.execution_id),
    }),
  ]

  async function quoteOf(quote_id: QuoteId, workspace: WorkspaceId) {
    const { taker_fee: _, ...quote } = await quoteById(app.db, workspace, quote_id)
    return quote
  }
}
