/** Quotes, and what a request for one may ask. */
import type { CustomerId, ExecutionId, PriceRouteId, QuoteId } from '../../core/ids.ts'
import {
  Type,
  asset,
  closed,
  decimalText,
  flag,
  id,
  notNegativeText,
  nullable,
  oneOf,
  optional,
  positiveText,
  record,
  text,
  time,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { QUOTE_STATES } from '../states.ts'

export const SIDES = ['BUY', 'SELL'] as const
export const EXECUTION_TYPES = ['MARKET', 'LIMIT', 'STOP_MARKET'] as const
const RISK_DURATIONS = [0, 10_000, 30_000, 60_000] as const
/** No quote ends later after the time in its id. */
export const LONGEST_QUOTE_MILLISECONDS = Math.max(...RISK_DURATIONS)
const RISK_SOURCES = ['NONE', 'OBSERVED', 'CONFIGURED'] as const

const quoteSide = closed({
  price: nullable(decimalText('volume ÷ amount, for display')),
  amount: decimalText('In the base asset'),
  volume: decimalText('What the customer pays or gets, in the quote asset'),
  available_amount: decimalText('The most that liquidity, guards and the route allow'),
  available_volume: decimalText(),
  complete: flag("All that was asked lies within liquidity, guards and the route's maximum"),
  vwap: nullable(decimalText('What the venue would take, per unit of the base asset')),
  fee: decimalText('Of the venue, part of the volume'),
  risk: decimalText('Part of the volume'),
  margin: decimalText('Part of the volume'),
})
export type QuoteSide = Static<typeof quoteSide>

export const QuoteRecord = record('Quote', {
  id: id<QuoteId>(),
  state: oneOf(QUOTE_STATES),
  route_id: id<PriceRouteId>(),
  symbol: text(),
  customer_id: id<CustomerId>(),
  firm: flag('Executed at its price until it expires, whatever the market does'),
  request_asset: asset(),
  request_quantity: decimalText(),
  request_side: nullable(oneOf(SIDES)),
  execution_type: nullable(oneOf(EXECUTION_TYPES)),
  risk_duration_ms: Type.Integer({ minimum: 0 }),
  margin: decimalText('Factor'),
  risk: decimalText('Factor'),
  risk_source: oneOf(
    RISK_SOURCES,
    'NONE: no hold time; OBSERVED: from the moves of the last two hours; ' +
      'CONFIGURED: too little data for that',
  ),
  created_at: time(),
  expires_at: time(),
  buy: quoteSide,
  sell: quoteSide,
  execution_id: nullable(id<ExecutionId>()),
})
export type Quote = Static<typeof QuoteRecord>

export const CreateQuote = closed(
  {
    route_id: id<PriceRouteId>(),
    request_asset: asset('The base or the quote asset of the route'),
    request_quantity: positiveText(
      'If it is larger than the liquidity, the quote is for the available quantity',
    ),
    request_side: optional(oneOf(SIDES, 'A hint; both sides are quoted')),
    execution_type: optional(oneOf(EXECUTION_TYPES, 'A hint')),
    risk_duration_ms: Type.Unsafe<(typeof RISK_DURATIONS)[number]>({
      type: 'integer',
      enum: [...RISK_DURATIONS],
      description: 'How long the price is held; 0: indicative',
    }),
    customer_id: id<CustomerId>(),
    margin: optional(notNegativeText("Factor; overrides the route's")),
  },
  { title: 'CreateQuote' },
)
export type CreateQuoteBody = Static<typeof CreateQuote>
