/** Orders in the fields that MiCA's record keeping names; the raw file has all of them. */
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { PERIOD_FILTERS } from './record-filters.ts'

const COLUMNS: readonly Column<RowOf<'/records/orders'>>[] = [
  { key: 'f05_date_time', title: t('Placed at'), width: 230 },
  { key: 'f23_buy_sell_indicator', title: t('Side'), width: 70 },
  { key: 'f14_order_type', title: t('Order type'), width: 120 },
  { key: 'f06_validity_period', title: t('Validity'), width: 80 },
  { key: 'f27_initial_quantity', title: t('Quantity'), width: 120 },
  { key: 'f29_traded_quantity', title: t('Traded'), width: 120 },
  { key: 'f16_limit_price', title: t('Limit'), width: 100 },
  { key: 'f20_transaction_price', title: t('Price at the venue'), width: 130 },
  { key: 'f21_price_currency', title: t('Currency'), width: 80 },
  { key: 'f24_order_status', title: t('State'), width: 80 },
  { key: 'f12_order_identification_code', title: t("Venue's id"), width: 200 },
]

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Order records')}
      path="/records/orders"
      keyOf={({ execution_id, customer_id }) => `${execution_id} ${customer_id}`}
      record={({ execution_id }) => `/trading/executions/${execution_id}`}
      columns={COLUMNS}
      filters={PERIOD_FILTERS}
      empty={{
        title: t('No orders in that time'),
        text: t('Each order of a customer stands here as supervisors ask for it.'),
      }}
    />
  )
}
