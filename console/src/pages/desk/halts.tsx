import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { filledText } from '../../action/filled.ts'
import type { ActionPlan, Fact } from '../../action/plan.ts'
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
  { label: 'Action', value: inWords(action) },
  {
    label: 'Where',
    value:
      venue_id === null || venue_id === undefined ? (
        'Every venue'
      ) : (
        <Name of="venue" id={venue_id} />
      ),
  },
  { label: 'Asset', value: asset ?? 'Every asset' },
]

const halt: ActionPlan<'put', '/desk/halts'> = {
  label: 'Halt',
  permission: 'halts.write',
  danger: true,
  explain: () =>
    'New requests are refused, and withdrawals that have not been sent wait. ' +
    'Movements and trades that venues report are still booked.',
  fields: [
    {
      name: 'action',
      label: 'Action',
      kind: 'words',
      options: ['WITHDRAWALS', 'TRADING'],
      required: true,
    },
    { name: 'venue_id', label: 'Venue', kind: 'venue', help: 'Leave empty for every venue' },
    {
      name: 'asset',
      label: 'Asset',
      kind: 'text',
      placeholder: 'BTC',
      help: 'Leave empty for every asset',
    },
    { name: 'reason', label: 'Reason', kind: 'text', required: true },
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
    { label: 'Reason', value: String(reason) },
  ],
  done: ({ action }) => `${inWords(action)} halted`,
}

const release: ActionPlan<'put', '/desk/halts', Halt> = {
  label: 'Release',
  permission: 'halts.write',
  why: ({ state }) => (state === 'SET' ? undefined : 'The halt is already released'),
  explain: () => 'Everything that waited continues at once.',
  fields: [{ name: 'reason', label: 'Reason', kind: 'text', required: true }],
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
    { label: 'Reason of the halt', value: row.reason },
    { label: 'Reason of the release', value: String(reason) },
  ],
  done: ({ action }) => `${inWords(action)} released`,
}

export function Page(): ReactNode {
  return (
    <WorkList
      title="Halts"
      path="/desk/halts"
      live={['halt']}
      columns={[
        { key: 'state', title: 'State', kind: 'status', width: 110 },
        { key: 'action', title: 'Action', value: (row) => inWords(row.action), width: 130 },
        {
          key: 'venue_id',
          title: 'Venue',
          names: ['venue'],
          text: (row, nameOf) =>
            row.venue_id === null ? 'Every venue' : nameOf('venue', row.venue_id),
          render: (row) =>
            row.venue_id === null ? 'Every venue' : <Name of="venue" id={row.venue_id} />,
          width: 160,
        },
        { key: 'asset', title: 'Asset', value: (row) => row.asset ?? 'Every asset', width: 110 },
        { key: 'reason', title: 'Reason', width: 220 },
        { key: 'set_at', title: 'Set', kind: 'time' },
        { key: 'set_by', title: 'Set by', kind: 'user' },
        { key: 'released_at', title: 'Released', kind: 'time' },
        { key: 'release_reason', title: 'Release reason', width: 180 },
      ]}
      filters={[
        { name: 'state', label: 'State', kind: 'words', options: ['SET', 'RELEASED'], many: true },
      ]}
      empty={{
        title: 'No halts',
        text: 'Use Halt to stop withdrawals or trading: everywhere, at one venue or for one asset.',
      }}
      actions={<ActionButton plan={halt} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Halt"
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
            { key: 'action', title: 'Action', value: (row) => inWords(row.action) },
            { key: 'state', title: 'State', kind: 'status' },
            {
              key: 'venue_id',
              title: 'Venue',
              render: (row) =>
                row.venue_id === null ? 'Every venue' : <Name of="venue" id={row.venue_id} />,
              leads: (row) => (row.venue_id === null ? null : { kind: 'venue', id: row.venue_id }),
            },
            { key: 'asset', title: 'Asset', value: (row) => row.asset ?? 'Every asset' },
            { key: 'reason', title: 'Reason' },
            { key: 'set_at', title: 'Set', kind: 'time' },
            { key: 'set_by', title: 'Set by', kind: 'user' },
            { key: 'released_at', title: 'Released', kind: 'time' },
            { key: 'released_by', title: 'Released by', kind: 'user' },
            { key: 'release_reason', title: 'Release reason' },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
