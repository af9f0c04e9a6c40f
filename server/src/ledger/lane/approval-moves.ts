/** How an approval request begins and ends, as part of the change of what it is about. */
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { insertRow, updateGuardedRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import type { Change, EventDraft, Guard } from '../changes.ts'
import { APPROVALS } from '../policy/approval-rows.ts'
import type { ApprovalRow, AskedOperation } from '../policy/approval-rows.ts'
import { APPROVAL_MOVES } from '../policy/approvals.schema.ts'
import type { ApprovalRequest, ApprovalState } from '../policy/approvals.schema.ts'
import type { Judgement } from '../policy/judge.ts'

const HOUR_MILLISECONDS = 3_600_000
const MAXIMUM_REASON = 1_000

/** Ends a request that nobody decided in time; its subject is the request. */
export const EXPIRE_APPROVAL_TASK = 'expire_approval'

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

const NO_OPERATION = { operation: null, execution: null, request: null, request_hash: null }

/** What is asked for, by whom, and what the policy said of it. */
type AskedApproval = Pick<ApprovalRequest, 'command' | 'record_id'> &
  Pick<ApprovalRequest, 'asset' | 'quantity' | 'requested_by'> & {
    workspace: WorkspaceId
    policy_version: number
    judgement: Judgement
    /** Who may not approve it beside who asks. */
    excluded: readonly string[]
    of?: AskedOperation
  }

/** What every event of a request names. */
export const aboutApproval = ({
  command,
  record_id,
  requested_by,
}: Pick<ApprovalRow, 'command' | 'record_id' | 'requested_by'>) => ({
  command,
  record_id,
  requested_by,
})

type NewApproval = { id: string; expires_at: number } & Required<
  Pick<Change, 'rows' | 'events' | 'tasks'>
>

/** The request, as a part of the change that makes it; its task ends it in time. */
export function newApproval(
  { judgement, excluded, of, ...asked }: AskedApproval,
  stamp: Stamp,
): NewApproval {
  const { approve, rule, rule_name, reason } = judgement
  if (approve === undefined || rule === null || rule_name === null)
    throw new TypeError('only a rule asks for approval')
  const id = newId()
  const expires_at = stamp.now + approve.within_hours * HOUR_MILLISECONDS
  const row = {
    ...asked,
    ...(of ?? NO_OPERATION),
    id,
    state: 'PENDING' as const,
    rule,
    rule_name,
    reason: reason.slice(0, MAXIMUM_REASON),
    groups: approve.groups,
    missing: approve.groups.map(({ n }) => n),
    excluded: [...new Set([asked.requested_by, ...excluded])],
    expires_at,
  }
  const { groups, excluded: others } = row
  const about = { ...aboutApproval(asked), rule_name, reason, expires_at }
  const data = { ...about, groups, excluded: others }
  return {
    id,
    expires_at,
    rows: [insertRow(APPROVALS, row, stamp)],
    events: [{ type: 'approval.requested', resource_id: id, data }],
    tasks: [{ kind: EXPIRE_APPROVAL_TASK, subject_id: id, due_at: expires_at }],
  }
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
