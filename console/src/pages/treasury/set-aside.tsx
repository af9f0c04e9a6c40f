import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section } from '../../record/record.tsx'

type Item = Omit<RowOf<'/treasury/set-aside-items'>, 'amount'>
type Retry = '/treasury/set-aside-items/{set_aside_item_id}/retry'
type Dismiss = '/treasury/set-aside-items/{set_aside_item_id}/dismiss'

const whyClosed = ({ state }: Item): string | undefined =>
  state === 'OPEN' ? undefined : `The item is already ${state.toLowerCase()}`

const retry: ActionPlan<'post', Retry, Item> = {
  label: 'Try again',
  permission: 'treasury.set-aside.decide',
  why: whyClosed,
  explain: () =>
    'The record is read once more. What is understood now is booked. Otherwise the item stays ' +
    'open and says why.',
  method: 'post',
  path: '/treasury/set-aside-items/{set_aside_item_id}/retry',
  request: ({ id }) => ({ params: { set_aside_item_id: id } }),
  confirm: ({ foreign_id, reason }) => [
    { label: 'Record', value: foreign_id },
    { label: 'Reason until now', value: reason },
  ],
  done: ({ state, reason }) => (state === 'RESOLVED' ? 'Booked' : `Still set aside: ${reason}`),
}

const dismiss: ActionPlan<'post', Dismiss, Item> = {
  label: 'Dismiss with a note',
  permission: 'treasury.set-aside.decide',
  danger: true,
  why: whyClosed,
  explain: () =>
    'Nothing is booked for this record. Book by hand what should be in the books. If the record ' +
    "comes from a bank, wait for the day's statement first: while this record is open, an entry " +
    'that the statement shows properly is booked by itself. Once it is dismissed, such an entry ' +
    'usually waits here as a record of its own.',
  fields: [{ name: 'note', label: 'Note', kind: 'lines', required: true }],
  method: 'post',
  path: '/treasury/set-aside-items/{set_aside_item_id}/dismiss',
  request: ({ id }, { note }) => ({
    params: { set_aside_item_id: id },
    body: { note: String(note) },
  }),
  done: () => 'Record dismissed',
}

const DIRECTIONS = { IN: 'Incoming', OUT: 'Outgoing' } as const

const directionOf = ({ kind, direction }: Item): string => {
  if (kind === 'TRADE') return 'Trade'
  return direction === null ? 'Unclear' : DIRECTIONS[direction]
}

export function Page(): ReactNode {
  return (
    <WorkList
      title="Set aside"
      path="/treasury/set-aside-items"
      live={['set_aside_item']}
      columns={[
        { key: 'state', title: 'State', kind: 'status', width: 100 },
        { key: 'venue_id', title: 'Venue', kind: 'venue' },
        { key: 'direction', title: 'Kind', value: directionOf, width: 100 },
        { key: 'amount', title: 'Amount', width: 130 },
        { key: 'occurred_at', title: 'Seen', kind: 'time' },
        { key: 'reason', title: 'Reason', width: 300 },
        { key: 'foreign_id', title: 'Venue reference', kind: 'id' },
        { key: 'system_created_at', title: 'Since', kind: 'time' },
        { key: 'note', title: 'Note', width: 150 },
      ]}
      sections={SECTIONS}
      filters={[
        {
          name: 'state',
          label: 'State',
          kind: 'words',
          options: ['OPEN', 'RESOLVED', 'DISMISSED'],
          many: true,
        },
        { name: 'venue_id', label: 'Venue', kind: 'venue' },
        { name: 'system_created_at_from', label: 'Since', kind: 'time' },
        { name: 'system_created_at_to', label: 'Until', kind: 'time' },
      ]}
      empty={{
        title: 'Nothing is set aside',
        text: 'Every record of the venues was understood and booked.',
      }}
    />
  )
}

const SECTIONS: readonly Section<Item>[] = [
  {
    fields: [
      { key: 'reason', title: 'Reason' },
      { key: 'venue_id', title: 'Venue', kind: 'venue' },
      { key: 'direction', title: 'Kind', value: directionOf },
      { key: 'foreign_id', title: 'Venue reference', kind: 'id' },
      { key: 'occurred_at', title: 'Seen by the venue', kind: 'time' },
      {
        key: 'raw_length',
        title: 'Length of the record',
        value: (row) => `${row.raw_length} characters`,
      },
      { key: 'retried_at', title: 'Tried again', kind: 'time' },
      { key: 'retried_by', title: 'Tried by', kind: 'user' },
    ],
  },
  {
    title: 'Closed',
    fields: [
      { key: 'closed_at', title: 'Closed at', kind: 'time' },
      { key: 'closed_by', title: 'Closed by', kind: 'user' },
      { key: 'note', title: 'Note' },
    ],
  },
  COMMON_FIELDS,
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer<'/treasury/set-aside-items/{set_aside_item_id}'>
      what="Set-aside item"
      path="/treasury/set-aside-items/{set_aside_item_id}"
      request={{ params: { set_aside_item_id: id } }}
      live={['set_aside_item']}
      title={(row) => (
        <>
          {row.foreign_id} <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={retry} row={row} primary />
          <ActionButton plan={dismiss} row={row} />
        </>
      )}
      sections={SECTIONS}
      tabs={[{ key: 'raw', label: 'Record', node: ({ raw }) => <Raw text={raw} /> }]}
    />
  )
}

/** As the venue gave it. */
function Raw({ text }: { text: string }): ReactNode {
  return (
    <div className="json">
      <pre tabIndex={0} role="region" aria-label="Record of the venue">
        {text}
      </pre>
    </div>
  )
}
