/** Deliveries to webhooks, with what was sent and answered. */
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import type { DataOf } from '@kontor/client'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { eventWords } from '../../record/timeline.tsx'
import { redeliver } from './webhook-actions.tsx'

type Delivery = DataOf<'get', '/webhook-deliveries/{webhook_delivery_id}'>
type Attempt = Delivery['history'][number]

const EVERY_MILLISECONDS = 10_000
const ATTEMPTS_EVERY_MILLISECONDS = 3_000
const STATES = ['PENDING', 'DELIVERED', 'FAILED', 'CANCELED'] as const

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Webhook deliveries')}
      path="/webhook-deliveries"
      every={EVERY_MILLISECONDS}
      columns={[
        { key: 'system_created_at', title: t('Made'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        {
          key: 'event_type',
          title: t('Event'),
          value: (row) => eventWords(row.event_type),
          width: 200,
        },
        { key: 'event_sequence', title: t('Sequence'), kind: 'number' },
        { key: 'attempts', title: t('Attempts'), kind: 'number' },
        { key: 'status', title: t('Answer'), kind: 'number' },
        { key: 'reason', title: t('Why not delivered'), kind: 'said', width: 240 },
        { key: 'delivered_at', title: t('Arrived', { context: 'delivery' }), kind: 'time' },
        { key: 'due_at', title: t('Tried next'), kind: 'time', extra: true },
        { key: 'webhook_id', title: t('Webhook'), kind: 'id', extra: true },
        { key: 'resource_id', title: t('Record'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: STATES, many: true },
        { name: 'webhook_id', label: t('Webhook (id)'), kind: 'text' },
      ]}
      empty={{
        title: t('No deliveries'),
        text: t('They appear here once a webhook has something to get.'),
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Delivery')}
      path="/webhook-deliveries/{webhook_delivery_id}"
      request={{ params: { webhook_delivery_id: id } }}
      timeline={false}
      title={(row) => (
        <>
          {eventWords(row.event_type)} <Status state={row.state} />
        </>
      )}
      actions={(row) => <ActionButton plan={redeliver} row={row} />}
      sections={[
        {
          fields: [
            { key: 'event_type', title: t('Event'), value: (row) => eventWords(row.event_type) },
            { key: 'event_sequence', title: t('Sequence') },
            { key: 'message_id', title: 'webhook-id', kind: 'id' },
            { key: 'attempts', title: t('Attempts') },
            { key: 'status', title: t('Last answer') },
            { key: 'reason', title: t('Why it failed'), kind: 'said' },
            {
              key: 'due_at',
              title: t('Tried next'),
              kind: 'time',
              value: (row) => (row.state === 'PENDING' ? row.due_at : null),
            },
            { key: 'delivered_at', title: t('Arrived', { context: 'delivery' }), kind: 'time' },
            {
              key: 'webhook_id',
              title: t('Webhook'),
              kind: 'id',
            },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'attempts', label: t('Attempts'), node: (row) => <Attempts id={row.id} /> },
        {
          key: 'body',
          label: t('What is sent'),
          node: (row) => (
            <pre className="event-data" tabIndex={0} aria-label={t('Body')}>
              {row.request_body}
            </pre>
          ),
        },
      ]}
    />
  )
}

/** Read again and again, as no event tells of an attempt. */
function Attempts({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useGet(
    '/webhook-deliveries/{webhook_delivery_id}',
    { params: { webhook_delivery_id: id } },
    { every: ATTEMPTS_EVERY_MILLISECONDS },
  )
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  if (data.history.length === 0)
    return <Empty title={t('Not sent yet')}>{t('It goes out within moments.')}</Empty>
  return data.history.map((attempt) => (
    <section key={attempt.number} aria-label={t('Attempt {{number}}', { number: attempt.number })}>
      <h3>
        <Trans
          i18nKey="Attempt {{number}} · <time/> · {{attempt}}"
          components={{ time: <Time at={attempt.started_at} /> }}
          values={{ number: attempt.number, attempt: outcomeOf(attempt) }}
        />
      </h3>
      <pre className="event-data" tabIndex={0}>
        {`POST ${attempt.url}\n${linesOf(attempt.request_headers)}`}
      </pre>
      {attempt.status !== null && (
        <pre className="event-data" tabIndex={0}>
          {answerOf(attempt)}
        </pre>
      )}
    </section>
  ))
}

function outcomeOf({ status, reason, duration_ms }: Attempt): string {
  if (duration_ms === null) return t('cut off: nobody knows the answer')
  return t('{{reason}}, after {{duration_ms}} ms', {
    reason: reason ?? t('answered {{status}}', { status }),
    duration_ms,
  })
}

const answerOf = ({ status, response_headers, response_body }: Attempt): string =>
  `${status}\n${linesOf(response_headers ?? {})}\n\n${response_body ?? ''}`

const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
