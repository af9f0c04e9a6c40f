/**
 * Withdrawals that one transaction of the venue pays. Each keeps its own destination, owners, state and bookings; what they have
 * in common is our reference, and that whatever the venue says of the transaction becomes of all of them in one change.
 */
import { decimal, FRACTION_DIGITS } from '../../core/decimal.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { TransferOrder, TransferOutput } from '../../venues/index.ts'
import { feeParts } from '../bookings.ts'
import { WITHDRAWAL_ROW_COLUMNS } from './withdrawals.ts'
import type { WithdrawalRow } from './withdrawals.ts'

/** Of one transaction, in the order of its outputs; those that were canceled before it was sent may be missing. */
export type Together = readonly [WithdrawalRow, ...WithdrawalRow[]]

/** All withdrawals that share the transaction of this one, itself among them, whatever became of each. */
export async function transactionOf(reader: Reader, row: WithdrawalRow): Promise<WithdrawalRow[]> {
  if (row.outputs === 1) return [row]
  return reader.query<WithdrawalRow>(
    sql`select ${WITHDRAWAL_ROW_COLUMNS} from withdrawals where workspace = ${row.workspace} and venue_id = ${row.venue_id} and external_id = ${row.external_id} order by output`,
  )
}

/** The one order to the venue. Its fee is what was agreed for all of them. */
export function orderOf(rows: Together): TransferOrder {
  const [first, ...further] = rows
  return {
    external_id: first.external_id,
    asset: first.asset,
    protocol: first.protocol,
    speed_level: first.speed_level,
    source_wallet: first.source_wallet,
    ...outputOf(first),
    fee: rows.reduce((total, row) => total + decimal(row.fee_estimate ?? '0'), 0n),
    ...(further.length === 0 ? {} : { further_outputs: further.map(outputOf) }),
  }
}

const outputOf = (row: WithdrawalRow): TransferOutput => ({
  quantity: decimal(row.quantity),
  destination_address: row.destination_address,
  tag: row.tag,
  transfer: row.transfer,
  recipient_name: row.recipient_name,
})

/** What the venue says of the transaction, for each withdrawal of it: the fee in parts whose sum is the fee. */
export async function reportsOf<Report extends { fee: bigint | null; fee_asset: string | null }>(
  reader: Reader,
  rows: readonly WithdrawalRow[],
  report: Report,
): Promise<{ row: WithdrawalRow; report: Report }[]> {
  const [first] = rows
  const { fee } = report
  if (first === undefined || rows.length === 1 || fee === null)
    return rows.map((row) => ({ row, report }))
  const scale =
    (await assetsOf(reader, first.workspace)).get(
      report.fee_asset ?? first.fee_asset ?? first.asset,
    )?.scale ?? FRACTION_DIGITS
  const parts = feeParts(
    fee,
    rows.map((row) => decimal(row.quantity)),
    scale,
  )
  return rows.map((row, place) => ({ row, report: { ...report, fee: parts[place] ?? 0n } }))
}

/** All of these changes, or none. */
export function allOf(changes: readonly [Change, ...Change[]]): Change {
  return {
    ...changes[0],
    guards: changes.flatMap((change) => change.guards ?? []),
    ledger: changes.flatMap((change) => change.ledger ?? []),
    rows: changes.flatMap((change) => change.rows ?? []),
    events: changes.flatMap((change) => change.events ?? []),
    tasks: changes.flatMap((change) => change.tasks ?? []),
  }
}
