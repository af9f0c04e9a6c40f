import { Form } from 'antd'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useAll } from '../../api/all.ts'
import { t } from '../../language/index.ts'
import { AmountInput } from '../../parts/amount-input.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Failure } from '../../parts/states.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { createJobOn } from './job-actions.tsx'
import { SPEED_LEVELS, useEstimate } from './fee-estimate.ts'
import { addressOf } from './route-facts.tsx'
import type { Route } from './route-facts.tsx'
import { AllowButton, changeRoute, createRoute } from './route-form.tsx'
import { transferFieldWords } from './transfer-inputs.tsx'
import { WithdrawButton } from './withdraw.tsx'

const ALLOWLIST = [
  'NOT_REQUESTED',
  'PENDING_APPROVAL',
  'APPROVED',
  'REJECTED',
  'FAILED',
  'REMOVED',
] as const

const ALLOWLIST_FIELD = {
  key: 'allowlist',
  title: t('Allow-list'),
  value: (row: Route) => row.transfer.to.allowlist_state,
  render: (row: Route) => <Allowlist route={row} />,
  width: 150,
} as const

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Treasury routes')}
      path="/treasury/wallets/routes"
      live={['route', 'wallet']}
      columns={[
        { key: 'label', title: t('Route'), width: 220 },
        { key: 'asset', title: t('Asset'), value: (row) => row.from_wallet.asset, width: 80 },
        { key: 'from_wallet_id', title: t('From'), kind: 'wallet' },
        { key: 'to_wallet_id', title: t('To'), kind: 'wallet' },
        {
          key: 'customer_id',
          title: t('Customer'),
          kind: 'customer',
          value: (row) => row.to_wallet.customer_id,
        },
        { key: 'protocol', title: t('Protocol'), width: 100 },
        ALLOWLIST_FIELD,
        {
          key: 'address',
          title: t('To address'),
          kind: 'id',
          value: (row) => row.to_wallet.address,
        },
        {
          key: 'venue',
          title: t('Venue'),
          kind: 'venue',
          value: (row) => row.from_wallet.venue_id,
        },
        { key: 'system_created_at', title: t('Since'), kind: 'time', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'from_wallet_id', label: t('From'), kind: 'wallet' },
        { name: 'to_wallet_id', label: t('To'), kind: 'wallet' },
        { name: 'protocol', label: t('Protocol'), kind: 'text' },
        {
          name: 'allowlist_state',
          label: t('Allow-list'),
          kind: 'words',
          options: ALLOWLIST,
          many: true,
        },
      ]}
      empty={{
        title: t('No routes yet'),
        text: t('A route is the way from one wallet to another. Create the first one.'),
      }}
      actions={<ActionButton plan={createRoute} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Treasury route')}
      path="/treasury/wallets/routes"
      request={{ query: { id } }}
      pick={(data) => data[0]}
      live={['route', 'wallet']}
      title={(row: Route) => row.label}
      actions={(row) => (
        <>
          <WithdrawButton route={row} />
          <ActionButton plan={createJobOn(row)} />
          <AllowButton route={row} />
          <ActionButton plan={changeRoute} row={row} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'asset', title: t('Asset'), value: (row) => row.from_wallet.asset },
            { key: 'protocol', title: t('Protocol') },
            { key: 'from_wallet_id', title: t('From'), kind: 'wallet' },
            { key: 'to_wallet_id', title: t('To'), kind: 'wallet' },
            {
              key: 'venue',
              title: t('Sending venue'),
              kind: 'venue',
              value: (row) => row.from_wallet.venue_id,
            },
            { key: 'address', title: t('To address'), value: (row) => addressOf(row) },
            ALLOWLIST_FIELD,
          ],
        },
        {
          title: t('Sender details'),
          fields: [
            {
              key: 'sent',
              title: t('Details'),
              render: (row) => <Details of={row.transfer.from} />,
            },
          ],
        },
        {
          title: t('Recipient details'),
          fields: [
            {
              key: 'reached',
              title: t('Details'),
              render: (row) => <Details of={row.transfer.to} />,
            },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[{ key: 'fee', label: t('Fee'), node: (row) => <Fee route={row} /> }]}
    />
  )
}

/** A destination that nobody has asked to allow may be one that needs no permission. */
function Allowlist({ route }: { route: Route }): ReactNode {
  const { allowlist_state } = route.transfer.to
  const venue = useAll('/venues')?.find((venue) => venue.id === route.from_wallet.venue_id)
  const isNone =
    allowlist_state === 'NOT_REQUESTED' && venue?.capabilities.includes('allowlist') === false
  return isNone ? (
    <span className="soft">{t('None needed')}</span>
  ) : (
    <Status state={allowlist_state} />
  )
}

function Details({ of }: { of: Record<string, string | boolean> }): ReactNode {
  const details = Object.entries(of).filter(
    ([name]) => name !== 'on_allowlist' && name !== 'allowlist_state',
  )
  if (details.length === 0) return t('None required')
  return (
    <ul className="plain">
      {details.map(([name, value]) => (
        <li key={name}>
          {transferFieldWords(name)}: {String(value)}
        </li>
      ))}
    </ul>
  )
}

/** The fee that a transfer would cost now. */
function Fee({ route }: { route: Route }): ReactNode {
  const [quantity, setQuantity] = useState('')
  const { data, error, isFetching } = useEstimate(route.id, quantity)
  return (
    <div className="try">
      <Form layout="vertical">
        <Form.Item label={t('Amount')} htmlFor="fee-quantity">
          <AmountInput
            id="fee-quantity"
            asset={route.from_wallet.asset}
            value={quantity}
            onChange={setQuantity}
          />
        </Form.Item>
      </Form>
      {error !== null && <Failure error={error} />}
      {data === undefined ? (
        <p role="status">
          {isFetching ? t('Asking the venue …') : t('Enter an amount to see the fees.')}
        </p>
      ) : (
        <dl className="facts" aria-label={t('Fee')}>
          {SPEED_LEVELS.map((level) => (
            <div key={level}>
              <dt>{inWords(level)}</dt>
              <dd>
                <Amount value={data.speed_levels[level].fee} asset={data.asset} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
