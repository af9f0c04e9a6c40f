/**
 * Every booking that settlements make, pure. What a venue's payment arrives as is booked by
 * treasury: D its venue, C TRADING.
 */
import type { DepositId, SettlementId } from '../core/ids.ts'
import type { Decimal } from '../core/decimal.ts'
import { absolute } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { BookingDraft, LedgerStep } from '../ledger/index.ts'

export type SettlingAccounts = {
  VENUE: string
  TRADING: string
  ROUNDING: string
  SUSPENSE: string
}

/** What of an asset moves, and for which record. */
type Movement = { asset: string; quantity: Decimal; note?: string | undefined }
type OfSettlement = Movement & { settlement_id: SettlementId }
type OfDeposit = Movement & { deposit_id: DepositId }

type PartBooking = Pick<BookingDraft, 'type' | 'reference_type' | 'reference_id'> & Movement

function bookPair(debit: string, credit: string, booked: PartBooking): LedgerStep {
  const { asset, quantity, note, ...reference } = booked
  return {
    step: 'book',
    booking: {
      id: newId(),
      asset,
      legs: [
        { account_id: debit, type: 'DEBIT', quantity },
        { account_id: credit, type: 'CREDIT', quantity },
      ],
      ...reference,
      ...(note === undefined ? {} : { description: note }),
    },
  }
}

function bookForSettlement(
  type: 'SETTLEMENT' | 'ROUNDING',
  debit: string,
  credit: string,
  { settlement_id, ...movement }: OfSettlement,
): LedgerStep {
  const reference = { reference_type: 'settlement', reference_id: settlement_id } as const
  return bookPair(debit, credit, { type, ...reference, ...movement })
}

/**
 * What we owed is paid: D trading, C the venue, which then holds nothing of it for us (its arrival
 * had put it there).
 */
export const bookOutgoingPart = (
  { TRADING, VENUE }: SettlingAccounts,
  movement: OfSettlement,
): LedgerStep => bookForSettlement('SETTLEMENT', TRADING, VENUE, movement)

/** What the venue owed is ours, and lies with it until it arrives: D the venue, C trading. */
export const bookIncomingPart = (
  { TRADING, VENUE }: SettlingAccounts,
  movement: OfSettlement,
): LedgerStep => bookForSettlement('SETTLEMENT', VENUE, TRADING, movement)

/**
 * What had arrived as nobody's was what the venue owed: D suspense, C trading (`from`: or its
 * VENUE, where it was confirmed before). The deposit's own, so that it is reversed with it.
 */
export function bookDepositOfPart(
  { SUSPENSE, TRADING }: SettlingAccounts,
  { deposit_id, ...movement }: OfDeposit,
  from = TRADING,
): LedgerStep {
  const reference = { reference_type: 'deposit', reference_id: deposit_id } as const
  return bookPair(SUSPENSE, from, { type: 'SETTLEMENT', ...reference, ...movement })
}

/** What is finer than can be paid, so that TRADING ends at 0: more than 0 when we still owe it. */
export function bookRounding(
  { TRADING, ROUNDING }: SettlingAccounts,
  { quantity, ...movement }: OfSettlement,
): LedgerStep[] {
  if (quantity === 0n) return []
  const [debit, credit] = quantity > 0n ? [TRADING, ROUNDING] : [ROUNDING, TRADING]
  const whole = { ...movement, quantity: absolute(quantity) }
  return [bookForSettlement('ROUNDING', debit, credit, whole)]
}
