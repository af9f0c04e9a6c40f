/**
 * The end of a withdrawal at which nothing has left: what was blocked is released. A fee that the
 * venue took nevertheless is the house's.
 */
import { format } from '../../core/decimal.ts'
import type { Change, LedgerStep } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { decidePending, pendingAssignmentsOf } from '../assignments/rows.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import { bookCost, markChargesBooked, unbookedFees } from './charges.ts'
import { openHoldsOf } from './holds.ts'
import { endReturn } from './returned-deposits.ts'
import {
  basisOf,
  customersInEvent,
  reportedFields,
  sourceLocation,
  withdrawalEvent,
  withdrawalMove,
  WITHDRAWALS,
} from './rows.ts'
import type { EndOptions, FinalReport, WithdrawalRow } from './rows.ts'
import type { UnsuccessfulState } from './withdrawals.schema.ts'

/** An end at which nothing has left. */
type FailedEnd = {
  to: UnsuccessfulState
  reason_code: string
  reason: string | null
  sub_state: string | null
  report?: FinalReport
}

const EVENT_OF = { FAILED: 'failed', REJECTED: 'rejected', CANCELED: 'canceled' } as const

/** FAILED, REJECTED, CANCELED: what was blocked is free again, and its assignments are rejected. */
export async function unsuccessfulChange(
  app: TreasuryApp,
  row: WithdrawalRow,
  { to, reason_code, reason, sub_state, report }: FailedEnd,
  { by = TREASURY_WORKER, eventData = {} }: EndOptions = {},
): Promise<Change> {
  const { workspace } = row
  const now = app.clock.now()
  const assignments = await pendingAssignmentsOf(app.db, workspace, { withdrawal_id: row.id })
  const holds = await openHoldsOf(app.db, row)
  const returned = await endReturn(app.db, row, { has_left: false, unborne: 0n })
  const fees = await unbookedFees(app.db, row, report)
  const [fee] = fees.costs
  const basis = await basisOf(app.db, row)
  const ledger = [
    ...holds.map((hold): LedgerStep => ({ step: 'release', hold_id: hold.id })),
    ...fees.costs.flatMap((cost) => bookCost(basis, cost)),
  ]
  const rejected = decidePending(workspace, assignments, 'REJECTED', {
    decided_by: by,
    decided_at: now,
  })
  return {
    workspace,
    class: 'fact',
    by,
    guards: [withdrawalMove(row, to), ...rejected.guards, ...returned.guards],
    ledger,
    ...(row.counted === null ? {} : { uncounted: row.counted }),
    rows: [
      ...updateWalletPosition(sourceLocation(row, basis.accounts), ledger),
      ...markChargesBooked(row, fees, now),
      updateGuardedRow(WITHDRAWALS, {
        where: { workspace, id: row.id },
        set: {
          ...(report === undefined ? { sub_state } : reportedFields(row, report)),
          ...(fee.quantity === 0n ? {} : { fee: format(fee.quantity), fee_asset: fee.asset }),
          reason_code,
          reason,
          completed_at: now,
        },
      }),
      ...rejected.rows,
      ...returned.rows,
    ],
    events: [
      withdrawalEvent(
        EVENT_OF[to],
        { ...row, state: to, reason },
        { ...eventData, ...customersInEvent(assignments) },
      ),
      ...returned.events,
    ],
  }
}
