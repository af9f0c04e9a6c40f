import { closed, endpoint, id, listEndpoint, queryId, queryOneOf } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import {
  APPROVAL_COLUMNS,
  APPROVAL_STATES,
  ApprovalInDetail,
  approvalRow,
  ApprovalRequestRecord,
  APPROVALS,
  COMMAND_NAMES,
  DecideApproval,
  WithdrawApproval,
} from '../ledger/index.ts'
import { shownOf } from '../store/rows.ts'
import { columnIn, sql } from '../store/sql.ts'
import { decideApproval, withdrawApproval } from './decisions.ts'
import type { ApprovalsApp } from './decisions.ts'

const tag = 'Approvals'
const params = closed({ approval_id: id() })

export const approvalEndpoints = (app: ApprovalsApp): Endpoint[] => [
  list(app),
  read(app),
  decide(app),
  withdraw(app),
]

const list = (_app: ApprovalsApp) =>
  listEndpoint({
    operation_id: 'listApprovals',
    path: '/approvals',
    origin: { ours: 'people see what waits for their approval, and what became of it' },
    tag,
    summary: 'List approval requests',
    permission: 'approvals.read',
    description:
      '`record_id`: those about this withdrawal. `requested_by`: of this user or program.',
    query: closed({
      state: queryOneOf(APPROVAL_STATES),
      command: queryOneOf(COMMAND_NAMES),
      record_id: queryId(),
      requested_by: queryId(),
    }),
    data: ApprovalRequestRecord,
    list: ({ principal: { workspace }, query: { state, command, record_id, requested_by } }) => ({
      select: sql`
        select ${APPROVAL_COLUMNS}
        from approval_requests`,
      conditions: [
        sql`workspace = ${workspace}`,
        ...(state === undefined ? [] : [columnIn('state', state)]),
        ...(command === undefined ? [] : [columnIn('command', command)]),
        ...(record_id === undefined ? [] : [sql`record_id = ${record_id}`]),
        ...(requested_by === undefined ? [] : [sql`requested_by = ${requested_by}`]),
      ],
      key: { column: 'id', type: 'uuid' },
    }),
  })

const read = (app: ApprovalsApp) =>
  endpoint({
    method: 'GET',
    operation_id: 'getApproval',
    path: '/approvals/:approval_id',
    origin: { ours: 'people see who may approve, who has, and what is missing' },
    tag,
    summary: 'One approval request',
    permission: 'approvals.read',
    effect: 'read',
    personal: true,
    params,
    data: ApprovalInDetail,
    handle: async ({ params: { approval_id }, principal: { workspace } }) => {
      const row = await approvalRow(app.db, workspace, approval_id)
      return { ...shownOf(APPROVALS, row), request: row.request }
    },
  })

const decide = (app: ApprovalsApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'decideApproval',
    path: '/approvals/:approval_id/decision',
    origin: { ours: 'a second person looks at what the policy does not leave to one alone' },
    tag,
    summary: 'Approve or reject',
    permission: 'approvals.decide',
    confirmed: true,
    description:
      'A user decides once, and counts for one group. One REJECT ends it. With the last ' +
      'approval the withdrawal is sent, or the operation done, exactly as it was asked for. ' +
      'Refused: STATE_NOT_ALLOWED ' +
      'once it has ended or expired; 1003 for who asked, for programs, and for who is in none ' +
      'of its groups; DUPLICATE; STALE_VERSION.',
    effect: 'lane',
    errors: ['PermissionDenied'],
    params,
    body: DecideApproval,
    example: { decision: 'APPROVE', note: 'The customer confirmed the address by phone' },
    data: ApprovalRequestRecord,
    handle: ({ params: { approval_id }, body, caller }) =>
      decideApproval(caller, app, approval_id, body),
  })

const withdraw = (app: ApprovalsApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'withdrawApproval',
    path: '/approvals/:approval_id/withdraw',
    origin: { ours: 'who asked for something may think better of it' },
    tag,
    summary: 'Take back what one has asked for',
    permission: 'approvals.read',
    description:
      'Its withdrawal is canceled, and what was blocked is free again. Refused: ' +
      'STATE_NOT_ALLOWED; 1003 for everybody but who asked, or set up what asked.',
    effect: 'lane',
    errors: ['PermissionDenied'],
    params,
    body: WithdrawApproval,
    example: { note: 'The customer changed their mind' },
    data: ApprovalRequestRecord,
    handle: ({ params: { approval_id }, body, caller }) =>
      withdrawApproval(caller, app, approval_id, body),
  })
