/**
 * What a process that does not hold the lease asks the holder for: every read that an exchange
 * answers with its credential. What only the adapter knows it answers itself, and public prices it
 * follows itself. Orders and transfers are sent by the holder alone.
 */
import { ApiError } from '../../core/errors.ts'
import type { Asking, OrderLookup, SetAsideRecord, TransferLookup, Venue } from '../contract.ts'
import type { Prices, Trading, Transfers } from '../contract.ts'

type Since = { cursor: string | null; asking?: Asking | undefined }
type TradesSince = Since & { from?: number | undefined }

function group<Group>(found: Group | undefined, what: string): Group {
  if (found === undefined) throw new ApiError('VenueUnreachable', `the venue has no ${what} now`)
  return found
}
const transfersOf = ({ transfers }: Venue): Transfers => group(transfers, 'transfers')
const tradingOf = ({ trading }: Venue): Trading => group(trading, 'orders')
const pricesOf = ({ prices }: Venue): Prices => group(prices, 'prices')

export const READS = {
  balances: (venue: Venue, { asking }: { asking?: Asking | undefined }) => venue.balances(asking),
  protocols: (venue: Venue, _asked: object) => venue.protocols(),
  estimateFee: (venue: Venue, order: Parameters<Transfers['estimateFee']>[0]) =>
    transfersOf(venue).estimateFee(order),
  findTransfer: (venue: Venue, lookup: TransferLookup) => transfersOf(venue).find(lookup),
  incoming: (venue: Venue, { cursor, asking }: Since) =>
    transfersOf(venue).incoming(cursor, asking),
  outgoing: (venue: Venue, { cursor, asking }: Since) =>
    group(transfersOf(venue).outgoing, 'list of what leaves')(cursor, asking),
  reread: (venue: Venue, record: Pick<SetAsideRecord, 'foreign_id' | 'raw'>) =>
    group(transfersOf(venue).reread, 'reading of one record')(record),
  findOrder: (venue: Venue, lookup: OrderLookup) => tradingOf(venue).find(lookup),
  trades: (venue: Venue, { cursor, from, asking }: TradesSince) =>
    group(tradingOf(venue).trades, 'list of trades')(cursor, from, asking),
  pairs: (venue: Venue, _asked: object) => pricesOf(venue).pairs(),
}

export type ReadName = keyof typeof READS
export type AskedOf<Name extends ReadName> = Parameters<(typeof READS)[Name]>[1]
export type AnswerOf<Name extends ReadName> = Awaited<ReturnType<(typeof READS)[Name]>>

export function readAt<Name extends ReadName>(
  venue: Venue,
  name: Name,
  asked: AskedOf<Name>,
): Promise<AnswerOf<Name>> {
  return READS[name](venue, asked as never) as Promise<AnswerOf<Name>>
}

/** Reads at the venue, or has the holder of the lease read. */
export type Reach = <Name extends ReadName>(
  name: Name,
  asked: AskedOf<Name>,
) => Promise<AnswerOf<Name>>

/** The adapter whose reads go where `reach` says. */
export function withReach(adapter: Venue, reach: Reach): Venue {
  const { transfers, trading, prices } = adapter
  return {
    ...adapter,
    balances: (asking) => reach('balances', { asking }),
    protocols: () => reach('protocols', {}),
    ...(transfers === undefined ? {} : { transfers: transfersWithReach(transfers, reach) }),
    ...(trading === undefined ? {} : { trading: tradingWithReach(trading, reach) }),
    ...(prices === undefined ? {} : { prices: { ...prices, pairs: () => reach('pairs', {}) } }),
  }
}

const transfersWithReach = (transfers: Transfers, reach: Reach): Transfers => ({
  ...transfers,
  estimateFee: (order) => reach('estimateFee', order),
  find: (lookup) => reach('findTransfer', lookup),
  incoming: (cursor, asking) => reach('incoming', { cursor, asking }),
  ...(transfers.outgoing === undefined
    ? {}
    : { outgoing: (cursor, asking) => reach('outgoing', { cursor, asking }) }),
  ...(transfers.reread === undefined ? {} : { reread: (record) => reach('reread', record) }),
})

const tradingWithReach = (trading: Trading, reach: Reach): Trading => ({
  ...trading,
  find: (lookup) => reach('findOrder', lookup),
  ...(trading.trades === undefined
    ? {}
    : { trades: (cursor, from, asking) => reach('trades', { cursor, from, asking }) }),
})
