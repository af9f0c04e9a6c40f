import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { WorkList } from '../../list/work-list.tsx'
import { Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { eventWords } from '../../record/timeline.tsx'

const EVERY_MILLISECONDS = 15_000

export function Page(): ReactNode {
  return (
    <WorkList
      title="Customer mail"
      path="/mails"
      every={EVERY_MILLISECONDS}
      columns={[
        { key: 'system_created_at', title: 'Created', kind: 'time' },
        { key: 'state', title: 'State', kind: 'status', width: 110 },
        { key: 'customer_id', title: 'Customer', kind: 'customer' },
        { key: 'recipient', title: 'To', width: 210 },
        { key: 'subject', title: 'Subject', width: 300 },
        {
          key: 'event_type',
          title: 'Event',
          value: (row) => eventWords(row.event_type),
          width: 180,
        },
        { key: 'attempts', title: 'Attempts', kind: 'number' },
        { key: 'reason', title: 'Why not sent', width: 200 },
        { key: 'waits_until', title: 'Waits until', kind: 'time', extra: true },
        { key: 'sent_at', title: 'Sent', kind: 'time', extra: true },
      ]}
      filters={[
        {
          name: 'state',
          label: 'State',
          kind: 'words',
          options: ['PENDING', 'SENT', 'FAILED', 'CANCELED'],
          many: true,
        },
        { name: 'customer_id', label: 'Customer', kind: 'customer' },
      ]}
      empty={{
        title: 'No mail yet',
        text: 'Kontor sends mail to customers if a mail server is configured.',
      }}
    />
  )
}

/** The API cannot read one mail: it is picked from the latest ones. */
export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Mail"
      path="/mails"
      request={{ query: { limit: '1000' } }}
      pick={(mails) => mails.find((mail) => mail.id === id)}
      timeline={false}
      title={(mail) => (
        <>
          {mail.subject} <Status state={mail.state} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'recipient', title: 'To' },
            { key: 'customer_id', title: 'Customer', kind: 'customer' },
            { key: 'subject', title: 'Subject' },
            { key: 'event_type', title: 'Event', value: (row) => eventWords(row.event_type) },
            {
              key: 'corrects',
              title: 'Corrects',
              value: ({ corrects }) =>
                corrects === null ? (
                  ''
                ) : (
                  <Link to={`/customer-mails/${corrects}`}>Earlier mail</Link>
                ),
            },
            { key: 'waits_until', title: 'Waits until', kind: 'time' },
            { key: 'sent_at', title: 'Sent', kind: 'time' },
            { key: 'attempts', title: 'Attempts' },
            { key: 'reason', title: 'Why not sent' },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        {
          key: 'body',
          label: 'Text',
          node: (mail) => (
            <pre className="event-data" tabIndex={0}>
              {mail.body}
            </pre>
          ),
        },
      ]}
    />
  )
}
