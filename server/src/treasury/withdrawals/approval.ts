/** What waits for approval goes on as it was asked for, or ends. */
import type { WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import type { Change } from '../../ledger/index.ts'
import type { TreasuryApp } from '../app.ts'
import { pendingAssignmentsOf } from '../assignments/rows.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { unsuccessfulChange } from './failure.ts'
import { customersInEvent, withdrawalEvent, withdrawalMove, withdrawalRow } from './rows.ts'
import type { WithdrawalRow } from './rows.ts'

/** Others of its transaction wait for it, so the task looks at all of them. */
const sendingTask = ({ external_id }: WithdrawalRow, now: number) => ({
  kind: WITHDRAWAL_TASK,
  subject_id: external_id,
  due_at: now,
})

/** All approvals are there: it is sent, exactly as it was asked for. */
export async function approvedWithdrawal(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: WithdrawalId,
  by: string,
): Promise<Change> {
  const row = await withdrawalRow(app.db, workspace, id)
  const owners = await pendingAssignmentsOf(app.db, workspace, { withdrawal_id: id })
  return {
    workspace,
    class: 'command',
    by,
    guards: [{ ...withdrawalMove(row, 'PENDING'), from: ['PENDING_APPROVAL'] }],
    events: [withdrawalEvent('approved', { ...row, state: 'PENDING' }, customersInEvent(owners))],
    tasks: [sendingTask(row, app.clock.now())],
  }
}

type UnapprovedEnd = {
  to: 'REJECTED' | 'CANCELED'
  reason_code: 'NOT_APPROVED' | 'APPROVAL_EXPIRED' | 'APPROVAL_WITHDRAWN'
  reason: string | null
  by: string
}

/** What was blocked is free again. Undefined where it does not wait any more: nothing is done. */
export async function unapprovedWithdrawal(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: WithdrawalId,
  { by, ...end }: UnapprovedEnd,
): Promise<Change | undefined> {
  const row = await withdrawalRow(app.db, workspace, id)
  if (row.state !== 'PENDING_APPROVAL') return undefined
  const change = await unsuccessfulChange(app, row, { ...end, sub_state: row.sub_state }, { by })
  return { ...change, tasks: [sendingTask(row, app.clock.now())] }
}
