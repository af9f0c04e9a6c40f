import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { PdfButton } from '../../parts/save-button.tsx'
import { Status } from '../../parts/status.tsx'
import { Name } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { DayBreaks, DayLines, DaySignatures } from './day-tabs.tsx'

type Day = DataOf<'get', '/desk/reconciliation/days/{day_id}'>

const LIVE = ['reconciliation_day', 'break'] as const

const signOff: ActionPlan<'post', '/desk/reconciliation/days/{day_id}/sign-off', Day> = {
  label: t('Sign off'),
  permission: 'reconciliation.sign-off',
  why: whyNot,
  explain: ({ compared_at }) =>
    compared_at === null
      ? t('Nothing was compared on this day. A note must say why.')
      : t('You confirm that every difference of this day is explained.'),
  fields: ({ compared_at }) => [
    { name: 'note', label: t('Note'), kind: 'lines', required: compared_at === null },
  ],
  method: 'post',
  path: '/desk/reconciliation/days/{day_id}/sign-off',
  request: ({ id }, { note }) => ({
    params: { day_id: id },
    body: typeof note === 'string' && note !== '' ? { note } : {},
  }),
  done: () => t('Day signed off'),
}

const reopen: ActionPlan<'post', '/desk/reconciliation/days/{day_id}/reopen', Day> = {
  label: t('Reopen'),
  permission: 'reconciliation.sign-off',
  why: ({ state }) => (state === 'SIGNED_OFF' ? undefined : t('The day is not signed off')),
  explain: () => t('The day must be signed off again. The signature of before stays visible.'),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'lines', required: true }],
  method: 'post',
  path: '/desk/reconciliation/days/{day_id}/reopen',
  request: ({ id }, { reason }) => ({ params: { day_id: id }, body: { reason: String(reason) } }),
  done: () => t('Day reopened'),
}

function whyNot({ state, unexplained_count }: Day): string | undefined {
  if (state === 'SIGNED_OFF') return t('The day is already signed off')
  return unexplained_count > 0
    ? t('{{count}} differences are not explained yet', { count: unexplained_count })
    : undefined
}

const stateOf = ({ state }: { state: Day['state'] }): ReactNode => (
  <Status state={state} {...(state === 'OPEN' ? { tone: 'wait' as const } : {})} />
)

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Reconciled days')}
      help="reconciled-days"
      path="/desk/reconciliation/days"
      live={[...LIVE]}
      columns={[
        { key: 'state', title: t('State'), width: 120, render: stateOf },
        { key: 'day', title: t('Day (UTC)'), width: 110 },
        { key: 'venue_id', title: t('Venue'), kind: 'venue' },
        { key: 'unexplained_count', title: t('Not explained'), kind: 'number', width: 120 },
        { key: 'differing_count', title: t('Differences'), kind: 'number', width: 120 },
        { key: 'line_count', title: t('Lines'), kind: 'number', width: 90 },
        { key: 'compared_at', title: t('Last compared'), kind: 'time' },
        { key: 'signed_off_by', title: t('Signed off by'), kind: 'user', width: 180 },
        { key: 'signed_off_at', title: t('Signed off'), kind: 'time' },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: ['OPEN', 'SIGNED_OFF'] },
        { name: 'venue_id', label: t('Venue'), kind: 'venue' },
        { name: 'day', label: t('Day, e.g. 2026-11-24'), kind: 'text' },
      ]}
      empty={{
        title: t('No days yet'),
        text: t('A day appears here when it is over: as each venue was last compared on it.'),
      }}
    />
  )
}

const titleOf = (day: Day): ReactNode => (
  <>
    {day.day} <Name of="venue" id={day.venue_id} /> {stateOf(day)}
  </>
)

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const request = { params: { day_id: id } }
  return (
    <RecordDrawer
      what={t('Reconciled day')}
      path="/desk/reconciliation/days/{day_id}"
      request={request}
      live={[...LIVE]}
      title={titleOf}
      timeline={false}
      actions={(day) => (
        <>
          <ActionButton plan={signOff} row={day} primary />
          <ActionButton plan={reopen} row={day} />
          <PdfButton
            path="/desk/reconciliation/days/{day_id}"
            request={request}
            name={t('Reconciliation')}
          />
        </>
      )}
      tabs={[
        { key: 'lines', label: t('Lines'), node: (day) => <DayLines day={day} /> },
        { key: 'breaks', label: t('Breaks'), node: (day) => <DayBreaks day={day} /> },
        { key: 'signatures', label: t('Signatures'), node: (day) => <DaySignatures day={day} /> },
      ]}
      sections={[
        {
          fields: [
            { key: 'venue_id', title: t('Venue'), kind: 'venue' },
            { key: 'day', title: t('Day (UTC)') },
            { key: 'compared_at', title: t('Last compared'), kind: 'time' },
            { key: 'line_count', title: t('Lines'), kind: 'number' },
            { key: 'differing_count', title: t('Differences'), kind: 'number' },
            { key: 'unexplained_count', title: t('Not explained'), kind: 'number' },
            { key: 'signed_off_by', title: t('Signed off by'), kind: 'user' },
            { key: 'signed_off_at', title: t('Signed off'), kind: 'time' },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
