/** The rows of approval requests. */
import type { WorkspaceId } from '../../core/ids.ts'
import { notFound } from '../../core/errors.ts'
import { nullable, text, Type } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { APPROVAL_MOVES, ApprovalRequestRecord } from './approvals.schema.ts'
import type { ApprovalRequest, RequestedCommand } from './approvals.schema.ts'

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
