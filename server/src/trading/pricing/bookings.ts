/**
 * Every booking that trading makes, pure (domain: ledger). What an execution posts is the
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
import { newId } from '../../core/ids.ts'
import type { BookingDraft, BookingType, Leg } from '../../ledger/index.ts'
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

type Posting = {
  execution_id: ExecutionId
  side: Side
  base_asset: string
  quote_asset: string
  house: HouseAccounts
  venues: ReadonlyMap<string, VenueAccounts>
  shares: readonly BookedShare[]
  description?: string
}

/** An account and what it is credited with; negative is a debit. */
type Entry = readonly [account_id: string, credit: Decimal]

/** Entries of several customers that make one booking, by type, asset and venue. */
type SharedBookings = Map<
  string,
  { type: BookingType; asset: string; credits: Map<string, Decimal> }
>

export function fillBookings(posting: Posting): BookingDraft[] {
  const { side, base_asset, quote_asset, house, venues, shares } = posting
  const { FEE, RISK, MARGIN, ROUNDING } = house
  const sign = (value: Decimal) => (side === 'BUY' ? value : -value)
  const bookings: BookingDraft[] = []
  const [between, fees, settlements, swept]: SharedBookings[] = [
    new Map(),
    new Map(),
    new Map(),
    new Map(),
  ] as [SharedBookings, SharedBookings, SharedBookings, SharedBookings]

  const book = (type: BookingType, asset: string, entries: Iterable<Entry>): void => {
    const legs = [...entries].flatMap(([account_id, credit]): Leg[] =>
      credit === 0n
        ? []
        : [
            {
              account_id,
              type: credit > 0n ? 'CREDIT' : 'DEBIT',
              quantity: credit > 0n ? credit : -credit,
            },
          ],
    )
    const ordered = [
      ...legs.filter((leg) => leg.type === 'DEBIT'),
      ...legs.filter((leg) => leg.type === 'CREDIT'),
    ]
    if (legs.length === 0) return
    bookings.push({
      id: newId(),
      type,
      asset,
      legs: ordered,
      reference_type: 'execution',
      reference_id: posting.execution_id,
      ...(posting.description === undefined ? {} : { description: posting.description }),
    })
  }
  const gather = (
    common: SharedBookings,
    type: BookingType,
    asset: string,
    venue_id: string,
    entries: readonly Entry[],
  ): void => {
    const key = `${asset} ${venue_id}`
    const known = common.get(key) ?? { type, asset, credits: new Map<string, Decimal>() }
    common.set(key, known)
    for (const [account_id, credit] of entries)
      known.credits.set(account_id, (known.credits.get(account_id) ?? 0n) + credit)
  }
  const accountsOf = (hop: FilledHop): VenueAccounts => {
    const accounts = venues.get(hop.venue_id)
    if (accounts === undefined) throw new Error(`no accounts for venue ${hop.venue_id}`)
    return accounts
  }

  for (const { account_id, schema, before, after } of shares) {
    const grown = (part: (position: Position) => Decimal) => part(after) - part(before)
    const posted = (part: (position: Position) => Decimal) =>
      grown((position) => (position.filled.closed ? part(position) : 0n))
    const path = after.filled.hops
    const [first, last] = [path[0] as FilledHop, path.at(-1) as FilledHop]
    const LEFT = after.filled.complete ? ROUNDING : RISK
    const total = sign(grown((position) => position.total))
    const [base, gross] = [
      sign(grown((position) => position.base)),
      sign(posted((position) => position.filled.hops[0]?.amount ?? 0n)),
    ]
    const cash = sign(posted((position) => position.filled.hops.at(-1)?.volume ?? 0n))
    book(
      'EXECUTION',
      quote_asset,
      schema === 'SIMPLE'
        ? [
            [account_id, -total],
            [accountsOf(last).TRADING, total],
          ]
        : [
            [account_id, -total],
            [accountsOf(last).TRADING, cash],
            [FEE, grown((position) => position.fee)],
            [RISK, grown((position) => position.risk)],
            [MARGIN, grown((position) => position.margin)],
            [RISK, grown((position) => position.hedge)],
            [ROUNDING, grown((position) => position.rounding)],
          ],
    )
    book('EXECUTION', base_asset, [
      [accountsOf(first).TRADING, -gross],
      [account_id, base],
      [LEFT, gross - base],
    ])

    for (const [index, hop] of path.entries()) {
      const { VENUE, TRADING, prefunded } = accountsOf(hop)
      const at = (position: Position): FilledHop => position.filled.hops[index] as FilledHop
      const assets = [
        ...new Set([
          ...(after.filled.hops[index]?.fees.keys() ?? []),
          ...(before.filled.hops[index]?.fees.keys() ?? []),
        ]),
      ]
      const feeOf = (asset: string) => grown((position) => at(position).fees.get(asset) ?? 0n)
      if (schema === 'ADVANCED')
        for (const asset of assets)
          gather(fees, 'TRADING_FEE', asset, hop.venue_id, [
            [FEE, -feeOf(asset)],
            [TRADING, feeOf(asset)],
          ])
      const next = path[index + 1]
      if (schema === 'ADVANCED' && next !== undefined) {
        const brought = sign(posted((position) => position.filled.hops[index + 1]?.amount ?? 0n))
        const taken = sign(posted((position) => at(position).volume))
        const fee = posted((position) => at(position).fees.get(hop.quote_asset) ?? 0n)
        gather(between, 'EXECUTION', hop.quote_asset, '', [
          [accountsOf(next).TRADING, -brought],
          [TRADING, taken],
          [FEE, fee],
          [LEFT, brought - taken - fee],
        ])
      }
      const received = new Map<string, Decimal>([
        [hop.base_asset, sign(grown((position) => at(position).amount))],
        [hop.quote_asset, -sign(grown((position) => at(position).volume))],
      ])
      for (const asset of assets) received.set(asset, (received.get(asset) ?? 0n) - feeOf(asset))
      if (prefunded)
        for (const [asset, quantity] of received)
          gather(settlements, 'SETTLEMENT', asset, hop.venue_id, [
            [VENUE, -quantity],
            [TRADING, quantity],
          ])
      if (schema === 'SIMPLE') {
        for (const asset of received.keys()) {
          const left =
            leftOnTrading(after, asset, index, posting) -
            leftOnTrading(before, asset, index, posting)
          gather(swept, 'EXECUTION', asset, hop.venue_id, [
            [TRADING, -left],
            [MARGIN, left],
          ])
        }
      }
    }
  }
  for (const common of [between, fees, settlements, swept])
    for (const { type, asset, credits } of common.values()) book(type, asset, credits)
  return bookings
}

/** What a SIMPLE customer's trade at this hop leaves on TRADING once it is settled. */
function leftOnTrading(
  position: Position,
  asset: string,
  index: number,
  { side, base_asset, quote_asset }: Posting,
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
