/**
 * Execution quality: what each execution got, beside what Kontor knew when it was ordered. The
 * fields are the factors of Article 78(1) of Regulation (EU) 2023/1114 (MiCA) for which something
 * is stored: price, costs, speed, likelihood of execution, and size.
 */
import type { ExecutionId, PriceRouteId, VenueId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  id,
  integer,
  nullable,
  oneOf,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { SIDES } from '../quotes/quotes.schema.ts'
import { ExecutionRecord } from './executions.schema.ts'

const milliseconds = (description: string) =>
  nullable(integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, description))

const QualityFee = closed({ asset: asset(), quantity: decimalText() }, { title: 'VenueFee' })

const QualityHop = closed(
  {
    hop_no: integer(1, 10),
    venue_id: id<VenueId>(),
    venue: nullable(text()),
    symbol: text(),
    side: oneOf(SIDES),
    sent_at: nullable(time('The first order, by the clock of Kontor')),
    first_fill_at: nullable(time('By the clock of the venue')),
    last_fill_at: nullable(time('By the clock of the venue')),
    filled_quantity: decimalText('In the base asset of the hop'),
    filled_volume: decimalText('In the quote asset of the hop'),
    fees: Type.Array(QualityFee, { description: 'What the venue took, by asset' }),
  },
  { title: 'ExecutionQualityHop' },
)

const { state, reason_code, client_ref, symbol, base_asset, quote_asset } =
  ExecutionRecord.properties
const { side, execution_type, mode, price, amount, volume, filled_amount, filled_volume } =
  ExecutionRecord.properties
const { average_price, customer_price, fee, slippage, triggered_at, completed_at, best_execution } =
  ExecutionRecord.properties

export const ExecutionQuality = closed(
  {
    id: id<ExecutionId>(),
    received_at: time('When it was asked for'),
    client_ref,
    state,
    reason_code,
    symbol,
    base_asset,
    quote_asset,
    side,
    execution_type,
    mode,
    price,
    amount,
    volume,
    filled_amount,
    filled_volume,
    reference_price: nullable(
      decimalText(
        'The top of the book of the route when it was ordered; null: none was read, as for a ' +
          'firm quote and a stop that has not triggered',
      ),
    ),
    reference_at: nullable(time('When it was ordered: received, or of a stop triggered')),
    average_price,
    slippage,
    customer_price,
    fee,
    triggered_at,
    sent_at: nullable(time('The first order, by the clock of Kontor')),
    first_fill_at: nullable(time('By the clock of the venue')),
    last_fill_at: nullable(time('By the clock of the venue')),
    milliseconds_to_send: milliseconds('From received_at, or of a stop triggered_at, to sent_at'),
    milliseconds_to_fill: milliseconds(
      'From received_at, or of a stop triggered_at, to last_fill_at. Below zero where the ' +
        'clock of the venue is behind',
    ),
    completed_at,
    route_id: id<PriceRouteId>(),
    route: text(),
    hops: Type.Array(QualityHop),
    best_execution,
  },
  { title: 'ExecutionQuality' },
)
export type ExecutionQuality = Static<typeof ExecutionQuality>
export type QualityHop = Static<typeof QualityHop>
