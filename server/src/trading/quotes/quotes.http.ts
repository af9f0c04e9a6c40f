import type { QuoteId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryOneOf } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { TradingApp } from '../app.ts'
import { QUOTE_STATES } from '../states.ts'
import { CreateQuote, QuoteRecord } from './quotes.schema.ts'
import { createQuote, listQuotes, quoteById, showQuote } from './quotes.ts'

const tag = 'Price stream'

export function quoteEndpoints(app: TradingApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listQuotes',
      tagged: 'quote',
      path: '/price-stream/quotes',
      origin: 'SPECIFIED',
      tag,
      summary: 'Quotes',
      permission: 'trading.quotes.read',
      data: QuoteRecord,
      query: closed({ state: queryOneOf(QUOTE_STATES) }),
      description: 'Without `state` those that can still be accepted.',
      list: ({ query, principal }) => listQuotes(principal.workspace, app.clock.now(), query.state),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getQuote',
      path: '/price-stream/quotes/:quote_id',
      origin: { ours: 'a quote can be read after it can no longer be accepted' },
      tag,
      summary: 'One quote',
      permission: 'trading.quotes.read',
      effect: 'read',
      params: closed({ quote_id: id<QuoteId>() }),
      data: QuoteRecord,
      handle: async ({ params: { quote_id }, principal }) =>
        showQuote(await quoteById(app.db, principal.workspace, quote_id)),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'createQuote',
      unrecorded:
        'a quote moves nothing and ends by itself; the execution that takes it is recorded',
      path: '/price-stream/quotes',
      origin: 'SPECIFIED',
      tag,
      summary: 'Ask for a quote',
      permission: 'trading.quotes.create',
      effect: 'own',
      description:
        "Prices both sides, within liquidity, slippage guard and the route's maximum. For a " +
        'larger quantity `complete` is false. With a hold time the quote is firm. Refused: ' +
        'STALE_PRICE, SCALE, BELOW_MINIMUM, NOT_ACTIVE; 2001 when `request_asset` is neither ' +
        'base nor quote asset of the route.',
      body: CreateQuote,
      example: {
        route_id: '01a1fc75-ea2a-7589-aa8f-000000000016',
        request_asset: 'BTC',
        request_quantity: '0.01',
        risk_duration_ms: 10000,
        customer_id: '01a1fc75-ea2a-7589-aa8f-000000000002',
      },
      data: QuoteRecord,
      handle: ({ body, caller }) => createQuote(caller, app, body),
    }),
  ]
}
