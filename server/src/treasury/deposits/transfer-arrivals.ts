/**
 * What arrives of an own transfer. It may share its payment with payments of accounts
 * (batches/bundles.ts): then their part is a deposit like any other. What is missing is missing of
 * the transfer first, because the house bears what is taken on the way.
 */
import { decimal, format, least } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { Json } from '../../core/json.ts'
import type { LedgerStep } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateNotIn } from '../../store/states.ts'
import { bookDeposit, bookTransferIn } from '../bookings.ts'
import type { BookingBasis } from '../bookings.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import type { RelatedWithdrawal } from './own-transfers.ts'

type ArrivalParts = {
  /** What arrives of the transfer. */
  transfer: Decimal
  /** What of it was in flight: a difference is a fee. */
  left: Decimal
  /** What arrives of the accounts' payments. */
  rest: Decimal
}

/** An own transfer that arrives, or comes back, as a deposit. */
export type ArrivingTransfer = { withdrawal: RelatedWithdrawal; parts: ArrivalParts }

type Sent = Pick<RelatedWithdrawal, 'quantity' | 'transfer_quantity'>

export function arrivalParts(
  arrived: Decimal,
  { quantity, transfer_quantity }: Sent,
): ArrivalParts {
  const rest = least(quantity - transfer_quantity, arrived)
  return { transfer: arrived - rest, left: transfer_quantity, rest }
}

/**
 * Of money that comes back. What came back before counts, and whatever came first, also an arrival,
 * has taken the whole transfer from TRANSIT.
 */
export async function partsOfReturn(
  reader: Reader,
  { workspace, id, quantity }: DepositRow,
  sent: RelatedWithdrawal,
): Promise<ArrivalParts> {
  const [earlier] = await reader.query<{ count: number; returned: string }>(sql`
    select count(*)::integer as count,
      coalesce(
        sum(d.quantity) filter (where d.wallet_id is distinct from w.to_wallet_id),
        0
      ) as returned
    from deposits d
    join withdrawals w on w.workspace = d.workspace
      and w.id = d.related_withdrawal_id
    where d.workspace = ${workspace}
      and d.related_withdrawal_id = ${sent.id}
      and d.id <> ${id}
      and ${stateNotIn(DEPOSIT_MOVES, 'REVERSED', 'd.state')}`)
  const before = decimal(earlier?.returned ?? '0')
  const arrived = decimal(quantity)
  const rest = arrivalParts(before + arrived, sent).rest - arrivalParts(before, sent).rest
  const isTaken = (earlier?.count ?? 0) > 0
  return { transfer: arrived - rest, left: isTaken ? 0n : sent.transfer_quantity, rest }
}

/** What events say of it: how much it is, where accounts' payments came with it. */
export const transferData = ({ transfer, rest }: ArrivalParts): Record<string, Json> => ({
  own_transfer: true,
  ...(rest === 0n ? {} : { transfer_quantity: format(transfer) }),
})

/** `assignable`: what accounts can be assigned of their part. */
export const bookArrivalParts = (
  basis: BookingBasis,
  { transfer, left, rest }: ArrivalParts,
  assignable: Decimal,
): LedgerStep[] => [
  ...bookTransferIn(basis, transfer, left),
  ...(rest === 0n ? [] : [bookDeposit(basis, rest, assignable)]),
]
