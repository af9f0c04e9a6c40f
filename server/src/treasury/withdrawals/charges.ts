/**
 * What a withdrawal costs at its end: the fee of its report, and what the venue has charged by
 * entries of its own (fee-reports.ts).
 */
import { decimal, FRACTION_DIGITS, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { VenueId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { asset, closed, decimalText, id, nullable, text, time } from '../../http/index.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { LedgerStep } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { tableOf, updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { bookWithdrawalFee, feeShares } from '../bookings.ts'
import type { BookingBasis, Share } from '../bookings.ts'
import type { FinalReport, WithdrawalRow } from './rows.ts'

export const CHARGES = tableOf(
  'withdrawal_charges',
  closed({
    workspace: id<WorkspaceId>(),
    venue_id: id<VenueId>(),
    foreign_id: text(),
    withdrawal_id: id<WithdrawalId>(),
    asset: asset(),
    quantity: decimalText(),
    booked_at: nullable(time()),
    system_created_at: time(),
  }),
)

/** What a withdrawal costs in one asset. */
export type FeeAmount = { asset: string; quantity: Decimal }

/** What is not booked yet: first all in the asset of the fee, then charges in others. */
export type UnbookedFees = {
  costs: [FeeAmount, ...FeeAmount[]]
  /** Charges by entries of their own are among them. */
  charged: boolean
}

/** The fee that a report names, together with the charges that are not booked yet. */
export async function unbookedFees(
  reader: Reader,
  row: Pick<WithdrawalRow, 'workspace' | 'id' | 'asset' | 'fee_asset'>,
  report: Pick<FinalReport, 'fee' | 'fee_asset'> | undefined,
): Promise<UnbookedFees> {
  const charges = await reader.query<{ asset: string; quantity: string }>(sql`
    select asset, sum(quantity) as quantity
    from withdrawal_charges
    where workspace = ${row.workspace}
      and withdrawal_id = ${row.id}
      and booked_at is null
    group by asset
    order by asset`)
  const costs = charges.map(({ asset, quantity }): FeeAmount => ({
    asset,
    quantity: decimal(quantity),
  }))
  const fee_asset = report?.fee_asset ?? row.fee_asset ?? row.asset
  const same = costs.filter((cost) => cost.asset === fee_asset)
  const others = costs.filter((cost) => cost.asset !== fee_asset)
  const quantity = (report?.fee ?? 0n) + sum(same.map((cost) => cost.quantity))
  return { costs: [{ asset: fee_asset, quantity }, ...others], charged: costs.length > 0 }
}

/**
 * The write that goes with the booking of `unbookedFees`. The guard on the withdrawal keeps both to
 * the same charges.
 */
export function markChargesBooked(
  row: Pick<WithdrawalRow, 'workspace' | 'id'>,
  { charged }: UnbookedFees,
  now: number,
): Query[] {
  const where = { workspace: row.workspace, withdrawal_id: row.id, booked_at: null }
  return charged ? [updateGuardedRow(CHARGES, { where, set: { booked_at: now } })] : []
}

/**
 * What customers bear of a cost: those who were named with the withdrawal, where customers bear it.
 */
export async function feeBearers(
  reader: Reader,
  row: Pick<WithdrawalRow, 'workspace' | 'fee_borne_by' | 'quantity'>,
  assignments: readonly (Share & { source: string })[],
  cost: FeeAmount,
): Promise<Share[]> {
  if (row.fee_borne_by !== 'CUSTOMER') return []
  const scale = (await assetsOf(reader, row.workspace)).get(cost.asset)?.scale ?? FRACTION_DIGITS
  const owners = assignments.filter((assignment) => assignment.source === 'ROUTE')
  return feeShares(cost.quantity, decimal(row.quantity), owners, scale)
}

export const bookCost = (
  basis: BookingBasis,
  { asset, quantity }: FeeAmount,
  bearers: readonly Share[] = [],
): LedgerStep[] => bookWithdrawalFee({ ...basis, asset }, quantity, bearers)
