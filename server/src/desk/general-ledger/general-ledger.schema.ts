/** The shapes of the general-ledger export. */
import {
  asset,
  closed,
  decimalText,
  id,
  nullable,
  oneOf,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import type { AccountId, BookingId } from '../../core/ids.ts'
import { ACCOUNT_TYPES, BOOKING_TYPES } from '../../ledger/index.ts'

const reason = (description: string) => Type.Unsafe<'NO_NUMBER'>(oneOf(['NO_NUMBER'], description))

export const GeneralLedgerLine = closed(
  {
    sequence: Type.Integer({ description: 'Of the booking' }),
    leg: Type.Integer({ description: 'Within the booking, from 1' }),
    booking_id: id<BookingId>(),
    booked_at: time(),
    value_date: time(),
    type: oneOf(BOOKING_TYPES),
    number: nullable(text(20, 'By the setting general_ledger; null where it gives none')),
    reason: nullable(reason('Why there is no number: the setting general_ledger gives none')),
    account_id: id<AccountId>(),
    account_type: oneOf(ACCOUNT_TYPES),
    account_label: text(),
    asset: asset(),
    debit: nullable(decimalText()),
    credit: nullable(decimalText()),
    reference_type: nullable(text()),
    reference_id: nullable(text()),
    description: nullable(text()),
  },
  { title: 'GeneralLedgerLine' },
)
export type GeneralLedgerLine = Static<typeof GeneralLedgerLine>

export const UnnumberedAccounts = closed(
  {
    account_type: oneOf(ACCOUNT_TYPES),
    asset: asset(),
    accounts: Type.Integer({ description: 'How many of them have no number' }),
    account_id: id<AccountId>('One of them'),
    account_label: text(),
    reason: reason('The setting general_ledger gives none'),
  },
  { title: 'UnnumberedAccounts' },
)
export type UnnumberedAccounts = Static<typeof UnnumberedAccounts>

export const DatevExport = closed(
  {
    file: text(60, 'Name of the file'),
    asset: asset(),
    first_day: text(10, "In the workspace's time zone"),
    last_day: text(10),
    bookings: Type.Integer(),
    numbers: Type.Array(closed({ number: text(20), debit: decimalText(), credit: decimalText() }), {
      description: 'What the file holds on each number: what the ledger has in that time',
    }),
  },
  { title: 'DatevExport' },
)
export type DatevExport = Static<typeof DatevExport>
