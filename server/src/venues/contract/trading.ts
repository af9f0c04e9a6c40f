/** Orders at a venue, their fills, and all trades of our account there. */
import type { Decimal } from '../../core/decimal.ts'
import type { Asking } from './asking.ts'
import type { Lookup, Outcome } from './outcome.ts'
import type { SetAsideRecord } from './transfers.ts'

export type Side = 'BUY' | 'SELL'

export type OrderState =
  | 'PENDING_NEW'
  | 'NEW'
  | 'PARTIALLY_FILLED'
  | 'FILLED'
  | 'PENDING_CANCEL'
  | 'CANCELED'
  | 'REJECTED'
  | 'EXPIRED'
  | 'UNKNOWN'

/**
 * GTD: until `expires_at`; IOC: what is not filled at once is canceled; FOK: all at once or
 * nothing.
 */
export type TimeInForce = 'GTC' | 'GTD' | 'IOC' | 'FOK'

export type VenueOrder = {
  /** ClOrdID: ours, unique for ever. */
  client_order_id: string
  base_asset: string
  quote_asset: string
  side: Side
  type: 'MARKET' | 'LIMIT'
  /** Limit price in the quote asset, a multiple of the price step; null for MARKET. */
  price: Decimal | null
  /** In the base asset, a multiple of the amount step. */
  quantity: Decimal
  tif_mode: TimeInForce
  /** When a GTD order ends, in Unix milliseconds; null for all others. */
  expires_at: number | null
}

export type VenueFill = {
  /** The venue's trade id. */
  foreign_id: string
  price: Decimal
  quantity: Decimal
  /** price × quantity as the venue booked it, in the quote asset. */
  volume: Decimal
  fee: Decimal
  fee_asset: string
  liquidity: 'MAKER' | 'TAKER' | 'UNKNOWN'
  executed_at: number
  /** The venue took the trade back: it did not happen. */
  busted: boolean
}

/**
 * A trade of the account, whoever placed its order: we, a person at the venue's own desk, or
 * another program.
 */
export type AccountTrade = VenueFill & {
  order_foreign_id: string
  /** The order's client id as the venue keeps it; null when it has none. */
  client_order_id: string | null
  base_asset: string
  quote_asset: string
  side: Side
}

export type OrderReport = {
  foreign_id: string
  state: OrderState
  reason: string | null
  /** Of what stands: busted fills do not count. */
  filled_quantity: Decimal
  /** All fills the venue shows for this order so far, busted ones too. */
  fills: VenueFill[]
}

export type OrderLookup = VenueOrder & {
  foreign_id: string | null
  sent_at: number
  /** The connection of its sending; null, or absent, where that is not known. */
  sent_over?: string | null
  /** It may have been sent again until then: the database was set back. */
  sent_until?: number
}

export type Trading = {
  /** The order kinds this venue really has, proven by a wire-level test each. */
  supports(order: Pick<VenueOrder, 'type' | 'tif_mode'>): boolean
  send(order: VenueOrder): Promise<Outcome<OrderReport>>
  find(lookup: OrderLookup): Promise<Lookup<OrderReport>>
  cancel(lookup: OrderLookup): Promise<Outcome<OrderReport>>
  /**
   * Trades of the account that are new or changed since the cursor (null: from `from` on, in the
   * venue's time, or from the beginning the venue offers), and the next cursor. What was reported
   * may come again; nothing is left out. Absent where the venue does not report them.
   */
  trades?(
    cursor: string | null,
    from?: number,
    asking?: Asking,
  ): Promise<{ trades: AccountTrade[]; set_aside?: SetAsideRecord[]; cursor: string | null }>
}
