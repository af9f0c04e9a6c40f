/** The rows of approval requests. */
import type { WorkspaceId } from '../../core/ids.ts'
import { newId } from '../../core/ids.ts'
import { notFound } from '../../core/errors.ts'
import { nullable, text, Type } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { APPROVAL_MOVES, ApprovalRequestRecord } from './approvals.schema.ts'
import type { Change } from '../changes.ts'
import type { ApprovalRequest, RequestedCommand } from './approvals.schema.ts'
import type { Judgement } from './judge.ts'

const HOUR_MILLISECONDS = 3_600_000
const MAXIMUM_REASON = 1_000

/** Ends a request that nobody decided in time; its subject is the request. */
export const EXPIRE_APPROVAL_TASK = 'expire_approval'

export const APPROVALS = tableOf('approval_requests', ApprovalRequestRecord, {
  inside: {
    excluded: Type.Array(text(500), { description: 'Who may not approve it: they asked' }),
    request: nullable(Type.Unsafe<RequestedCommand>({ type: 'object' })),
    request_hash: nullable(Type.Unsafe<Buffer>({ 'x-column': 'bytea' })),
  },
  computed: ['decisions'],
})

const decisions = sql`(
  select coalesce(
    json_agg(
      json_build_object(
        'user_id', d.user_id,
        'decision', d.decision,
        'note', d.note,
        'decided_at', d.decided_at
      )
      order by d.decided_at, d.user_id
    ),
    '[]'
  )
  from approval_decisions d
  where d.workspace = approval_requests.workspace
    and d.request_id = approval_requests.id
)`
export const APPROVAL_COLUMNS = columnsOf(ApprovalRequestRecord, { computed: { decisions } })

export type ApprovalRow = ApprovalRequest & {
  excluded: readonly string[]
  request: RequestedCommand | null
}

/** Throws 4004. */
export async function approvalRow(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<ApprovalRow> {
  const rows = await reader.query<ApprovalRow>(sql`
    select ${APPROVAL_COLUMNS}, excluded, request
    from approval_requests
    where workspace = ${workspace}
      and id = ${id}`)
  const row = only(rows)
  if (row === undefined) throw notFound('approval request', id, 'approval_id')
  return row
}

/** Of an operation that is done once it is approved. */
export type AskedOperation = {
  operation: string
  execution: NonNullable<ApprovalRequest['execution']>
  request: RequestedCommand
  request_hash: Buffer
}
const NO_OPERATION = { operation: null, execution: null, request: null, request_hash: null }

/** The request with this hash that waits, or that was approved and is not done. */
export async function openApproval(
  reader: Reader,
  asked: Pick<ApprovalRow, 'workspace' | 'requested_by'> & Pick<AskedOperation, 'request_hash'>,
): Promise<ApprovalRow | undefined> {
  const rows = await reader.query<ApprovalRow>(sql`
    select ${APPROVAL_COLUMNS}, excluded, request
    from approval_requests
    where workspace = ${asked.workspace}
      and requested_by = ${asked.requested_by}
      and request_hash = ${asked.request_hash}
      and ${stateIn(APPROVAL_MOVES, ['PENDING', 'APPROVED'])}`)
  return only(rows)
}

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
  const data = { ...aboutApproval(asked), rule_name, reason, expires_at }
  return {
    id,
    expires_at,
    rows: [insertRow(APPROVALS, row, stamp)],
    events: [{ type: 'approval.requested', resource_id: id, data }],
    tasks: [{ kind: EXPIRE_APPROVAL_TASK, subject_id: id, due_at: expires_at }],
  }
}
