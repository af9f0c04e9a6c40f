import type { ExecutionId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryAssets,
  queryFlag,
  queryId,
  queryOneOf,
  queryQuantity,
  queryReference,
  queryTag,
  queryTime,
  TOTALS_COST,
  totalsOf,
  totalsShape,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { TradingApp } from '../app.ts'
import { quoteById, showQuote } from '../quotes/quotes.ts'
import { EXECUTION_STATES } from '../states.ts'
import { cancelExecution } from './cancellation.ts'
import { CreateExecution, ExecutionRecord, ExecutionWithQuote } from './executions.schema.ts'
import { createExecution } from './executions.ts'
import { FillRecord } from './fills.schema.ts'
import { OrderRecord } from './orders.schema.ts'
import { executionById } from './rows.ts'
import { EXECUTION_TOTALS, listExecutions, listFills, listOrders } from './lists.ts'
import { listExecutionQuality } from './quality.ts'
import { ExecutionQuality } from './quality.schema.ts'

const tag = 'Executions'
const one = {
  tag,
  permission: 'trading.executions.read',
  params: closed({ execution_id: id<ExecutionId>() }),
} as const

export function executionEndpoints(app: TradingApp): Endpoint[] {
  return [
    listExecutionsEndpoint(app),
    executionTotalsEndpoint(app),
    executionQualityEndpoint(app),
    createExecutionEndpoint(app),
    cancelExecutionEndpoint(app),
    ...oneExecutionEndpoints(app),
  ]
}

const ExecutionFilter = closed({
  state: queryOneOf(EXECUTION_STATES),
  stuck: queryFlag(),
  contradicted: queryFlag(),
  created_at_from: queryTime(),
  created_at_to: queryTime(),
  customer_id: queryId(),
  client_ref: queryReference(),
  asset: queryAssets(),
  amount_from: queryQuantity(),
  amount_to: queryQuantity(),
  tag: queryTag(),
})

const listExecutionsEndpoint = (app: TradingApp) =>
  listEndpoint({
    operation_id: 'listExecutions',
    path: '/executions',
    origin: 'SPECIFIED',
    tag,
    summary: 'List executions',
    permission: 'trading.executions.read',
    data: ExecutionRecord,
    description:
      '`created_at_from` is inclusive, `created_at_to` exclusive; `amount_from` and `amount_to` ' +
      'are both inclusive. `asset`: of which either asset is one of these. `stuck=true`: only ' +
      'those that have been under way for five minutes though they do not rest at their venue: ' +
      "at the market's price, CANCELING, not sent, or resting where nobody can ask any more; " +
      '`stuck=false`: all others. `contradicted=true`: only those whose venue reports something ' +
      'else than a person has entered.',
    query: ExecutionFilter,
    list: ({ query, principal }) =>
      listExecutions(app.db, principal.workspace, query, app.clock.now()),
  })

const executionTotalsEndpoint = (app: TradingApp) =>
  endpoint({
    method: 'GET',
    operation_id: 'getExecutionTotals',
    path: '/executions/totals',
    origin: { ours: 'a desk wants to know what all executions of a filter amount to' },
    tag,
    summary: 'Sums of executions by market, side and state',
    permission: 'trading.executions.read',
    effect: 'read',
    read_cost: TOTALS_COST,
    description: 'Of the executions that the list has with the same filters, newest first.',
    query: ExecutionFilter,
    data: totalsShape(EXECUTION_TOTALS),
    handle: async ({ query, principal: { workspace } }) =>
      totalsOf(
        app.db,
        await listExecutions(app.db, workspace, query, app.clock.now()),
        EXECUTION_TOTALS,
      ),
  })

const executionQualityEndpoint = (app: TradingApp) =>
  listEndpoint({
    operation_id: 'listExecutionQuality',
    path: '/executions/quality',
    origin: { ours: 'who executes for clients shows that they got the best possible result' },
    tag,
    summary: 'What executions got, beside what was the best price',
    permission: 'trading.executions.read',
    data: ExecutionQuality,
    description:
      'A report on best execution. For the executions that `GET /executions` lists with the same ' +
      'filters: the top of the book when each was ordered and the price that it got, fees, times ' +
      'from request to fill, what each venue filled, and what the other routes would have given ' +
      'where they were compared. What was not stored is null.',
    query: ExecutionFilter,
    list: ({ query, principal }) =>
      listExecutionQuality(app.db, principal.workspace, query, app.clock.now()),
  })

const createExecutionEndpoint = (app: TradingApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'createExecution',
    path: '/executions',
    origin: 'SPECIFIED',
    tag,
    summary: 'Execute',
    permission: 'trading.executions.create',
    effect: 'lane',
    description:
      'Over a route, or over the best one of a `symbol`, for one customer or several. What each ' +
      'may have to give is blocked before anything is sent; one refusal refuses the whole. A ' +
      'firm quote is kept whatever the market does; a LIMIT price is all-in, as in a quote; mode ' +
      'VOLUME goes with MARKET. Refused: STALE_PRICE, NO_LIQUIDITY, QUOTE_EXPIRED, ' +
      'QUOTE_MISMATCH, STATE_NOT_ALLOWED, SCALE, BELOW_MINIMUM, SUM_MISMATCH, ' +
      'INSUFFICIENT_BALANCE, NOT_ACTIVE, UNSUPPORTED_BY_VENUE, HALTED.',
    body: CreateExecution,
    example: {
      route_id: '01a1fc75-ea2a-7589-aa8f-000000000016',
      amount: '0.01',
      side: 'BUY',
      execution_type: 'MARKET',
      customers: [{ customer_id: '01a1fc75-ea2a-7589-aa8f-000000000002' }],
    },
    data: ExecutionRecord,
    handle: ({ body, caller }) => createExecution(caller, app, body),
  })

const cancelExecutionEndpoint = (app: TradingApp) =>
  endpoint({
    ...one,
    method: 'DELETE',
    operation_id: 'cancelExecution',
    path: '/executions/:execution_id',
    origin: 'SPECIFIED',
    summary: 'Cancel an execution',
    permission: 'trading.executions.create',
    effect: 'lane',
    data: ExecutionRecord,
    description:
      'The wish is recorded in any open state and carried out when it can be. What has not been ' +
      'sent is not sent. What is at its venue comes to CANCELING and the venue is asked; it then ' +
      'becomes CANCELED, DONE when it was filled first, or PROCESSING again when the venue ' +
      'refuses. What is UNKNOWN is canceled once it is known and open. A STOP_MARKET in ' +
      'WAITING_FOR_TRIGGER is CANCELED at once; CANCELING, while its venue is asked, where it ' +
      'may have triggered in what a restored database has lost. Refused: STATE_NOT_ALLOWED when ' +
      'it has ended or its cancellation is requested already.',
    handle: ({ params, caller }) => cancelExecution(caller, app, params.execution_id),
  })

function oneExecutionEndpoints(app: TradingApp): Endpoint[] {
  return [
    endpoint({
      ...one,
      method: 'GET',
      operation_id: 'getExecution',
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
      operation_id: 'getExecutionWithQuote',
      path: '/executions/:execution_id/quote',
      origin: 'SPECIFIED',
      summary: 'An execution with its quote',
      effect: 'read',
      data: ExecutionWithQuote,
      handle: async ({ params, principal: { workspace } }) => {
        const execution = await executionById(app.db, workspace, params.execution_id)
        const { quote_id } = execution
        if (quote_id === null) return { ...execution, quote: null }
        return { ...execution, quote: showQuote(await quoteById(app.db, workspace, quote_id)) }
      },
    }),
    listEndpoint({
      ...one,
      operation_id: 'listExecutionOrders',
      path: '/executions/:execution_id/orders',
      origin: 'SPECIFIED',
      summary: 'Its orders at venues',
      data: OrderRecord,
      list: ({ params, principal }) => listOrders(app.db, principal.workspace, params.execution_id),
    }),
    listEndpoint({
      ...one,
      operation_id: 'listExecutionFills',
      path: '/executions/:execution_id/orders/fills',
      origin: 'SPECIFIED',
      summary: 'The fills of its orders',
      data: FillRecord,
      list: ({ params, principal }) => listFills(app.db, principal.workspace, params.execution_id),
    }),
  ]
}
