import type { ReactNode } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import type { Column } from '../../list/columns.tsx'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount, NOTHING } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { FILL_COLUMNS } from './fill-columns.tsx'
import { QuoteSides } from './quote-sides.tsx'
import {
  CONDITION_WORDS,
  CustomerNames,
  percent,
  SideWord,
  TIF_WORDS,
  TYPE_WORDS,
} from './words.tsx'

export type Execution = RowOf<'/executions'>

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

function whyNotCancel({ state, execution_type }: Execution): string | undefined {
  if (state === 'PROCESSING')
    return execution_type === 'LIMIT'
      ? undefined
      : 'What goes to the market at once cannot be called back'
  if (state === 'WAITING_FOR_TRIGGER') return undefined
  return state === 'CANCELING'
    ? 'The venue is asked already'
    : state === 'UNKNOWN'
      ? 'Its outcome is not known yet: the venue is asked first'
      : 'It has ended'
}

export const cancel: ActionPlan<'delete', '/executions/{execution_id}', Execution> = {
  label: 'Cancel execution',
  permission: 'trading.executions.create',
  danger: true,
  why: whyNotCancel,
  explain: ({ execution_type }) =>
    execution_type === 'LIMIT'
      ? 'The venue is asked to cancel the order. What is filled until then stays.'
      : 'It is no longer watched. What was blocked for it is free again.',
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
    { label: 'Over', value: row.route.label },
    {
      label: 'For',
      value: <CustomerNames ids={row.customers.map((customer) => customer.customer_id)} />,
    },
  ],
  done: ({ state }) => (state === 'CANCELED' ? 'Canceled' : 'The venue is asked to cancel it'),
}

export const EXECUTION_COLUMNS = {
  created: { key: 'system_created_at', title: 'Created', kind: 'time' },
  state: { key: 'state', title: 'State', kind: 'status', width: 150 },
  side: { key: 'side', title: 'Side', width: 58, render: (row) => <SideWord side={row.side} /> },
  type: {
    key: 'execution_type',
    title: 'Type',
    width: 68,
    render: (row) => TYPE_WORDS[row.execution_type],
  },
  symbol: { key: 'symbol', title: 'Market', width: 82 },
  amount: {
    key: 'amount',
    title: 'Amount',
    kind: 'amount',
    width: 120,
    asset: (row) => row.base_asset,
  },
  filled: { key: 'filled_amount', title: 'Filled', kind: 'amount', width: 85 },
  price: { key: 'price', title: 'Limit, trigger', kind: 'amount', width: 125 },
  customer_price: {
    key: 'customer_price',
    title: 'Customer price',
    kind: 'amount',
    width: 140,
    asset: (row) => row.quote_asset,
  },
  customers: {
    key: 'customers',
    title: 'Customers',
    width: 145,
    value: (row) => row.customers.map((customer) => customer.customer_id).join(),
    render: (row) => <CustomerNames ids={row.customers.map((customer) => customer.customer_id)} />,
  },
} satisfies Record<string, Column<Execution>>

export function Page(): ReactNode {
  const { created, state, side, type, symbol, amount, filled, price, customer_price, customers } =
    EXECUTION_COLUMNS
  return (
    <WorkList
      title="Executions"
      path="/executions"
      live={['execution']}
      columns={[
        created,
        state,
        side,
        type,
        symbol,
        amount,
        filled,
        price,
        customer_price,
        customers,
        { key: 'route', title: 'Route', value: (row) => row.route.label, width: 148 },
        { key: 'client_ref', title: 'Your reference', extra: true },
        {
          key: 'average_price',
          title: 'Venue price',
          kind: 'amount',
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
          title: 'Volume asked',
          kind: 'amount',
          asset: (row) => row.quote_asset,
          extra: true,
        },
        { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.quote_asset, extra: true },
        { key: 'tif_mode', title: 'Valid', extra: true },
        { key: 'reason', title: 'Reason', width: 220, extra: true },
        { key: 'completed_at', title: 'Ended', kind: 'time', extra: true },
        { key: 'internal_ref', title: 'Reference', kind: 'id', extra: true },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'state', label: 'State', kind: 'words', options: STATES, many: true },
        { name: 'stuck', label: 'Stuck', kind: 'flag' },
        { name: 'customer_id', label: 'Customer', kind: 'customer' },
        { name: 'client_ref', label: 'Your reference', kind: 'text' },
        { name: 'created_at_from', label: 'Since', kind: 'time' },
        { name: 'created_at_to', label: 'until', kind: 'time' },
      ]}
      actions={
        <Link to="/trading/ticket" className="link-button">
          Trade
        </Link>
      }
      empty={{
        title: 'Nothing has been traded yet',
        text: (
          <>
            Buy or sell for a customer: <Link to="/trading/ticket">Trade</Link>.
          </>
        ),
      }}
    />
  )
}

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
      actions={(row) => <ActionButton plan={cancel} row={row} />}
      sections={[
        {
          fields: [
            { key: 'symbol', title: 'Market' },
            { key: 'state', title: 'State', kind: 'status' },
            {
              key: 'execution_type',
              title: 'Type',
              value: (row) =>
                `${TYPE_WORDS[row.execution_type] ?? row.execution_type}${row.mode === 'VOLUME' ? ' for a volume' : ''}`,
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
              title: 'Volume asked',
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
              asset: (row) => row.quote_asset,
            },
            {
              key: 'average_price',
              title: 'Venue price',
              kind: 'amount',
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
              asset: (row) => row.quote_asset,
            },
            { key: 'tif_mode', title: 'Valid', value: (row) => TIF_WORDS[row.tif_mode ?? ''] },
            { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.quote_asset },
            { key: 'expires_at', title: 'Until', kind: 'time' },
            { key: 'slippage', title: 'Slippage', value: (row) => percent(row.slippage) },
            { key: 'triggered_at', title: 'Triggered', kind: 'time' },
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
            { key: 'margin', title: 'Margin asked', value: (row) => percent(row.margin) },
            { key: 'risk', title: 'Risk asked', value: (row) => percent(row.risk) },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'customers', label: 'Customers', node: (row) => <Customers execution={row} /> },
        { key: 'orders', label: 'Orders', node: (row) => <Orders execution={row} /> },
        { key: 'fills', label: 'Fills', node: (row) => <Fills execution={row} /> },
        { key: 'price', label: 'Quote and routes', node: (row) => <PriceOf execution={row} /> },
      ]}
    />
  )
}

function Customers({ execution }: { execution: Execution }): ReactNode {
  const navigate = useNavigate()
  const { base_asset, quote_asset, mode } = execution
  return (
    <Rows
      label="Customers"
      rows={execution.customers}
      keyOf={(row) => row.customer_id}
      open={(row) => {
        navigate(`/customers/${row.customer_id}`)?.catch(() => undefined)
      }}
      columns={[
        { key: 'customer_id', title: 'Customer', kind: 'customer', width: 170 },
        {
          key: 'quantity_absolute',
          title: 'Asked',
          kind: 'amount',
          asset: () => (mode === 'VOLUME' ? quote_asset : base_asset),
          width: 130,
        },
        {
          key: 'filled_amount',
          title: 'Filled',
          kind: 'amount',
          asset: () => base_asset,
          width: 140,
        },
        {
          key: 'filled_volume',
          title: execution.side === 'BUY' ? 'Paid' : 'Got',
          kind: 'amount',
          asset: () => quote_asset,
          width: 140,
        },
        { key: 'margin', title: 'Margin', value: (row) => percent(row.margin), width: 75 },
        { key: 'risk', title: 'Risk', value: (row) => percent(row.risk), width: 75 },
      ]}
    />
  )
}

function Orders({ execution }: { execution: Execution }): ReactNode {
  const { data, error, refetch } = useGet('/executions/{execution_id}/orders', {
    params: { execution_id: execution.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows
      label="Orders"
      rows={data}
      keyOf={(row) => row.id}
      empty={
        <Empty title="No order has gone to a venue">
          {execution.state === 'WAITING_FOR_TRIGGER'
            ? 'One goes out when the market reaches the trigger.'
            : 'It ended before one was made.'}
        </Empty>
      }
      columns={[
        { key: 'venue_id', title: 'Venue', kind: 'venue', width: 110 },
        { key: 'symbol', title: 'Market', width: 90 },
        { key: 'state', title: 'State', kind: 'status', width: 130 },
        { key: 'side', title: 'Side', width: 58, render: (row) => <SideWord side={row.side} /> },
        { key: 'quantity', title: 'Amount', kind: 'amount', width: 120 },
        { key: 'filled_quantity', title: 'Filled', kind: 'amount', width: 120 },
        { key: 'price', title: 'Limit', kind: 'amount', width: 110 },
        { key: 'average_price', title: 'Average', kind: 'amount', width: 110 },
        { key: 'sent_at', title: 'Sent', kind: 'time' },
        { key: 'foreign_id', title: 'Venue reference', kind: 'id' },
        { key: 'client_order_id', title: 'Our reference', kind: 'id' },
        { key: 'reason', title: 'Reason', width: 200 },
        { key: 'system_updated_at', title: 'Changed', kind: 'time' },
      ]}
    />
  )
}

function Fills({ execution }: { execution: Execution }): ReactNode {
  const { data, error, refetch } = useGet('/executions/{execution_id}/orders/fills', {
    params: { execution_id: execution.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows
      label="Fills"
      rows={data}
      keyOf={(row) => row.id}
      columns={FILL_COLUMNS}
      empty={
        <Empty title="Nothing is filled">A fill stands here as soon as the venue tells it.</Empty>
      }
    />
  )
}

/** The price it was made at: its quote, and the routes among which the best was chosen. */
function PriceOf({ execution }: { execution: Execution }): ReactNode {
  const { data, error, refetch } = useGet('/executions/{execution_id}/quote', {
    params: { execution_id: execution.id },
  })
  const { data: routes } = useGet('/price-stream/routes')
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  const { best_execution, quote_asset, base_asset } = execution
  return (
    <>
      {data.quote === null ? (
        <p className="explain">
          {execution.execution_type === 'MARKET'
            ? 'Made without a quote, at the market.'
            : 'Made without a quote.'}
        </p>
      ) : (
        <QuoteSides quote={data.quote} base={base_asset} quoted={quote_asset} />
      )}
      {best_execution !== null && (
        <>
          <h3>Routes that were compared</h3>
          <Rows
            label="Routes that were compared"
            rows={best_execution.candidates}
            keyOf={(row) => row.route_id}
            columns={[
              {
                key: 'route_id',
                title: 'Route',
                width: 230,
                value: (row) =>
                  routes?.find((route) => route.id === row.route_id)?.label ?? row.route_id,
              },
              {
                key: 'chosen',
                title: 'Chosen',
                width: 80,
                render: (row) =>
                  row.route_id === best_execution.chosen ? <strong>Yes</strong> : NOTHING,
              },
              {
                key: 'total',
                title: execution.side === 'BUY' ? 'Would cost' : 'Would bring',
                kind: 'amount',
                asset: () => quote_asset,
              },
              { key: 'amount', title: 'Of', kind: 'amount', asset: () => base_asset },
              { key: 'complete', title: 'All of it', kind: 'flag', width: 80 },
              { key: 'refused', title: 'Refused' },
            ]}
          />
        </>
      )}
    </>
  )
}
