import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { inWords } from '../../parts/status.tsx'
import { ASSIGNMENT_STATES } from './assign.tsx'
import { Decide } from './decide.tsx'
import { CHOOSE_ASSIGNMENTS } from './chosen.tsx'
import { AssignmentStatus } from './assignment-rows.tsx'

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Assignments')}
      help="rectification"
      path="/treasury/assignments"
      live={['deposit', 'withdrawal']}
      record={(row) =>
        row.deposit_id === null
          ? `/treasury/withdrawals/${row.withdrawal_id ?? ''}`
          : `/treasury/deposits/${row.deposit_id}`
      }
      columns={[
        { key: 'system_created_at', title: t('Created'), kind: 'time' },
        {
          key: 'status',
          title: t('State'),
          kind: 'status',
          width: 130,
          render: (row) => <AssignmentStatus of={row} />,
        },
        {
          key: 'of',
          title: t('Movement'),
          value: (row) => (row.deposit_id === null ? t('Withdrawal') : t('Deposit')),
          width: 100,
        },
        { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
        { key: 'account_id', title: t('Account'), kind: 'account' },
        { key: 'source', title: t('Source'), value: (row) => inWords(row.source), width: 120 },
        {
          key: 'decide',
          title: t('Decision'),
          width: 200,
          value: (row) => row.status,
          render: (row) => <Decide assignment={row} />,
        },
        { key: 'booked_at', title: t('Booked'), kind: 'time' },
        { key: 'decided_at', title: t('Decided'), kind: 'time', extra: true },
        { key: 'decided_by', title: t('Decided by'), kind: 'user', extra: true },
        { key: 'rectification_id', title: t('Rectification'), kind: 'id', extra: true },
        { key: 'matching_id', title: t('Matching'), kind: 'id', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: ASSIGNMENT_STATES, many: true },
        { name: 'of', label: t('Movement'), kind: 'words', options: ['DEPOSIT', 'WITHDRAWAL'] },
        { name: 'account_id', label: t('Account'), kind: 'account' },
      ]}
      choose={CHOOSE_ASSIGNMENTS}
      empty={{
        title: t('No assignments yet'),
        text: t('Matchings assign deposits. You can assign others under Treasury → Deposits.'),
      }}
    />
  )
}
