import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { useGet } from '../api/query.ts'
import { Rows } from '../list/grid.tsx'
import { WorkList } from '../list/work-list.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { Name } from '../parts/values.tsx'
import { RecordDrawer } from '../record/record.tsx'

export function Page(): ReactNode {
  return (
    <WorkList
      title="Accounts" path="/accounts" live={['customer', 'account', 'venue']}
      columns={[
        { key: 'label', title: 'Account', width: 240 },
        { key: 'type', title: 'Type', width: 110 },
        { key: 'customer_id', title: 'Customer', kind: 'customer' },
        { key: 'venue_id', title: 'Venue', kind: 'venue' },
        { key: 'frozen', title: 'Frozen', kind: 'flag' },
        { key: 'foreign_id', title: 'Your reference', width: 160 },
        { key: 'system_created_at', title: 'Opened', kind: 'time' },
        { key: 'id', title: 'Id', kind: 'id' },
      ]}
      empty={{ title: 'No accounts yet', text: 'Connecting a venue and creating a customer open accounts.' }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Account" path="/bookings/accounts/{account_id}/balance" request={{ params: { account_id: id } }} live={['booking']}
      title={() => <Name of="account" id={id} />}
      sections={[{ fields: [{ key: 'id', title: 'Id', kind: 'id', value: () => id }] }]}
      tabs={[{ key: 'balances', label: 'Balances', node: () => <Balances account_id={id} /> }]}
    />
  )
}

/** What is booked, and what of it can be traded and withdrawn now. */
export function Balances({ account_id }: { account_id: string }): ReactNode {
  const { data, error, refetch } = useGet('/bookings/accounts/{account_id}/balance', { params: { account_id } })
  if (error !== null) return <Failure error={error} again={refetch} />
  const rows = Object.entries(data ?? {}).map(([asset, balance]) => ({ asset, ...balance })).toSorted((a, b) => a.asset.localeCompare(b.asset))
  return (
    <Rows
      label="Balances" rows={rows} keyOf={(row) => row.asset} empty={<Empty title="Nothing has been booked here">A deposit that is assigned to it, or a booking by hand, gives it a balance.</Empty>}
      columns={[
        { key: 'asset', title: 'Asset', width: 90 },
        { key: 'total', title: 'Booked', kind: 'amount' },
        { key: 'trading', title: 'Can be traded', kind: 'amount' },
        { key: 'withdrawing', title: 'Can be withdrawn', kind: 'amount' },
      ]}
    />
  )
}
