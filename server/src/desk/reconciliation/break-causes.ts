/**
 * Why a venue and the books differ, as far as it can be found. Something without a known outcome
 * comes first, then whatever has just the size of the difference.
 */
import { absolute, round, sum } from '../../core/decimal.ts'
import {
  assetsOf,
  balancesOf,
  findManualBooking,
  roundingsOf,
  venueAccounts,
} from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { tradeOfSize } from '../../trading/index.ts'
import { bookedDepositCause, likelyCauseOf } from '../../treasury/index.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { Break } from './reconciliation.schema.ts'
import { ordersOf } from './venue-books.ts'
import type { VenueBooks } from './venue-books.ts'
import type { Line } from './wallet-lines.ts'

export type Cause = Pick<Break, 'cause' | 'explanation' | 'cause_resource_id'>

/**
 * The line's `difference` is the venue less the books and what is in flight; not 0. `lines`: all of
 * this asset at the venue.
 */
type Difference = {
  venue: VenueRecord
  asset: string
  line: Line
  lines: readonly Line[]
  books: VenueBooks
  now: number
}

/** The first cause that fits, in this order. */
export async function causeOf(reader: Reader, difference: Difference): Promise<Cause> {
  return (
    missingOpening(difference) ??
    unknownOutcome(difference) ??
    (await likelyMovement(reader, difference)) ??
    (await tradeOfThisSize(reader, difference)) ??
    (await bookingOfThisSize(reader, difference)) ??
    (await restsOfSettlements(reader, difference)) ??
    (await restToCome(reader, difference)) ??
    (await bookedDeposit(reader, difference)) ??
    openOrder(difference) ??
    oppositeWallet(difference) ?? {
      cause: 'UNKNOWN',
      explanation: 'nothing of this size was found',
      cause_resource_id: null,
    }
  )
}

function missingOpening({ venue, asset, books }: Difference): Cause | undefined {
  if (books.opened.has(asset)) return undefined
  return {
    cause: 'OPENING',
    explanation: `the ${asset} that ${venue.label} holds was never booked`,
    cause_resource_id: null,
  }
}

function unknownOutcome({ asset, line: { wallet }, books }: Difference): Cause | undefined {
  const movement = books.in_flight.find(
    (movement) =>
      movement.asset === asset &&
      movement.state === 'UNKNOWN' &&
      (wallet === null || movement.wallet === null || movement.wallet === wallet),
  )
  const unknown = movement ?? ordersOf(books, asset).find((order) => order.state === 'UNKNOWN')
  if (unknown === undefined) return undefined
  const resource = 'resource' in unknown ? unknown.resource : 'order'
  return {
    cause: 'TIMING',
    explanation: `the outcome of ${resource} ${unknown.id} is not known yet`,
    cause_resource_id: unknown.id,
  }
}

const likelyMovement = async (reader: Reader, of: Difference): Promise<Cause | undefined> =>
  causeOfMovement(await likelyCauseOf(reader, placeOf(of), of.now))

const bookedDeposit = async (reader: Reader, of: Difference): Promise<Cause | undefined> =>
  causeOfMovement(await bookedDepositCause(reader, placeOf(of)))

function placeOf({ venue, asset, line: { wallet, difference } }: Difference) {
  const { workspace, id: venue_id } = venue
  return { workspace, venue_id, wallet, asset, difference }
}

const causeOfMovement = (found: Awaited<ReturnType<typeof likelyCauseOf>>): Cause | undefined =>
  found && {
    cause: found.cause,
    explanation: found.explanation,
    cause_resource_id: found.resource_id,
  }

async function tradeOfThisSize(
  reader: Reader,
  { venue, asset, line }: Difference,
): Promise<Cause | undefined> {
  const quantity = absolute(line.difference)
  const trade = await tradeOfSize(reader, venue, asset, quantity)
  if (trade === undefined) return undefined
  const outside = trade.outside ? ', made outside' : ''
  const bust = trade.busted ? 'which the venue took back' : 'which the venue may have taken back'
  return {
    cause: 'UNMATCHED',
    explanation: `the size of trade ${trade.foreign_id}${outside}, ${bust}`,
    cause_resource_id: trade.id,
  }
}

async function bookingOfThisSize(
  reader: Reader,
  { venue, asset, line, books: { account_id } }: Difference,
): Promise<Cause | undefined> {
  const quantity = absolute(line.difference)
  const booking = await findManualBooking(reader, venue.workspace, { account_id, asset, quantity })
  if (booking === undefined) return undefined
  return {
    cause: 'UNMATCHED',
    explanation: `the size of booking ${booking}, made by hand`,
    cause_resource_id: booking,
  }
}

/** What settlements could not pay, as it was finer than the asset: the venue still counts it. */
async function restsOfSettlements(
  reader: Reader,
  { venue: { workspace, id, label }, asset, line }: Difference,
): Promise<Cause | undefined> {
  const { TRADING } = await venueAccounts(reader, workspace, id)
  if (TRADING === undefined) return undefined
  const roundings = await roundingsOf(reader, workspace, { account_id: TRADING, asset })
  const quantity = absolute(line.difference)
  const one = roundings.find((rounding) => absolute(rounding.credit) === quantity)
  const all = sum(roundings.map(({ credit }) => credit))
  if (one === undefined && absolute(all) !== quantity) return undefined
  const rest = one === undefined ? 'the rests of settlements' : 'the rest of a settlement'
  return {
    cause: 'UNMATCHED',
    explanation:
      `${rest} with ${label}, less than the smallest unit of ${asset}: it could not be paid ` +
      'and was booked as rounding',
    cause_resource_id: one?.settlement_id ?? null,
  }
}

/**
 * While a settlement is half done its rest stands on TRADING: a settlement books it as rounding
 * when it ends, and the venue does not count it.
 */
async function restToCome(
  reader: Reader,
  { venue: { workspace, id, label }, asset, line }: Difference,
): Promise<Cause | undefined> {
  const { TRADING } = await venueAccounts(reader, workspace, id)
  const scale = (await assetsOf(reader, workspace)).get(asset)?.scale
  if (TRADING === undefined || scale === undefined) return undefined
  const balances = await balancesOf(reader, workspace, TRADING)
  const owed = absolute(balances.find((balance) => balance.asset === asset)?.total ?? 0n)
  const rest = owed - round(owed, scale, 'down')
  if (rest !== absolute(line.difference)) return undefined
  return {
    cause: 'TIMING',
    explanation:
      `the rest of what is to be settled with ${label}, less than the smallest unit of ${asset}: ` +
      'it cannot be paid, and is booked as rounding when the settlement ends',
    cause_resource_id: null,
  }
}

function openOrder({ asset, books }: Difference): Cause | undefined {
  const [order] = ordersOf(books, asset)
  if (order === undefined) return undefined
  return {
    cause: 'TIMING',
    explanation: `order ${order.id} is ${order.state}`,
    cause_resource_id: order.id,
  }
}

function oppositeWallet({ line: { wallet, difference }, lines }: Difference): Cause | undefined {
  if (wallet === null) return undefined
  const other = lines.find((line) => line.wallet !== null && line.difference === -difference)
  if (other === undefined) return undefined
  const where = `wallet ${other.wallet} differs by just the opposite`
  return {
    cause: 'UNMATCHED',
    explanation: `${where}: it may have moved between the two`,
    cause_resource_id: null,
  }
}
