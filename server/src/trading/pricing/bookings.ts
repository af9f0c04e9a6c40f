/**
 * Every booking that an execution makes, pure (domain: ledger). What a report books is the
 * difference between two cumulative positions, so that the whole is the same however it was filled,
 * and a trade taken back reverses itself.
 *
 * ADVANCED  EXECUTION: the customer against TRADING, FEE, RISK, MARGIN; TRADING_FEE: what the venue
 *           really took.
 * SIMPLE    EXECUTION: the customer against TRADING with everything inside; what the trade leaves
 *           on TRADING is MARGIN.
 * SETTLEMENT at fill time for a prefunded venue, so that TRADING ends at 0; at any other TRADING
 * says what is owed until then.
 *
 * Customers' legs carry the asset's scale, the venue's side its exact digits; the difference is
 * ROUNDING, or for a firm quote (price promised, market different) a leg of its own on RISK. What
 * hops leave between them is ROUNDING too; where a later hop did not do all that it was to do,
 * RISK.
 */
import type { AccountId, ExecutionId } from '../../core/ids.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { BookingDraft, Entry } from '../../ledger/index.ts'
import { draftBooking, SharedEntries } from './entries.ts'
import type { FilledHop, Position } from './positions.ts'
import type { Side } from './pricing.ts'

type HouseAccounts = { FEE: string; RISK: string; MARGIN: string; ROUNDING: string }
export type VenueAccounts = { VENUE: string; TRADING: string; prefunded: boolean }

export type BookedShare = {
  account_id: AccountId
  schema: 'ADVANCED' | 'SIMPLE'
  before: Position
  after: Position
}

/** What all bookings of one fill have in common. */
type BookingBasis = {
  execution_id: ExecutionId
  side: Side
  base_asset: string
  quote_asset: string
  house: HouseAccounts
  venues: ReadonlyMap<string, VenueAccounts>
  shares: readonly BookedShare[]
  description?: string
}

export function bookFill(basis: BookingBasis): BookingDraft[] {
  const sheet = new FillSheet(basis)
  for (const share of basis.shares) sheet.addShare(share)
  return sheet.bookings()
}

/**
 * The bookings of one fill. Each customer has bookings of their own against the first and the last
 * venue; what happens at and between the venues is one booking for all customers.
 */
class FillSheet {
  readonly #basis: BookingBasis
  readonly #ofCustomers: BookingDraft[] = []
  readonly #betweenHops = new SharedEntries('EXECUTION')
  readonly #fees = new SharedEntries('TRADING_FEE')
  readonly #settlements = new SharedEntries('SETTLEMENT')
  readonly #margins = new SharedEntries('EXECUTION')

  constructor(basis: BookingBasis) {
    this.#basis = basis
  }

  addShare(share: BookedShare): void {
    const growth = new Growth(this.#basis.side, share)
    this.#bookCustomer(growth)
    for (const index of growth.path.keys()) {
      if (share.schema === 'ADVANCED') {
        this.#addFees(growth, index)
        this.#addBetween(growth, index)
      }
      const received = growth.receivedAt(index)
      this.#addSettlement(growth, index, received)
      if (share.schema === 'SIMPLE') this.#addMargin(growth, index, received.keys())
    }
  }

  bookings(): BookingDraft[] {
    const { execution_id, description } = this.#basis
    const shared = [this.#betweenHops, this.#fees, this.#settlements, this.#margins]
    return [...this.#ofCustomers, ...shared.flatMap((entries) => entries.bookings())].map(
      (booking) => ({
        ...booking,
        reference_type: 'execution',
        reference_id: execution_id,
        ...(description === undefined ? {} : { description }),
      }),
    )
  }

  #accountsOf(hop: FilledHop): VenueAccounts {
    const accounts = this.#basis.venues.get(hop.venue_id)
    if (accounts === undefined) throw new Error(`no accounts for venue ${hop.venue_id}`)
    return accounts
  }

  /** Where the difference goes that hops leave between them. */
  #leftAccount({ complete }: Growth): string {
    return complete ? this.#basis.house.ROUNDING : this.#basis.house.RISK
  }

  #bookCustomer(growth: Growth): void {
    const { base_asset, quote_asset } = this.#basis
    const { account_id } = growth.share
    const [base, gross] = [
      growth.signed((position) => position.base),
      growth.signedKnown((position) => position.filled.hops[0]?.amount ?? 0n),
    ]
    this.#ofCustomers.push(
      ...draftBooking('EXECUTION', quote_asset, this.#quoteEntries(growth)),
      ...draftBooking('EXECUTION', base_asset, [
        [this.#accountsOf(growth.path[0] as FilledHop).TRADING, -gross],
        [account_id, base],
        [this.#leftAccount(growth), gross - base],
      ]),
    )
  }

  #quoteEntries(growth: Growth): Entry[] {
    const { FEE, RISK, MARGIN, ROUNDING } = this.#basis.house
    const { account_id, schema } = growth.share
    const { TRADING } = this.#accountsOf(growth.path.at(-1) as FilledHop)
    const total = growth.signed((position) => position.total)
    if (schema === 'SIMPLE')
      return [
        [account_id, -total],
        [TRADING, total],
      ]
    return [
      [account_id, -total],
      [TRADING, growth.signedKnown((position) => position.filled.hops.at(-1)?.volume ?? 0n)],
      [FEE, growth.of((position) => position.fee)],
      [RISK, growth.of((position) => position.risk)],
      [MARGIN, growth.of((position) => position.margin)],
      [RISK, growth.of((position) => position.hedge)],
      [ROUNDING, growth.of((position) => position.rounding)],
    ]
  }

  /** What the venue really took. */
  #addFees(growth: Growth, index: number): void {
    const hop = growth.path[index] as FilledHop
    for (const asset of growth.feeAssetsAt(index)) {
      const fee = growth.feeAt(index, asset)
      this.#fees.add(asset, hop.venue_id, [
        [this.#basis.house.FEE, -fee],
        [this.#accountsOf(hop).TRADING, fee],
      ])
    }
  }

  /** What this hop took or brought goes to the next one. */
  #addBetween(growth: Growth, index: number): void {
    const [hop, next] = [growth.path[index] as FilledHop, growth.path[index + 1]]
    if (next === undefined) return
    const needed = growth.signedKnown((position) => position.filled.hops[index + 1]?.amount ?? 0n)
    const moved = growth.signedKnown((position) => hopAt(position, index).volume)
    const fee = growth.known((position) => hopAt(position, index).fees.get(hop.quote_asset) ?? 0n)
    this.#betweenHops.add(hop.quote_asset, '', [
      [this.#accountsOf(next).TRADING, -needed],
      [this.#accountsOf(hop).TRADING, moved],
      [this.#basis.house.FEE, fee],
      [this.#leftAccount(growth), needed - moved - fee],
    ])
  }

  #addSettlement(growth: Growth, index: number, received: ReadonlyMap<string, Decimal>): void {
    const hop = growth.path[index] as FilledHop
    const { VENUE, TRADING, prefunded } = this.#accountsOf(hop)
    if (!prefunded) return
    for (const [asset, quantity] of received)
      this.#settlements.add(asset, hop.venue_id, [
        [VENUE, -quantity],
        [TRADING, quantity],
      ])
  }

  #addMargin(growth: Growth, index: number, assets: Iterable<string>): void {
    const hop = growth.path[index] as FilledHop
    const { before, after } = growth.share
    for (const asset of assets) {
      const left =
        leftOnTrading(after, asset, index, this.#basis) -
        leftOnTrading(before, asset, index, this.#basis)
      this.#margins.add(asset, hop.venue_id, [
        [this.#accountsOf(hop).TRADING, -left],
        [this.#basis.house.MARGIN, left],
      ])
    }
  }
}

const hopAt = (position: Position, index: number): FilledHop =>
  position.filled.hops[index] as FilledHop

type Part = (position: Position) => Decimal

/** How much a customer's share has grown from one position to the next. */
class Growth {
  readonly share: BookedShare
  readonly path: readonly FilledHop[]
  readonly complete: boolean
  readonly #side: Side

  constructor(side: Side, share: BookedShare) {
    this.#side = side
    this.share = share
    this.path = share.after.filled.hops
    this.complete = share.after.filled.complete
  }

  of(part: Part): Decimal {
    return part(this.share.after) - part(this.share.before)
  }

  /** Only what is known of the customers' part. */
  known(part: Part): Decimal {
    return this.of((position) => (position.filled.closed ? part(position) : 0n))
  }

  /** BUY as it is, SELL the other way. */
  signed(part: Part): Decimal {
    return this.#side === 'BUY' ? this.of(part) : -this.of(part)
  }

  signedKnown(part: Part): Decimal {
    return this.#side === 'BUY' ? this.known(part) : -this.known(part)
  }

  feeAssetsAt(index: number): ReadonlySet<string> {
    const { before, after } = this.share
    return new Set([
      ...(after.filled.hops[index]?.fees.keys() ?? []),
      ...(before.filled.hops[index]?.fees.keys() ?? []),
    ])
  }

  feeAt(index: number, asset: string): Decimal {
    return this.of((position) => hopAt(position, index).fees.get(asset) ?? 0n)
  }

  /** What the venue of this hop gives, by asset; negative is what it takes. */
  receivedAt(index: number): Map<string, Decimal> {
    const { base_asset, quote_asset } = this.path[index] as FilledHop
    const received = new Map<string, Decimal>([
      [base_asset, this.signed((position) => hopAt(position, index).amount)],
      [quote_asset, -this.signed((position) => hopAt(position, index).volume)],
    ])
    for (const asset of this.feeAssetsAt(index))
      received.set(asset, (received.get(asset) ?? 0n) - this.feeAt(index, asset))
    return received
  }
}

/** What a SIMPLE customer's trade at this hop leaves on TRADING once it is settled. */
function leftOnTrading(
  position: Position,
  asset: string,
  index: number,
  { side, base_asset, quote_asset }: BookingBasis,
): Decimal {
  const { filled, total } = position
  const hop = filled.hops[index]
  if (!filled.closed || hop === undefined) return 0n
  const sign = (value: Decimal) => (side === 'BUY' ? value : -value)
  let left = -(hop.fees.get(asset) ?? 0n)
  if (asset === hop.base_asset) left += sign(hop.amount)
  if (asset === hop.quote_asset) left -= sign(hop.volume)
  if (asset === base_asset && index === 0) left -= sign(hop.amount)
  if (asset === quote_asset && index === filled.hops.length - 1) left += sign(total)
  return left
}
