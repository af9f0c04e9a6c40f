import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useGet, useMe } from '../../api/query.ts'
import type { Permission } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords, Status, wordsOf } from '../../parts/status.tsx'
import { Told } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section } from '../../record/record.tsx'
import { Balances } from '../books/accounts.tsx'
import { LatestBookings } from '../books/latest-bookings.tsx'
import { transferToCustomer } from './book-transfers.tsx'
import { change, create, erase, languageName, remove } from './customer-actions.tsx'
import { Proofs } from './proofs.tsx'

type Customer = DataOf<'get', '/customers/{customer_id}'>

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Customers')}
      path="/customers"
      live={['customer']}
      columns={[
        {
          key: 'label',
          title: t('Customer'),
          width: 215,
          text: ({ label }) => label,
          render: (row) => <Told {...row} />,
        },
        { key: 'type', title: t('Type'), value: (row) => inWords(row.type), width: 110 },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        { key: 'foreign_id', title: t('Your reference'), width: 160 },
        { key: 'margin', title: t('Margin'), value: (row) => wordsOf(row.margin), width: 110 },
        {
          key: 'booking_schema',
          title: t('Booking schema'),
          value: (row) => inWords(row.booking_schema),
          width: 165,
        },
        {
          key: 'notification_recipients',
          title: t('Mail recipients'),
          value: (row) => row.notification_recipients.join(', '),
          width: 220,
        },
        { key: 'system_created_at', title: t('Since'), kind: 'time' },
        { key: 'account_id', title: t('Account'), kind: 'account', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        {
          name: 'state',
          label: t('State'),
          kind: 'words',
          options: ['ACTIVE', 'DELETED'],
          many: true,
        },
      ]}
      empty={{
        title: t('No customers yet'),
        text: t('Create the first one. Kontor opens an account for every customer.'),
      }}
      actions={<ActionButton plan={create} primary />}
    />
  )
}

const SECTIONS: readonly Section<Customer>[] = [
  {
    fields: [
      { key: 'type', title: t('Type'), value: (row) => inWords(row.type) },
      { key: 'account_id', title: t('Account'), kind: 'account' },
      {
        key: 'name',
        title: t('Name'),
        value: (row) =>
          row.company_name ??
          row.joint_name ??
          [row.first_name, row.last_name].filter((name) => name !== null).join(' '),
      },
      { key: 'foreign_id', title: t('Your reference') },
      {
        key: 'notification_recipients',
        title: t('Mail recipients'),
        value: (row) => row.notification_recipients.join(', '),
      },
      { key: 'language', title: t('Language of mails'), value: (row) => languageName(row) ?? '' },
      { key: 'time_zone', title: t('Time zone of mails') },
      {
        key: 'investment_entity_ids',
        title: t('Investment entities'),
        value: (row) => row.investment_entity_ids.join(', '),
      },
      { key: 'erased_at', title: t('Erased'), kind: 'time' },
    ],
  },
  {
    title: t('Trading'),
    fields: [
      { key: 'margin', title: t('Margin'), value: (row) => wordsOf(row.margin) },
      {
        key: 'booking_schema',
        title: t('Booking schema'),
        value: (row) => inWords(row.booking_schema),
      },
      { key: 'ignore_margin', title: t('No margin'), kind: 'flag' },
      { key: 'ignore_balance_check', title: t('May be negative'), kind: 'flag' },
    ],
  },
  COMMON_FIELDS,
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  return (
    <RecordDrawer
      what={t('Customer')}
      path="/customers/{customer_id}"
      request={{ params: { customer_id: id } }}
      live={['customer', 'booking']}
      title={(row) => (
        <>
          <Told {...row} /> <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={change} row={row} />
          <ActionButton
            plan={transferToCustomer}
            row={{ id: row.account_id, customer_id: row.id }}
          />
          <ActionButton plan={remove} row={row} />
          <ActionButton plan={erase} row={row} />
          <CustomerLinks customer={row} />
        </>
      )}
      sections={SECTIONS}
      tabs={[
        {
          key: 'balances',
          label: t('Balances'),
          node: (row) => <Balances account_id={row.account_id} />,
        },
        {
          key: 'bookings',
          label: t('Bookings'),
          node: (row) => <LatestBookings account_id={row.account_id} />,
        },
        {
          key: 'proofs',
          label: t('Proofs'),
          node: (row) => <Proofs account_id={row.account_id} label={row.label} />,
        },
        {
          key: 'mails',
          label: t('Mail'),
          node: (row) => (
            <Mails
              customer_id={row.id}
              open={(mail) => {
                navigate(`/customer-mails/${mail}`)?.catch(() => undefined)
              }}
            />
          ),
        },
      ]}
    />
  )
}

/** Lists of what is the customer's, for whom they are open. */
function CustomerLinks({ customer: { id, account_id } }: { customer: Customer }): ReactNode {
  const permissions = useMe()?.permissions ?? []
  const links: readonly { label: string; to: string; needs: Permission }[] = [
    {
      label: t('Statement'),
      to: `/books/statements?account_id=${account_id}`,
      needs: 'bookings.read',
    },
    {
      label: t('Deposits'),
      to: `/treasury/assignments?account_id=${account_id}&of=DEPOSIT`,
      needs: 'assignments.read',
    },
    {
      label: t('Withdrawals'),
      to: `/treasury/assignments?account_id=${account_id}&of=WITHDRAWAL`,
      needs: 'assignments.read',
    },
    {
      label: t('Transfers'),
      to: `/book-transfers?account_id=${account_id}`,
      needs: 'bookings.read',
    },
    {
      label: t('Trades'),
      to: `/trading/executions?customer_id=${id}`,
      needs: 'trading.executions.read',
    },
  ]
  const open = links.filter(({ needs }) => permissions.includes(needs))
  if (open.length === 0) return null
  return (
    <div className="record-links">
      {open.map(({ label, to }) => (
        <Link key={label} to={to}>
          {label}
        </Link>
      ))}
    </div>
  )
}

type Mail = RowOf<'/mails'>

function Mails({ customer_id, open }: { customer_id: string; open(id: string): void }): ReactNode {
  const { data, error, refetch } = useGet('/mails', { query: { customer_id, limit: '100' } })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows<Mail>
      label={t('Mail')}
      rows={data}
      keyOf={(row) => row.id}
      open={(row) => {
        open(row.id)
      }}
      empty={
        <Empty title={t('No mail to this customer')}>
          {t('Kontor informs mail recipients about deposits, withdrawals and trades.')}
        </Empty>
      }
      columns={[
        { key: 'system_created_at', title: t('Created'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status', width: 100 },
        { key: 'recipient', title: t('To'), width: 190 },
        { key: 'subject', title: t('Subject'), width: 260 },
      ]}
    />
  )
}
