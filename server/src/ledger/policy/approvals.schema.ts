import type { UserId, WithdrawalId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  decimalText,
  id,
  nullable,
  oneOf,
  optional,
  optionalBlank,
  currentVersion,
  record,
  requiredText,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { ApprovalGroup, COMMAND_NAMES } from './policy.schema.ts'

export const APPROVAL_STATES = [
  'PENDING',
  'APPROVED',
  'REJECTED',
  'EXPIRED',
  'WITHDRAWN',
  'EXECUTED',
  'FAILED',
] as const
export type ApprovalState = (typeof APPROVAL_STATES)[number]

/**
 * A withdrawal goes on once it is APPROVED. Another command is then done: EXECUTED, or FAILED where
 * it was refused. One that who asked has to send again may be too late.
 */
export const APPROVAL_MOVES: Moves<ApprovalState> = {
  PENDING: ['APPROVED', 'REJECTED', 'EXPIRED', 'WITHDRAWN'],
  APPROVED: ['EXECUTED', 'FAILED', 'EXPIRED'],
  REJECTED: [],
  EXPIRED: [],
  WITHDRAWN: [],
  EXECUTED: [],
  FAILED: [],
}

export const DECISIONS = ['APPROVE', 'REJECT'] as const
const EXECUTIONS = ['BY_KONTOR', 'BY_REQUESTER'] as const

/** What was asked for: the parameters of the path and the body, without secrets. */
export type RequestedCommand = { params: Record<string, string>; body: Json }

const Decision = closed(
  {
    user_id: id<UserId>(),
    decision: oneOf(DECISIONS),
    note: nullable(text()),
    decided_at: time(),
  },
  { title: 'ApprovalDecision' },
)

export const ApprovalRequestRecord = record('ApprovalRequest', {
  state: oneOf(APPROVAL_STATES),
  command: oneOf(COMMAND_NAMES, 'What was asked for'),
  operation: nullable(text(100, 'The operation of the API that is done once it is approved')),
  execution: nullable(
    oneOf(
      EXECUTIONS,
      'Of an operation: once it is approved Kontor does it, or who asked sends the same request ' +
        'again, because it has a secret or its answer is shown once',
    ),
  ),
  record_id: nullable(id<WithdrawalId>('The withdrawal that waits, or the record that is changed')),
  asset: nullable(asset()),
  quantity: nullable(decimalText()),
  policy_version: Type.Integer({ minimum: 1, description: 'The policy that asks for approval' }),
  rule: Type.Integer({ minimum: 1, description: 'Its place among the rules' }),
  rule_name: text(100),
  reason: text(1000, 'Why approval is needed'),
  groups: Type.Array(ApprovalGroup, { description: 'Who must approve, as the rule said then' }),
  missing: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'How many approvals each group still lacks, in the order of the groups',
  }),
  decisions: Type.Array(Decision, { description: 'In the order in which they were made' }),
  requested_by: text(500, 'Who asked: a user, an API key or a worker'),
  expires_at: time(),
  ended_by: nullable(text(500, 'Who decided last, or withdrew it')),
  ended_at: nullable(time()),
  note: nullable(text(500, 'What they said')),
  result_id: nullable(id('The record that was made or changed, once it is EXECUTED')),
  failure: nullable(text(1000, 'Why it could not be done, of a FAILED one')),
})
export type ApprovalRequest = Static<typeof ApprovalRequestRecord>

/** One request, with what was asked for. */
export const ApprovalInDetail = closed(
  {
    ...ApprovalRequestRecord.properties,
    request: nullable(
      Type.Unsafe<RequestedCommand>({
        type: 'object',
        additionalProperties: true,
        description: 'The parameters of the path and the body of the operation, without secrets',
      }),
    ),
  },
  { title: 'ApprovalInDetail' },
)
export type ApprovalInDetail = Static<typeof ApprovalInDetail>

export const DecideApproval = closed(
  {
    decision: oneOf(DECISIONS, 'One REJECT ends it'),
    note: optionalBlank(requiredText(500, 'Why')),
    version: optional(currentVersion()),
  },
  { title: 'DecideApproval' },
)
export type DecideApprovalBody = Static<typeof DecideApproval>

export const WithdrawApproval = closed(
  { note: optionalBlank(requiredText(500, 'Why')) },
  { title: 'WithdrawApproval' },
)
export type WithdrawApprovalBody = Static<typeof WithdrawApproval>
