import type { ReactNode } from 'react'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { paperNumber } from '../../api/named.ts'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { ACCOUNT_TYPES, NAMED_TYPES } from '../../parts/account-types.ts'
import type { NamedType } from '../../parts/account-types.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { AppliedTime } from '../../parts/time-input.tsx'
import { NOTHING, Told } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { transferToCustomer } from '../customers/book-transfers.tsx'
import { Held } from './held.tsx'
import { LatestBookings } from './latest-bookings.tsx'

type Account = RowOf<'/accounts'>

const open: ActionPlan<'post', '/accounts'> = {
  label: t('Open account'),
  permission: 'accounts.write',
  explain: () =>
    t(
      'An account for money of the house: income such as interest and rewards, ' +
        'expenses such as bank charges and tax, or own funds. Deposits and withdrawals ' +
        'can be assigned to it.',
    ),
  fields: [
    {
      name: 'type',
      label: t('Type'),
      kind: 'words',
      options: NAMED_TYPES,
      required: true,
    },
    { name: 'label', label: t('Name'), kind: 'text', required: true },
  ],
  method: 'post',
  path: '/accounts',
  request: (_row, { type, label }) => ({
    body: { type: type as NamedType, label: String(label) },
  }),
  done: () => t('Account opened'),
}

const rename: ActionPlan<'put', '/accounts/{account_id}', Account> = {
  label: t('Rename'),
  permission: 'accounts.write',
  why: ({ named }) => (named ? undefined : t('Only accounts that a user opened can be renamed')),
  explain: () => t('Bookings keep the name that the account had.'),
  fields: [{ name: 'label', label: t('Name'), kind: 'text', required: true }],
  initial: ({ label }) => ({ label }),
  method: 'put',
  path: '/accounts/{account_id}',
  request: ({ id }, { label }) => ({
    params: { account_id: id },
    body: { label: String(label) },
  }),
  done: () => t('Account renamed'),
}

const freezing = (
  frozen: boolean,
): ActionPlan<'put', '/accounts/{account_id}/freeze', Account> => ({
  label: frozen ? t('Freeze') : t('Release', { context: 'account' }),
  permission: 'halts.write',
  danger: frozen,
  why: (account) => {
    if (account.type !== 'CUSTOMER') return t('Only customer accounts can be frozen')
    if (account.frozen !== frozen) return undefined
    return frozen ? t('The account is already frozen') : t('The account is not frozen')
  },
  explain: () =>
    frozen
      ? t(
          'No request can take or hold money on this account, and withdrawals that have ' +
            'not been sent wait. Movements and trades that venues report are still booked.',
        )
      : t('Everything that waited continues.'),
  fields: [{ name: 'reason', label: t('Reason'), kind: 'text', required: true }],
  method: 'put',
  path: '/accounts/{account_id}/freeze',
  request: ({ id }, { reason }) => ({
    params: { account_id: id },
    body: { frozen, reason: String(reason) },
  }),
  done: () => (frozen ? t('Account frozen') : t('Account released')),
})
const freeze = freezing(true)
const release = freezing(false)

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Accounts')}
      path="/accounts"
      live={['customer', 'account', 'venue']}
      columns={[
        { key: 'label', title: t('Account'), width: 240 },
        { key: 'type', title: t('Type'), value: (row) => inWords(row.type), width: 110 },
        { key: 'customer_id', title: t('Customer'), kind: 'customer' },
        { key: 'venue_id', title: t('Venue'), kind: 'venue' },
        {
          key: 'frozen',
          title: t('Frozen'),
          render: (row) => (row.frozen ? <Status state="FROZEN" tone="wait" /> : NOTHING),
          width: 100,
        },
        { key: 'foreign_id', title: t('Your reference'), width: 160 },
        { key: 'system_created_at', title: t('Opened'), kind: 'time' },
        { key: 'frozen_reason', title: t('Freeze reason'), extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'type', label: t('Type'), kind: 'words', options: ACCOUNT_TYPES, many: true },
        { name: 'venue_id', label: t('Venue'), kind: 'venue' },
        { name: 'frozen', label: t('Frozen'), kind: 'flag' },
      ]}
      empty={{
        title: t('No accounts yet'),
        text: t('Connecting a venue or creating a customer opens accounts.'),
      }}
      actions={<ActionButton plan={open} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Account')}
      path="/accounts/{account_id}"
      request={{ params: { account_id: id } }}
      live={['booking', 'account', 'customer']}
      title={(row) => (
        <>
          <Told label={row.label} id={row.customer_id} />{' '}
          {row.frozen && <Status state="FROZEN" tone="wait" />}
        </>
      )}
      actions={(row) => (
        <>
          {row.customer_id !== null && <ActionButton plan={transferToCustomer} row={row} />}
          {row.named && <ActionButton plan={rename} row={row} />}
          {row.frozen ? (
            <ActionButton plan={release} row={row} />
          ) : (
            <ActionButton plan={freeze} row={row} />
          )}
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'label', title: t('Account') },
            { key: 'type', title: t('Type'), value: (row) => inWords(row.type) },
            {
              key: 'number',
              title: t('Number on papers'),
              value: ({ id }) => paperNumber(id),
            },
            { key: 'customer_id', title: t('Customer'), kind: 'customer' },
            { key: 'venue_id', title: t('Venue'), kind: 'venue' },
            { key: 'foreign_id', title: t('Your reference') },
            { key: 'frozen', title: t('Frozen'), kind: 'flag' },
            { key: 'frozen_reason', title: t('Freeze reason') },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'balances', label: t('Balances'), node: (row) => <Balances account_id={row.id} /> },
        {
          key: 'bookings',
          label: t('Bookings'),
          node: (row) => <LatestBookings account_id={row.id} />,
        },
      ]}
    />
  )
}

/** The balances now, with what can be traded and withdrawn; or those booked before a time. */
export function Balances({ account_id }: { account_id: string }): ReactNode {
  const [at, setAt] = useState<number>()
  const { data, error, refetch } = useGet(
    '/bookings/accounts/{account_id}/balance',
    { params: { account_id }, ...(at === undefined ? {} : { query: { at: String(at) } }) },
    { keep: true },
  )
  const rows = Object.entries(data ?? {})
    .map(([asset, balance]) => ({ asset, ...balance }))
    .toSorted((a, b) => a.asset.localeCompare(b.asset))
  return (
    <>
      <div className="toolbar">
        <label className="time-filter">
          <Trans
            i18nKey="Booked before <timeinput/>"
            components={{ timeinput: <AppliedTime value={at} onChange={setAt} /> }}
          />
        </label>
        <span className="space" />
        <Link to={`/books/statements?account_id=${account_id}`}>{t('Statement')}</Link>
      </div>
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && error === null && (
        <Rows
          label={t('Balances')}
          rows={rows}
          keyOf={(row) => row.asset}
          empty={
            <Empty
              title={at === undefined ? t('No bookings yet') : t('No bookings before this time')}
            >
              {t('An assigned deposit or a manual booking gives the account a balance.')}
            </Empty>
          }
          columns={[
            { key: 'asset', title: t('Asset'), width: 90 },
            { key: 'total', title: t('Booked'), kind: 'amount', ...ASSET_BESIDE },
            ...(at === undefined
              ? [
                  {
                    key: 'trading',
                    title: t('Available to trade'),
                    kind: 'amount' as const,
                    ...ASSET_BESIDE,
                  },
                  {
                    key: 'withdrawing',
                    title: t('Available to withdraw'),
                    kind: 'amount' as const,
                    ...ASSET_BESIDE,
                  },
                ]
              : []),
          ]}
        />
      )}
      {at === undefined && <Held account_id={account_id} />}
    </>
  )
}
