/**
 * What the trades of an execution mean for its customers: positions, holds, bookings, the fields of
 * the records.
 */
import { mustExist } from '../../core/assert.ts'
import {
  decimal,
  divide,
  divideInteger,
  format,
  greatest,
  least,
  ONE,
  round,
  sum,
} from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { assetByCode, holdsOf, houseAccounts, venueAccounts } from '../../ledger/index.ts'
import type { EventOf, LedgerStep } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { VenueRecord } from '../../venues/index.ts'
import { bookFill } from '../pricing/bookings.ts'
import type { VenueAccounts } from '../pricing/bookings.ts'
import type { ShareRow, StoredExecution } from '../executions/rows.ts'
import type { TradingApp } from '../app.ts'
import type { NextState } from './next-order.ts'
import { positionFrom, splitFilled } from '../pricing/positions.ts'
import type { FilledPosition, Position, Pricing } from '../pricing/positions.ts'
import { displayPrice } from '../pricing/pricing.ts'
import { quoteById } from '../quotes/quotes.ts'
import { pricedOf } from '../quotes/sides.ts'
import { adjustCredit, readUnsettledShare, sumCredits } from './unsettled-fills.ts'
import type { Proceeds } from './unsettled-fills.ts'
import type { ExecutionState } from '../states.ts'

const SLIPPAGE_DIGITS = 8

export type Positions = {
  before: FilledPosition
  after: FilledPosition
  shares: { share: ShareRow; before: Position; after: Position }[]
}

/** How each customer's position follows from what was filled. */
export async function readPositions(
  app: TradingApp,
  execution: StoredExecution,
): Promise<{
  base_scale: number
  shares(before: FilledPosition, after: FilledPosition): Positions
}> {
  const { workspace, side, base_asset, quote_asset } = execution
  const [base, quote] = [
    await assetByCode(app.db, workspace, base_asset),
    await assetByCode(app.db, workspace, quote_asset),
  ]
  const accepted = execution.firm
    ? await quoteById(
        app.db,
        workspace,
        mustExist(execution.quote_id, 'a firm execution has its quote'),
      )
    : undefined
  const firm =
    accepted === undefined
      ? undefined
      : pricedOf(side, side === 'BUY' ? accepted.buy : accepted.sell)
  const pricing = (share: ShareRow): Pricing => ({
    side,
    base_scale: base.scale,
    quote_scale: quote.scale,
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
      : { asked: { volume: decimal(share.volume), amount: decimal(share.amount) } }),
  })
  const weights = execution.shares.map((share) => decimal(share.amount))
  return {
    base_scale: base.scale,
    shares(before, after) {
      const [parts, grown] = [
        splitFilled(before, weights, base.scale),
        splitFilled(after, weights, base.scale),
      ]
      return {
        before,
        after,
        shares: execution.shares.map((share, index) => ({
          share,
          before: positionFrom(pricing(share), parts[index] as FilledPosition),
          after: positionFrom(pricing(share), grown[index] as FilledPosition),
        })),
      }
    },
  }
}

/**
 * `shrunk`: a trade was taken back. `bringing`: the trades that stand and bring the customers
 * something.
 */
type Booked = {
  ended: boolean
  shrunk: boolean
  venue: KnownVenue | undefined
  bringing: readonly Proceeds[]
}

/** What the trades take of the holds, what they book, and at the end what is left of the holds. */
export async function ledgerSteps(
  app: TradingApp,
  execution: StoredExecution,
  { before, after, shares }: Positions,
  { ended, shrunk, venue, bringing }: Booked,
): Promise<LedgerStep[]> {
  const { workspace, id, side, base_asset, quote_asset, hops } = execution
  const holds = await holdsOf(app.db, workspace, id)
  const steps: LedgerStep[] = []
  const releases: LedgerStep[] = []
  for (const { share, after: position } of shares) {
    const hold = mustExist(
      holds.find((hold) => hold.id === share.hold_id),
      'a share has its hold',
    )
    const given = side === 'BUY' ? position.total : position.base
    const captured = greatest(0n, least(given - (hold.quantity - hold.remaining), hold.remaining))
    if (captured > 0n) steps.push({ step: 'capture', hold_id: hold.id, quantity: captured })
    if (ended && hold.remaining > captured) releases.push({ step: 'release', hold_id: hold.id })
  }
  const traded = (filled: FilledPosition) =>
    filled.hops.map((hop) => `${hop.amount} ${hop.volume} ${[...hop.fees].join()}`).join()
  if (traded(before) !== traded(after) || before.closed !== after.closed || shrunk) {
    const { FEE, RISK, MARGIN, ROUNDING } = await houseAccounts(app.db, workspace)
    const venues = await venuesOf(
      app,
      workspace,
      hops.map((hop) => hop.venue_id),
      venue,
    )
    const bookings = bookFill({
      execution_id: id,
      side,
      base_asset,
      quote_asset,
      house: { FEE, RISK, MARGIN, ROUNDING },
      venues,
      shares: shares.map((share) => ({
        account_id: share.share.account_id,
        schema: share.share.booking_schema,
        before: share.before,
        after: share.after,
      })),
      ...(shrunk ? { description: 'the venue took a trade back' } : {}),
    })
    steps.push(...bookings.map((booking): LedgerStep => ({ step: 'book', booking })))
    // The customers get what the first hop buys, or the last one sells for: where that venue pays
    // later, it is not settled yet.
    const giver = mustExist(side === 'BUY' ? hops[0] : hops.at(-1), 'a route has a hop')
    if (venues.get(giver.venue_id)?.prefunded === false) {
      const { scale, code: asset } = await assetByCode(
        app.db,
        workspace,
        side === 'BUY' ? base_asset : quote_asset,
      )
      const left = await readUnsettledShare(app.db, workspace, bringing)
      for (const {
        share: { account_id },
        after: position,
      } of shares) {
        const unsettled = round(
          divideInteger(
            (side === 'BUY' ? position.base : position.total) * left.open,
            left.all,
            'up',
          ),
          scale,
          'up',
        )
        steps.push(
          ...adjustCredit(
            id,
            { account_id, asset, quantity: unsettled - sumCredits(holds, account_id, asset) },
            holds,
          ),
        )
      }
    }
  }
  return [...steps, ...releases]
}

type KnownVenue = Pick<VenueRecord, 'id' | 'settlement'>

async function venuesOf(
  app: TradingApp,
  workspace: WorkspaceId,
  venue_ids: readonly VenueId[],
  known: KnownVenue | undefined,
): Promise<Map<string, VenueAccounts>> {
  const venues =
    known !== undefined && venue_ids.every((venueId) => venueId === known.id)
      ? [known]
      : await app.venues.list(workspace)
  const accounts = new Map<string, VenueAccounts>()
  for (const venue_id of new Set(venue_ids)) {
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

export function priceText(side: 'BUY' | 'SELL', volume: Decimal, quantity: Decimal): string | null {
  const price = displayPrice(side, volume, quantity)
  return price === undefined ? null : format(price)
}

export function executionUpdate(
  execution: StoredExecution,
  { after, shares }: Positions,
  completed_at: number | undefined,
  next: NextState | undefined,
): Query {
  const { amount, volume } = after
  const total = sum(shares.map((share) => share.after.total))
  return sql`
    update executions
    set filled_amount = ${format(amount)}, filled_volume = ${format(volume)},
      average_price = ${priceText(execution.side, volume, amount)},
      customer_price = ${priceText(execution.side, total, amount)},
      fee = ${format(sum(shares.map((share) => share.after.charged)))},
      slippage = ${slippageOf(execution, volume, amount)},
      reason_code = ${next?.reason_code ?? execution.reason_code},
      reason = ${next?.reason ?? execution.reason},
      completed_at = ${completed_at ?? execution.completed_at}
    where workspace = ${execution.workspace}
      and id = ${execution.id}`
}

export function sharesUpdate({ workspace, id }: StoredExecution, { shares }: Positions): Query {
  return sql`
    update execution_customers c
    set filled_amount = n.amount, filled_volume = n.volume
    from unnest(
      ${shares.map((share) => share.share.customer_no)}::int[],
      ${shares.map((share) => format(share.after.base))}::numeric[],
      ${shares.map((share) => format(share.after.total))}::numeric[]
    ) as n (no, amount, volume)
    where c.workspace = ${workspace}
      and c.execution_id = ${id}
      and c.customer_no = n.no`
}

/** Positive: worse than the top of the book was. */
function slippageOf(
  { top_price, side }: StoredExecution,
  volume: Decimal,
  amount: Decimal,
): string | null {
  if (top_price === null || amount === 0n) return null
  const factor =
    divide(
      divide(volume, amount, 18, 'half_even'),
      decimal(top_price),
      SLIPPAGE_DIGITS,
      'half_even',
    ) - ONE
  return format(side === 'BUY' ? factor : -factor)
}

/** What is told when an execution comes to this state. */
export const EVENT_OF: Readonly<Partial<Record<ExecutionState, EventOf<'execution'>>>> = {
  PROCESSING: 'resumed',
  UNKNOWN: 'outcome_unknown',
  DONE: 'done',
  CANCELED: 'canceled',
  EXPIRED: 'expired',
  FAILED: 'failed',
}

export function stateData(
  execution: StoredExecution,
  { after, shares }: Positions,
  next: NextState | undefined,
): Json {
  const { symbol, side, amount, client_ref } = execution
  return {
    state: next?.state ?? execution.state,
    reason_code: next?.reason_code ?? execution.reason_code,
    reason: next?.reason ?? execution.reason,
    symbol,
    side,
    amount,
    client_ref,
    filled_amount: format(after.amount),
    filled_volume: format(after.volume),
    average_price: priceText(side, after.volume, after.amount),
    customers: shares.map((share) => ({
      customer_id: share.share.customer_id,
      filled_amount: format(share.after.base),
      filled_volume: format(share.after.total),
    })),
  }
}
