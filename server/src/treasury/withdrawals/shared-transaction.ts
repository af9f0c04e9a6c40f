/**
 * Withdrawals that one transaction of the venue pays. Each keeps its own destination, owners, state
 * and bookings. They have our reference in common, and what the venue reports of the transaction
 * becomes of all of them in one change.
 */
import { decimal, FRACTION_DIGITS } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { isFinal } from '../../core/moves.ts'
import { assetsOf, retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import type { TreasuryApp } from '../app.ts'
import { feeParts } from '../bookings.ts'
import { withdrawalRows, withdrawalsOfTransaction } from './rows.ts'
import type { TransactionGroup, WithdrawalRow } from './rows.ts'
import { WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** Those that have not ended; they are sent together and end together. */
export function liveGroup(rows: readonly WithdrawalRow[]): TransactionGroup | undefined {
  const [first, ...further] = rows.filter((row) => !isFinal(WITHDRAWAL_MOVES, row.state))
  return first === undefined ? undefined : [first, ...further]
}

/** Those of this withdrawal's transaction that were sent and have not ended; undefined for none. */
export async function submittedGroup(
  app: TreasuryApp,
  row: WithdrawalRow,
): Promise<TransactionGroup | undefined> {
  const rows = await withdrawalsOfTransaction(app.db, row)
  return liveGroup(rows.filter((withdrawal) => withdrawal.submitted_at !== null))
}

/** Records on the rows as they are now: an assignment may have changed one since it was read. */
export const retryOnLiveRows = (
  app: TreasuryApp,
  rows: TransactionGroup,
  record: (liveRows: TransactionGroup) => Promise<void>,
): Promise<void> =>
  retryOnStale(async () => {
    const ids = rows.map((row) => row.id)
    const liveRows = liveGroup(await withdrawalRows(app.db, rows[0].workspace, ids))
    if (liveRows !== undefined) await record(liveRows)
  })

/**
 * The report of a transaction, for each withdrawal of it: the fee in parts whose sum is the fee.
 * The parts follow the order of the rows.
 */
export async function splitReport<Report extends { fee: Decimal | null; fee_asset: string | null }>(
  reader: Reader,
  rows: readonly WithdrawalRow[],
  report: Report,
): Promise<{ row: WithdrawalRow; report: Report }[]> {
  const [first] = rows
  const { fee } = report
  if (first === undefined || rows.length === 1 || fee === null)
    return rows.map((row) => ({ row, report }))
  const fee_asset = report.fee_asset ?? first.fee_asset ?? first.asset
  const parts = await feePartsOf(reader, rows, { asset: fee_asset, quantity: fee })
  return rows.map((row, index) => ({ row, report: { ...report, fee: parts[index] ?? 0n } }))
}

/** The parts of a fee by the quantities of these withdrawals. A single one has it unrounded. */
export async function feePartsOf(
  reader: Reader,
  rows: readonly WithdrawalRow[],
  fee: { asset: string; quantity: Decimal },
): Promise<Decimal[]> {
  const [first] = rows
  if (first === undefined || rows.length === 1) return [fee.quantity]
  const scale = (await assetsOf(reader, first.workspace)).get(fee.asset)?.scale ?? FRACTION_DIGITS
  const quantities = rows.map((row) => decimal(row.quantity))
  return feeParts(fee.quantity, quantities, scale)
}

/** All of these changes, or none. */
export function mergeChanges(changes: readonly [Change, ...Change[]]): Change {
  const moves = changes.flatMap((change) => change.moves ?? [])
  const policy = changes.flatMap((change) => change.policy ?? [])
  const uncounted = changes.flatMap((change) => change.uncounted ?? [])
  return {
    ...changes[0],
    guards: changes.flatMap((change) => change.guards ?? []),
    ledger: changes.flatMap((change) => change.ledger ?? []),
    rows: changes.flatMap((change) => change.rows ?? []),
    events: changes.flatMap((change) => change.events ?? []),
    tasks: changes.flatMap((change) => change.tasks ?? []),
    ...(moves.length === 0 ? {} : { moves }),
    ...(policy.length === 0 ? {} : { policy }),
    ...(uncounted.length === 0 ? {} : { uncounted }),
  }
}
