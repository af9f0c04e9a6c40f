import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { t } from '../../language/index.ts'
import { RowsCsv } from '../../list/csv.tsx'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { FirstClosing } from './first-closing.tsx'
import { TRIAL_COLUMNS, trialLines } from './trial-lines.ts'
import type { TrialLine } from './trial-lines.ts'

type Period = DataOf<'get', '/periods/{period_id}'>

const closePeriod: ActionPlan<'post', '/periods'> = {
  label: t('Close a period'),
  permission: 'periods.close',
  explain: () =>
    t(
      'The trial balance is frozen as it stands now. Nothing more is booked with a value date up ' +
        'to the last day: what comes later belongs to the open period.',
    ),
  fields: [
    {
      name: 'last_day',
      label: t('Last day (UTC), e.g. 2026-11-30'),
      kind: 'text',
      required: true,
    },
    { name: 'note', label: t('Note'), kind: 'lines' },
  ],
  method: 'post',
  path: '/periods',
  request: (_row, { last_day, note }) => ({
    body: {
      last_day: String(last_day).trim(),
      ...(typeof note === 'string' && note !== '' ? { note } : {}),
    },
  }),
  confirm: (_row, { last_day }) => [
    { label: t('Closed up to'), value: String(last_day).trim() },
    { label: t('Reopening'), value: t('Needs a reason, and stays visible') },
  ],
  done: ({ last_day }) => t('Closed up to {{day}}', { day: last_day }),
}

const reopenPeriod: ActionPlan<'post', '/periods/{period_id}/reopen', Period> = {
  label: t('Reopen'),
  permission: 'periods.close',
  why: ({ state }) => (state === 'CLOSED' ? undefined : t('The period is open again')),
  explain: () =>
    t('Only the last closed period can be reopened. What was frozen stays, with your reason.'),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'lines', required: true }],
  method: 'post',
  path: '/periods/{period_id}/reopen',
  request: ({ id }, { reason }) => ({
    params: { period_id: id },
    body: { reason: String(reason) },
  }),
  done: () => t('Period reopened'),
}

const stateOf = ({ state }: { state: Period['state'] }): ReactNode => (
  <Status state={state} tone={state === 'CLOSED' ? 'good' : 'wait'} />
)

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Periods')}
      help="periods"
      path="/periods"
      live={['period']}
      above={<FirstClosing action={<ActionButton plan={closePeriod} row={undefined} />} />}
      actions={<ActionButton plan={closePeriod} row={undefined} primary />}
      columns={[
        { key: 'state', title: t('State'), width: 150, render: stateOf },
        { key: 'last_day', title: t('Last day (UTC)'), width: 130 },
        { key: 'closed_by', title: t('Closed by'), kind: 'user', width: 180 },
        { key: 'closed_at', title: t('Closed'), kind: 'time' },
        { key: 'note', title: t('Note'), width: 200 },
        { key: 'reopened_by', title: t('Reopened by'), kind: 'user', width: 180 },
        { key: 'reason', title: t('Reason'), width: 200 },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: ['CLOSED', 'REOPENED'] },
      ]}
      empty={{
        title: t('No period is closed yet'),
        text: t('Everything may still be booked with any value date.'),
      }}
    />
  )
}

function Frozen({ period }: { period: Period }): ReactNode {
  const lines = period.assets.flatMap(trialLines)
  return (
    <>
      <RowsCsv
        label={t('CSV')}
        title={t('Download what is shown, with amounts as they are written in each currency')}
        columns={TRIAL_COLUMNS}
        rows={lines}
        name={`${t('Trial balance')} ${period.last_day}`}
      />
      <Rows<TrialLine>
        label={t('Trial balance')}
        rows={lines}
        keyOf={({ key }) => key}
        columns={TRIAL_COLUMNS}
        empty={<Empty title={t('No bookings yet')} />}
      />
    </>
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Period')}
      path="/periods/{period_id}"
      request={{ params: { period_id: id } }}
      live={['period']}
      title={(period: Period) => (
        <>
          {t('Up to {{day}}', { day: period.last_day })} {stateOf(period)}
        </>
      )}
      timeline={false}
      actions={(period) => <ActionButton plan={reopenPeriod} row={period} />}
      tabs={[
        {
          key: 'frozen',
          label: t('Frozen trial balance'),
          node: (period) => <Frozen period={period} />,
        },
      ]}
      sections={[
        {
          fields: [
            { key: 'last_day', title: t('Last day (UTC)') },
            { key: 'closed_by', title: t('Closed by'), kind: 'user' },
            { key: 'closed_at', title: t('Closed'), kind: 'time' },
            { key: 'note', title: t('Note') },
            { key: 'reopened_by', title: t('Reopened by'), kind: 'user' },
            { key: 'reopened_at', title: t('Reopened'), kind: 'time' },
            { key: 'reason', title: t('Reason') },
            { key: 'last_sequence', title: t('Last booking'), kind: 'number' },
            { key: 'chain_hash', title: t('Hash of the bookings') },
            { key: 'hash', title: t('Hash of the trial balance') },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
