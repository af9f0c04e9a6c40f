import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { filledText } from '../../action/filled.ts'
import type { ActionPlan, Fact } from '../../action/plan.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Name } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'

type Halt = RowOf<'/desk/halts'>

const EVERYTHING = { query: { limit: '5000' } }

type Scope = {
  action: Halt['action']
  venue_id?: string | null | undefined
  asset?: string | null | undefined
}

const scope = ({ action, venue_id, asset }: Scope): Fact[] => [
  { label: t('Action'), value: inWords(action) },
  {
    label: t('Where'),
    value:
      venue_id === null || venue_id === undefined ? (
        t('Every venue')
      ) : (
        <Name of="venue" id={venue_id} />
      ),
  },
  { label: t('Asset'), value: asset ?? t('Every asset') },
]

const halt: ActionPlan<'put', '/desk/halts'> = {
  label: t('Halt', { context: 'verb' }),
  permission: 'halts.write',
  danger: true,
  explain: () =>
    t(
      'New requests are refused, and withdrawals that have not been sent wait. ' +
        'Movements and trades that venues report are still booked.',
    ),
  fields: [
    {
      name: 'action',
      label: t('Action'),
      kind: 'words',
      options: ['WITHDRAWALS', 'TRADING'],
      required: true,
    },
    { name: 'venue_id', label: t('Venue'), kind: 'venue', help: t('Leave empty for every venue') },
    {
      name: 'asset',
      label: t('Asset'),
      kind: 'text',
      placeholder: 'BTC',
      help: t('Leave empty for every asset'),
    },
    { name: 'reason', label: t('Reason'), kind: 'text', required: true },
  ],
  method: 'put',
  path: '/desk/halts',
  request: (_row, { action, venue_id, asset, reason }) => {
    const [venue, code] = [filledText(venue_id), filledText(asset)?.toUpperCase()]
    return {
      body: {
        action: action as Halt['action'],
        halted: true,
        reason: String(reason),
        ...(venue === undefined ? {} : { venue_id: venue }),
        ...(code === undefined ? {} : { asset: code }),
      },
    }
  },
  confirm: (_row, { action, venue_id, asset, reason }) => [
    ...scope({
      action: action as Halt['action'],
      venue_id: filledText(venue_id),
      asset: filledText(asset)?.toUpperCase(),
    }),
    { label: t('Reason'), value: String(reason) },
  ],
  done: ({ action }) => t('{{action}} halted', { action: inWords(action) }),
}

const release: ActionPlan<'put', '/desk/halts', Halt> = {
  label: t('Release'),
  permission: 'halts.write',
  why: ({ state }) => (state === 'SET' ? undefined : t('The halt is already released')),
  explain: () => t('Everything that waited continues at once.'),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'text', required: true }],
  method: 'put',
  path: '/desk/halts',
  request: ({ action, venue_id, asset }, { reason }) => ({
    body: {
      action,
      halted: false,
      reason: String(reason),
      ...(venue_id === null ? {} : { venue_id }),
      ...(asset === null ? {} : { asset }),
    },
  }),
  confirm: (row, { reason }) => [
    ...scope(row),
    { label: t('Reason of the halt'), value: row.reason },
    { label: t('Reason of the release'), value: String(reason) },
  ],
  done: ({ action }) => t('{{action}} released', { action: inWords(action) }),
}

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Halts')}
      path="/desk/halts"
      live={['halt']}
      columns={[
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        { key: 'action', title: t('Action'), value: (row) => inWords(row.action), width: 130 },
        {
          key: 'venue_id',
          title: t('Venue'),
          names: ['venue'],
          text: (row, nameOf) =>
            row.venue_id === null ? t('Every venue') : nameOf('venue', row.venue_id),
          render: (row) =>
            row.venue_id === null ? t('Every venue') : <Name of="venue" id={row.venue_id} />,
          width: 160,
        },
        {
          key: 'asset',
          title: t('Asset'),
          value: (row) => row.asset ?? t('Every asset'),
          width: 110,
        },
        { key: 'reason', title: t('Reason'), width: 220 },
        { key: 'set_at', title: t('Set'), kind: 'time' },
        { key: 'set_by', title: t('Set by'), kind: 'user' },
        { key: 'released_at', title: t('Released'), kind: 'time' },
        { key: 'release_reason', title: t('Release reason'), width: 180 },
      ]}
      filters={[
        {
          name: 'state',
          label: t('State'),
          kind: 'words',
          options: ['SET', 'RELEASED'],
          many: true,
        },
      ]}
      empty={{
        title: t('No halts'),
        text: t(
          'Use Halt to stop withdrawals or trading: everywhere, at one venue or for one asset.',
        ),
      }}
      actions={<ActionButton plan={halt} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Halt')}
      path="/desk/halts"
      request={EVERYTHING}
      pick={(halts) => halts.find((halt) => halt.id === id)}
      live={['halt']}
      title={(row) => (
        <>
          {inWords(row.action)} <Status state={row.state} />
        </>
      )}
      actions={(row) => <ActionButton plan={release} row={row} primary />}
      sections={[
        {
          fields: [
            { key: 'action', title: t('Action'), value: (row) => inWords(row.action) },
            { key: 'state', title: t('State'), kind: 'status' },
            {
              key: 'venue_id',
              title: t('Venue'),
              render: (row) =>
                row.venue_id === null ? t('Every venue') : <Name of="venue" id={row.venue_id} />,
              leads: (row) => (row.venue_id === null ? null : { kind: 'venue', id: row.venue_id }),
            },
            { key: 'asset', title: t('Asset'), value: (row) => row.asset ?? t('Every asset') },
            { key: 'reason', title: t('Reason') },
            { key: 'set_at', title: t('Set'), kind: 'time' },
            { key: 'set_by', title: t('Set by'), kind: 'user' },
            { key: 'released_at', title: t('Released'), kind: 'time' },
            { key: 'released_by', title: t('Released by'), kind: 'user' },
            { key: 'release_reason', title: t('Release reason') },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
