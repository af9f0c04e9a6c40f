import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { amountWords, percent } from '../../parts/amount-words.ts'
import { EXECUTION_COLUMNS } from './execution-columns.tsx'
import { SIDE_WORDS, SideWord, TYPE_WORDS } from './words.tsx'

type Quality = RowOf<'/executions/quality'>

const price = (key: keyof Quality, title: string): Column<Quality> => ({
  key,
  title,
  kind: 'amount',
  price: true,
  bare: true,
  width: 110,
  asset: (row) => row.quote_asset,
})

/** What venues took; several hops may take it in several assets. */
const feesOf = ({ hops }: Quality): string =>
  hops
    .flatMap((hop) => hop.fees)
    .map((fee) => amountWords(fee.quantity, fee.asset))
    .join(' + ')

const COLUMNS: readonly Column<Quality>[] = [
  { key: 'received_at', title: t('Received'), kind: 'time' },
  { key: 'state', title: t('State'), kind: 'status', width: 90 },
  {
    key: 'side',
    title: t('Side'),
    width: 58,
    uncut: SIDE_WORDS,
    render: (row) => <SideWord side={row.side} />,
  },
  {
    key: 'execution_type',
    title: t('Type'),
    value: (row) => TYPE_WORDS[row.execution_type] ?? row.execution_type,
    extra: true,
  },
  { key: 'symbol', title: EXECUTION_COLUMNS.symbol.title, width: 82 },
  {
    key: 'filled_amount',
    title: t('Filled'),
    kind: 'amount',
    width: 95,
    asset: (row) => row.base_asset,
  },
  price('reference_price', t('Best when ordered')),
  price('average_price', t('Venue price')),
  { key: 'slippage', title: t('Slippage'), value: (row) => percent(row.slippage), width: 85 },
  price('customer_price', t('Customer price')),
  { key: 'fees', title: t('Venue fees'), value: feesOf, width: 110 },
  { key: 'milliseconds_to_fill', title: t('ms to fill'), kind: 'number', width: 85 },
  {
    key: 'venues',
    title: t('Venues'),
    value: (row) => row.hops.map((hop) => hop.venue ?? hop.venue_id).join(', '),
    width: 120,
  },
  {
    key: 'amount',
    title: t('Amount'),
    kind: 'amount',
    asset: (row) => row.base_asset,
    extra: true,
  },
  { key: 'reference_at', title: t('Ordered'), kind: 'time', extra: true },
  { key: 'sent_at', title: t('Sent'), kind: 'time', extra: true },
  { key: 'milliseconds_to_send', title: t('ms to send'), kind: 'number', extra: true },
  { key: 'first_fill_at', title: t('First fill'), kind: 'time', extra: true },
  { key: 'last_fill_at', title: t('Last fill'), kind: 'time', extra: true },
  { key: 'fee', title: t('Fee'), kind: 'amount', asset: (row) => row.quote_asset, extra: true },
  { key: 'route', title: t('Route'), extra: true },
  {
    key: 'compared',
    title: t('Routes compared'),
    kind: 'number',
    value: (row) => row.best_execution?.candidates.length ?? null,
    extra: true,
  },
  { key: 'client_ref', title: t('Your reference'), extra: true },
  { key: 'id', title: t('Id'), kind: 'id', extra: true },
]

/** What executions got beside what was the best price: the report on best execution. */
export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Execution quality')}
      help="execution-quality"
      path="/executions/quality"
      live={['execution']}
      record={({ id }) => `/trading/executions/${id}`}
      columns={COLUMNS}
      filters={[
        { name: 'created_at_from', label: t('Since'), kind: 'time' },
        { name: 'created_at_to', label: t('Until'), kind: 'time' },
        { name: 'asset', label: t('Asset'), kind: 'text' },
        { name: 'customer_id', label: t('Customer'), kind: 'customer' },
        { name: 'client_ref', label: t('Your reference'), kind: 'text' },
      ]}
      empty={{
        title: t('No executions yet'),
        text: t('What executions got stands here beside the best price when each was ordered.'),
      }}
    />
  )
}
