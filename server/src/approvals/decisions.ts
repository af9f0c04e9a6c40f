/**
 * How a request for approval ends: by decisions of those whom its rule names, by who asked, or by
 * its time. What it is about goes on or ends in the same commit, so that it does so once, whoever
 * else decides at that moment.
 */
import { requesterOf } from '../access/index.ts'
import { ApiError, refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import type { UserId } from '../core/ids.ts'
import {
  closed,
  id,
  oneOf,
  nullable,
  text,
  time,
  Type,
  withIdempotentReplay,
} from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import {
  aboutApproval,
  approvalMove,
  approvalRow,
  APPROVALS,
  assertVersion,
  commitWithReply,
  DECISIONS,
  groupsOf,
  isComplete,
  missingApprovals,
  retryOnStale,
} from '../ledger/index.ts'
import type {
  ApprovalEnd,
  ApprovalRequest,
  ApprovalRow,
  Change,
  DecideApprovalBody,
  Guard,
  WithdrawApprovalBody,
} from '../ledger/index.ts'
import type { Reader } from '../store/db.ts'
import { insertRow, shownOf, tableOf, updateGuardedRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { TaskHandler, TaskResult } from '../store/tasks.ts'
import { approvedWithdrawal, mergeChanges, unapprovedWithdrawal } from '../treasury/index.ts'
import type { TreasuryApp, Withdrawal } from '../treasury/index.ts'

export type ApprovalsApp = TreasuryApp

/** Who is recorded for what ends by its time, or is done once it is approved. */
export const APPROVALS_WORKER = 'approvals'

/** Does what was approved; its subject is the request. */
export const EXECUTE_APPROVAL_TASK = 'execute_approval'

const DECISION_ROWS = tableOf(
  'approval_decisions',
  closed({
    workspace: id(),
    request_id: id(),
    user_id: id<UserId>(),
    decision: oneOf(DECISIONS),
    groups: Type.Array(Type.Integer(), { 'x-column': 'integer[]' }),
    note: nullable(text()),
    decided_at: time(),
  }),
)

/** One person's decision. */
type Decided = {
  user_id: UserId
  decision: DecideApprovalBody['decision']
  groups: number[]
  note: string | null
  decided_at: number
}

/**
 * Refused: 4004; STATE_NOT_ALLOWED once it has ended or its time is over; 1003 for who asked, for
 * programs and for who is in none of its groups; DUPLICATE for a second decision; STALE_VERSION.
 */
export function decideApproval(
  caller: Caller,
  app: ApprovalsApp,
  request_id: string,
  body: DecideApprovalBody,
): Promise<ApprovalRequest> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await approvalRow(app.db, workspace, request_id)
      assertVersion('approval request', row, body.version)
      const now = app.clock.now()
      assertOpen(row, now)
      const decided: Decided = {
        user_id: by as UserId,
        decision: body.decision,
        groups: await groupsFor(app.db, caller, row),
        note: body.note ?? null,
        decided_at: now,
      }
      const decision = await decisionChange(app, row, decided)
      return withFailpoints('approval.decide', row.id, () =>
        commitWithReply(app.lane, caller, decision.change, decision.after),
      )
    }),
  )
}

function assertOpen({ id: of, state, expires_at }: ApprovalRow, now: number): void {
  if (state !== 'PENDING')
    throw refuse('STATE_NOT_ALLOWED', '', `approval request ${of} is ${state}: it has ended`)
  if (now >= expires_at) throw expired(of)
}

const expired = (of: string): ApiError =>
  refuse('STATE_NOT_ALLOWED', '', `the time of approval request ${of} is over: ask again`)

/** The groups that this person counts for. */
async function groupsFor(
  reader: Reader,
  { workspace, by }: Caller,
  row: ApprovalRow,
): Promise<number[]> {
  const { requester } = await requesterOf(reader, workspace, by)
  const { user_id, roles } = requester
  if (user_id === null) throw notAllowed('programs do not approve: a user does')
  if (row.excluded.includes(user_id))
    throw notAllowed('another person decides: you asked for this, or set up what asked for it')
  if (row.decisions.some((earlier) => earlier.user_id === user_id))
    throw refuse('DUPLICATE', '', `you have decided about approval request ${row.id} already`)
  const groups = groupsOf(row.groups, { user_id, roles })
  if (groups.length === 0)
    throw notAllowed(`approval request ${row.id} is for others: you are in none of its groups`)
  return groups
}

const notAllowed = (message: string): ApiError =>
  new ApiError('PermissionDenied', message, [{ path: '', code: 'PERMISSION_REQUIRED', message }])

async function decisionChange(
  app: ApprovalsApp,
  row: ApprovalRow,
  decided: Decided,
): Promise<{ change: Change; after: ApprovalRequest }> {
  const { workspace } = row
  const { user_id: by, decision, groups, note, decided_at: now } = decided
  const missing =
    decision === 'REJECT'
      ? row.missing
      : missingApprovals(row.groups, [...(await approvedBy(app.db, row)), groups])
  const to = stateAfter(decided, missing)
  const decisions = [...row.decisions, { user_id: by, decision, note, decided_at: now }]
  const stored = [
    insertRow(DECISION_ROWS, { workspace, request_id: row.id, ...decided }, { by, now }),
    updateGuardedRow(APPROVALS, { where: { workspace, id: row.id }, set: { missing } }),
  ]
  const events = [
    {
      type: 'approval.decided' as const,
      resource_id: row.id,
      data: { ...aboutApproval(row), decision, by, note, missing },
    },
  ]
  const change: Change = { workspace, class: 'command', by, rows: stored, events }
  if (to === 'PENDING') {
    const after = afterChange(row, { missing, decisions }, { by, now })
    return { change: { ...change, guards: [openGuard(row)] }, after }
  }
  const end = { to, by, now, note } as const
  const { guards, ...ending } = approvalMove(row, end)
  const until = { at: row.expires_at, error: expired(row.id) }
  const moved = {
    ...change,
    guards: guards.map((guard) => (to === 'APPROVED' ? { ...guard, until } : guard)),
  }
  const about = await changeAbout(app, row, end)
  return {
    change: mergeChanges([moved, { workspace, class: 'command', by, ...ending }, ...about]),
    after: afterChange(row, { ...endFields(end), missing, decisions }, { by, now }),
  }
}

function stateAfter(
  { decision }: Decided,
  missing: readonly number[],
): 'PENDING' | 'APPROVED' | 'REJECTED' {
  if (decision === 'REJECT') return 'REJECTED'
  return isComplete(missing) ? 'APPROVED' : 'PENDING'
}

const openGuard = ({ id: of, version, expires_at }: ApprovalRow): Guard => ({
  table: 'approval_requests',
  resource: 'approval request',
  id: of,
  from: ['PENDING'],
  version,
  until: { at: expires_at, error: expired(of) },
})

const endFields = ({ to, by, now, note = null }: ApprovalEnd) => ({
  state: to,
  ended_by: by,
  ended_at: now,
  note,
})

const afterChange = (
  row: ApprovalRow,
  changed: Partial<ApprovalRequest>,
  { by, now }: { by: string; now: number },
): ApprovalRequest =>
  shownOf(APPROVALS, {
    ...row,
    ...changed,
    version: row.version + 1,
    system_updated_at: now,
    system_updated_by: by,
  })

/** For which groups those who approved it counted then. */
async function approvedBy(reader: Reader, { workspace, id: of }: ApprovalRow): Promise<number[][]> {
  const rows = await reader.query<{ groups: number[] }>(sql`
    select groups
    from approval_decisions
    where workspace = ${workspace}
      and request_id = ${of}
      and decision = 'APPROVE'
    order by decided_at, user_id`)
  return rows.map(({ groups }) => groups)
}

const WITHDRAWAL_END = {
  REJECTED: { to: 'REJECTED', reason_code: 'NOT_APPROVED' },
  EXPIRED: { to: 'REJECTED', reason_code: 'APPROVAL_EXPIRED' },
  WITHDRAWN: { to: 'CANCELED', reason_code: 'APPROVAL_WITHDRAWN' },
} as const

type Ending = Omit<ApprovalEnd, 'to'> & { to: 'APPROVED' | keyof typeof WITHDRAWAL_END }

/** What happens with what it is about. */
async function changeAbout(
  app: ApprovalsApp,
  { id: of, workspace, record_id, operation, execution }: ApprovalRow,
  { to, by, now, note = null }: Ending,
): Promise<Change[]> {
  if (operation !== null) {
    if (to !== 'APPROVED' || execution !== 'BY_KONTOR') return []
    const tasks = [{ kind: EXECUTE_APPROVAL_TASK, subject_id: of, due_at: now }]
    return [{ workspace, class: 'command', by, tasks }]
  }
  const withdrawal_id = record_id as Withdrawal['id']
  if (to === 'APPROVED') return [await approvedWithdrawal(app, workspace, withdrawal_id, by)]
  const ended = await unapprovedWithdrawal(app, workspace, withdrawal_id, {
    ...WITHDRAWAL_END[to],
    reason: note,
    by,
  })
  return ended === undefined ? [] : [ended]
}

/** Who asked takes it back. Refused: 4004, STATE_NOT_ALLOWED; 1003 for everybody else. */
export function withdrawApproval(
  caller: Caller,
  app: ApprovalsApp,
  request_id: string,
  { note = null }: { note?: WithdrawApprovalBody['note'] | null },
): Promise<ApprovalRequest> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await approvalRow(app.db, workspace, request_id)
      if (!row.excluded.includes(by))
        throw notAllowed('only who asked for it takes a request back: reject it')
      const now = app.clock.now()
      assertOpen(row, now)
      const end = { to: 'WITHDRAWN', by, now, note } as const
      const after = afterChange(row, endFields(end), { by, now })
      const change = await endChange(app, row, end, 'command')
      return withFailpoints('approval.withdraw', row.id, () =>
        commitWithReply(app.lane, caller, change, after),
      )
    }),
  )
}

async function endChange(
  app: ApprovalsApp,
  row: ApprovalRow,
  end: Ending,
  kind: Change['class'],
): Promise<Change> {
  const { workspace } = row
  const about = await changeAbout(app, row, end)
  return mergeChanges([{ workspace, class: kind, by: end.by, ...approvalMove(row, end) }, ...about])
}

/** It was approved, and who asked has not sent it again. */
export const waitsForRequester = ({ state, execution }: ApprovalRow): boolean =>
  state === 'APPROVED' && execution === 'BY_REQUESTER'

const mayExpire = (row: ApprovalRow): boolean => row.state === 'PENDING' || waitsForRequester(row)

/** Subject: the request. */
export const expireApprovalTask =
  (app: ApprovalsApp): TaskHandler =>
  ({ workspace, subject_id }) =>
    retryOnStale(async (): Promise<TaskResult> => {
      const row = await approvalRow(app.db, workspace, subject_id)
      if (!mayExpire(row)) return 'done'
      const now = app.clock.now()
      if (now < row.expires_at) return { again_at: row.expires_at }
      const end = { to: 'EXPIRED', by: APPROVALS_WORKER, now } as const
      const change = await endChange(app, row, end, 'fact')
      await withFailpoints('approval.expire', row.id, () => app.lane.commit(change))
      return 'done'
    })
