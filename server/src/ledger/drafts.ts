/** What modules draft bookings from: signed entries, and bookings that are taken back. */
import { absolute, decimal } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { Booking, BookingDraft, LedgerStep, Leg } from './ledger.schema.ts'

/** An account and what it is credited with; negative is a debit. */
export type Entry = readonly [account_id: string, credit: Decimal]

/** Debits first. None when nothing moves. */
export function legsOf(entries: Iterable<Entry>): Leg[] {
  const legs = [...entries]
    .filter(([, credit]) => credit !== 0n)
    .map(([account_id, credit]): Leg => ({
      account_id,
      type: credit > 0n ? 'CREDIT' : 'DEBIT',
      quantity: absolute(credit),
    }))
  return [
    ...legs.filter((leg) => leg.type === 'DEBIT'),
    ...legs.filter((leg) => leg.type === 'CREDIT'),
  ]
}

type Cause = Pick<BookingDraft, 'reference_type' | 'reference_id' | 'description'>

/** Takes back those of these bookings that were not taken back yet, the last one first. */
export function bookReversals(cause: Cause, bookings: readonly Booking[]): LedgerStep[] {
  const reversed = new Set(bookings.map((booking) => booking.reverses_id))
  return bookings
    .filter((booking) => booking.reverses_id === null && !reversed.has(booking.id))
    .toReversed()
    .map((booking) => ({ step: 'book', booking: { ...reversalOf(booking), ...cause } }))
}

const reversalOf = ({ id: reverses_id, asset, legs }: Booking): BookingDraft => ({
  id: newId(),
  type: 'REVERSAL',
  asset,
  legs: legs.map(({ account_id, type, quantity }) => ({
    account_id,
    type: type === 'DEBIT' ? 'CREDIT' : 'DEBIT',
    quantity: decimal(quantity),
  })),
  reverses_id,
})
