/** What screening has found: who is paid, what a sanctions list says, and what was decided. */
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { LIST_NAMES } from '../../parts/list-names.ts'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'

type Case = RowOf<'/screening/cases'>

const namesOf = ({ subject: { names, addresses, bics } }: Case): string =>
  [...names, ...addresses, ...bics].join(' · ')

/** What was refused is still there. */
const isReleasable = ({ state, record_kind }: Case): boolean =>
  state === 'REFUSED' && record_kind === 'DEPOSIT'

const explain = (row: Case): string => {
  if (row.record_kind === 'WITHDRAWAL')
    return t(
      'Cleared, the withdrawal is screened again and goes on. Refused, it is canceled, and what ' +
        'was blocked for it is free. A decision is final.',
    )
  return isReleasable(row)
    ? t(
        'Released, the deposit is screened again, and then assigned or returned. Do it when the ' +
          'authority allows it, or the list does not name the person any more.',
      )
    : t(
        'Cleared, the deposit is screened again and assigned. Refused, it is kept: neither ' +
          'assigned nor sent back, because funds of a listed person are frozen.',
      )
}

const decide: ActionPlan<'post', '/screening/cases/{case_id}/decision', Case> = {
  label: t('Decide'),
  title: () => t('Decide about what was found'),
  permission: 'screening.cases.decide',
  why: (row) => (row.state === 'OPEN' || isReleasable(row) ? undefined : t('It is decided')),
  explain,
  fields: (row) => [
    {
      name: 'decision',
      label: t('Decision'),
      kind: 'words',
      required: true,
      options: isReleasable(row)
        ? [{ value: 'CLEAR', label: t('Clear: it may be had after all') }]
        : [
            { value: 'CLEAR', label: t('Clear: it is somebody else') },
            { value: 'REFUSE', label: t('Refuse') },
          ],
    },
    { name: 'reason', label: t('Reason'), kind: 'lines', required: true },
  ],
  method: 'post',
  path: '/screening/cases/{case_id}/decision',
  request: ({ id, version }, { decision, reason }) => ({
    params: { case_id: id },
    body: { decision: decision as 'CLEAR' | 'REFUSE', reason: reason as string, version },
  }),
  confirm: (row, { decision }) => [
    { label: t('Decision'), value: decision === 'CLEAR' ? t('Clear') : t('Refuse') },
    { label: t('Amount'), value: <Amount value={row.quantity} asset={row.asset} /> },
    { label: t('Screened'), value: namesOf(row) },
  ],
  done: ({ state }) => inWords(state),
}

const matchesOf = ({ matches }: Case): ReactNode =>
  matches.map(({ list, list_version, entry, kind, listed, names, programs, remarks }) => (
    <div key={`${list} ${entry} ${kind} ${listed}`}>
      {LIST_NAMES[list] ?? inWords(list)} {list_version}, {entry}: {names.join(' · ')} (
      {inWords(kind)}: {listed}){programs.length === 0 ? '' : ` · ${programs.join(', ')}`}
      {remarks === null ? '' : ` · ${remarks}`}
    </div>
  ))

const STATES = ['OPEN', 'CLEARED', 'REFUSED'] as const

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Screening cases')}
      path="/screening/cases"
      live={['screening_case']}
      columns={[
        { key: 'state', title: t('State'), kind: 'status' },
        {
          key: 'record_kind',
          title: t('What waits'),
          value: (row) => inWords(row.record_kind),
          width: 100,
        },
        { key: 'subject', title: t('Screened'), value: namesOf },
        { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
        { key: 'system_created_at', title: t('Found'), kind: 'time' },
        { key: 'decided_by', title: t('Decided by'), kind: 'user' },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[{ name: 'state', label: t('State'), kind: 'words', options: STATES, many: true }]}
      empty={{
        title: t('Nothing found'),
        text: t('Movements whose parties a sanctions list may name wait here for a decision.'),
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Screening case')}
      path="/screening/cases/{case_id}"
      request={{ params: { case_id: id } }}
      live={['screening_case']}
      title={(row) => (
        <>
          {namesOf(row)} <Status state={row.state} />
        </>
      )}
      actions={(row) => <ActionButton plan={decide} row={row} primary />}
      sections={[
        {
          fields: [
            { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.asset },
            {
              key: 'record_id',
              title: t('What waits'),
              value: ({ record_kind }) =>
                record_kind === 'DEPOSIT' ? t('Deposit') : t('Withdrawal'),
              leads: ({ record_kind, record_id }) => ({
                kind: record_kind === 'DEPOSIT' ? 'deposit' : 'withdrawal',
                id: record_id,
              }),
            },
            { key: 'subject', title: t('Screened'), value: namesOf },
            { key: 'matches', title: t('Found in the lists'), render: matchesOf },
            { key: 'decided_by', title: t('Decided by'), kind: 'user' },
            { key: 'decided_at', title: t('Decided'), kind: 'time' },
            { key: 'reason', title: t('Reason') },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
