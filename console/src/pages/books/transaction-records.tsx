/** Trades in the fields that MiCA's record keeping names; the raw file has all of them. */
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { PERIOD_FILTERS } from './record-filters.ts'

const COLUMNS: readonly Column<RowOf<'/records/transactions'>>[] = [
  { key: 'f27_trading_date_time', title: t('Traded at'), width: 230 },
  { key: 'f01_transaction_status', title: t('State'), width: 80 },
  { key: 'f39_crypto_asset_full_name', title: t('Asset'), width: 120 },
  { key: 'f29_quantity', title: t('Quantity'), width: 120 },
  { key: 'f31_price', title: t('Price'), width: 110 },
  { key: 'f32_price_currency', title: t('Currency'), width: 80 },
  { key: 'f09_buyer_surnames', title: t('Buyer'), width: 140 },
  { key: 'f18_seller_surnames', title: t('Seller'), width: 140 },
  { key: 'f03_platform_transaction_code', title: t("Venue's id"), width: 200 },
]

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Transaction records')}
      path="/records/transactions"
      keyOf={({ fill_id }) => fill_id}
      record={({ fill_id }) => `/trading/fills/${fill_id}`}
      columns={COLUMNS}
      filters={PERIOD_FILTERS}
      empty={{
        title: t('No transactions in that time'),
        text: t('Each trade at a venue stands here as supervisors ask for it.'),
      }}
    />
  )
}
