import { formatAmount, isAmount } from '@kontor/client'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { amountWords } from '../../parts/amount-words.ts'
import { placeOf } from '../../parts/links.tsx'
import { useNumbers } from '../../parts/number-format.ts'
import { inWords, wordsOf } from '../../parts/status.tsx'
import { RecordDrawer } from '../../record/record.tsx'
import { whyWords } from '../../parts/record-words.ts'
import { eventWords } from '../../record/timeline.tsx'
import { useSides } from '../books/latest-bookings.tsx'
import type { Booking } from '../books/latest-bookings.tsx'

type Event = RowOf<'/events'>

/** What the event tells of: notes name the kind of their record, other types begin with theirs. */
const subjectOf = ({ type, data }: Event): string => {
  const [first = type] = type.split('.')
  const kind = NOTES.has(first) ? data['kind'] : first
  return typeof kind === 'string' ? kind : first
}
const NOTES: ReadonlySet<string> = new Set(['comment', 'tag', 'attachment'])

/** The fields of an event that its one-line summary shows. */
const SUMMARY_FIELDS = [
  'label',
  'symbol',
  'side',
  'amount',
  'reason',
  'reference_text',
  'foreign_id',
  'note',
] as const

type Words = { amount(text: string): string; sideOf: ReturnType<typeof useSides> }

function useSummary(): (event: Event) => string {
  const { format } = useNumbers()
  const sideOf = useSides()
  const amount = (text: string): string => (isAmount(text) ? formatAmount(text, format) : text)
  return (event) => summaryOf(event, { amount, sideOf })
}

function summaryOf(event: Event, { amount, sideOf }: Words): string {
  const { quantity, asset, state } = event.data
  if (event.type === 'booking.created') {
    const booking = event.data as unknown as Booking
    return [
      inWords(booking.type),
      amountWords(booking.legs[0]?.quantity ?? '', booking.asset),
      t('{{booking}} to {{booking2}}', {
        booking: sideOf(booking, 'DEBIT'),
        booking2: sideOf(booking, 'CREDIT'),
      }),
    ].join(' · ')
  }
  const first = [
    typeof quantity === 'string' && typeof asset === 'string' ? amountWords(quantity, asset) : '',
    typeof state === 'string' ? inWords(state) : '',
  ].filter((part) => part !== '')
  return [...first, ...fieldsOf(event, amount)].join(' · ')
}

function fieldsOf({ data }: Event, amount: Words['amount']): string[] {
  return SUMMARY_FIELDS.flatMap((name) => {
    const value = data[name]
    return typeof value === 'string' && value !== '' ? [fieldText(name, value, amount)] : []
  })
}

function fieldText(
  name: (typeof SUMMARY_FIELDS)[number],
  value: string,
  amount: Words['amount'],
): string {
  if (name === 'amount') return amount(value)
  if (name === 'reason') return whyWords(value)
  return name === 'side' ? wordsOf(value) : value
}

export function Page(): ReactNode {
  const summaryOf = useSummary()
  return (
    <WorkList
      title={t('Events')}
      path="/events"
      live="all"
      query={{ newest_first: 'true' }}
      record={(row) => String(row.sequence)}
      columns={[
        { key: 'sequence', title: t('No.'), kind: 'number', width: 90 },
        { key: 'occurred_at', title: t('Occurred'), kind: 'time' },
        { key: 'type', title: t('Event'), value: (row) => eventWords(row.type), width: 240 },
        { key: 'says', title: t('Summary'), value: summaryOf, width: 480 },
        { key: 'resource_id', title: t('Record'), kind: 'id' },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'type', label: t('Event, e.g. deposit.received'), kind: 'text' },
        { name: 'resource_id', label: t('Record id'), kind: 'text' },
        { name: 'after', label: t('After number'), kind: 'text' },
      ]}
      empty={{
        title: t('No events yet'),
        text: t('Events appear here as they happen.'),
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const number = /^\d{1,15}$/.test(id) ? Number(id) : 0
  return (
    <RecordDrawer
      what={t('Event')}
      path="/events"
      request={{ query: { after: String(Math.max(0, number - 1)), limit: '1' } }}
      pick={([event]) => (event?.sequence === number ? event : undefined)}
      title={(row) => eventWords(row.type)}
      timeline={(row) => ({ kind: subjectOf(row), id: row.resource_id })}
      sections={[
        {
          fields: [
            { key: 'type', title: t('Type') },
            { key: 'sequence', title: t('No.') },
            { key: 'occurred_at', title: t('Occurred'), kind: 'time' },
            {
              key: 'of',
              title: t('Record'),
              value: (row) =>
                placeOf(subjectOf(row), row.resource_id) === undefined
                  ? row.resource_id
                  : inWords(subjectOf(row)),
              leads: (row) => ({ kind: subjectOf(row), id: row.resource_id }),
            },
            { key: 'id', title: t('Id'), kind: 'id' },
          ],
        },
        {
          title: t('Content'),
          fields: [
            {
              key: 'data',
              title: t('Data'),
              render: (row) => (
                <pre className="event-data" tabIndex={0}>
                  {JSON.stringify(row.data, null, 2)}
                </pre>
              ),
            },
          ],
        },
      ]}
    />
  )
}
