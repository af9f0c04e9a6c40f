import { endpoint, listEndpoint, TOTALS_COST } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import {
  POLICY_COLUMNS,
  PolicyAnswer,
  PolicyRecord,
  policyInForce,
  PolicyTrial,
  PreviewPolicy,
  PutPolicy,
  TryPolicy,
} from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import type { ApprovalsApp } from './decisions.ts'
import { changePolicy } from './policy.ts'
import { previewPolicy, tryPolicy } from './trying.ts'

const common = { tag: 'Policy', permission: 'policy.read' } as const

const EXAMPLE = {
  rules: [
    {
      name: 'Large EUR',
      when: { commands: ['WITHDRAWAL' as const], assets: ['EUR'], amount_at_least: '100000' },
      verdict: 'APPROVE' as const,
      approve: { groups: [{ roles: ['APPROVER'], n: 2 }], within_hours: 24 },
    },
    {
      name: 'New destinations rest for a day',
      when: { commands: ['WITHDRAWAL' as const], destination_younger_than_hours: 24 },
      verdict: 'DENY' as const,
    },
  ],
  otherwise: 'ALLOW' as const,
  note: 'Two people look at large payments',
  version: 0,
}

export const policyEndpoints = (app: ApprovalsApp): Endpoint[] => [
  ...rulesEndpoints(app),
  preview(app),
  trial(app),
]

function rulesEndpoints({ db, clock }: ApprovalsApp): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'getPolicy',
      path: '/policy',
      origin: { ours: 'people see which commands wait for approval, and which are denied' },
      summary: 'The policy in force',
      description: 'Version 0 while there is none: then everything is allowed.',
      effect: 'read',
      data: PolicyRecord,
      handle: ({ principal }) => policyInForce(db, principal.workspace),
    }),
    listEndpoint({
      ...common,
      operation_id: 'listPolicies',
      path: '/policy/history',
      origin: { ours: 'auditors see what the policy was, and who changed it' },
      summary: 'All versions of the policy',
      description: 'Newest first. A version never changes.',
      ordered_by: 'sequence',
      data: PolicyRecord,
      list: ({ principal }) => ({
        select: sql`
          select ${POLICY_COLUMNS}
          from policies`,
        conditions: [sql`workspace = ${principal.workspace}`],
        key: { column: 'version', type: 'bigint' },
      }),
    }),
    endpoint({
      ...common,
      method: 'PUT',
      operation_id: 'putPolicy',
      path: '/policy',
      origin: { ours: 'a workspace says itself what needs a second person' },
      permission: 'policy.write',
      confirmed: true,
      summary: 'Change the policy',
      description:
        'It counts from the next command on, in all processes. Without rules and with ' +
        '`otherwise` ALLOW there is none. Refused: STALE_VERSION; CONFLICT for a rule that ' +
        'cannot be followed, and where nobody could change the policy any more; 1003 ' +
        'POLICY_DENIED by the policy in force.',
      effect: 'transaction',
      errors: ['PermissionDenied'],
      body: PutPolicy,
      example: EXAMPLE,
      data: PolicyRecord,
      handle: ({ body, caller }, tx) => changePolicy(caller, { tx, clock }, body),
    }),
  ]
}

const preview = (app: ApprovalsApp) =>
  endpoint({
    ...common,
    method: 'POST',
    operation_id: 'previewPolicy',
    path: '/policy/preview',
    origin: { ours: 'people know before they ask who has to approve, or when it will be possible' },
    permission: 'approvals.read',
    summary: 'What the policy would say of a withdrawal of the caller',
    description:
      'Nothing is stored and nothing is counted. Refused: SCALE, WALLET_OF_ANOTHER_CUSTOMER.',
    effect: 'read',
    body: PreviewPolicy,
    example: { treasury_route_id: '01a1fc75-ea2a-7589-aa8f-000000000001', quantity: '0.25' },
    data: PolicyAnswer,
    handle: ({ body, caller }) => previewPolicy(caller, app, body),
  })

const trial = (app: ApprovalsApp) =>
  endpoint({
    ...common,
    method: 'POST',
    operation_id: 'tryPolicy',
    path: '/policy/try',
    origin: { ours: 'a policy is tried on what has happened before it comes into force' },
    summary: 'What a policy would have said of the last weeks',
    description:
      'Judges the withdrawals that were asked for, at most the newest 10000, in their order, ' +
      'as if the policy had been in force. Roles and destinations are those of now. Those that ' +
      'ended without leaving are judged, and count towards no sum. Nothing is stored. Refused: ' +
      'CONFLICT for a rule that cannot be followed.',
    effect: 'read',
    read_cost: TOTALS_COST,
    body: TryPolicy,
    example: { rules: EXAMPLE.rules, otherwise: EXAMPLE.otherwise, days: 30 },
    data: PolicyTrial,
    handle: ({ body, caller }) => tryPolicy(caller, app, body),
  })
