import { addAmounts } from '@kontor/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useNames } from '../../api/names.ts'
import { Trans, t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { inWords } from '../../parts/status.tsx'
import { Amount, ValueDate, valueDateText } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { createBooking } from './booking-form.tsx'
import { useSides } from './latest-bookings.tsx'
import type { Booking } from './latest-bookings.tsx'

const TYPES: readonly Booking['type'][] = [
  'OPENING',
  'DEPOSIT',
  'DEPOSIT_ASSIGNMENT',
  'WITHDRAWAL',
  'WITHDRAWAL_ASSIGNMENT',
  'WITHDRAWAL_FEE',
  'TRANSFER',
  'TRANSFER_FEE',
  'BOOK_TRANSFER',
  'EXECUTION',
  'TRADING_FEE',
  'SETTLEMENT',
  'RECTIFICATION',
  'REVERSAL',
  'ROUNDING',
  'MANUAL',
]

/** Both sides have the same sum; this is the debit side. */
const sumOf = ({ legs }: Booking): string =>
  addAmounts(...legs.filter((leg) => leg.type === 'DEBIT').map((leg) => leg.quantity))

export function Page(): ReactNode {
  const sideOf = useSides()
  return (
    <WorkList
      title={t('Bookings')}
      path="/bookings"
      live={['booking']}
      columns={[
        { key: 'sequence', title: t('No.'), kind: 'number' },
        { key: 'system_created_at', title: t('Booked'), kind: 'time' },
        { key: 'type', title: t('Type'), value: (row) => inWords(row.type), width: 170 },
        { key: 'sum', title: t('Amount'), kind: 'amount', value: sumOf, asset: (row) => row.asset },
        { key: 'debit', title: t('Debit'), value: (row) => sideOf(row, 'DEBIT'), width: 210 },
        { key: 'credit', title: t('Credit'), value: (row) => sideOf(row, 'CREDIT'), width: 210 },
        { key: 'description', title: t('Description'), width: 220 },
        {
          key: 'value_date',
          title: t('Value date'),
          kind: 'time',
          text: (row) => valueDateText(row.value_date),
          render: (row) => <ValueDate at={row.value_date} />,
          extra: true,
        },
        { key: 'asset', title: t('Asset'), extra: true, width: 80 },
        { key: 'reference_type', title: t('Cause type'), extra: true },
        { key: 'reference_id', title: t('Cause'), kind: 'id', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'type', label: t('Type'), kind: 'words', options: TYPES, many: true },
        { name: 'account_id', label: t('Account'), kind: 'account' },
        { name: 'from', label: t('Since'), kind: 'time' },
        { name: 'to', label: t('Until'), kind: 'time' },
        { name: 'reference_id', label: t('Cause id'), kind: 'text' },
      ]}
      empty={{
        title: t('No bookings yet'),
        text: t('Connecting a venue books its balances. Then every movement and trade is booked.'),
      }}
      actions={<ActionButton plan={createBooking} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Booking')}
      path="/bookings/{booking_id}"
      request={{ params: { booking_id: id } }}
      title={(row) => (
        <Trans
          i18nKey="no. {{sequence}} · {{type}} <amount/>"
          components={{ amount: <Amount value={sumOf(row)} asset={row.asset} /> }}
          values={{ sequence: row.sequence, type: inWords(row.type) }}
        />
      )}
      timeline={(row) =>
        row.reference_type === null || row.reference_id === null
          ? { kind: 'booking', id: row.id }
          : { kind: row.reference_type, id: row.reference_id }
      }
      sections={[
        {
          fields: [
            { key: 'sequence', title: t('No.') },
            { key: 'type', title: t('Type'), value: (row) => inWords(row.type) },
            { key: 'asset', title: t('Asset') },
            {
              key: 'value_date',
              title: t('Value date'),
              render: (row) => <ValueDate at={row.value_date} />,
            },
            {
              key: 'reference_type',
              title: t('Cause type'),
              value: (row) => row.reference_type && inWords(row.reference_type),
              leads: (row) =>
                row.reference_type === null || row.reference_id === null
                  ? null
                  : { kind: row.reference_type, id: row.reference_id },
            },
            {
              key: 'reverses_id',
              title: t('Reverses'),
              kind: 'id',
              leads: (row) =>
                row.reverses_id === null ? null : { kind: 'booking', id: row.reverses_id },
            },
            { key: 'description', title: t('Description') },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[{ key: 'legs', label: t('Legs'), node: (row) => <Legs booking={row} /> }]}
    />
  )
}

function Legs({ booking }: { booking: Booking }): ReactNode {
  const navigate = useNavigate()
  const names = useNames('account')
  return (
    <Rows
      label={t('Legs')}
      rows={booking.legs.map((leg, index) => ({ ...leg, id: String(index) }))}
      keyOf={(leg) => leg.id}
      open={(leg) => {
        navigate(`/books/accounts/${leg.account_id}`)?.catch(() => undefined)
      }}
      columns={[
        {
          key: 'account_label',
          title: t('Account'),
          value: (leg) => names.get(leg.account_id) ?? leg.account_label,
          width: 220,
        },
        {
          key: 'debit',
          title: t('Debit'),
          kind: 'amount',
          value: (leg) => (leg.type === 'DEBIT' ? leg.quantity : null),
          bare: true,
          asset: () => booking.asset,
        },
        {
          key: 'credit',
          title: t('Credit'),
          kind: 'amount',
          value: (leg) => (leg.type === 'CREDIT' ? leg.quantity : null),
          bare: true,
          asset: () => booking.asset,
        },
        {
          key: 'balance_after',
          title: t('Balance after'),
          kind: 'amount',
          asset: () => booking.asset,
        },
      ]}
    />
  )
}
