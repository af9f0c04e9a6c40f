import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section, Tab } from '../../record/record.tsx'
import { EXECUTION_COLUMNS, EXECUTION_TOTALS, hasEnded } from './execution-columns.tsx'
import type { Execution } from './execution-columns.tsx'
import { recheck, resolve } from './execution-resolution.tsx'
import { Customers, Fills, Orders, PriceOf } from './execution-tabs.tsx'
import {
  CONDITION_WORDS,
  CustomerNames,
  percent,
  SideWord,
  TIF_WORDS,
  TYPE_WORDS,
} from './words.tsx'

const STATES = [
  'WAITING_FOR_TRIGGER',
  'PROCESSING',
  'CANCELING',
  'UNKNOWN',
  'DONE',
  'CANCELED',
  'EXPIRED',
  'FAILED',
  'REJECTED',
] as const

type State = Execution['state']

function whyNotCancel(row: Execution): string | undefined {
  if (hasEnded(row)) return 'The execution has ended'
  return row.cancel_requested_at === null ? undefined : 'Its cancellation is already requested'
}

const WHAT_CANCELING_DOES: Readonly<Partial<Record<State, string>>> = {
  WAITING_FOR_TRIGGER: 'Kontor stops watching the trigger and releases the held amount.',
  UNKNOWN:
    'The outcome of the order is unknown. Kontor cancels it once it is known and still open. ' +
    'If the venue never got it, it is not sent again.',
}

export const cancel: ActionPlan<'delete', '/executions/{execution_id}', Execution> = {
  label: 'Cancel execution',
  permission: 'trading.executions.create',
  danger: true,
  why: whyNotCancel,
  explain: ({ state }) =>
    WHAT_CANCELING_DOES[state] ??
    'What has not been sent is not sent. Otherwise Kontor asks the venue to cancel the order. ' +
      'Fills until then remain.',
  method: 'delete',
  path: '/executions/{execution_id}',
  request: ({ id }) => ({ params: { execution_id: id } }),
  confirm: (row) => [
    {
      label: 'Execution',
      value: (
        <>
          <SideWord side={row.side} /> {TYPE_WORDS[row.execution_type]} {row.internal_ref}
        </>
      ),
    },
    { label: 'Amount', value: <Amount value={row.amount} asset={row.base_asset} /> },
    { label: 'Filled so far', value: <Amount value={row.filled_amount} asset={row.base_asset} /> },
    { label: 'Route', value: row.route.label },
    {
      label: 'Customers',
      value: <CustomerNames ids={row.customers.map((customer) => customer.customer_id)} />,
    },
  ],
  done: ({ state }) => (state === 'CANCELED' ? 'Canceled' : 'Cancellation requested'),
}

const COLUMNS: readonly Column<Execution>[] = [
  EXECUTION_COLUMNS.created,
  EXECUTION_COLUMNS.state,
  EXECUTION_COLUMNS.side,
  EXECUTION_COLUMNS.type,
  EXECUTION_COLUMNS.symbol,
  EXECUTION_COLUMNS.amount,
  EXECUTION_COLUMNS.filled,
  EXECUTION_COLUMNS.price,
  EXECUTION_COLUMNS.customer_price,
  EXECUTION_COLUMNS.customers,
  { key: 'route', title: 'Route', value: (row) => row.route.label, width: 148 },
  { key: 'client_ref', title: 'Your reference', extra: true },
  {
    key: 'average_price',
    title: 'Venue price',
    kind: 'amount',
    price: true,
    asset: (row) => row.quote_asset,
    extra: true,
  },
  {
    key: 'filled_volume',
    title: 'Traded',
    kind: 'amount',
    asset: (row) => row.quote_asset,
    extra: true,
  },
  {
    key: 'volume',
    title: 'Requested volume',
    kind: 'amount',
    asset: (row) => row.quote_asset,
    extra: true,
  },
  { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.quote_asset, extra: true },
  { key: 'tif_mode', title: 'Time in force', extra: true },
  { key: 'reason', title: 'Reason', width: 220, extra: true },
  { key: 'completed_at', title: 'Ended', kind: 'time', extra: true },
  { key: 'internal_ref', title: 'Reference', kind: 'id', extra: true },
  { key: 'id', title: 'Id', kind: 'id', extra: true },
]

export function Page(): ReactNode {
  return (
    <WorkList
      title="Executions"
      path="/executions"
      live={['execution']}
      columns={COLUMNS}
      filters={[
        { name: 'state', label: 'State', kind: 'words', options: STATES, many: true },
        { name: 'stuck', label: 'Stuck', kind: 'flag' },
        { name: 'contradicted', label: 'Contradicted by the venue', kind: 'flag' },
        { name: 'asset', label: 'Asset', kind: 'text' },
        { name: 'amount_from', label: 'Amount from', kind: 'amount' },
        { name: 'amount_to', label: 'Amount to', kind: 'amount' },
        { name: 'customer_id', label: 'Customer', kind: 'customer' },
        { name: 'client_ref', label: 'Your reference', kind: 'text' },
        { name: 'created_at_from', label: 'Since', kind: 'time' },
        { name: 'created_at_to', label: 'Until', kind: 'time' },
      ]}
      actions={
        <Link to="/trading/ticket" className="link-button">
          Trade
        </Link>
      }
      totals={EXECUTION_TOTALS}
      empty={{
        title: 'No executions yet',
        text: (
          <>
            Buy or sell for a customer: <Link to="/trading/ticket">Trade</Link>.
          </>
        ),
      }}
    />
  )
}

const SECTIONS: readonly Section<Execution>[] = [
  {
    fields: [
      { key: 'symbol', title: 'Market' },
      { key: 'state', title: 'State', kind: 'status' },
      {
        key: 'execution_type',
        title: 'Type',
        value: (row) =>
          `${TYPE_WORDS[row.execution_type]}${row.mode === 'VOLUME' ? ' by volume' : ''}`,
      },
      { key: 'reason', title: 'Reason' },
      { key: 'amount', title: 'Amount', kind: 'amount', asset: (row) => row.base_asset },
      {
        key: 'filled_amount',
        title: 'Filled',
        kind: 'amount',
        asset: (row) => row.base_asset,
      },
      {
        key: 'volume',
        title: 'Requested volume',
        kind: 'amount',
        asset: (row) => row.quote_asset,
      },
      {
        key: 'filled_volume',
        title: 'Traded at venue',
        kind: 'amount',
        asset: (row) => row.quote_asset,
      },
      {
        key: 'price',
        title: 'Limit or trigger',
        kind: 'amount',
        price: true,
        asset: (row) => row.quote_asset,
      },
      {
        key: 'average_price',
        title: 'Venue price',
        kind: 'amount',
        price: true,
        asset: (row) => row.quote_asset,
      },
      {
        key: 'stop_order_condition',
        title: 'Condition',
        value: (row) => CONDITION_WORDS[row.stop_order_condition ?? ''],
      },
      {
        key: 'customer_price',
        title: 'Customer price',
        kind: 'amount',
        price: true,
        asset: (row) => row.quote_asset,
      },
      { key: 'tif_mode', title: 'Time in force', value: (row) => TIF_WORDS[row.tif_mode ?? ''] },
      { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.quote_asset },
      { key: 'expires_at', title: 'Until', kind: 'time' },
      { key: 'slippage', title: 'Slippage', value: (row) => percent(row.slippage) },
      { key: 'triggered_at', title: 'Triggered', kind: 'time' },
      { key: 'cancel_requested_at', title: 'Cancellation requested', kind: 'time' },
      { key: 'cancel_requested_by', title: 'Requested by', kind: 'user' },
      { key: 'completed_at', title: 'Ended', kind: 'time' },
    ],
  },
  {
    title: 'References',
    fields: [
      { key: 'route', title: 'Route', value: (row) => row.route.label },
      { key: 'internal_ref', title: 'Reference', kind: 'id' },
      { key: 'client_ref', title: 'Your reference' },
      { key: 'quote_id', title: 'Quote', kind: 'id' },
      { key: 'margin', title: 'Requested margin', value: (row) => percent(row.margin) },
      { key: 'risk', title: 'Requested risk', value: (row) => percent(row.risk) },
    ],
  },
  COMMON_FIELDS,
]

const TABS: readonly Tab<Execution>[] = [
  { key: 'customers', label: 'Customers', node: (row) => <Customers execution={row} /> },
  { key: 'orders', label: 'Orders', node: (row) => <Orders execution={row} /> },
  { key: 'fills', label: 'Fills', node: (row) => <Fills execution={row} /> },
  { key: 'price', label: 'Quote and routes', node: (row) => <PriceOf execution={row} /> },
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Execution"
      path="/executions/{execution_id}"
      request={{ params: { execution_id: id } }}
      live={['execution']}
      title={(row) => (
        <>
          <SideWord side={row.side} /> <Amount value={row.amount} asset={row.base_asset} />{' '}
          <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={recheck} row={row} primary={row.contradicted} />
          <ActionButton plan={resolve} row={row} />
          <ActionButton plan={cancel} row={row} />
        </>
      )}
      sections={SECTIONS}
      tabs={TABS}
    />
  )
}
