/** An order as its venue is sent it and asked about it. */
import { decimal } from '../../core/decimal.ts'
import { isUnreachable, withTimeLimit } from '../../venues/index.ts'
import type { Lookup, OrderLookup, OrderReport, Trading, VenueOrder } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import type { OrderRow } from '../executions/rows.ts'

export function venueOrderOf(
  order: Omit<VenueOrder, 'price' | 'quantity'> & Pick<OrderRow, 'price' | 'quantity'>,
): VenueOrder {
  return {
    client_order_id: order.client_order_id,
    base_asset: order.base_asset,
    quote_asset: order.quote_asset,
    side: order.side,
    type: order.type,
    price: order.price === null ? null : decimal(order.price),
    quantity: decimal(order.quantity),
    tif_mode: order.tif_mode,
    expires_at: order.expires_at,
  }
}

/**
 * An order resolved by hand is asked about by our own reference until the venue has confirmed it:
 * somebody may have mistyped the venue's.
 */
export const lookupOf = (order: OrderRow, sent_at: number): OrderLookup => ({
  ...venueOrderOf(order),
  foreign_id: order.resolved_at !== null && order.confirmed_at === null ? null : order.foreign_id,
  sent_at,
  sent_over: order.sent_over,
})

/** Why the venue refuses, with its own words. */
export const refusalReason = ({ reason, native }: { reason: string; native: string | null }) =>
  native === null ? reason : `${reason} (${native})`

/** Unknown also while the venue cannot be reached. */
export async function findOrder(
  trading: Trading,
  lookup: OrderLookup,
): Promise<Lookup<OrderReport>> {
  try {
    return await trading.find(lookup)
  } catch (error) {
    if (isUnreachable(error)) return { lookup: 'unknown', reason: error.message }
    throw error
  }
}

/** What the venue of an order answers within 5 s; unknown also while it cannot be reached. */
export const askVenue = (
  app: TradingApp,
  order: OrderRow & { sent_at: number },
): Promise<Lookup<OrderReport>> => askVenueAt(app, order, lookupOf(order, order.sent_at))

/** The same of an order that has no row. */
export async function askVenueAt(
  { venues }: TradingApp,
  { workspace, venue_id }: Pick<OrderRow, 'workspace' | 'venue_id'>,
  lookup: OrderLookup,
): Promise<Lookup<OrderReport>> {
  try {
    const { venue, adapter } = await venues.connect(workspace, venue_id)
    if (adapter.trading === undefined)
      return { lookup: 'unknown', reason: `venue ${venue.label} takes no orders now` }
    return await withTimeLimit(adapter.trading.find(lookup), venue.label)
  } catch (error) {
    if (isUnreachable(error)) return { lookup: 'unknown', reason: error.message }
    throw error
  }
}

/** Why the venue cannot be asked now, whatever it would answer. */
export async function checkReachable(
  trading: Trading,
  lookup: OrderLookup,
): Promise<string | undefined> {
  try {
    await trading.find(lookup)
    return undefined
  } catch (error) {
    if (isUnreachable(error)) return error.message
    throw error
  }
}
