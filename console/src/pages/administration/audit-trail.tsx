import type { ReactNode } from 'react'
import { useNames } from '../../api/names.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { changeWords, doerOf, whatWords } from '../../parts/audit-words.ts'
import { inWords } from '../../parts/status.tsx'

const OUTCOMES = ['DONE', 'REFUSED', 'FAILED'] as const

export function Page(): ReactNode {
  const users = useNames('user')
  return (
    <WorkList
      title={t('Audit trail')}
      path="/audit"
      every={15_000}
      record={false}
      columns={[
        { key: 'occurred_at', title: t('Time'), kind: 'time' },
        {
          key: 'actor',
          title: t('By'),
          value: (entry) => doerOf(entry, users),
          width: 200,
        },
        { key: 'kind', title: t('What'), value: ({ kind }) => inWords(kind), width: 150 },
        { key: 'operation', title: t('Operation'), width: 190 },
        {
          key: 'outcome',
          title: t('Outcome'),
          value: ({ outcome }) => inWords(outcome),
          width: 110,
        },
        { key: 'record_id', title: t('Record'), kind: 'id' },
        { key: 'details', title: t('Details'), value: whatWords, width: 260 },
        { key: 'changes', title: t('Before and after'), value: changeWords, width: 320 },
        { key: 'count', title: t('Times'), kind: 'number' },
        { key: 'address', title: t('Network address'), width: 150 },
        { key: 'agent', title: t('Program'), width: 200 },
        { key: 'request_id', title: t('Request'), kind: 'id' },
        { key: 'session_id', title: t('Session'), kind: 'id', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'outcome', label: t('Outcome'), kind: 'words', options: OUTCOMES, many: true },
        { name: 'operation', label: t('Operation'), kind: 'text' },
        { name: 'actor', label: t('Id of who did it'), kind: 'text' },
        { name: 'record_id', label: t('Id of the record'), kind: 'text' },
        { name: 'occurred_at_from', label: t('Since'), kind: 'time' },
        { name: 'occurred_at_to', label: t('Until'), kind: 'time' },
      ]}
      empty={{
        title: t('No entries yet'),
        text: t('Calls that change something, refusals and reads of personal data appear here.'),
      }}
    />
  )
}
