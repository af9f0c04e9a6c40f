import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
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
      title={t('Customer wallets')}
      help="customer-wallets"
      path="/desk/customer-wallets"
      every={EVERY_MILLISECONDS}
      keyOf={(row) => `${row.customer_id} ${row.asset}`}
      record={(row) => `/customers/${row.customer_id}`}
      columns={[
        { key: 'customer_id', title: t('Customer'), kind: 'customer' },
        { key: 'asset', title: t('Asset'), width: 80 },
        amount('total', t('Books')),
        amount('venue', t('Venues hold')),
        amount('in_pool', t('In the pool')),
        amount('unexplained', t('Unexplained')),
        amount('in_flight', t('In flight')),
        amount('unsettled', t('Unsettled')),
        amount('unassigned', t('Unassigned')),
        amount('available', t('Available')),
        amount('blocked', t('Blocked')),
        { ...amount('difference', t('Difference')), extra: true },
        { ...amount('ledger', t('Booked in wallets')), extra: true },
        { key: 'wallets', title: t('Wallets'), kind: 'number', width: 90, extra: true },
        { key: 'account_id', title: t('Account'), kind: 'account', extra: true },
        { key: 'compared_at', title: t('Compared'), kind: 'time', extra: true },
      ]}
      filters={[
        { name: 'customer_id', label: t('Customer'), kind: 'customer' },
        { name: 'asset', label: t('Assets, e.g. EUR,BTC'), kind: 'text' },
      ]}
      empty={{
        title: t('No customer has anything'),
        text: t('A customer appears with the first balance, or with a wallet at a venue.'),
      }}
    />
  )
}
