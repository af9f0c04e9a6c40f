import { Form } from 'antd'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { AmountInput } from '../../action/inputs.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Failure } from '../../parts/states.tsx'
import { inWords } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { createJobOn } from './job-form.tsx'
import { AllowButton, changeRoute, createRoute } from './route-form.tsx'
import { addressOf, SPEED_LEVELS, useEstimate, WithdrawButton } from './withdraw.tsx'
import type { Route } from './withdraw.tsx'

const ALLOWLIST = [
  'NOT_REQUESTED',
  'PENDING_APPROVAL',
  'APPROVED',
  'REJECTED',
  'FAILED',
  'REMOVED',
] as const

export function Page(): ReactNode {
  return (
    <WorkList
      title="Routes"
      path="/treasury/wallets/routes"
      live={['route', 'wallet']}
      columns={[
        { key: 'label', title: 'Route', width: 220 },
        { key: 'asset', title: 'Asset', value: (row) => row.from_wallet.asset, width: 80 },
        { key: 'from_wallet_id', title: 'From', kind: 'wallet' },
        { key: 'to_wallet_id', title: 'To', kind: 'wallet' },
        { key: 'protocol', title: 'Protocol', width: 100 },
        {
          key: 'allowlist',
          title: 'Allow-list',
          kind: 'status',
          value: (row) => row.transfer.to.allowlist_state,
        },
        { key: 'address', title: 'To address', kind: 'id', value: (row) => row.to_wallet.address },
        { key: 'venue', title: 'Venue', kind: 'venue', value: (row) => row.from_wallet.venue_id },
        { key: 'system_created_at', title: 'Since', kind: 'time', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'from_wallet_id', label: 'From', kind: 'wallet' },
        { name: 'to_wallet_id', label: 'To', kind: 'wallet' },
        { name: 'protocol', label: 'Protocol', kind: 'text' },
        {
          name: 'allowlist_state',
          label: 'Allow-list',
          kind: 'words',
          options: ALLOWLIST,
          many: true,
        },
      ]}
      empty={{
        title: 'No routes yet',
        text: 'A route says how one wallet of ours sends to another wallet. Create the first one.',
      }}
      actions={<ActionButton plan={createRoute} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Route"
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
            { key: 'asset', title: 'Asset', value: (row) => row.from_wallet.asset },
            { key: 'protocol', title: 'Protocol' },
            { key: 'from_wallet_id', title: 'From', kind: 'wallet' },
            { key: 'to_wallet_id', title: 'To', kind: 'wallet' },
            {
              key: 'venue',
              title: 'Sent by',
              kind: 'venue',
              value: (row) => row.from_wallet.venue_id,
            },
            { key: 'address', title: 'To address', value: (row) => addressOf(row) },
            {
              key: 'allowlist',
              title: 'Allow-list',
              kind: 'status',
              value: (row) => row.transfer.to.allowlist_state,
            },
          ],
        },
        {
          title: 'How it is sent',
          fields: [
            { key: 'sent', title: 'Details', render: (row) => <Details of={row.transfer.from} /> },
          ],
        },
        {
          title: 'Whom it reaches',
          fields: [
            { key: 'reached', title: 'Details', render: (row) => <Details of={row.transfer.to} /> },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[{ key: 'fee', label: 'Fee', node: (row) => <Fee route={row} /> }]}
    />
  )
}

function Details({ of }: { of: Record<string, string | boolean> }): ReactNode {
  const told = Object.entries(of).filter(
    ([name]) => name !== 'on_allowlist' && name !== 'allowlist_state',
  )
  if (told.length === 0) return 'None are needed'
  return (
    <ul className="plain">
      {told.map(([name, value]) => (
        <li key={name}>
          {inWords(name)}: {String(value)}
        </li>
      ))}
    </ul>
  )
}

/** What a transfer would cost now, before anybody makes one. */
function Fee({ route }: { route: Route }): ReactNode {
  const [quantity, setQuantity] = useState('')
  const { data, error, isFetching } = useEstimate(route.id, quantity)
  return (
    <div className="try">
      <Form layout="vertical">
        <Form.Item label="Amount that shall arrive" htmlFor="fee-quantity">
          <AmountInput
            id="fee-quantity"
            asset={route.from_wallet.asset}
            value={quantity}
            onChange={(event) => {
              setQuantity((event as { target: { value: string } }).target.value)
            }}
          />
        </Form.Item>
      </Form>
      {error !== null && <Failure error={error} />}
      {data === undefined ? (
        <p role="status">
          {isFetching ? 'Asking the venue …' : 'The venue is asked when an amount stands here.'}
        </p>
      ) : (
        <dl className="facts" aria-label="Fee">
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
