/** Where the user is logged in; everybody has this page. */
import type { ReactNode } from 'react'
import { ActionButton } from '../action/action.tsx'
import type { ActionPlan } from '../action/plan.ts'
import { WorkList } from '../list/work-list.tsx'
import type { RowOf } from '../list/work-list.tsx'
import { inWords } from '../parts/status.tsx'

type Session = RowOf<'/auth/sessions'>

const end: ActionPlan<'delete', '/auth/sessions/{session_id}', Session> = {
  label: 'End session',
  danger: true,
  why: ({ is_current }) => (is_current ? 'Log out to end the session of this page' : undefined),
  explain: ({ kind }) =>
    kind === 'CONSOLE'
      ? 'The pages of this browser ask for a login again.'
      : 'The program must log in again.',
  method: 'delete',
  path: '/auth/sessions/{session_id}',
  request: ({ id }) => ({ params: { session_id: id } }),
  done: () => 'Session ended',
}

export function Page(): ReactNode {
  return (
    <WorkList
      title="Your sessions"
      path="/auth/sessions"
      every={15_000}
      record={false}
      columns={[
        { key: 'created_at', title: 'Logged in', kind: 'time' },
        { key: 'last_used_at', title: 'Last used', kind: 'time' },
        { key: 'kind', title: 'Where', value: ({ kind }) => inWords(kind), width: 110 },
        { key: 'address', title: 'Network address', width: 160 },
        { key: 'agent', title: 'Program', width: 420 },
        { key: 'is_current', title: 'This page', kind: 'flag', width: 100 },
        { key: 'expires_at', title: 'Ends at the latest', kind: 'time', width: 140 },
        {
          key: 'end',
          title: 'End',
          render: (row) => <ActionButton plan={end} row={row} />,
          width: 130,
        },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      empty={{ title: 'No sessions', text: 'A login begins one.' }}
    />
  )
}
