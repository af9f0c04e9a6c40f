/** What the trades of an execution mean for its customers: positions, holds and bookings. */
import { mustExist } from '../../core/assert.ts'
import { decimal, divideInteger, greatest, least, round } from '../../core/decimal.ts'
import { assetByCode, holdsOf, houseAccounts, venueAccounts } from '../../ledger/index.ts'
import type { Hold, LedgerStep } from '../../ledger/index.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import type { StoredExecution } from '../executions/rows.ts'
import { bookFill } from '../pricing/bookings.ts'
import type { VenueAccounts } from '../pricing/bookings.ts'
import { positionFrom, splitFilled } from '../pricing/positions.ts'
import type { FilledPosition, Pricing } from '../pricing/positions.ts'
import type { PriceParts } from '../pricing/pricing.ts'
import { quoteById } from '../quotes/quotes.ts'
import { pricedOf } from '../quotes/sides.ts'
import type { Positions } from './execution-record.ts'
import { adjustCredit, readUnsettledShare, sumCredits } from './unsettled-fills.ts'
import type { Proceeds } from './unsettled-fills.ts'

/** How each customer's position follows from what was filled. */
export async function readPositions(
  app: TradingApp,
  execution: StoredExecution,
): Promise<{
  base_scale: number
  positions(before: FilledPosition, after: FilledPosition): Positions
}> {
  const { workspace, side, base_asset, quote_asset } = execution
  const [base, quoted] = [
    await assetByCode(app.db, workspace, base_asset),
    await assetByCode(app.db, workspace, quote_asset),
  ]
  const firm = await readFirmPrice(app, execution)
  const pricings = execution.shares.map((share): Pricing => ({
    side,
    base_scale: base.scale,
    quote_scale: quoted.scale,
    firm,
    terms: {
      taker_fee: decimal(execution.taker_fee),
      risk: decimal(share.risk),
      margin: decimal(share.margin),
    },
    ...(execution.execution_type === 'LIMIT' && execution.price !== null
      ? { all_in: decimal(execution.price) }
      : {}),
    ...(share.volume === null
      ? {}
      : { target: { volume: decimal(share.volume), amount: decimal(share.amount) } }),
  }))
  const weights = execution.shares.map((share) => decimal(share.amount))
  const positionsAfter = (filled: FilledPosition) => {
    const parts = splitFilled(filled, weights, base.scale)
    return pricings.map((pricing, index) => positionFrom(pricing, parts[index] as FilledPosition))
  }
  return {
    base_scale: base.scale,
    positions(before, after) {
      const [earlier, later] = [positionsAfter(before), positionsAfter(after)]
      const shares = execution.shares.map((share, index) => ({
        share,
        before: mustExist(earlier[index], 'each share has a position'),
        after: mustExist(later[index], 'each share has a position'),
      }))
      return { before, after, shares }
    },
  }
}

/** The side of the quote that a firm execution keeps. */
async function readFirmPrice(
  app: TradingApp,
  { workspace, firm, side, quote_id }: StoredExecution,
): Promise<PriceParts | undefined> {
  if (!firm) return undefined
  const id = mustExist(quote_id, 'a firm execution has its quote')
  const quote = await quoteById(app.db, workspace, id)
  return pricedOf(side, side === 'BUY' ? quote.buy : quote.sell)
}

type Settled = {
  /** The execution ends. */
  ended: boolean
  /** A trade was taken back. */
  shrunk: boolean
  venue: KnownVenue | undefined
  /** By the trades that stand. */
  proceeds: readonly Proceeds[]
}

/** What the trades take of the holds, what they book, and at the end what is left of the holds. */
export async function ledgerSteps(
  app: TradingApp,
  execution: StoredExecution,
  positions: Positions,
  { ended, shrunk, venue, proceeds }: Settled,
): Promise<LedgerStep[]> {
  const holds = await holdsOf(app.db, execution.workspace, execution.id)
  const { captures, releases } = takeFromHolds(execution, positions, holds, ended)
  if (!hasTraded(positions) && !shrunk) return [...captures, ...releases]
  const venues = await readVenueAccounts(app, execution, venue)
  const bookings = await bookingSteps(app, execution, positions, { venues, shrunk })
  // The customers get what the first hop buys, or the last one sells for: where that venue pays
  // later, it is not settled yet.
  const { side, hops } = execution
  const giver = mustExist(side === 'BUY' ? hops[0] : hops.at(-1), 'a route has a hop')
  const credits =
    venues.get(giver.venue_id)?.prefunded === false
      ? await creditSteps(app, execution, positions, { holds, proceeds })
      : []
  return [...captures, ...bookings, ...credits, ...releases]
}

function hasTraded({ before, after }: Positions): boolean {
  const traded = (filled: FilledPosition) =>
    filled.hops.map((hop) => `${hop.amount} ${hop.volume} ${[...hop.fees].join()}`).join()
  return traded(before) !== traded(after) || before.closed !== after.closed
}

/** Captures what each customer gives by then; at the end releases the rest. */
function takeFromHolds(
  { side }: StoredExecution,
  { shares }: Positions,
  holds: readonly Hold[],
  ended: boolean,
): { captures: LedgerStep[]; releases: LedgerStep[] } {
  const captures: LedgerStep[] = []
  const releases: LedgerStep[] = []
  for (const { share, after } of shares) {
    const hold = mustExist(
      holds.find(({ id }) => id === share.hold_id),
      'a share has its hold',
    )
    const due = side === 'BUY' ? after.total : after.base
    const captured = greatest(0n, least(due - (hold.quantity - hold.remaining), hold.remaining))
    if (captured > 0n) captures.push({ step: 'capture', hold_id: hold.id, quantity: captured })
    if (ended && hold.remaining > captured) releases.push({ step: 'release', hold_id: hold.id })
  }
  return { captures, releases }
}

async function bookingSteps(
  app: TradingApp,
  { workspace, id, side, base_asset, quote_asset }: StoredExecution,
  { shares }: Positions,
  { venues, shrunk }: { venues: ReadonlyMap<string, VenueAccounts>; shrunk: boolean },
): Promise<LedgerStep[]> {
  const { FEE, RISK, MARGIN, ROUNDING } = await houseAccounts(app.db, workspace)
  const bookings = bookFill({
    execution_id: id,
    side,
    base_asset,
    quote_asset,
    house: { FEE, RISK, MARGIN, ROUNDING },
    venues,
    shares: shares.map(({ share, before, after }) => ({
      account_id: share.account_id,
      schema: share.booking_schema,
      before,
      after,
    })),
    ...(shrunk ? { description: 'the venue took a trade back' } : {}),
  })
  return bookings.map((booking) => ({ step: 'book', booking }))
}

/** What each customer has received and the venue has not paid: theirs to trade, not to withdraw. */
async function creditSteps(
  app: TradingApp,
  { workspace, id, side, base_asset, quote_asset }: StoredExecution,
  { shares }: Positions,
  { holds, proceeds }: { holds: readonly Hold[]; proceeds: readonly Proceeds[] },
): Promise<LedgerStep[]> {
  const asset = side === 'BUY' ? base_asset : quote_asset
  const { scale } = await assetByCode(app.db, workspace, asset)
  const { open, all } = await readUnsettledShare(app.db, workspace, proceeds)
  return shares.flatMap(({ share: { account_id }, after }) => {
    const received = side === 'BUY' ? after.base : after.total
    const unsettled = round(divideInteger(received * open, all, 'up'), scale, 'up')
    const quantity = unsettled - sumCredits(holds, account_id, asset)
    return adjustCredit(id, { account_id, asset, quantity }, holds)
  })
}

type KnownVenue = Pick<VenueRecord, 'id' | 'settlement'>

/** The accounts of the hops' venues. `known`: read before; mostly it is the only one. */
async function readVenueAccounts(
  app: TradingApp,
  { workspace, hops }: StoredExecution,
  known: KnownVenue | undefined,
): Promise<Map<string, VenueAccounts>> {
  const venues =
    known !== undefined && hops.every((hop) => hop.venue_id === known.id)
      ? [known]
      : await app.venues.list(workspace)
  const accounts = new Map<string, VenueAccounts>()
  for (const venue_id of new Set(hops.map((hop) => hop.venue_id))) {
    const { settlement } = mustExist(
      venues.find((venue) => venue.id === venue_id),
      `venue ${venue_id} is known`,
    )
    accounts.set(venue_id, {
      ...(await venueAccounts(app.db, workspace, venue_id)),
      prefunded: settlement === 'PREFUNDED',
    })
  }
  return accounts
}
