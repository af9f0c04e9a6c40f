/** How an approval request ends, as part of the change that ends what it is about. */
import { move } from '../../core/moves.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { Change, EventDraft, Guard } from '../changes.ts'
import { aboutApproval, APPROVALS } from '../policy/approval-rows.ts'
import type { ApprovalRow } from '../policy/approval-rows.ts'
import { APPROVAL_MOVES } from '../policy/approvals.schema.ts'
import type { ApprovalState } from '../policy/approvals.schema.ts'

const EVENT_OF = {
  APPROVED: 'approval.approved',
  REJECTED: 'approval.rejected',
  EXPIRED: 'approval.expired',
  WITHDRAWN: 'approval.withdrawn',
  EXECUTED: 'approval.executed',
  FAILED: 'approval.failed',
} as const satisfies Partial<Record<ApprovalState, EventDraft['type']>>

export type ApprovalEnd = {
  to: keyof typeof EVENT_OF
  by: string
  now: number
  note?: string | null
  /** Of a command that was done, or could not be. */
  result_id?: ApprovalRow['result_id']
  failure?: string
}

/** The request as it was read, so that it ends once whoever else decides at that moment. */
export function approvalMove(
  row: ApprovalRow,
  { to, by, now, note = null, result_id, failure }: ApprovalEnd,
): Required<Pick<Change, 'guards' | 'rows' | 'events'>> {
  const guard: Guard = {
    table: 'approval_requests',
    resource: 'approval request',
    id: row.id,
    version: row.version,
    ...move(APPROVAL_MOVES, row.state, to),
  }
  const said = note === null ? {} : { note }
  const done = {
    ...(result_id === undefined ? {} : { result_id }),
    ...(failure === undefined ? {} : { failure }),
  }
  // What was done with it later does not change who decided, and when.
  const ended = row.state === 'PENDING' ? { ended_by: by, ended_at: now, ...said } : {}
  return {
    guards: [guard],
    rows: [
      updateGuardedRow(APPROVALS, {
        where: { workspace: row.workspace, id: row.id },
        set: { ...ended, ...done },
      }),
    ],
    events: [
      {
        type: EVENT_OF[to],
        resource_id: row.id,
        data: { ...aboutApproval(row), by, ...said, ...done },
      },
    ],
  }
}
