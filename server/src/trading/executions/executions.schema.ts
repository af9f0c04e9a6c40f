/** Executions, and what a request for one may ask. */
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
  optionalBlank,
  positiveText,
  record,
  refusedForm,
  requiredText,
  text,
  time,
  timeInput,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { EXECUTION_TYPES, QuoteRecord, SIDES } from '../quotes/quotes.schema.ts'
import { EXECUTION_STATES } from '../states.ts'

const MODES = ['AMOUNT', 'VOLUME'] as const
export const TIF_MODES = ['GTC', 'GTD', 'IOC', 'FOK'] as const
const STOP_CONDITIONS = ['STOP_LOSS', 'TAKE_PROFIT'] as const

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
  amount: decimalText('In the base asset; for mode VOLUME the amount at the prices of the request'),
  volume: nullable(decimalText('In the quote asset, for mode VOLUME')),
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
  filled_volume: decimalText('The notional traded at the venue, in the quote asset'),
  average_price: nullable(decimalText('At the venue')),
  customer_price: nullable(decimalText('All-in average price of the fills')),
  fee: decimalText("The customers' part of the venue's fee, in the quote asset"),
  slippage: nullable(
    decimalText(
      'Distance of the average price from the top of the book when it was ordered, as a factor; ' +
        'positive is worse',
    ),
  ),
  cancel_requested_at: nullable(
    time('Since then somebody wishes to cancel it. In DONE: it was filled first'),
  ),
  cancel_requested_by: nullable(text()),
  contradicted: flag('Its venue reports something else than a person has entered'),
  completed_at: nullable(time()),
  best_execution: nullable(
    closed({
      candidates: Type.Array(
        closed({
          route_id: id<PriceRouteId>(),
          total: nullable(decimalText('What the customers would pay or get, in the quote asset')),
          amount: nullable(decimalText('In the base asset')),
          complete: flag('The whole requested quantity'),
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

const ofMarket = { execution_type: ['MARKET'] }
const ofLimits = { execution_type: ['LIMIT', 'STOP_MARKET'] }

/** What `readRequest` refuses. */
const REFUSED_EXECUTIONS = [
  refusedForm({ having: ['route_id', 'symbol'] }),
  refusedForm({ lacking: ['route_id', 'symbol'] }),
  refusedForm({ having: ['symbol', 'quote_id'] }),
  refusedForm({ where: { mode: ['VOLUME'], ...ofLimits } }),
  refusedForm({ where: { mode: ['VOLUME'] }, having: ['amount'] }),
  refusedForm({ where: { mode: ['VOLUME'] }, lacking: ['volume'] }),
  refusedForm({ where: { mode: ['AMOUNT'] }, having: ['volume'] }),
  refusedForm({ where: { mode: ['AMOUNT'] }, lacking: ['amount'] }),
  refusedForm({ lacking: ['mode'], having: ['volume'] }),
  refusedForm({ lacking: ['mode', 'amount'] }),
  ...['price', 'stop_order_condition', 'tif_mode', 'expires_at'].map((field) =>
    refusedForm({ where: ofMarket, having: [field] }),
  ),
  refusedForm({ where: ofLimits, lacking: ['price'] }),
  refusedForm({ where: { execution_type: ['STOP_MARKET'] }, lacking: ['stop_order_condition'] }),
  refusedForm({ where: { execution_type: ['LIMIT'] }, having: ['stop_order_condition'] }),
  refusedForm({ where: { tif_mode: ['GTD'] }, lacking: ['expires_at'] }),
  refusedForm({
    where: { tif_mode: TIF_MODES.filter((mode) => mode !== 'GTD') },
    having: ['expires_at'],
  }),
  refusedForm({ lacking: ['tif_mode'], having: ['expires_at'] }),
]

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
            "The customer's part of the amount (mode VOLUME: of the volume); " +
              'one may omit it and gets the rest',
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
    expires_at: optional(timeInput('For GTD: ISO 8601 or an integer read by its size')),
    quote_id: optionalBlank(id<QuoteId>()),
    margin: optional(notNegativeText("Factor; overrides the route's")),
    client_ref: optionalBlank(requiredText(200)),
  },
  { title: 'CreateExecution', 'x-refused': REFUSED_EXECUTIONS },
)
export type CreateExecutionBody = Static<typeof CreateExecution>
