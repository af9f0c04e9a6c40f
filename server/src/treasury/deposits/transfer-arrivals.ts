/**
 * What arrives of an own transfer. It may share its payment with payments of accounts
 * (batches/bundles.ts): then their part is a deposit like any other. What is missing is missing of
 * the transfer first, because the house bears what is taken on the way.
 */
import { decimal, format, least, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { DepositId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import type { Booking, Guard, LedgerStep } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { bookDeposit, bookTransferIn } from '../bookings.ts'
import type { BookingAccounts, BookingBasis } from '../bookings.ts'
import { DEPOSIT_MOVES, FINAL_STATES } from '../deposit-rows/deposits.schema.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { withdrawalRow, WITHDRAWALS } from '../withdrawals/rows.ts'
import { unchangedGuard } from './own-transfers.ts'
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
 * Of money that comes back. What accounts have of what came back before counts, and whatever came
 * first, also an arrival, has taken the whole transfer from TRANSIT.
 */
export async function partsOfReturn(
  reader: Reader,
  { workspace, id, quantity }: DepositRow,
  sent: RelatedWithdrawal,
): Promise<ArrivalParts> {
  const [earlier] = await reader.query<{ count: number; rest: string }>(sql`
    select count(*)::integer as count,
      coalesce(
        sum(d.quantity - d.transfer_quantity)
          filter (where d.wallet_id is distinct from w.to_wallet_id),
        0
      ) as rest
    from deposits d
    join withdrawals w on w.workspace = d.workspace
      and w.id = d.related_withdrawal_id
    where d.workspace = ${workspace}
      and d.related_withdrawal_id = ${sent.id}
      and d.id <> ${id}
      and ${stateIn(DEPOSIT_MOVES, FINAL_STATES, 'd.state')}`)
  const owned = sent.quantity - sent.transfer_quantity - decimal(earlier?.rest ?? '0')
  const arrived = decimal(quantity)
  const rest = least(owned, arrived)
  const isTaken = (earlier?.count ?? 0) > 0
  return { transfer: arrived - rest, left: isTaken ? 0n : sent.transfer_quantity, rest }
}

/** What a deposit had booked, and which deposits go with it in the same change. */
type Gone = {
  accounts: BookingAccounts
  bookings: readonly Booking[]
  ids: readonly DepositId[]
}
type ReleasedTransfer = { guards: Guard[]; rows: Query[]; ledger: LedgerStep[] }

/**
 * The venue took back what had arrived, or come back, of an own transfer. The transfer is in flight
 * again, unless something else of it is here. Then that takes the transfer from TRANSIT, if this
 * had, and what is missing of it is a fee.
 */
export async function releaseTransfer(
  reader: Reader,
  { workspace, id, asset, own_transfer, related_withdrawal_id }: DepositRow,
  { accounts, bookings, ids }: Gone,
): Promise<ReleasedTransfer> {
  if (!own_transfer || related_withdrawal_id === null) return { guards: [], rows: [], ledger: [] }
  const withdrawal = await withdrawalRow(reader, workspace, related_withdrawal_id)
  const [other] = await reader.query<{ id: DepositId }>(sql`
    select id
    from deposits
    where workspace = ${workspace}
      and related_withdrawal_id = ${withdrawal.id}
      and own_transfer
      and id <> all(${[id, ...ids]}::uuid[])
      and ${stateIn(DEPOSIT_MOVES, FINAL_STATES)}
    order by id
    limit 1`)
  // Whatever settles, or takes back, another deposit of it meanwhile changes the withdrawal too.
  const guards = [unchangedGuard(withdrawal)]
  if (other === undefined) {
    const where = { workspace, id: withdrawal.id }
    const open = updateGuardedRow(WITHDRAWALS, { where, set: { arrived_at: null } })
    return { guards, rows: [open], ledger: [] }
  }
  const cause = { reference_type: 'deposit', reference_id: other.id } as const
  const taken = creditOf(accounts.TRANSIT, bookings)
  return { guards, rows: [], ledger: bookTransferIn({ accounts, cause, asset }, 0n, taken) }
}

const creditOf = (account_id: string, bookings: readonly Booking[]): Decimal =>
  sum(
    bookings
      .flatMap(({ legs }) => legs)
      .filter((leg) => leg.account_id === account_id)
      .map(({ type, quantity }) => (type === 'CREDIT' ? decimal(quantity) : -decimal(quantity))),
  )

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
