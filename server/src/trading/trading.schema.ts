/** The records of trading, what a request may ask, and the moves between states. */
import type {
  CustomerId,
  ExecutionId,
  FillId,
  OrderId,
  PriceRouteId,
  QuoteId,
  ServiceId,
  SettlementId,
  VenueId,
} from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  integer,
  notNegativeText,
  nullable,
  optional,
  optionalBlank,
  positiveText,
  record,
  requiredText,
  text,
  time,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { MARKET_STATES } from '../market-data/index.ts'
import type { OrderState } from '../venues/index.ts'

export const SIDES = ['BUY', 'SELL'] as const
export const EXECUTION_TYPES = ['MARKET', 'LIMIT', 'STOP_MARKET'] as const
export const MODES = ['AMOUNT', 'VOLUME'] as const
export const TIF_MODES = ['GTC', 'GTD', 'IOC', 'FOK'] as const
export const STOP_CONDITIONS = ['STOP_LOSS', 'TAKE_PROFIT'] as const
export const RISK_DURATIONS = [0, 10_000, 30_000, 60_000] as const
export const RISK_SOURCES = ['NONE', 'OBSERVED', 'CONFIGURED'] as const

export const QUOTE_STATES = ['ACTIVE', 'ACCEPTED', 'EXPIRED', 'CANCELED'] as const
export type QuoteState = (typeof QUOTE_STATES)[number]

export const QUOTE_MOVES: Moves<QuoteState> = {
  ACTIVE: ['ACCEPTED', 'EXPIRED', 'CANCELED'],
  ACCEPTED: [],
  EXPIRED: [],
  CANCELED: [],
}

export const EXECUTION_STATES = [
  'WAITING_FOR_TRIGGER',
  'PROCESSING',
  'CANCELING',
  'UNKNOWN',
  'DONE',
  'CANCELED',
  'EXPIRED',
  'FAILED',
  'REJECTED',
] as const
export type ExecutionState = (typeof EXECUTION_STATES)[number]

export const EXECUTION_MOVES: Moves<ExecutionState> = {
  WAITING_FOR_TRIGGER: ['PROCESSING', 'CANCELING', 'CANCELED', 'EXPIRED', 'FAILED', 'UNKNOWN'],
  PROCESSING: ['DONE', 'CANCELING', 'CANCELED', 'EXPIRED', 'FAILED', 'UNKNOWN'],
  CANCELING: ['PROCESSING', 'CANCELED', 'DONE', 'EXPIRED', 'FAILED', 'UNKNOWN'],
  UNKNOWN: ['PROCESSING', 'DONE', 'CANCELED', 'EXPIRED', 'FAILED'],
  DONE: [],
  CANCELED: [],
  EXPIRED: [],
  FAILED: [],
  REJECTED: [],
}

/**
 * FIX OrdStatus. PENDING_NEW with a time of sending, and UNKNOWN, may have reached the venue; only
 * it tells.
 */
export const ORDER_MOVES: Moves<OrderState> = {
  PENDING_NEW: [
    'NEW',
    'PARTIALLY_FILLED',
    'FILLED',
    'PENDING_CANCEL',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
    'UNKNOWN',
  ],
  NEW: [
    'PARTIALLY_FILLED',
    'FILLED',
    'PENDING_CANCEL',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
    'UNKNOWN',
  ],
  PARTIALLY_FILLED: ['FILLED', 'PENDING_CANCEL', 'CANCELED', 'EXPIRED', 'UNKNOWN'],
  PENDING_CANCEL: [
    'NEW',
    'PARTIALLY_FILLED',
    'FILLED',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
    'UNKNOWN',
  ],
  UNKNOWN: [
    'PENDING_NEW',
    'NEW',
    'PARTIALLY_FILLED',
    'FILLED',
    'PENDING_CANCEL',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
  ],
  FILLED: [],
  CANCELED: [],
  REJECTED: [],
  EXPIRED: [],
}

// ---------------------------------------------------------------- price-stream routes

const hop = closed({
  hop_no: integer(1, 10),
  venue_id: id<VenueId>(),
  service_id: id<ServiceId>('The TOMS service the order goes to'),
  base_asset: asset(),
  quote_asset: asset(),
})
const margins = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: notNegativeText(),
  description: "Margin factor by customer category; a category that is absent has the workspace's",
})

const routeFields = {
  label: requiredText(200),
  symbol: requiredText(50, 'Base and quote asset, e.g. BTC/EUR'),
  base_asset: asset(),
  quote_asset: asset(),
  margin: margins,
  risk_quantile: positiveText('Of the expected shortfall, between 0 and 1, e.g. 0.99'),
  active: flag(),
  min_amount: positiveText('In the base asset'),
  max_amount: positiveText('In the base asset'),
  amount_step: positiveText(),
  price_step: positiveText(),
}

export const PriceRouteRecord = record('PriceStreamRoute', {
  id: id<PriceRouteId>(),
  ...routeFields,
  hops: Type.Array(hop),
  state: oneOf(MARKET_STATES, 'UP: fresh prices; STALE: too old to trade by; DOWN: none'),
})
export type PriceRoute = Static<typeof PriceRouteRecord>

export const PricePointShape = closed(
  {
    at: time('The end of ten seconds'),
    price: decimalText('The middle of bid and ask in the quote asset'),
  },
  { title: 'PricePoint' },
)
export type PricePoint = Static<typeof PricePointShape>

/** A route as the configuration file declares it; venues are named by their key there. */
export const PriceRouteDeclaration = closed(
  {
    key: requiredText(100),
    ...routeFields,
    symbol: optional(routeFields.symbol),
    margin: optional(margins),
    active: optional(flag()),
    hops: Type.Array(
      closed({ venue: requiredText(100), base_asset: asset(), quote_asset: asset() }),
      { minItems: 1, maxItems: 10 },
    ),
  },
  { title: 'PriceRouteDeclaration' },
)
export type DeclaredPriceRoute = Static<typeof PriceRouteDeclaration>

// ---------------------------------------------------------------- quotes

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
    'NONE: no hold time; OBSERVED: from the moves of the last two hours; CONFIGURED: too little data for that',
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
      'If larger than the liquidity, the quote is for what is available',
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

// ---------------------------------------------------------------- executions

const executionCustomer = closed({
  customer_id: id<CustomerId>(),
  quantity_absolute: nullable(decimalText('As requested')),
  filled_amount: decimalText(),
  filled_volume: decimalText('What the customer paid or got, in the quote asset'),
  margin: decimalText('Factor applied'),
  risk: decimalText('Factor applied'),
})

const executionFields = {
  id: id<ExecutionId>(),
  state: oneOf(EXECUTION_STATES),
  reason_code: nullable(text()),
  reason: nullable(text()),
  internal_ref: text(),
  route_id: id<PriceRouteId>(),
  route: closed({ id: id(), label: text(), symbol: text() }),
  symbol: text(),
  base_asset: asset(),
  quote_asset: asset(),
  side: oneOf(SIDES),
  execution_type: oneOf(EXECUTION_TYPES),
  mode: oneOf(MODES),
  amount: decimalText(
    'In the base asset; of mode VOLUME what it takes by the prices at the request',
  ),
  volume: nullable(decimalText('In the quote asset, of mode VOLUME')),
  price: nullable(
    decimalText('LIMIT: all-in, per unit of the base asset; STOP_MARKET: the trigger'),
  ),
  stop_order_condition: nullable(oneOf(STOP_CONDITIONS)),
  tif_mode: nullable(oneOf(TIF_MODES)),
  expires_at: nullable(time()),
  triggered_at: nullable(time()),
  risk: nullable(decimalText('Factor, as requested')),
  margin: nullable(decimalText('Factor, as requested')),
  quote_id: nullable(id<QuoteId>()),
  client_ref: nullable(text()),
  customers: Type.Array(executionCustomer),
  filled_amount: decimalText(),
  filled_volume: decimalText('What the venue traded for it, in the quote asset'),
  average_price: nullable(decimalText('At the venue')),
  customer_price: nullable(decimalText('All-in, of what was filled')),
  fee: decimalText("What the customers bear of the venue's fee, in the quote asset"),
  slippage: nullable(
    decimalText(
      'How far, as a factor, the average price lies from the top of the book when it was ordered; positive is worse',
    ),
  ),
  completed_at: nullable(time()),
  best_execution: nullable(
    closed({
      candidates: Type.Array(
        closed({
          route_id: id<PriceRouteId>(),
          total: nullable(decimalText('What the customers would pay or get, in the quote asset')),
          amount: nullable(decimalText('In the base asset')),
          complete: flag('All that was asked'),
          refused: nullable(text(500, 'Why it cannot be traded now')),
        }),
      ),
      chosen: id('The route'),
    }),
  ),
}

export const ExecutionRecord = record('Execution', executionFields)
export type Execution = Static<typeof ExecutionRecord>

export const ExecutionWithQuote = record('ExecutionWithQuote', {
  ...executionFields,
  quote: nullable(QuoteRecord),
})

export const CreateExecution = closed(
  {
    route_id: optionalBlank(id<PriceRouteId>()),
    symbol: optionalBlank(requiredText(50)),
    amount: optional(positiveText('In the base asset')),
    volume: optional(positiveText('In the quote asset, for mode VOLUME')),
    side: oneOf(SIDES),
    execution_type: oneOf(EXECUTION_TYPES),
    customers: Type.Array(
      closed({
        customer_id: id<CustomerId>(),
        quantity_absolute: optional(
          positiveText(
            'His part of the amount, of mode VOLUME of the volume; one may omit it and takes the rest',
          ),
        ),
      }),
      { minItems: 1, maxItems: 100 },
    ),
    mode: optional(oneOf(MODES)),
    risk: optional(notNegativeText('Factor')),
    price: optional(
      positiveText(
        'LIMIT: all-in, as in a quote; STOP_MARKET: the trigger, compared with the top of the book',
      ),
    ),
    stop_order_condition: optional(oneOf(STOP_CONDITIONS)),
    tif_mode: optional(oneOf(TIF_MODES, 'For LIMIT and STOP_MARKET; GTC when absent')),
    expires_at: optional(
      Type.Unsafe<number | string>({
        anyOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', maxLength: 40 },
        ],
        description: 'For GTD: ISO 8601 or an integer read by its size',
      }),
    ),
    quote_id: optionalBlank(id<QuoteId>()),
    margin: optional(notNegativeText("Factor; overrides the route's")),
    client_ref: optionalBlank(requiredText(200)),
  },
  { title: 'CreateExecution' },
)
export type CreateExecutionBody = Static<typeof CreateExecution>

export const ORDER_STATES = Object.keys(ORDER_MOVES) as OrderState[]

export const OrderRecord = record('ExecutionOrder', {
  id: id<OrderId>(),
  execution_id: id<ExecutionId>(),
  hop_no: integer(1, 10),
  venue_id: id<VenueId>(),
  service_id: id<ServiceId>(),
  symbol: text(),
  side: oneOf(SIDES),
  type: oneOf(['MARKET', 'LIMIT']),
  tif_mode: oneOf(TIF_MODES),
  expires_at: nullable(time()),
  price: nullable(decimalText()),
  quantity: decimalText('In the base asset'),
  volume: decimalText('Filled, in the quote asset'),
  filled_quantity: decimalText(),
  average_price: nullable(decimalText()),
  state: oneOf(ORDER_STATES),
  reason_code: nullable(
    text(
      500,
      'Of an open order VENUE_UNREACHABLE: it waits for its venue, since system_updated_at',
    ),
  ),
  reason: nullable(text()),
  client_order_id: text(500, 'Ours'),
  foreign_id: nullable(text(500, "The venue's")),
  sent_at: nullable(time()),
})
export type Order = Static<typeof OrderRecord>

export const SETTLEMENT_STATES = ['UNSETTLED', 'IN_SETTLEMENT', 'SETTLED'] as const

export const FillRecord = record('ExecutionFill', {
  id: id<FillId>(),
  execution_id: nullable(id<ExecutionId>('null: traded outside this service')),
  order_id: nullable(id<OrderId>()),
  hop_no: nullable(integer(1, 10)),
  service_id: id<ServiceId>(),
  venue_id: id<VenueId>(),
  symbol: text(),
  base_asset: asset(),
  quote_asset: asset(),
  side: oneOf(SIDES),
  price: decimalText(),
  quantity: decimalText('In the base asset'),
  volume: decimalText('In the quote asset, as the venue booked it'),
  fee: decimalText(),
  fee_asset: asset(),
  liquidity: oneOf(['MAKER', 'TAKER', 'UNKNOWN']),
  foreign_id: text(500, "The venue's trade id"),
  executed_at: time(),
  busted: flag('The venue took the trade back'),
  settlement_id: nullable(id<SettlementId>('The settlement that holds it')),
  settlement_state: oneOf(SETTLEMENT_STATES, 'A prefunded venue settles with the fill'),
})
export type Fill = Static<typeof FillRecord>
