import type { ReactNode } from 'react'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'

type CustomerWallets = RowOf<'/desk/customer-wallets'>
type Figure = {
  [Name in keyof CustomerWallets]: CustomerWallets[Name] extends string | null ? Name : never
}[keyof CustomerWallets]

const EVERY_MILLISECONDS = 60_000

const amount = (key: Figure, title: string): Column<CustomerWallets> => ({
  key,
  title,
  kind: 'amount',
  width: 130,
  ...ASSET_BESIDE,
})

/** Each customer's wallets beside the customer's books, per asset. */
export function Page(): ReactNode {
  return (
    <WorkList
      title="Customer wallets"
      help="customer-wallets"
      path="/desk/customer-wallets"
      every={EVERY_MILLISECONDS}
      keyOf={(row) => `${row.customer_id} ${row.asset}`}
      record={(row) => `/customers/${row.customer_id}`}
      columns={[
        { key: 'customer_id', title: 'Customer', kind: 'customer' },
        { key: 'asset', title: 'Asset', width: 80 },
        amount('total', 'Books'),
        amount('venue', 'Venues hold'),
        amount('in_pool', 'In the pool'),
        amount('unexplained', 'Unexplained'),
        amount('in_flight', 'In flight'),
        amount('unsettled', 'Unsettled'),
        amount('unassigned', 'Unassigned'),
        amount('available', 'Available'),
        amount('blocked', 'Blocked'),
        { ...amount('difference', 'Difference'), extra: true },
        { ...amount('ledger', 'Booked in wallets'), extra: true },
        { key: 'wallets', title: 'Wallets', kind: 'number', width: 90, extra: true },
        { key: 'account_id', title: 'Account', kind: 'account', extra: true },
        { key: 'compared_at', title: 'Compared', kind: 'time', extra: true },
      ]}
      filters={[
        { name: 'customer_id', label: 'Customer', kind: 'customer' },
        { name: 'asset', label: 'Assets, e.g. EUR,BTC', kind: 'text' },
      ]}
      empty={{
        title: 'No customer has anything',
        text: 'A customer appears with the first balance, or with a wallet at a venue.',
      }}
    />
  )
}
