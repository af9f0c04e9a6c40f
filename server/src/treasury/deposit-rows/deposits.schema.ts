import type {
  DepositId,
  ServiceId,
  SettlementId,
  VenueId,
  WalletId,
  WithdrawalId,
} from '../../core/ids.ts'
import { decimal, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  dateText,
  decimalText,
  flag,
  id,
  nullable,
  record,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { isLive, liveSum } from '../assignments/assignments.schema.ts'
import type { AssignedPart } from '../assignments/assignments.schema.ts'
import { nature, soleAccount, soleCustomer } from '../assignments/ownership.ts'

export const DEPOSIT_STATES = [
  'PENDING',
  'PENDING_REVIEW',
  'FAILED',
  'REVERSED',
  'UNASSIGNED',
  'PARTIALLY_ASSIGNED',
  'ASSIGNED',
  'SUCCESSFUL',
  'REJECTED',
  'RETURNED',
] as const
export type DepositState = (typeof DEPOSIT_STATES)[number]

/** Final at the venue: which of them a deposit is follows from its assignments and returns. */
export const FINAL_STATES = [
  'UNASSIGNED',
  'PARTIALLY_ASSIGNED',
  'ASSIGNED',
  'SUCCESSFUL',
  'REJECTED',
  'RETURNED',
] as const satisfies readonly DepositState[]

export const DEPOSIT_MOVES: Moves<DepositState> = {
  PENDING: [
    'PENDING_REVIEW',
    'FAILED',
    'UNASSIGNED',
    'PARTIALLY_ASSIGNED',
    'ASSIGNED',
    'SUCCESSFUL',
  ],
  // Released, it is settled as any other.
  PENDING_REVIEW: ['PENDING', 'FAILED'],
  UNASSIGNED: ['PARTIALLY_ASSIGNED', 'ASSIGNED', 'SUCCESSFUL', 'RETURNED', 'REVERSED'],
  PARTIALLY_ASSIGNED: ['ASSIGNED', 'SUCCESSFUL', 'REJECTED', 'REVERSED'],
  ASSIGNED: ['PARTIALLY_ASSIGNED', 'SUCCESSFUL', 'REJECTED', 'REVERSED'],
  REJECTED: ['PARTIALLY_ASSIGNED', 'ASSIGNED', 'SUCCESSFUL', 'RETURNED', 'REVERSED'],
  RETURNED: ['REVERSED'],
  // Also one that a person relates to a transfer; back when that is taken back.
  SUCCESSFUL: ['UNASSIGNED', 'PARTIALLY_ASSIGNED', 'REJECTED', 'REVERSED'],
  // The venue's word that it is there after all counts.
  FAILED: ['PENDING'],
  REVERSED: ['PENDING'],
}

/** What accounts can have of a deposit, and what of that has gone back to its sender instead. */
type AssignableDeposit = { assignable: Decimal; returned_unassigned: string }

/** The state of a final deposit, from what of it is assigned and what was returned unassigned. */
export function derivedState(
  deposit: AssignableDeposit,
  assignments: readonly AssignedPart[],
): DepositState {
  const returned = decimal(deposit.returned_unassigned)
  const assignable = deposit.assignable - returned
  if (assignable === 0n && returned > 0n) return 'RETURNED'
  const successful = sum(
    assignments
      .filter((assignment) => assignment.state === 'SUCCESSFUL' && isLive(assignment))
      .map((assignment) => assignment.quantity),
  )
  if (successful === assignable) return 'SUCCESSFUL'
  const live = liveSum(assignments)
  if (live === assignable) return 'ASSIGNED'
  if (live > 0n) return 'PARTIALLY_ASSIGNED'
  return assignments.some((assignment) => assignment.state === 'REJECTED')
    ? 'REJECTED'
    : 'UNASSIGNED'
}

export const DepositRecord = record('Deposit', {
  id: id<DepositId>(),
  state: oneOf(DEPOSIT_STATES),
  asset: asset(),
  protocol: nullable(text()),
  quantity: decimalText(),
  transfer_quantity: decimalText(
    'What of it needs no assignment: an own transfer, or what a venue pays for a settlement. The ' +
      'rest, of payments of accounts that left with the transfer, is assigned like any deposit',
  ),
  assigned_quantity: decimalText('Of PENDING and SUCCESSFUL assignments'),
  nature: nature(),
  account_id: soleAccount(),
  customer_id: soleCustomer(),
  returned_quantity: decimalText('What has gone back to its sender'),
  returning_quantity: decimalText('What is about to go back: of returns that have not ended'),
  returned_unassigned: decimalText('Of returned_quantity, what no account had'),
  returning_unassigned: decimalText('Of returning_quantity, what no account has'),
  service_id: id<ServiceId>(),
  venue_id: id<VenueId>(),
  wallet_id: nullable(id<WalletId>()),
  foreign_id: text(),
  transaction_hash: nullable(text()),
  output_index: nullable(Type.Integer()),
  source_address: nullable(text()),
  destination_address: nullable(text()),
  tag: nullable(text()),
  reference_text: nullable(Type.String()),
  counterparty: nullable(
    closed({ name: nullable(text()), iban: nullable(text()), bic: nullable(text()) }),
  ),
  confirmations: nullable(Type.Integer()),
  required_confirmations: nullable(Type.Integer()),
  related_withdrawal_id: nullable(
    id<WithdrawalId>('The withdrawal that arrives here, or that the bank returned'),
  ),
  settlement_id: nullable(id<SettlementId>('The settlement that a venue pays with it')),
  own_transfer: flag('The arrival of an own transfer, or what a venue pays for a settlement'),
  reason_code: nullable(text()),
  reason: nullable(Type.String()),
  value_date: nullable(dateText("The bank's value date; null where the venue names none")),
  occurred_at: time('When the venue saw it'),
})
export type Deposit = Static<typeof DepositRecord>
