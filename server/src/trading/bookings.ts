/**
 * Every booking that trading makes, pure (domain: ledger). What an execution posts is the difference between two
 * cumulative positions, so that the whole is the same however it was filled.
 *
 * ADVANCED  EXECUTION: the customer against TRADING, FEE, RISK, MARGIN; TRADING_FEE: what the venue really took.
 * SIMPLE    EXECUTION: the customer against TRADING with everything inside; what the trade leaves on TRADING is MARGIN.
 * SETTLEMENT at fill time for a prefunded venue, so that TRADING ends at 0.
 *
 * Customers' legs carry the asset's scale, the venue's side its exact digits; the difference is ROUNDING, or for a firm
 * quote (price promised, market different) a leg of its own on RISK.
 */
import { greatest, multiply, round } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { BookingDraft, BookingType, Leg } from '../ledger/index.ts'
import { priceFilled, shareOf } from './pricing.ts'
import type { Priced, Side, Terms } from './pricing.ts'

/** What the venue has done for one execution so far; `fees` by asset. */
export type Filled = { amount: Decimal; volume: Decimal; fees: ReadonlyMap<string, Decimal> }

export type Pricing = {
  side: Side
  base_asset: string
  quote_asset: string
  base_scale: number
  quote_scale: number
  terms: Terms
  /** The firm quote's side, which holds whatever the market did. */
  firm: Priced | undefined
}

/** The cumulative position behind the bookings. `total`: BUY paid, SELL got. `base`: the customer's, in his scale. */
export type Position = {
  filled: Filled
  base: Decimal
  total: Decimal
  /** What of the total is for the venue's fee, and how much of it is booked so, in exact digits. */
  charged: Decimal
  fee: Decimal
  risk: Decimal
  margin: Decimal
  /** A firm price's difference to the market. */
  hedge: Decimal
  rounding: Decimal
}

export function positionOf(pricing: Pricing, filled: Filled): Position {
  const { side, terms, firm, base_scale, quote_scale, quote_asset } = pricing
  const parts = firm === undefined ? priceFilled(side, filled.amount, filled.volume, terms, quote_scale) : shareOf(side, firm, filled.amount, quote_scale)
  // Rounded up, the parts of a few cents may exceed a sale: nobody pays for selling.
  const total = greatest(0n, parts.total)
  const fee = firm === undefined ? multiply(filled.volume, terms.taker_fee, 18, 'down') : filled.fees.get(quote_asset) ?? parts.fee
  const exact = fee + parts.risk + parts.margin
  const difference = side === 'BUY' ? total - filled.volume - exact : filled.volume - exact - total
  return {
    filled, total, charged: parts.fee, fee, risk: parts.risk, margin: parts.margin,
    base: round(filled.amount, base_scale, side === 'BUY' ? 'down' : 'up'),
    hedge: firm === undefined ? 0n : difference,
    rounding: firm === undefined ? difference : 0n,
  }
}

export type TradingAccounts = { CUSTOMER: string; TRADING: string; VENUE: string; FEE: string; RISK: string; MARGIN: string; ROUNDING: string }

export type Posting = {
  execution_id: string
  schema: 'ADVANCED' | 'SIMPLE'
  prefunded: boolean
  pricing: Pricing
  accounts: TradingAccounts
  before: Position
  after: Position
}

/** An account and what it is credited with; negative is a debit. */
type Entry = readonly [account_id: string, credit: Decimal]

export function fillBookings({ execution_id, schema, prefunded, pricing, accounts, before, after }: Posting): BookingDraft[] {
  const { side, base_asset, quote_asset } = pricing
  const buys = side === 'BUY'
  const sign = (value: Decimal) => (buys ? value : -value)
  const grown = (part: (position: Position) => Decimal) => part(after) - part(before)
  const [amount, volume, base, total] = [grown((each) => each.filled.amount), grown((each) => each.filled.volume), grown((each) => each.base), grown((each) => each.total)]
  const fees = [...after.filled.fees].map(([asset, fee]) => [asset, fee - (before.filled.fees.get(asset) ?? 0n)] as const)
  const { CUSTOMER, TRADING, VENUE, FEE, RISK, MARGIN, ROUNDING } = accounts
  const bookings: BookingDraft[] = []
  const onTrading = new Map<string, Decimal>()

  const book = (type: BookingType, asset: string, entries: readonly Entry[]): void => {
    const legs = entries.flatMap(([account_id, credit]): Leg[] => (credit === 0n ? [] : [{ account_id, type: credit > 0n ? 'CREDIT' : 'DEBIT', quantity: credit > 0n ? credit : -credit }]))
    for (const [account_id, credit] of entries) if (account_id === TRADING) onTrading.set(asset, (onTrading.get(asset) ?? 0n) + credit)
    const ordered = [...legs.filter((leg) => leg.type === 'DEBIT'), ...legs.filter((leg) => leg.type === 'CREDIT')]
    if (legs.length > 0) bookings.push({ id: newId(), type, asset, legs: ordered, reference_type: 'execution', reference_id: execution_id })
  }

  book('EXECUTION', quote_asset, schema === 'SIMPLE' ? [[CUSTOMER, -sign(total)], [TRADING, sign(total)]] : [
    [CUSTOMER, -sign(total)], [TRADING, sign(volume)], [FEE, grown((each) => each.fee)], [RISK, grown((each) => each.risk)], [MARGIN, grown((each) => each.margin)],
    [RISK, grown((each) => each.hedge)], [ROUNDING, grown((each) => each.rounding)],
  ])
  book('EXECUTION', base_asset, [[TRADING, -sign(amount)], [CUSTOMER, sign(base)], [ROUNDING, sign(amount - base)]])
  if (schema === 'ADVANCED') for (const [asset, fee] of fees) book('TRADING_FEE', asset, [[FEE, -fee], [TRADING, fee]])
  if (!prefunded) return bookings

  const received = new Map<string, Decimal>([[base_asset, sign(amount)], [quote_asset, -sign(volume)]])
  for (const [asset, fee] of fees) received.set(asset, (received.get(asset) ?? 0n) - fee)
  for (const [asset, quantity] of received) book('SETTLEMENT', asset, [[VENUE, -quantity], [TRADING, quantity]])
  if (schema === 'SIMPLE') for (const [asset, left] of onTrading) book('EXECUTION', asset, [[TRADING, -left], [MARGIN, left]])
  return bookings
}
