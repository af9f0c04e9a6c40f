/** Every booking that deposits and withdrawals make: pure, one function per row of the table in the ledger's document. */
import { absolute, round, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type {
  Booking,
  BookingDraft,
  BookingType,
  LedgerStep,
  Leg,
  LegType,
} from '../ledger/index.ts'
import { decimal } from '../core/decimal.ts'

/** The accounts that treasury books to, beside customers'. */
export type BookingAccounts = {
  VENUE: string
  SUSPENSE: string
  TRANSIT: string
  FEE: string
  ROUNDING: string
}

export type Cause = { reference_type: 'deposit' | 'withdrawal'; reference_id: string }

export type Share = { account_id: string; quantity: Decimal }

const leg =
  (type: LegType) =>
  (account_id: string, quantity: Decimal): Leg => ({ account_id, type, quantity })
const debit = leg('DEBIT')
const credit = leg('CREDIT')

function booking(type: BookingType, cause: Cause, asset: string, legs: Leg[]): LedgerStep {
  return {
    step: 'book',
    booking: {
      id: newId(),
      type,
      asset,
      legs: legs.filter((leg) => leg.quantity !== 0n),
      ...cause,
    },
  }
}

/** D venue, C suspense; what is finer than the asset's scale goes to ROUNDING. */
export function bookDeposit(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  quantity: Decimal,
  assignable: Decimal,
): LedgerStep {
  return booking('DEPOSIT', cause, asset, [
    debit(accounts.VENUE, quantity),
    credit(accounts.SUSPENSE, assignable),
    credit(accounts.ROUNDING, quantity - assignable),
  ])
}

/** D suspense, C customer. */
export function bookDepositAssignment(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  share: Share,
): LedgerStep {
  return booking('DEPOSIT_ASSIGNMENT', cause, asset, [
    debit(accounts.SUSPENSE, share.quantity),
    credit(share.account_id, share.quantity),
  ])
}

/** D customers, and suspense for what nobody is named for yet; what is finer than the asset's scale goes to ROUNDING; C venue. */
export function bookWithdrawal(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  quantity: Decimal,
  shares: readonly Share[],
  assignable: Decimal = quantity,
): LedgerStep {
  const assigned = shares.reduce((total, share) => total + share.quantity, 0n)
  return booking('WITHDRAWAL', cause, asset, [
    ...shares.map((share) => debit(share.account_id, share.quantity)),
    debit(accounts.SUSPENSE, assignable - assigned),
    debit(accounts.ROUNDING, quantity - assignable),
    credit(accounts.VENUE, quantity),
  ])
}

/** D customer, C suspense: an account is named for a withdrawal that has already left. */
export function bookWithdrawalAssignment(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  share: Share,
): LedgerStep {
  return booking('WITHDRAWAL_ASSIGNMENT', cause, asset, [
    debit(share.account_id, share.quantity),
    credit(accounts.SUSPENSE, share.quantity),
  ])
}

/** D the customers who bear it, and fee for what nobody bears; C venue; nothing for no fee. What the venue gave back is negative and booked the other way round. */
export function bookWithdrawalFee(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  fee: Decimal,
  bearers: readonly Share[] = [],
): LedgerStep[] {
  const [bears, venue] = fee > 0n ? [debit, credit] : [credit, debit]
  const rest = absolute(fee) - sum(bearers.map((share) => share.quantity))
  return fee === 0n
    ? []
    : [
        booking('WITHDRAWAL_FEE', cause, asset, [
          ...bearers.map((share) => bears(share.account_id, share.quantity)),
          bears(accounts.FEE, rest),
          venue(accounts.VENUE, absolute(fee)),
        ]),
      ]
}

/**
 * The fee of a withdrawal that is several customers': each bears it by his part, floored to the scale of the fee's asset, the
 * house the rest. Who owns all of it bears all of it. Shares of nothing are left out.
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

/** The fee of one transaction in parts by these quantities: floored to the scale of the fee's asset, the first takes the rest, so that their sum is the fee. */
export function feeParts(fee: Decimal, quantities: readonly Decimal[], scale: number): Decimal[] {
  const total = sum(quantities)
  const [, ...further] = quantities.map((quantity) =>
    round((fee * quantity) / total, scale, 'down'),
  )
  return [fee - sum(further), ...further]
}

/** An own transfer leaves: D transit, C from-venue. */
export function bookTransferOut(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  quantity: Decimal,
): LedgerStep {
  return booking('TRANSFER', cause, asset, [
    debit(accounts.TRANSIT, quantity),
    credit(accounts.VENUE, quantity),
  ])
}

/** An own transfer arrives: D to-venue, C transit; the difference to what left is a fee somebody took (or gave) on the way. */
export function bookTransferIn(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  arrived: Decimal,
  left: Decimal,
): LedgerStep[] {
  const steps = [
    booking('TRANSFER', cause, asset, [
      debit(accounts.VENUE, arrived),
      credit(accounts.TRANSIT, arrived),
    ]),
  ]
  const difference = left - arrived
  const [from, to] =
    difference > 0n ? [accounts.FEE, accounts.TRANSIT] : [accounts.TRANSIT, accounts.FEE]
  if (difference !== 0n)
    steps.push(
      booking('TRANSFER_FEE', cause, asset, [
        debit(from, absolute(difference)),
        credit(to, absolute(difference)),
      ]),
    )
  return steps
}

/** An assignment comes (of a deposit) or goes (of a withdrawal): D suspense, C customer, or the other way round. */
const assigned = (
  type: BookingType,
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  share: Share,
  incoming: boolean,
): BookingDraft => {
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

/** Booked instead of what was wrong. */
export function bookRectified(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  share: Share,
  description: string,
): LedgerStep {
  return {
    step: 'book',
    booking: {
      ...assigned(
        'RECTIFICATION',
        accounts,
        cause,
        asset,
        share,
        cause.reference_type === 'deposit',
      ),
      description,
    },
  }
}

/**
 * Takes assignments back. One with a booking of its own has that reversed; the share of a WITHDRAWAL booking, which moved the
 * rest too, goes to suspense by a RECTIFICATION. `bookings` are all of this movement.
 */
export function bookTakenBack(
  accounts: BookingAccounts,
  cause: Cause,
  asset: string,
  shares: readonly Share[],
  bookings: readonly Booking[],
  description: string,
): LedgerStep[] {
  const incoming = cause.reference_type === 'deposit'
  const reversed = new Set(bookings.map((booking) => booking.reverses_id))
  return shares.map((share): LedgerStep => {
    const own = bookings.find(
      (booking) =>
        booking.reverses_id === null &&
        !reversed.has(booking.id) &&
        isShare(booking, share, incoming),
    )
    if (own !== undefined) reversed.add(own.id)
    const draft = assigned(
      own === undefined ? 'RECTIFICATION' : 'REVERSAL',
      accounts,
      cause,
      asset,
      share,
      !incoming,
    )
    return {
      step: 'book',
      booking: { ...draft, description, ...(own === undefined ? {} : { reverses_id: own.id }) },
    }
  })
}

/** Whether the booking is the assigning of just this share. */
function isShare(each: Booking, share: Share, incoming: boolean): boolean {
  return (
    (each.type === 'DEPOSIT_ASSIGNMENT' ||
      each.type === 'WITHDRAWAL_ASSIGNMENT' ||
      each.type === 'RECTIFICATION') &&
    each.legs.length === 2 &&
    each.legs.some(
      (one) =>
        one.account_id === share.account_id &&
        one.type === (incoming ? 'CREDIT' : 'DEBIT') &&
        decimal(one.quantity) === share.quantity,
    )
  )
}

/** Takes back those of these bookings that were not taken back yet, the last one first. */
export function bookReversals(cause: Cause, bookings: readonly Booking[]): LedgerStep[] {
  const reversed = new Set(bookings.map((booking) => booking.reverses_id))
  return bookings
    .filter((booking) => booking.reverses_id === null && !reversed.has(booking.id))
    .toReversed()
    .map((booking) => {
      const legs = booking.legs.map((one): Leg => ({
        account_id: one.account_id,
        type: one.type === 'DEBIT' ? 'CREDIT' : 'DEBIT',
        quantity: decimal(one.quantity),
      }))
      const draft: BookingDraft = {
        id: newId(),
        type: 'REVERSAL',
        asset: booking.asset,
        legs,
        reverses_id: booking.id,
        ...cause,
      }
      return { step: 'book', booking: draft }
    })
}
