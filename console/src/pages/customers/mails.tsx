import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { eventWords } from '../../record/timeline.tsx'

const EVERY_MILLISECONDS = 15_000

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Customer mail')}
      path="/mails"
      every={EVERY_MILLISECONDS}
      columns={[
        { key: 'system_created_at', title: t('Created'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        { key: 'customer_id', title: t('Customer'), kind: 'customer' },
        { key: 'recipient', title: t('To'), width: 210 },
        { key: 'subject', title: t('Subject'), width: 300 },
        {
          key: 'event_type',
          title: t('Event'),
          value: (row) => eventWords(row.event_type),
          width: 180,
        },
        { key: 'attempts', title: t('Attempts'), kind: 'number' },
        { key: 'reason', title: t('Why not sent'), kind: 'said', width: 200 },
        { key: 'waits_until', title: t('Waits until'), kind: 'time', extra: true },
        { key: 'sent_at', title: t('Sent'), kind: 'time', extra: true },
      ]}
      filters={[
        {
          name: 'state',
          label: t('State'),
          kind: 'words',
          options: ['PENDING', 'SENT', 'FAILED', 'CANCELED'],
          many: true,
        },
        { name: 'customer_id', label: t('Customer'), kind: 'customer' },
      ]}
      empty={{
        title: t('No mail yet'),
        text: t('Kontor sends mail to customers if a mail server is configured.'),
      }}
    />
  )
}

/** The API cannot read one mail: it is picked from the latest ones. */
export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Mail')}
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
            { key: 'recipient', title: t('To') },
            { key: 'customer_id', title: t('Customer'), kind: 'customer' },
            { key: 'subject', title: t('Subject') },
            { key: 'event_type', title: t('Event'), value: (row) => eventWords(row.event_type) },
            {
              key: 'corrects',
              title: t('Corrects'),
              value: ({ corrects }) =>
                corrects === null ? (
                  ''
                ) : (
                  <Link to={`/customer-mails/${corrects}`}>{t('Earlier mail')}</Link>
                ),
            },
            { key: 'waits_until', title: t('Waits until'), kind: 'time' },
            { key: 'sent_at', title: t('Sent'), kind: 'time' },
            { key: 'attempts', title: t('Attempts') },
            { key: 'reason', title: t('Why not sent'), kind: 'said' },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        {
          key: 'body',
          label: t('Text'),
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
