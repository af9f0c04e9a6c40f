import type { ReactNode } from 'react'
import { WorkList } from '../../list/work-list.tsx'
import { inWords } from '../../parts/status.tsx'
import { ASSIGNMENT_STATES, Decide } from './assign.tsx'
import { CHOOSE_ASSIGNMENTS } from './chosen.tsx'
import { AssignmentStatus } from './assignment-rows.tsx'

export function Page(): ReactNode {
  return (
    <WorkList
      title="Assignments"
      help="rectification"
      path="/treasury/assignments"
      live={['deposit', 'withdrawal']}
      record={(row) =>
        row.deposit_id === null
          ? `/treasury/withdrawals/${row.withdrawal_id ?? ''}`
          : `/treasury/deposits/${row.deposit_id}`
      }
      columns={[
        { key: 'system_created_at', title: 'Created', kind: 'time' },
        {
          key: 'status',
          title: 'State',
          kind: 'status',
          width: 130,
          render: (row) => <AssignmentStatus of={row} />,
        },
        {
          key: 'of',
          title: 'Movement',
          value: (row) => (row.deposit_id === null ? 'Withdrawal' : 'Deposit'),
          width: 100,
        },
        { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.asset },
        { key: 'account_id', title: 'Account', kind: 'account' },
        { key: 'source', title: 'Source', value: (row) => inWords(row.source), width: 120 },
        {
          key: 'decide',
          title: 'Decision',
          width: 160,
          value: (row) => row.status,
          render: (row) => <Decide assignment={row} />,
        },
        { key: 'booked_at', title: 'Booked', kind: 'time' },
        { key: 'decided_at', title: 'Decided', kind: 'time', extra: true },
        { key: 'decided_by', title: 'Decided by', kind: 'user', extra: true },
        { key: 'rectification_id', title: 'Rectification', kind: 'id', extra: true },
        { key: 'matching_id', title: 'Matching', kind: 'id', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: 'State', kind: 'words', options: ASSIGNMENT_STATES, many: true },
        { name: 'of', label: 'Movement', kind: 'words', options: ['DEPOSIT', 'WITHDRAWAL'] },
        { name: 'account_id', label: 'Account', kind: 'account' },
      ]}
      choose={CHOOSE_ASSIGNMENTS}
      empty={{
        title: 'No assignments yet',
        text: 'Matchings assign deposits. You can assign others under Treasury → Deposits.',
      }}
    />
  )
}
