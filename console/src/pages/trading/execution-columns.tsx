import { isZero } from '@kontor/client'
import { t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import type { TotalsPlan } from '../../list/totals.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { CustomerNames, SIDE_WORDS, SideWord, TYPE_WORDS } from './words.tsx'

export type Execution = RowOf<'/executions'>

const OPEN_STATES: readonly Execution['state'][] = [
  'WAITING_FOR_TRIGGER',
  'PROCESSING',
  'CANCELING',
  'UNKNOWN',
]

export const hasEnded = ({ state }: Pick<Execution, 'state'>): boolean =>
  !OPEN_STATES.includes(state)

type Traded = Pick<
  Execution,
  'side' | 'base_asset' | 'quote_asset' | 'filled_amount' | 'filled_volume'
>
const hasTraded = ({ filled_amount }: Traded): boolean => !isZero(filled_amount)

export const EXECUTION_TOTALS: TotalsPlan<Traded> = {
  path: '/executions/totals',
  note: t('what was filled'),
  sums: [
    {
      label: ({ side }) => (side === 'BUY' ? t('Bought') : t('Sold')),
      amount: (row) => (hasTraded(row) ? row.filled_amount : null),
      asset: (row) => row.base_asset,
    },
    {
      label: ({ side }) =>
        side === 'BUY' ? t('Bought at the venues for') : t('Sold at the venues for'),
      amount: (row) => (hasTraded(row) ? row.filled_volume : null),
      asset: (row) => row.quote_asset,
    },
  ],
}

/** The columns that every list of executions can show. */
export const EXECUTION_COLUMNS = {
  created: { key: 'system_created_at', title: t('Created'), kind: 'time' },
  state: { key: 'state', title: t('State'), kind: 'status', width: 90 },
  side: {
    key: 'side',
    title: t('Side'),
    width: 58,
    uncut: SIDE_WORDS,
    render: (row) => <SideWord side={row.side} />,
  },
  type: {
    key: 'execution_type',
    title: t('Type'),
    width: 68,
    uncut: Object.values(TYPE_WORDS),
    text: (row) => TYPE_WORDS[row.execution_type] ?? row.execution_type,
    render: (row) => TYPE_WORDS[row.execution_type],
  },
  symbol: { key: 'symbol', title: t('Market'), width: 82 },
  amount: {
    key: 'amount',
    title: t('Amount'),
    kind: 'amount',
    width: 90,
    asset: (row) => row.base_asset,
  },
  filled: {
    key: 'filled_amount',
    title: t('Filled'),
    kind: 'amount',
    width: 95,
    bare: true,
    asset: (row) => row.base_asset,
  },
  price: { key: 'price', title: t('Limit, trigger'), kind: 'amount', price: true, width: 100 },
  customer_price: {
    key: 'customer_price',
    title: t('Customer price'),
    kind: 'amount',
    price: true,
    width: 110,
    asset: (row) => row.quote_asset,
  },
  customers: {
    key: 'customers',
    title: t('Customers'),
    width: 205,
    value: (row) => row.customers.map((customer) => customer.customer_id).join(),
    names: ['customer'],
    text: ({ customers }, nameOf) =>
      customers.map(({ customer_id }) => nameOf('customer', customer_id)).join('; '),
    render: (row) => <CustomerNames ids={row.customers.map((customer) => customer.customer_id)} />,
  },
} satisfies Record<string, Column<Execution>>
