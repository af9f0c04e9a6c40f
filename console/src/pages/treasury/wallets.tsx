import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
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
      title={t('Wallets')}
      path="/treasury/wallets"
      live={['wallet']}
      columns={[
        { key: 'label', title: t('Wallet'), width: 200 },
        { key: 'asset', title: t('Asset'), width: 70 },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        {
          key: 'type',
          title: t('Owner'),
          value: (row) => (row.type === 'VENUE' ? t('House') : t('Customer')),
          width: 110,
        },
        { key: 'venue_id', title: t('Venue'), kind: 'venue' },
        { key: 'customer_id', title: t('Customer'), kind: 'customer' },
        { key: 'address', title: t('Address'), kind: 'id' },
        { key: 'reference_text', title: t('Tag or reference'), width: 150 },
        { key: 'protocol', title: t('Protocol'), width: 100 },
        { key: 'access_type', title: t('Access'), extra: true },
        { key: 'account_id', title: t('Account'), kind: 'account', extra: true },
        { key: 'foreign_id', title: t('Wallet id at the venue'), kind: 'id', extra: true },
        { key: 'system_created_at', title: t('Since'), kind: 'time', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'venue_id', label: t('Venue'), kind: 'venue' },
        { name: 'customer_id', label: t('Customer'), kind: 'customer' },
        { name: 'state', label: t('State'), kind: 'words', options: STATES, many: true },
        { name: 'address', label: t('Address'), kind: 'text' },
        { name: 'reference_text', label: t('Tag or reference'), kind: 'text' },
      ]}
      empty={{
        title: t('No wallets yet'),
        text: t('A wallet is a place at a venue or a customer address. Create the first one.'),
      }}
      actions={<ActionButton plan={createWallet} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Wallet')}
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
            { key: 'asset', title: t('Asset') },
            { key: 'state', title: t('State'), kind: 'status' },
            {
              key: 'type',
              title: t('Owner'),
              value: (row) => (row.type === 'VENUE' ? t('House') : t('Customer')),
            },
            {
              key: 'access_type',
              title: t('Access'),
              value: (row) => (row.access_type === 'INTERNAL' ? t('At our venue') : t('External')),
            },
            { key: 'reason', title: t('Reason'), kind: 'said' },
          ],
        },
        {
          title: t('Location'),
          fields: [
            { key: 'venue_id', title: t('Venue'), kind: 'venue' },
            { key: 'address', title: t('Address'), kind: 'id' },
            { key: 'foreign_id', title: t('Wallet id at the venue'), kind: 'id' },
            { key: 'reference_text', title: t('Tag or reference') },
            { key: 'protocol', title: t('Protocol') },
            { key: 'integrate_from', title: t('Movements since'), kind: 'time' },
          ],
        },
        {
          title: t('Owner'),
          fields: [
            { key: 'customer_id', title: t('Customer'), kind: 'customer' },
            { key: 'account_id', title: t('Account'), kind: 'account' },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'balance', label: t('Balance'), node: (row) => <Balance wallet={row} /> },
        { key: 'matchings', label: t('Matchings'), node: (row) => <Matchings wallet={row} /> },
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
      <Empty title={t('No balance available')}>
        {wallet.state === 'ACTIVE'
          ? t('This wallet is not at one of our venues.')
          : t('The venue has not created this wallet.')}
      </Empty>
    )
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading what={t('Asking the venue')} />
  return (
    <div className="try">
      <dl className="facts" aria-label={t('Balance')}>
        <div>
          <dt>{t('Total')}</dt>
          <dd>
            <Amount value={data.total} asset={wallet.asset} />
          </dd>
        </div>
        <div>
          <dt>{t('Free')}</dt>
          <dd>
            <Amount value={data.free} asset={wallet.asset} />
          </dd>
        </div>
        <div>
          <dt>{t('Used')}</dt>
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
        {t('Refresh')}
      </Button>
    </div>
  )
}

function Matchings({ wallet }: { wallet: Wallet }): ReactNode {
  return (
    <Rows
      label={t('Matchings')}
      rows={wallet.matching_configurations}
      keyOf={(row) => JSON.stringify(row)}
      empty={
        <Empty title={t('No matchings on this wallet')}>
          {t('Treasury → Matchings lists all matchings of its account.')}
        </Empty>
      }
      columns={[
        { key: 'type', title: t('Matched by'), kind: 'status', width: 240 },
        { key: 'asset', title: t('Asset'), value: (row) => row.details.asset, width: 80 },
        {
          key: 'address',
          title: t('Address'),
          kind: 'id',
          value: (row) => row.details.destination_address ?? row.details.source_address,
        },
        { key: 'reference', title: t('Reference'), value: (row) => row.details.reference },
      ]}
    />
  )
}
