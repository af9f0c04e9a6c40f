/** Which deposit can be related to which transfer or part. What cannot is refused. */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { isFinalDeposit } from '../withdrawals/returned-deposits.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'
import { isUnsuccessful } from '../withdrawals/withdrawals.schema.ts'
import { carriedReferences } from './own-transfers.ts'
import { canBeRelated, returnsOf } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'

export const isArrival = (row: DepositRow): boolean => row.own_transfer && isFinalDeposit(row)

/** `rest`: what of it is not the transfer's, and may be assigned. */
export function assertNobodys(row: DepositRow, rest: Decimal = 0n): void {
  if (canBeRelated(row, rest)) return
  const { id, related_withdrawal_id, settlement_id } = row
  if (isArrival(row))
    throw refuse(
      'CONFLICT',
      '',
      `deposit ${id} is the arrival of ` +
        (related_withdrawal_id === null
          ? `settlement ${settlement_id} already`
          : `withdrawal ${related_withdrawal_id} already`),
    )
  throw refuse('STATE_NOT_ALLOWED', '', `deposit ${id} ${whyNotNobodys(row, rest)}`)
}

function whyNotNobodys(row: DepositRow, rest: Decimal): string {
  if (row.related_withdrawal_id !== null)
    return `brings back withdrawal ${row.related_withdrawal_id}`
  if (returnsOf(row) > 0n) return 'goes back to its sender, all of it or a part'
  if (rest > 0n && decimal(row.assigned_quantity) > rest)
    return `is assigned to accounts for more than the ${format(rest)} ${row.asset} that they sent`
  return `is ${row.state}, and cannot be related`
}

/** To the wallet that it arrived in, and of its asset. */
export function assertArrivesThere(
  row: DepositRow,
  other: { asset: string; wallet_id: string | null },
  path: string,
): void {
  if (other.asset !== row.asset)
    throw refuse('ASSET_MISMATCH', path, `deposit ${row.id} is of ${row.asset}, not ${other.asset}`)
  if (row.wallet_id === null || other.wallet_id !== row.wallet_id)
    throw refuse('CONFLICT', path, `deposit ${row.id} arrived in another wallet`)
}

export function assertSameQuantity(
  row: DepositRow,
  other: { quantity: string },
  path: string,
): void {
  if (decimal(other.quantity) !== decimal(row.quantity))
    throw refuse(
      'SUM_MISMATCH',
      path,
      `deposit ${row.id} is of ${row.quantity} ${row.asset}, not ${other.quantity}`,
    )
}

/** Its transaction or its reference is in the deposit: the difference is a fee on the way. */
export function namesTransfer(row: DepositRow, withdrawal: WithdrawalRow): boolean {
  const { transaction_hash, external_id, outputs, quantity } = withdrawal
  const isNamed =
    carriedReferences(row).includes(external_id) ||
    (transaction_hash !== null &&
      transaction_hash.toLowerCase() === row.transaction_hash?.toLowerCase())
  return isNamed && outputs === 1 && decimal(row.quantity) <= decimal(quantity)
}

/** An own transfer that may have left, and that has not arrived. */
export function assertOpen({
  id,
  state,
  own_transfer,
  submitted_at,
  arrived_at,
}: WithdrawalRow): void {
  const path = 'withdrawal_id'
  if (!own_transfer)
    throw refuse('CONFLICT', path, `withdrawal ${id} is no transfer between wallets of ours`)
  if (submitted_at === null || isUnsuccessful(state))
    throw refuse('STATE_NOT_ALLOWED', path, `withdrawal ${id} is ${state} and has not left`)
  if (arrived_at !== null)
    throw refuse('CONFLICT', path, `withdrawal ${id} has arrived as another deposit already`)
}
