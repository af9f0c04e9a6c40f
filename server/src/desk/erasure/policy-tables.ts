/** The tables of the policy and of approvals: tables.ts has all. */
export const POLICY_TABLES = {
  approval_decisions: { kept: 'for good', plain: ['decision', 'groups', 'note'] },
  approval_requests: {
    kept: 'for good',
    staff: ['excluded'],
    plain: [
      'command',
      'execution',
      'failure',
      'groups',
      'missing',
      'note',
      'operation',
      'reason',
      'request',
      'request_hash',
      'rule_name',
    ],
  },
  policies: { kept: 'for good', plain: ['note', 'otherwise', 'rules'] },
  policy_totals: { kept: '90 days', plain: ['key', 'per'] },
}
