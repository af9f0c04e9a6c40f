import { ACCOUNT_TYPES } from '../core/account-types.ts'
import type { AccountId, BookingId, CustomerId, VenueId } from '../core/ids.ts'
import type { Decimal } from '../core/decimal.ts'
import type { Moves } from '../core/moves.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  nullable,
  optional,
  optionalBlank,
  positiveText,
  record,
  requiredText,
  text,
  time,
  timeInput,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

export { ACCOUNT_TYPES }
export type AccountType = (typeof ACCOUNT_TYPES)[number]

/** The workspace's own accounts: one each, opened with the books. */
export const HOUSE_ACCOUNTS = [
  'HOUSE',
  'SUSPENSE',
  'TRANSIT',
  'MARGIN',
  'RISK',
  'FEE',
  'ROUNDING',
] as const
export type HouseAccount = (typeof HOUSE_ACCOUNTS)[number]

/** Accounts of the house that a person opens and names, as many as are needed. */
export const NAMED_ACCOUNTS = ['INCOME', 'EXPENSE', 'HOUSE'] as const

/** A DEBIT raises these; all others are raised by a CREDIT. */
export const DEBIT_NORMAL: ReadonlySet<AccountType> = new Set([
  'VENUE',
  'TRANSIT',
  'FEE',
  'EXPENSE',
])

export const BOOKING_TYPES = [
  'OPENING',
  'DEPOSIT',
  'DEPOSIT_ASSIGNMENT',
  'WITHDRAWAL',
  'WITHDRAWAL_ASSIGNMENT',
  'WITHDRAWAL_FEE',
  'TRANSFER',
  'TRANSFER_FEE',
  'BOOK_TRANSFER',
  'EXECUTION',
  'TRADING_FEE',
  'SETTLEMENT',
  'RECTIFICATION',
  'REVERSAL',
  'ROUNDING',
  'MANUAL',
] as const
export type BookingType = (typeof BOOKING_TYPES)[number]

const LEG_TYPES = ['DEBIT', 'CREDIT'] as const
export type LegType = (typeof LEG_TYPES)[number]

/**
 * UNSETTLED blocks no trade, only withdrawing: what was bought and has not arrived from the venue.
 */
const HOLD_KINDS = ['WITHDRAWAL', 'TRADING', 'UNSETTLED'] as const
export type HoldKind = (typeof HOLD_KINDS)[number]

export const AccountHold = closed(
  {
    id: id(),
    kind: oneOf(
      HOLD_KINDS,
      'WITHDRAWAL: to be paid out. TRADING: to be traded. UNSETTLED: bought, and not settled yet',
    ),
    asset: asset(),
    quantity: decimalText('What is held now'),
    cause_type: oneOf(
      ['withdrawal', 'execution', 'prepare', 'book_transfer', 'settlement'],
      'What holds it. prepare: a request of a batch. settlement: an execution whose fills settle ' +
        'later',
    ),
    cause_id: id('A withdrawal, an execution, a request of a batch or a book transfer'),
    expires_at: nullable(time('It is released then')),
    created_at: time(),
  },
  { title: 'AccountHold' },
)
export type AccountHold = Static<typeof AccountHold>

/** A hold ends when all of it is captured or released. */
export const HOLD_MOVES: Moves<'OPEN' | 'ENDED'> = { OPEN: ['ENDED'], ENDED: [] }

const MAXIMUM_LEGS = 100

export const AccountRecord = record('Account', {
  id: id<AccountId>(),
  type: oneOf(ACCOUNT_TYPES),
  label: text(),
  customer_id: nullable(id<CustomerId>()),
  venue_id: nullable(id<VenueId>()),
  foreign_id: nullable(text()),
  named: flag('A person opened it, for money of the house'),
  frozen: flag(
    'Requests cannot take or block anything on it; what happens at a venue is still booked',
  ),
  frozen_reason: nullable(text()),
})
export type Account = Static<typeof AccountRecord>

const MAXIMUM_LABEL = 100

/** INCOME takes what is earned, EXPENSE what is spent, HOUSE own funds. */
export const OpenAccount = closed(
  { type: oneOf(NAMED_ACCOUNTS), label: requiredText(MAXIMUM_LABEL) },
  { title: 'OpenAccount' },
)
export type OpenAccountBody = Static<typeof OpenAccount>

export const RenameAccount = closed(
  { label: requiredText(MAXIMUM_LABEL) },
  { title: 'RenameAccount' },
)
export type RenameAccountBody = Static<typeof RenameAccount>

const BookingLeg = closed({
  account_id: id<AccountId>(),
  account_label: text(),
  type: oneOf(LEG_TYPES),
  quantity: decimalText(),
  balance_after: decimalText(
    "The account's balance in this asset after the booking, in its normal sign",
  ),
})

export const BookingRecord = record('Booking', {
  id: id<BookingId>(),
  sequence: Type.Integer({
    minimum: 1,
    description: 'Gapless and in commit order within the workspace',
  }),
  type: oneOf(BOOKING_TYPES),
  value_date: time(),
  asset: asset(),
  legs: Type.Array(BookingLeg),
  reference_type: nullable(text()),
  reference_id: nullable(id()),
  description: nullable(text()),
  reverses_id: nullable(id()),
})
export type Booking = Static<typeof BookingRecord>

export const CreateBooking = closed(
  {
    asset: asset(),
    legs: Type.Array(
      closed({
        account_id: id<AccountId>(),
        account_label: optional(text()),
        type: oneOf(LEG_TYPES),
        quantity: positiveText(),
      }),
      { minItems: 2, maxItems: MAXIMUM_LEGS },
    ),
    value_date: optional(timeInput('ISO 8601 or an integer read by its size; now when absent')),
    description: optionalBlank(requiredText()),
  },
  { title: 'CreateBooking' },
)
export type CreateBookingBody = Static<typeof CreateBooking>

/** Per asset, in the account's normal sign. */
export const AccountBalance = Type.Unsafe<
  Record<string, { total: string; trading: string | null; withdrawing: string | null }>
>({
  type: 'object',
  title: 'AccountBalance',
  additionalProperties: closed({
    withdrawing: nullable(
      decimalText(
        'What can be withdrawn now: what can be traded less what was bought and is not settled; ' +
          'null of the past',
      ),
    ),
    trading: nullable(
      decimalText('What can be traded now: total less all holds; null of the past'),
    ),
    total: decimalText('What is booked'),
  }),
})

// ---------------------------------------------------------------- what goes through the lane

export type Leg = { account_id: AccountId; type: LegType; quantity: Decimal }

export type BookingDraft = {
  id: string
  type: BookingType
  asset: string
  /** At least two, each quantity > 0, Σ DEBIT = Σ CREDIT. */
  legs: Leg[]
  /** Unix milliseconds; the time of booking when absent. */
  value_date?: number
  reference_type?: string
  reference_id?: string
  description?: string
  reverses_id?: BookingId
}

export type HoldDraft = {
  id: string
  kind: HoldKind
  account_id: AccountId
  asset: string
  quantity: Decimal
  cause_type: string
  cause_id: string
  /** Domain time in milliseconds after which the hold is released by itself. */
  expires_at?: number
}

/** Steps are applied in order; floors are checked once, at the end of the change. */
export type LedgerStep =
  | { step: 'book'; booking: BookingDraft }
  | { step: 'hold'; hold: HoldDraft }
  /** Turns part of a hold into what the change books; never more than remains. */
  | { step: 'capture'; hold_id: string; quantity: Decimal }
  /** Frees part of a hold, or (without quantity) all that remains. */
  | { step: 'release'; hold_id: string; quantity?: Decimal }
