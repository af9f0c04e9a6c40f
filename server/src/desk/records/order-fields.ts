/**
 * Table 2 of Section 2 of the Annex: details of orders. What is filled is the order that a customer
 * has placed, as it stands at the time of the export.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { CustomerId, ExecutionId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import type { Asset } from '../../ledger/index.ts'
import { EXECUTION_MOVES } from '../../trading/index.ts'
import type { Execution } from '../../trading/index.ts'
import {
  currencyOf,
  decimalOf,
  EMPTY,
  MONEY_FRACTION,
  NOT_APPLICABLE,
  PRICE_FRACTION,
  timeOf,
  UNITS_FRACTION,
} from './fields.ts'
import type { Field } from './fields.ts'

export type OrderRow = Pick<
  Execution,
  | 'state'
  | 'execution_type'
  | 'mode'
  | 'tif_mode'
  | 'expires_at'
  | 'price'
  | 'side'
  | 'average_price'
> & {
  execution_id: ExecutionId
  customer_id: CustomerId
  created_at: number
  /** The customer's part: in the base asset, and of mode VOLUME in the quote asset. */
  amount: string
  volume: string | null
  filled_amount: string
  filled_volume: string
  /** Where it was filled by one order, or by one trade, or all in the same way; else null. */
  venue_order: string | null
  venue_trade: string | null
  liquidity: string | null
  quote: Asset
}

const VALIDITY = { GTC: 'GTCV', GTD: 'GTSV', IOC: 'IOCV', FOK: 'FOKV' } as const
const AGGRESSION: Readonly<Record<string, string>> = { MAKER: 'PASV', TAKER: 'AGRE' }

const hasEnded = ({ state }: OrderRow): boolean => isFinal(EXECUTION_MOVES, state)

/** Null while the outcome is unknown: nobody can say whether the venue has the order. */
function statusOf(row: OrderRow): string | null {
  if (row.state === 'UNKNOWN') return null
  return row.state === 'WAITING_FOR_TRIGGER' || hasEnded(row) ? 'INAC' : 'ACTI'
}

/** How the customer stated the size: units of the base asset, or an amount of the quote asset. */
function quantities({ mode, quote, ...row }: OrderRow) {
  if (mode === 'AMOUNT' || row.volume === null)
    return { notation: 'UNIT', currency: null, initial: row.amount, traded: row.filled_amount }
  const notation = quote.kind === 'FIAT' ? 'MONE' : 'CRYP'
  const currency = currencyOf(quote)
  return { notation, currency, initial: row.volume, traded: row.filled_volume }
}

const quantityText = (value: string, row: OrderRow): string =>
  decimalOf(value, quantities(row).notation === 'MONE' ? MONEY_FRACTION : UNITS_FRACTION)

function remainingOf(row: OrderRow): string {
  const { initial, traded } = quantities(row)
  const left = decimal(initial) - decimal(traded)
  return hasEnded(row) || left < 0n ? '0' : quantityText(format(left), row)
}

const priceOf = ({ price }: OrderRow): string =>
  price === null ? NOT_APPLICABLE : decimalOf(price, PRICE_FRACTION)

export const ORDER_FIELDS: readonly Field<OrderRow>[] = [
  ['client_identification_code', 'Client identification code', EMPTY.person],
  ['investment_decision', 'Investment decision within the CASP', EMPTY.decision],
  ['execution_within_firm', 'Execution within firm', EMPTY.person],
  ['trading_capacity', 'Trading capacity', EMPTY.capacity],
  ['date_time', 'Date and Time (of the new order)', (row) => timeOf(row.created_at)],
  [
    'validity_period',
    'Validity period',
    ({ tif_mode }) => (tif_mode === null ? null : VALIDITY[tif_mode]),
  ],
  ['order_restriction', 'Order restriction', EMPTY.feature],
  [
    'validity_period_and_time',
    'Validity period and time',
    ({ expires_at }) => (expires_at === null ? null : timeOf(expires_at)),
  ],
  ['segment_mic', 'Segment MIC code', EMPTY.platform],
  ['crypto_asset_identification_code', 'Crypto-asset identification code', EMPTY.token],
  ['crypto_asset_classification', 'Crypto-asset classification', EMPTY.class],
  [
    'order_identification_code',
    'Order identification code, where one order at a venue serves it',
    ({ venue_order }) => venue_order,
  ],
  ['event', 'New order, order cancellation', () => 'NEWO'],
  ['order_type', 'Order type', ({ execution_type }) => execution_type],
  [
    'order_type_classification',
    'Order type classification',
    ({ execution_type }) => (execution_type === 'STOP_MARKET' ? 'STOP' : 'LMTO'),
  ],
  [
    'limit_price',
    'Limit price (all-in, as the customer has set it)',
    (row) => (row.execution_type === 'LIMIT' ? priceOf(row) : NOT_APPLICABLE),
  ],
  ['additional_limit_price', 'Additional limit price', () => NOT_APPLICABLE],
  [
    'stop_price',
    'Stop price',
    (row) => (row.execution_type === 'STOP_MARKET' ? priceOf(row) : NOT_APPLICABLE),
  ],
  ['pegged_limit_price', 'Pegged limit price', () => NOT_APPLICABLE],
  [
    'transaction_price',
    'Transaction price (average at the venue, without fee, risk and margin)',
    ({ average_price }) =>
      average_price === null ? NOT_APPLICABLE : decimalOf(average_price, PRICE_FRACTION),
  ],
  ['price_currency', 'Price currency, of a price in a currency', ({ quote }) => currencyOf(quote)],
  ['price_notation', 'Price notation', () => 'MONE'],
  ['buy_sell_indicator', 'Buy-sell indicator', ({ side }) => (side === 'BUY' ? 'BUYI' : 'SELL')],
  ['order_status', 'Order status', statusOf],
  ['quantity_notation', 'Quantity notation', (row) => quantities(row).notation],
  ['quantity_currency', 'Quantity currency', (row) => quantities(row).currency],
  ['initial_quantity', 'Initial quantity', (row) => quantityText(quantities(row).initial, row)],
  ['remaining_quantity', 'Remaining quantity', remainingOf],
  ['traded_quantity', 'Traded quantity', (row) => quantityText(quantities(row).traded, row)],
  ['minimum_acceptable_quantity', 'Minimum acceptable quantity', () => NOT_APPLICABLE],
  ['minimum_executable_size', 'Minimum executable size (MES)', EMPTY.feature],
  ['mes_first_execution_only', 'MES first execution only', EMPTY.feature],
  ['passive_only', 'Passive only indicator', () => 'false'],
  [
    'passive_or_aggressive',
    'Passive or aggressive indicator, where all its trades are the same',
    ({ liquidity }) => AGGRESSION[liquidity ?? ''] ?? null,
  ],
  ['self_execution_prevention', 'Self-execution prevention', "a venue's own rule is not stored."],
  [
    'platform_transaction_code',
    'Trading platform transaction identification code, where one trade fills it',
    ({ venue_trade }) => venue_trade,
  ],
  ['indicative_auction_price', 'Indicative auction price', EMPTY.auction],
  ['indicative_auction_volume', 'Indicative auction volume', EMPTY.auction],
  ['transmitting_provider', 'Transmitting crypto-asset service provider', EMPTY.transmission],
  ['transmission_indicator', 'Transmission of an order indicator', EMPTY.transmission],
  ['country_of_residence', 'Identification of the country of residence', EMPTY.country],
]
