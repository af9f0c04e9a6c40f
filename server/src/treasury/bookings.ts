/**
 * Every booking that deposits and withdrawals make, one function per row of the table in
 * docs/ledger.md. All but `bookingAccounts` and `valueDateOf` is pure.
 */
import { settingsOf } from '../access/index.ts'
import { mustExist } from '../core/assert.ts'
import { absolute, decimal, round, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { AccountId, CustomerId, VenueId, WorkspaceId } from '../core/ids.ts'
import { houseAccounts, venueAccounts } from '../ledger/index.ts'
import type {
  Asset,
  Booking,
  BookingDraft,
  BookingType,
  LedgerStep,
  Leg,
  LegType,
} from '../ledger/index.ts'
import type { Reader } from '../store/db.ts'

/** The accounts that treasury books to, beside customers'. */
export type BookingAccounts = {
  VENUE: string
  SUSPENSE: string
  TRANSIT: string
  FEE: string
  ROUNDING: string
}

type Cause = { reference_type: 'deposit' | 'withdrawal'; reference_id: string }

/** What all bookings of one movement in one asset have in common. */
export type BookingBasis = {
  accounts: BookingAccounts
  cause: Cause
  asset: string
  /** Of the bank, within the open period; absent: the time of booking. */
  value_date?: number
}

export type Share = { account_id: AccountId; quantity: Decimal }

/** `customer_id` is null where the account is one of the house. */
export type HolderShare = Share & { customer_id: CustomerId | null }

export async function bookingAccounts(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<BookingAccounts> {
  const house = await houseAccounts(reader, workspace)
  const { VENUE } = await venueAccounts(reader, workspace, venue_id)
  return { ...house, VENUE: mustExist(VENUE, 'a venue in use has its accounts') }
}

/**
 * The value date of what is booked of a movement, by the day that a bank names, as `2026-11-23`. It
 * has no time zone and counts from midnight UTC; one before the open period from its first moment.
 */
export async function valueDateOf(
  reader: Reader,
  workspace: WorkspaceId,
  day: string | null,
): Promise<Pick<BookingBasis, 'value_date'>> {
  if (day === null) return {}
  const { open_period_from } = await settingsOf(reader, workspace)
  return { value_date: Math.max(Date.parse(day), open_period_from ?? -Infinity) }
}

const leg =
  (type: LegType) =>
  (account_id: AccountId, quantity: Decimal): Leg => ({ account_id, type, quantity })
const debit = leg('DEBIT')
const credit = leg('CREDIT')

function booking(
  type: BookingType,
  { cause, asset, value_date }: BookingBasis,
  legs: Leg[],
): LedgerStep {
  return {
    step: 'book',
    booking: {
      id: newId(),
      type,
      asset,
      legs: legs.filter((leg) => leg.quantity !== 0n),
      ...(value_date === undefined ? {} : { value_date }),
      ...cause,
    },
  }
}

/** D venue, C suspense; what is finer than the asset's scale goes to ROUNDING. */
export function bookDeposit(
  basis: BookingBasis,
  quantity: Decimal,
  assignable: Decimal,
): LedgerStep {
  const { accounts } = basis
  return booking('DEPOSIT', basis, [
    debit(accounts.VENUE, quantity),
    credit(accounts.SUSPENSE, assignable),
    credit(accounts.ROUNDING, quantity - assignable),
  ])
}

/** Accounts are assigned amounts of the asset's scale; what is finer stays with the house. */
export function assignablePart(
  assets: ReadonlyMap<string, Asset>,
  { asset, quantity }: { asset: string; quantity: Decimal },
): Decimal {
  const scale = assets.get(asset)?.scale
  return scale === undefined ? quantity : round(quantity, scale, 'down')
}

/** D suspense, C customer. */
export function bookDepositAssignment(basis: BookingBasis, share: Share): LedgerStep {
  return booking('DEPOSIT_ASSIGNMENT', basis, [
    debit(basis.accounts.SUSPENSE, share.quantity),
    credit(share.account_id, share.quantity),
  ])
}

/**
 * D customers, and suspense for what is not assigned yet; what is finer than the asset's scale goes
 * to ROUNDING; C venue.
 */
export function bookWithdrawal(
  basis: BookingBasis,
  quantity: Decimal,
  shares: readonly Share[],
  assignable: Decimal = quantity,
): LedgerStep {
  const { accounts } = basis
  const assigned = sum(shares.map((share) => share.quantity))
  return booking('WITHDRAWAL', basis, [
    ...shares.map((share) => debit(share.account_id, share.quantity)),
    debit(accounts.SUSPENSE, assignable - assigned),
    debit(accounts.ROUNDING, quantity - assignable),
    credit(accounts.VENUE, quantity),
  ])
}

/** D customer, C suspense: an account is named for a withdrawal that has already left. */
export function bookWithdrawalAssignment(basis: BookingBasis, share: Share): LedgerStep {
  return booking('WITHDRAWAL_ASSIGNMENT', basis, [
    debit(share.account_id, share.quantity),
    credit(basis.accounts.SUSPENSE, share.quantity),
  ])
}

/**
 * D the customers who bear the fee, and FEE for what none of them bears; C venue. No fee makes no
 * booking. A fee that the venue gave back is negative and booked the other way round.
 */
export function bookWithdrawalFee(
  basis: BookingBasis,
  fee: Decimal,
  bearers: readonly Share[] = [],
): LedgerStep[] {
  if (fee === 0n) return []
  const { accounts } = basis
  const [bears, venue] = fee > 0n ? [debit, credit] : [credit, debit]
  const rest = absolute(fee) - sum(bearers.map((share) => share.quantity))
  return [
    booking('WITHDRAWAL_FEE', basis, [
      ...bearers.map((share) => bears(share.account_id, share.quantity)),
      bears(accounts.FEE, rest),
      venue(accounts.VENUE, absolute(fee)),
    ]),
  ]
}

/**
 * The customers' parts of a fee. Each owner bears it by their part, floored to the scale of the
 * fee's asset; the house bears the rest. An owner of everything bears everything. Empty parts are
 * left out.
 */
export function feeShares(
  fee: Decimal,
  total: Decimal,
  owners: readonly Share[],
  scale: number,
): Share[] {
  return [...Map.groupBy(owners, (owner) => owner.account_id)]
    .map(([account_id, parts]): Share => {
      const part = sum(parts.map((part) => part.quantity))
      return {
        account_id,
        quantity: part === total ? fee : round((fee * part) / total, scale, 'down'),
      }
    })
    .filter((share) => share.quantity > 0n)
}

/**
 * The fee of one transaction in parts by these quantities, floored to the scale of the fee's asset.
 * The first part takes the rest, so that the sum is the fee.
 */
export function feeParts(fee: Decimal, quantities: readonly Decimal[], scale: number): Decimal[] {
  const total = sum(quantities)
  const [, ...further] = quantities.map((quantity) =>
    round((fee * quantity) / total, scale, 'down'),
  )
  return [fee - sum(further), ...further]
}

/** An own transfer leaves: D transit, C from-venue. */
export function bookTransferOut(basis: BookingBasis, quantity: Decimal): LedgerStep {
  return booking('TRANSFER', basis, [
    debit(basis.accounts.TRANSIT, quantity),
    credit(basis.accounts.VENUE, quantity),
  ])
}

/**
 * An own transfer arrives: D to-venue, C transit. The difference to what left is a fee that was
 * taken (or given) on the way. Nothing of it may have arrived.
 */
export function bookTransferIn(basis: BookingBasis, arrived: Decimal, left: Decimal): LedgerStep[] {
  const { accounts } = basis
  const legs = [debit(accounts.VENUE, arrived), credit(accounts.TRANSIT, arrived)]
  const arrival = arrived === 0n ? [] : [booking('TRANSFER', basis, legs)]
  const difference = left - arrived
  if (difference === 0n) return arrival
  const [from, to] =
    difference > 0n ? [accounts.FEE, accounts.TRANSIT] : [accounts.TRANSIT, accounts.FEE]
  const fee = booking('TRANSFER_FEE', basis, [
    debit(from, absolute(difference)),
    credit(to, absolute(difference)),
  ])
  return [...arrival, fee]
}

/**
 * An assignment comes (of a deposit) or goes (of a withdrawal): D suspense, C customer, or the
 * other way round.
 */
function assignmentBooking(
  type: BookingType,
  { accounts, cause, asset }: BookingBasis,
  share: Share,
  incoming: boolean,
): BookingDraft {
  const [from, to] = incoming
    ? [accounts.SUSPENSE, share.account_id]
    : [share.account_id, accounts.SUSPENSE]
  return {
    id: newId(),
    type,
    asset,
    legs: [debit(from, share.quantity), credit(to, share.quantity)],
    ...cause,
  }
}

const isIncoming = ({ cause }: BookingBasis): boolean => cause.reference_type === 'deposit'

/** Booked instead of what was wrong. */
export function bookRectification(
  basis: BookingBasis,
  share: Share,
  description: string,
): LedgerStep {
  const draft = assignmentBooking('RECTIFICATION', basis, share, isIncoming(basis))
  return { step: 'book', booking: { ...draft, description } }
}

/**
 * Takes assignments back. An assignment with a booking of its own has that reversed. A share of a
 * WITHDRAWAL booking, which moved the rest too, goes to suspense by a RECTIFICATION.
 * `bookings` are all of this movement.
 */
export function bookShareReversal(
  basis: BookingBasis,
  shares: readonly Share[],
  { bookings, description }: { bookings: readonly Booking[]; description: string },
): LedgerStep[] {
  const incoming = isIncoming(basis)
  const reversed = new Set(bookings.map((booking) => booking.reverses_id))
  return shares.map((share): LedgerStep => {
    const own = bookings.find(
      (booking) =>
        booking.reverses_id === null &&
        !reversed.has(booking.id) &&
        isBookingOfShare(booking, share, incoming),
    )
    if (own === undefined) {
      const draft = assignmentBooking('RECTIFICATION', basis, share, !incoming)
      return { step: 'book', booking: { ...draft, description } }
    }
    reversed.add(own.id)
    const draft = assignmentBooking('REVERSAL', basis, share, !incoming)
    return { step: 'book', booking: { ...draft, description, reverses_id: own.id } }
  })
}

const OF_ONE_SHARE: readonly BookingType[] = [
  'DEPOSIT_ASSIGNMENT',
  'WITHDRAWAL_ASSIGNMENT',
  'RECTIFICATION',
]

/** Whether the booking assigns just this share. */
function isBookingOfShare({ type, legs }: Booking, share: Share, incoming: boolean): boolean {
  return (
    OF_ONE_SHARE.includes(type) &&
    legs.length === 2 &&
    legs.some(
      (leg) =>
        leg.account_id === share.account_id &&
        leg.type === (incoming ? 'CREDIT' : 'DEBIT') &&
        decimal(leg.quantity) === share.quantity,
    )
  )
}
