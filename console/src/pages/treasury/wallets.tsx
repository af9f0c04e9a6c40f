import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { changeWallet, createWallet } from './wallet-form.tsx'
import type { Wallet } from './wallet-form.tsx'

const STATES = ['CREATING', 'ACTIVE', 'FAILED'] as const

export function Page(): ReactNode {
  return (
    <WorkList
      title="Wallets"
      path="/treasury/wallets"
      live={['wallet']}
      columns={[
        { key: 'label', title: 'Wallet', width: 200 },
        { key: 'asset', title: 'Asset', width: 70 },
        { key: 'state', title: 'State', kind: 'status', width: 110 },
        {
          key: 'type',
          title: 'Owner',
          value: (row) => (row.type === 'VENUE' ? 'House' : 'Customer'),
          width: 110,
        },
        { key: 'venue_id', title: 'Venue', kind: 'venue' },
        { key: 'customer_id', title: 'Customer', kind: 'customer' },
        { key: 'address', title: 'Address', kind: 'id' },
        { key: 'reference_text', title: 'Tag or reference', width: 150 },
        { key: 'protocol', title: 'Protocol', width: 100 },
        { key: 'access_type', title: 'Access', extra: true },
        { key: 'account_id', title: 'Account', kind: 'account', extra: true },
        { key: 'foreign_id', title: 'Wallet id at the venue', kind: 'id', extra: true },
        { key: 'system_created_at', title: 'Since', kind: 'time', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'venue_id', label: 'Venue', kind: 'venue' },
        { name: 'customer_id', label: 'Customer', kind: 'customer' },
        { name: 'state', label: 'State', kind: 'words', options: STATES, many: true },
        { name: 'address', label: 'Address', kind: 'text' },
        { name: 'reference_text', label: 'Tag or reference', kind: 'text' },
      ]}
      empty={{
        title: 'No wallets yet',
        text: 'A wallet is a place at a venue or a customer address. Create the first one.',
      }}
      actions={<ActionButton plan={createWallet} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Wallet"
      path="/treasury/wallets/{wallet_id}"
      request={{ params: { wallet_id: id } }}
      pick={(data) => data[0]}
      live={['wallet']}
      title={(row: Wallet) => (
        <>
          {row.label} <Status state={row.state} />
        </>
      )}
      actions={(row) => <ActionButton plan={changeWallet} row={row} />}
      sections={[
        {
          fields: [
            { key: 'asset', title: 'Asset' },
            { key: 'state', title: 'State', kind: 'status' },
            {
              key: 'type',
              title: 'Owner',
              value: (row) => (row.type === 'VENUE' ? 'House' : 'Customer'),
            },
            {
              key: 'access_type',
              title: 'Access',
              value: (row) => (row.access_type === 'INTERNAL' ? 'At our venue' : 'External'),
            },
            { key: 'reason', title: 'Reason' },
          ],
        },
        {
          title: 'Location',
          fields: [
            { key: 'venue_id', title: 'Venue', kind: 'venue' },
            { key: 'address', title: 'Address', kind: 'id' },
            { key: 'foreign_id', title: 'Wallet id at the venue', kind: 'id' },
            { key: 'reference_text', title: 'Tag or reference' },
            { key: 'protocol', title: 'Protocol' },
            { key: 'integrate_from', title: 'Movements since', kind: 'time' },
          ],
        },
        {
          title: 'Owner',
          fields: [
            { key: 'customer_id', title: 'Customer', kind: 'customer' },
            { key: 'account_id', title: 'Account', kind: 'account' },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'balance', label: 'Balance', node: (row) => <Balance wallet={row} /> },
        { key: 'matchings', label: 'Matchings', node: (row) => <Matchings wallet={row} /> },
      ]}
    />
  )
}

/** As the venue reports it now. */
function Balance({ wallet }: { wallet: Wallet }): ReactNode {
  const reported = wallet.access_type === 'INTERNAL' && wallet.state === 'ACTIVE'
  const { data, error, isFetching, refetch } = useGet(
    '/treasury/wallets/{wallet_id}/balance',
    { params: { wallet_id: wallet.id } },
    { enabled: reported },
  )
  if (!reported)
    return (
      <Empty title="No balance available">
        {wallet.state === 'ACTIVE'
          ? 'This wallet is not at one of our venues.'
          : 'The venue has not created this wallet.'}
      </Empty>
    )
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading what="Asking the venue" />
  return (
    <div className="try">
      <dl className="facts" aria-label="Balance">
        <div>
          <dt>Total</dt>
          <dd>
            <Amount value={data.total} asset={wallet.asset} />
          </dd>
        </div>
        <div>
          <dt>Free</dt>
          <dd>
            <Amount value={data.free} asset={wallet.asset} />
          </dd>
        </div>
        <div>
          <dt>Used</dt>
          <dd>
            <Amount value={data.used} asset={wallet.asset} />
          </dd>
        </div>
      </dl>
      <Button
        size="small"
        loading={isFetching}
        onClick={() => {
          refetch().catch(() => undefined)
        }}
      >
        Refresh
      </Button>
    </div>
  )
}

function Matchings({ wallet }: { wallet: Wallet }): ReactNode {
  return (
    <Rows
      label="Matchings"
      rows={wallet.matching_configurations}
      keyOf={(row) => JSON.stringify(row)}
      empty={
        <Empty title="No matchings on this wallet">
          Treasury → Matchings lists all matchings of its account.
        </Empty>
      }
      columns={[
        { key: 'type', title: 'Matched by', kind: 'status', width: 240 },
        { key: 'asset', title: 'Asset', value: (row) => row.details.asset, width: 80 },
        {
          key: 'address',
          title: 'Address',
          kind: 'id',
          value: (row) => row.details.destination_address ?? row.details.source_address,
        },
        { key: 'reference', title: 'Reference', value: (row) => row.details.reference },
      ]}
    />
  )
}
