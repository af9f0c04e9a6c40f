import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { lowered, t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { storedWords } from '../../parts/record-words.ts'
import { Status, inWords } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section } from '../../record/record.tsx'

type Item = Omit<RowOf<'/treasury/set-aside-items'>, 'amount'>
type Retry = '/treasury/set-aside-items/{set_aside_item_id}/retry'
type Dismiss = '/treasury/set-aside-items/{set_aside_item_id}/dismiss'

const whyClosed = ({ state }: Item): string | undefined =>
  state === 'OPEN'
    ? undefined
    : t('The item is already {{state}}', { state: lowered(inWords(state)) })

const retry: ActionPlan<'post', Retry, Item> = {
  label: t('Try again'),
  permission: 'treasury.set-aside.decide',
  why: whyClosed,
  explain: () =>
    t(
      'The record is read once more. What is understood now is booked. Otherwise the ' +
        'item stays open and says why.',
    ),
  method: 'post',
  path: '/treasury/set-aside-items/{set_aside_item_id}/retry',
  request: ({ id }) => ({ params: { set_aside_item_id: id } }),
  confirm: ({ foreign_id, reason }) => [
    { label: t('Record'), value: foreign_id },
    { label: t('Reason until now'), value: storedWords(reason) },
  ],
  done: ({ state, reason }) =>
    state === 'RESOLVED'
      ? t('Booked')
      : t('Still set aside: {{reason}}', { reason: storedWords(reason) }),
}

const dismiss: ActionPlan<'post', Dismiss, Item> = {
  label: t('Dismiss with a note'),
  permission: 'treasury.set-aside.decide',
  danger: true,
  why: whyClosed,
  explain: () =>
    t(
      'Nothing is booked for this record. Book by hand what should be in the books. ' +
        "If the record comes from a bank, wait for the day's statement first: while " +
        'this record is open, an entry that the statement shows properly is booked by ' +
        'itself. Once it is dismissed, such an entry usually waits here as a record of ' +
        'its own.',
    ),
  fields: [{ name: 'note', label: t('Note'), kind: 'lines', required: true }],
  method: 'post',
  path: '/treasury/set-aside-items/{set_aside_item_id}/dismiss',
  request: ({ id }, { note }) => ({
    params: { set_aside_item_id: id },
    body: { note: String(note) },
  }),
  done: () => t('Record dismissed'),
}

const DIRECTIONS = { IN: t('Incoming'), OUT: t('Outgoing') } as const

const directionOf = ({ kind, direction }: Item): string => {
  if (kind === 'TRADE') return t('Trade', { context: 'single' })
  return direction === null ? t('Unclear') : DIRECTIONS[direction]
}

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Set aside')}
      path="/treasury/set-aside-items"
      live={['set_aside_item']}
      columns={[
        { key: 'state', title: t('State'), kind: 'status', width: 100 },
        { key: 'venue_id', title: t('Venue'), kind: 'venue' },
        { key: 'direction', title: t('Kind'), value: directionOf, width: 100 },
        { key: 'amount', title: t('Amount'), width: 130 },
        { key: 'occurred_at', title: t('Seen'), kind: 'time' },
        { key: 'reason', title: t('Reason'), kind: 'said', width: 300 },
        { key: 'foreign_id', title: t('Venue reference'), kind: 'id' },
        { key: 'system_created_at', title: t('Since'), kind: 'time' },
        { key: 'note', title: t('Note'), width: 150 },
      ]}
      sections={SECTIONS}
      filters={[
        {
          name: 'state',
          label: t('State'),
          kind: 'words',
          options: ['OPEN', 'RESOLVED', 'DISMISSED'],
          many: true,
        },
        { name: 'venue_id', label: t('Venue'), kind: 'venue' },
        { name: 'system_created_at_from', label: t('Since'), kind: 'time' },
        { name: 'system_created_at_to', label: t('Until'), kind: 'time' },
      ]}
      empty={{
        title: t('Nothing is set aside'),
        text: t('Every record of the venues was understood and booked.'),
      }}
    />
  )
}

const SECTIONS: readonly Section<Item>[] = [
  {
    fields: [
      { key: 'reason', title: t('Reason'), kind: 'said' },
      { key: 'venue_id', title: t('Venue'), kind: 'venue' },
      { key: 'direction', title: t('Kind'), value: directionOf },
      { key: 'foreign_id', title: t('Venue reference'), kind: 'id' },
      { key: 'occurred_at', title: t('Seen by the venue'), kind: 'time' },
      {
        key: 'raw_length',
        title: t('Length of the record'),
        value: (row) => t('{{count}} characters', { count: row.raw_length }),
      },
      { key: 'retried_at', title: t('Tried again'), kind: 'time' },
      { key: 'retried_by', title: t('Tried by'), kind: 'user' },
    ],
  },
  {
    title: t('Closed'),
    fields: [
      { key: 'closed_at', title: t('Closed at'), kind: 'time' },
      { key: 'closed_by', title: t('Closed by'), kind: 'user' },
      { key: 'note', title: t('Note') },
    ],
  },
  COMMON_FIELDS,
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer<'/treasury/set-aside-items/{set_aside_item_id}'>
      what={t('Set-aside item')}
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
      tabs={[{ key: 'raw', label: t('Record'), node: ({ raw }) => <Raw text={raw} /> }]}
    />
  )
}

/** As the venue gave it. */
function Raw({ text }: { text: string }): ReactNode {
  return (
    <div className="json">
      <pre tabIndex={0} role="region" aria-label={t('Record of the venue')}>
        {text}
      </pre>
    </div>
  )
}
