/** Orders at venues. */
import type { ExecutionId, OrderId, ServiceId, VenueId } from '../../core/ids.ts'
import {
  decimalText,
  id,
  integer,
  nullable,
  oneOf,
  record,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { SIDES } from '../quotes/quotes.schema.ts'
import { ORDER_STATES } from '../states.ts'
import { TIF_MODES } from './executions.schema.ts'

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
  resolved_at: nullable(time('A person has entered its outcome')),
  resolved_by: nullable(text()),
  evidence: nullable(Type.String({ description: 'By what the outcome was entered' })),
  confirmed_at: nullable(time('The venue has reported what was entered')),
  contradiction: nullable(text(500, 'What the venue reports instead of what was entered')),
})
export type Order = Static<typeof OrderRecord>
