/** What the venue says of a withdrawal that is stored already. */
import type { WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { retryOnStale } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { Outgoing, TransferReport } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { recordReport } from '../withdrawals/outcome.ts'
import { withdrawalGuard, withdrawalRow, WITHDRAWALS } from '../withdrawals/rows.ts'
import { WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'

const transferReport = (movement: Outgoing): TransferReport => ({
  foreign_id: movement.foreign_id,
  state: movement.state,
  sub_state: movement.sub_state,
  reason: null,
  transaction_hash: movement.transaction_hash,
  confirmations: null,
  fee: movement.fee,
  fee_asset: movement.fee_asset,
  former: movement.former ?? [],
  value_date: movement.value_date ?? null,
  ...(movement.not_credited === true && { not_credited: true }),
})

/**
 * The transaction that now stands for a withdrawal of ours. What became of it, its own task asks.
 */
export async function recordTransaction(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: WithdrawalId,
  movement: Outgoing,
): Promise<void> {
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, id)
    const { state, reason } = row
    if (isFinal(WITHDRAWAL_MOVES, state) || state === 'PENDING_APPROVAL') return
    await recordReport(app, [row], { ...transferReport(movement), state, reason })
  })
}

/** On the row as it is now: an assignment may have changed it meanwhile. */
export async function recordState(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: WithdrawalId,
  movement: Outgoing,
): Promise<void> {
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, id)
    if (isFinal(WITHDRAWAL_MOVES, row.state)) return
    // Only an approval makes it PENDING, whatever a venue shows after the database was set back.
    if (row.state === 'PENDING_APPROVAL' && movement.state === 'PENDING') return
    await recordReport(app, [row], transferReport(movement))
  })
}

/** The bank named its value date only after the success was booked: only the record gets it. */
export async function recordValueDate(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: WithdrawalId,
  { state, value_date = null }: Outgoing,
): Promise<void> {
  if (value_date === null || state !== 'SUCCESS') return
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, id)
    if (row.state !== 'SUCCESS' || row.value_date !== null) return
    await app.lane.commit({
      workspace,
      class: 'fact',
      by: TREASURY_WORKER,
      guards: [withdrawalGuard(row, [row.state])],
      rows: [updateGuardedRow(WITHDRAWALS, { where: { workspace, id }, set: { value_date } })],
    })
  })
}
