import type { ReactNode } from 'react'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'

type SignedHead = RowOf<'/signed-heads'>

/** Of what was signed, as far as it is shown. */
type Head = Record<'bookings' | 'events' | 'security_log', { sequence: number }>

const headOf = ({ signed }: SignedHead): Head => JSON.parse(signed) as Head

function stateOf({ delivered_at, reason }: SignedHead['deliveries'][number]): string {
  if (delivered_at !== null) return 'delivered'
  return reason === null ? 'waiting' : `not delivered (${reason})`
}

const deliveriesOf = ({ deliveries }: SignedHead): string =>
  deliveries.map((delivery) => `${delivery.recipient}: ${stateOf(delivery)}`).join(' · ')

export function Page(): ReactNode {
  return (
    <WorkList
      title="Signed heads"
      help="signed-heads"
      path="/signed-heads"
      every={60_000}
      record={false}
      keyOf={({ number }) => String(number)}
      columns={[
        { key: 'day', title: 'Day', width: 110 },
        {
          key: 'bookings',
          title: 'Last booking',
          kind: 'number',
          width: 120,
          value: (head) => headOf(head).bookings.sequence,
        },
        {
          key: 'events',
          title: 'Last event',
          kind: 'number',
          width: 120,
          value: (head) => headOf(head).events.sequence,
        },
        {
          key: 'security_log',
          title: 'Last log entry',
          kind: 'number',
          width: 140,
          value: (head) => headOf(head).security_log.sequence,
        },
        { key: 'deliveries', title: 'Delivered to', value: deliveriesOf, width: 480 },
        { key: 'hash', title: 'Hash', width: 480 },
        { key: 'made_at', title: 'Made', kind: 'time', extra: true },
        { key: 'number', title: 'Number', kind: 'number', extra: true },
        { key: 'signature', title: 'Signature', extra: true },
        { key: 'signed', title: 'Signed text', extra: true },
      ]}
      empty={{
        title: 'No heads yet',
        text: 'Once a day Kontor signs where bookings, events and the security log end.',
      }}
    />
  )
}
