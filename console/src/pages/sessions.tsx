/** Where the user is logged in; everybody has this page. */
import type { ReactNode } from 'react'
import { ActionButton } from '../action/action.tsx'
import type { ActionPlan } from '../action/plan.ts'
import { t } from '../language/index.ts'
import { WorkList } from '../list/work-list.tsx'
import type { RowOf } from '../list/work-list.tsx'
import { inWords } from '../parts/status.tsx'

type Session = RowOf<'/auth/sessions'>

const end: ActionPlan<'delete', '/auth/sessions/{session_id}', Session> = {
  label: t('End session'),
  danger: true,
  why: ({ is_current }) => (is_current ? t('Log out to end the session of this page') : undefined),
  explain: ({ kind }) =>
    kind === 'CONSOLE'
      ? t('The pages of this browser ask for a login again.')
      : t('The program must log in again.'),
  method: 'delete',
  path: '/auth/sessions/{session_id}',
  request: ({ id }) => ({ params: { session_id: id } }),
  done: () => t('Session ended'),
}

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Your sessions')}
      path="/auth/sessions"
      every={15_000}
      record={false}
      columns={[
        { key: 'created_at', title: t('Logged in'), kind: 'time' },
        { key: 'last_used_at', title: t('Last used'), kind: 'time' },
        { key: 'kind', title: t('Where'), value: ({ kind }) => inWords(kind), width: 110 },
        { key: 'address', title: t('Network address'), width: 160 },
        { key: 'agent', title: t('Program'), width: 420 },
        { key: 'is_current', title: t('This page'), kind: 'flag', width: 100 },
        { key: 'expires_at', title: t('Ends at the latest'), kind: 'time', width: 140 },
        {
          key: 'end',
          title: 'End',
          render: (row) => <ActionButton plan={end} row={row} />,
          width: 150,
        },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      empty={{ title: t('No sessions'), text: t('A login begins one.') }}
    />
  )
}
