/**
 * Why a venue and the books differ, as far as it can be found: by what has no known outcome, then
 * by what has just that size.
 */
import { absolute } from '../../core/decimal.ts'
import { findManualBooking } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { tradeOfSize } from '../../trading/index.ts'
import { likelyCauseOf } from '../../treasury/index.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { Break } from './reconciliation.schema.ts'
import { ordersOf } from './venue-books.ts'
import type { VenueBooks } from './venue-books.ts'
import type { Line } from './wallet-lines.ts'

export type Cause = Pick<Break, 'cause' | 'explanation' | 'cause_resource_id'>

/**
 * The line's `difference` is the venue less the books and what is on the way; not 0. `lines`: all
 * of this asset at the venue.
 */
export async function causeOf(
  reader: Reader,
  venue: VenueRecord,
  asset: string,
  { wallet, difference }: Line,
  lines: readonly Line[],
  books: VenueBooks,
  now: number,
): Promise<Cause> {
  if (!books.opened.has(asset))
    return {
      cause: 'OPENING',
      explanation: `what ${venue.label} holds of ${asset} was never taken into the books`,
      cause_resource_id: null,
    }
  const unknown =
    books.underway.find(
      (underway) =>
        underway.asset === asset &&
        underway.state === 'UNKNOWN' &&
        (wallet === null || underway.wallet === null || underway.wallet === wallet),
    ) ?? ordersOf(books, asset).find((order) => order.state === 'UNKNOWN')
  if (unknown !== undefined)
    return {
      cause: 'TIMING',
      explanation: `the outcome of ${'resource' in unknown ? unknown.resource : 'order'} ${unknown.id} is not known yet`,
      cause_resource_id: unknown.id,
    }
  const suspect = await likelyCauseOf(
    reader,
    { workspace: venue.workspace, venue_id: venue.id, wallet, asset, difference },
    now,
  )
  if (suspect !== undefined)
    return {
      cause: suspect.cause,
      explanation: suspect.explanation,
      cause_resource_id: suspect.resource_id,
    }
  const trade = await tradeOfSize(reader, venue, asset, absolute(difference))
  if (trade !== undefined)
    return {
      cause: 'UNMATCHED',
      explanation: `the size of trade ${trade.foreign_id}${trade.outside ? ', made outside' : ''}${trade.busted ? ', which the venue took back' : ', which the venue may have taken back'}`,
      cause_resource_id: trade.id,
    }
  const booking = await findManualBooking(reader, venue.workspace, {
    account_id: books.account_id,
    asset,
    quantity: absolute(difference),
  })
  if (booking !== undefined)
    return {
      cause: 'UNMATCHED',
      explanation: `the size of booking ${booking}, made by hand`,
      cause_resource_id: booking,
    }
  const [order] = ordersOf(books, asset)
  if (order !== undefined)
    return {
      cause: 'TIMING',
      explanation: `order ${order.id} is ${order.state}`,
      cause_resource_id: order.id,
    }
  const other =
    wallet === null
      ? undefined
      : lines.find((line) => line.wallet !== null && line.difference === -difference)
  if (other !== undefined)
    return {
      cause: 'UNMATCHED',
      explanation: `wallet ${other.wallet} differs by just the opposite: it may have moved between the two`,
      cause_resource_id: null,
    }
  return {
    cause: 'UNKNOWN',
    explanation: 'nothing of this size was found',
    cause_resource_id: null,
  }
}
