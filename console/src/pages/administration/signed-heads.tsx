import { storedWords } from '../../parts/record-words.ts'
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'

type SignedHead = RowOf<'/signed-heads'>

/** Of what was signed, as far as it is shown. */
type Head = Record<'bookings' | 'events' | 'security_log', { sequence: number }>

const headOf = ({ signed }: SignedHead): Head => JSON.parse(signed) as Head

function stateOf({ delivered_at, reason }: SignedHead['deliveries'][number]): string {
  if (delivered_at !== null) return t('delivered')
  return reason === null
    ? t('waiting')
    : t('not delivered ({{reason}})', { reason: storedWords(reason) })
}

/** Of a file, the end of its path. */
const recipientWords = (recipient: string): string => recipient.replace(/^.*\/(?=.)/, '…/')

const deliveriesOf = ({ deliveries }: SignedHead): string =>
  deliveries
    .map((delivery) => `${recipientWords(delivery.recipient)}: ${stateOf(delivery)}`)
    .join(' · ')

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Signed heads')}
      help="signed-heads"
      path="/signed-heads"
      every={60_000}
      record={false}
      keyOf={({ number }) => String(number)}
      columns={[
        { key: 'day', title: t('Day'), width: 110 },
        {
          key: 'bookings',
          title: t('Last booking'),
          kind: 'number',
          width: 120,
          value: (head) => headOf(head).bookings.sequence,
        },
        {
          key: 'events',
          title: t('Last event'),
          kind: 'number',
          width: 120,
          value: (head) => headOf(head).events.sequence,
        },
        {
          key: 'security_log',
          title: t('Last log entry'),
          kind: 'number',
          width: 140,
          value: (head) => headOf(head).security_log.sequence,
        },
        { key: 'deliveries', title: t('Delivered to'), value: deliveriesOf, width: 480 },
        { key: 'hash', title: t('Hash'), width: 480 },
        { key: 'made_at', title: t('Made'), kind: 'time', extra: true },
        { key: 'number', title: t('Number'), kind: 'number', extra: true },
        { key: 'signature', title: t('Signature'), extra: true },
        { key: 'signed', title: t('Signed text'), extra: true },
      ]}
      empty={{
        title: t('No heads yet'),
        text: t('Once a day Kontor signs where bookings, events and the security log end.'),
      }}
    />
  )
}
