/**
 * Every booking that settlements make, pure. What a venue's payment arrives as is booked by
 * treasury: D its venue, C TRADING.
 */
import type { DepositId, SettlementId } from '../core/ids.ts'
import type { Decimal } from '../core/decimal.ts'
import { absolute } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { BookingType, LedgerStep } from '../ledger/index.ts'

export type SettlingAccounts = {
  VENUE: string
  TRADING: string
  ROUNDING: string
  SUSPENSE: string
}

function settlementBooking(
  type: BookingType,
  settlement_id: SettlementId,
  asset: string,
  debit: string,
  credit: string,
  quantity: Decimal,
  description?: string,
): LedgerStep {
  const legs = [
    { account_id: debit, type: 'DEBIT' as const, quantity },
    { account_id: credit, type: 'CREDIT' as const, quantity },
  ]
  return {
    step: 'book',
    booking: {
      id: newId(),
      type,
      asset,
      legs,
      reference_type: 'settlement',
      reference_id: settlement_id,
      ...(description === undefined ? {} : { description }),
    },
  }
}

/**
 * What we owed is paid: D trading, C the venue, which then holds nothing of it for us (its arrival
 * had put it there).
 */
export const bookOutgoingPart = (
  accounts: SettlingAccounts,
  settlement_id: SettlementId,
  asset: string,
  quantity: Decimal,
  note?: string,
): LedgerStep =>
  settlementBooking(
    'SETTLEMENT',
    settlement_id,
    asset,
    accounts.TRADING,
    accounts.VENUE,
    quantity,
    note,
  )

/** What the venue owed is ours, and lies with it until it arrives: D the venue, C trading. */
export const bookIncomingPart = (
  accounts: SettlingAccounts,
  settlement_id: SettlementId,
  asset: string,
  quantity: Decimal,
  note?: string,
): LedgerStep =>
  settlementBooking(
    'SETTLEMENT',
    settlement_id,
    asset,
    accounts.VENUE,
    accounts.TRADING,
    quantity,
    note,
  )

/**
 * What had arrived as nobody's was what the venue owed: D suspense, C trading (`from`: or its
 * VENUE, where it was confirmed before). The deposit's own, so that it is reversed with it.
 */
export function bookDepositOfPart(
  accounts: SettlingAccounts,
  deposit_id: DepositId,
  asset: string,
  quantity: Decimal,
  note: string,
  from = accounts.TRADING,
): LedgerStep {
  const legs = [
    { account_id: accounts.SUSPENSE, type: 'DEBIT' as const, quantity },
    { account_id: from, type: 'CREDIT' as const, quantity },
  ]
  return {
    step: 'book',
    booking: {
      id: newId(),
      type: 'SETTLEMENT',
      asset,
      legs,
      reference_type: 'deposit',
      reference_id: deposit_id,
      description: note,
    },
  }
}

/** What is finer than can be paid, so that TRADING ends at 0: `left` > 0 when we still owe it. */
export function bookRounding(
  accounts: SettlingAccounts,
  settlement_id: SettlementId,
  asset: string,
  left: Decimal,
): LedgerStep[] {
  const [debit, credit] =
    left > 0n ? [accounts.TRADING, accounts.ROUNDING] : [accounts.ROUNDING, accounts.TRADING]
  return left === 0n
    ? []
    : [settlementBooking('ROUNDING', settlement_id, asset, debit, credit, absolute(left))]
}
