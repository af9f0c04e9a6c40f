/** Fills: trades that filled an order, or that were made outside. */
import type {
  ExecutionId,
  FillId,
  OrderId,
  ServiceId,
  SettlementId,
  VenueId,
} from '../../core/ids.ts'
import {
  asset,
  decimalText,
  flag,
  id,
  integer,
  nullable,
  oneOf,
  record,
  text,
  time,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { SIDES } from '../quotes/quotes.schema.ts'

const SETTLEMENT_STATES = ['UNSETTLED', 'IN_SETTLEMENT', 'SETTLED'] as const

export const FillRecord = record('ExecutionFill', {
  id: id<FillId>(),
  execution_id: nullable(id<ExecutionId>('null: an outside trade')),
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
  entered_by: nullable(text(500, 'A person entered it when they resolved the order')),
  busted: flag('The venue took the trade back'),
  settlement_id: nullable(id<SettlementId>('The settlement that has claimed it')),
  settlement_state: oneOf(SETTLEMENT_STATES, 'A prefunded venue settles with the fill'),
  corrected_at: nullable(time('Busted: since then the nets of its settlement leave it out')),
})
export type Fill = Static<typeof FillRecord>
