/** What belongs to an execution: its customers, orders and fills, and how it was priced. */
import { isZero } from '@kontor/client'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { percent } from '../../parts/amount-words.ts'
import { PdfButton } from '../../parts/save-button.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { NOTHING } from '../../parts/values.tsx'
import type { Execution } from './execution-columns.tsx'
import { FILL_COLUMNS } from './fill-columns.tsx'
import { QuoteSides } from './quote-sides.tsx'
import { SideWord } from './words.tsx'

export function Customers({ execution }: { execution: Execution }): ReactNode {
  const navigate = useNavigate()
  const { base_asset, quote_asset, mode } = execution
  return (
    <Rows
      label={t('Customers')}
      rows={execution.customers}
      keyOf={(row) => row.customer_id}
      open={(row) => {
        navigate(`/customers/${row.customer_id}`)?.catch(() => undefined)
      }}
      columns={[
        { key: 'customer_id', title: t('Customer'), kind: 'customer', width: 170 },
        {
          key: 'quantity_absolute',
          title: t('Requested', { context: 'amount' }),
          kind: 'amount',
          asset: () => (mode === 'VOLUME' ? quote_asset : base_asset),
          width: 130,
        },
        {
          key: 'filled_amount',
          title: t('Filled'),
          kind: 'amount',
          asset: () => base_asset,
          width: 140,
        },
        {
          key: 'filled_volume',
          title: execution.side === 'BUY' ? t('Paid') : t('Received'),
          kind: 'amount',
          asset: () => quote_asset,
          width: 140,
        },
        { key: 'margin', title: t('Margin'), value: (row) => percent(row.margin), width: 75 },
        { key: 'risk', title: t('Risk'), value: (row) => percent(row.risk), width: 75 },
        {
          key: 'note',
          title: t('Contract note'),
          value: () => null,
          render: (row) => contractNoteOf(execution, row),
          width: 110,
        },
      ]}
    />
  )
}

/** Each customer gets one that names no other. */
function contractNoteOf(
  { id, completed_at }: Execution,
  { customer_id, filled_amount }: Execution['customers'][number],
): ReactNode {
  if (completed_at === null || isZero(filled_amount)) return null
  return (
    <PdfButton
      path="/executions/{execution_id}"
      request={{ params: { execution_id: id }, query: { customer_id } }}
      name={t('Contract note')}
    />
  )
}

export function Orders({ execution }: { execution: Execution }): ReactNode {
  const { data, error, refetch } = useGet('/executions/{execution_id}/orders', {
    params: { execution_id: execution.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows
      label={t('Orders')}
      rows={data}
      keyOf={(row) => row.id}
      empty={
        <Empty title={t('No orders')}>
          {execution.state === 'WAITING_FOR_TRIGGER'
            ? t('Kontor sends an order when the market reaches the trigger.')
            : t('The execution ended before Kontor sent an order.')}
        </Empty>
      }
      columns={[
        { key: 'venue_id', title: t('Venue'), kind: 'venue', width: 110 },
        { key: 'symbol', title: t('Market'), width: 90 },
        { key: 'state', title: t('State'), kind: 'status', width: 130 },
        { key: 'reason', title: t('Reason'), kind: 'said', width: 200 },
        { key: 'contradiction', title: t('Venue reports instead'), width: 220 },
        { key: 'side', title: t('Side'), width: 58, render: (row) => <SideWord side={row.side} /> },
        { key: 'quantity', title: t('Amount'), kind: 'amount', width: 120 },
        { key: 'filled_quantity', title: t('Filled'), kind: 'amount', width: 120 },
        { key: 'price', title: t('Limit'), kind: 'amount', price: true, width: 110 },
        {
          key: 'average_price',
          title: t('Average price'),
          kind: 'amount',
          price: true,
          width: 110,
        },
        { key: 'sent_at', title: t('Sent'), kind: 'time' },
        { key: 'foreign_id', title: t('Venue reference'), kind: 'id' },
        { key: 'client_order_id', title: t('Our reference'), kind: 'id' },
        { key: 'evidence', title: t('Evidence'), width: 200 },
        { key: 'resolved_by', title: t('Resolved by'), kind: 'user' },
        { key: 'confirmed_at', title: t('Confirmed by venue'), kind: 'time' },
        { key: 'system_updated_at', title: t('Changed'), kind: 'time' },
      ]}
    />
  )
}

export function Fills({ execution }: { execution: Execution }): ReactNode {
  const { data, error, refetch } = useGet('/executions/{execution_id}/orders/fills', {
    params: { execution_id: execution.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  return (
    <Rows
      label={t('Fills')}
      rows={data}
      keyOf={(row) => row.id}
      columns={FILL_COLUMNS}
      empty={
        <Empty title={t('No fills')}>{t('Fills appear here when the venue reports them.')}</Empty>
      }
    />
  )
}

/** The quote of an execution, and the routes that best execution compared. */
export function PriceOf({ execution }: { execution: Execution }): ReactNode {
  const { data, error, refetch } = useGet('/executions/{execution_id}/quote', {
    params: { execution_id: execution.id },
  })
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  const { best_execution, quote_asset, base_asset } = execution
  return (
    <>
      {data.quote === null ? (
        <p className="explain">
          {execution.execution_type === 'MARKET'
            ? t('This execution has no quote. It was traded at the market.')
            : t('This execution has no quote.')}
        </p>
      ) : (
        <QuoteSides quote={data.quote} base={base_asset} quoted={quote_asset} />
      )}
      {best_execution !== null && (
        <ComparedRoutes execution={execution} compared={best_execution} />
      )}
    </>
  )
}

function ComparedRoutes({
  execution: { side, base_asset, quote_asset },
  compared,
}: {
  execution: Execution
  compared: NonNullable<Execution['best_execution']>
}): ReactNode {
  const { data: routes } = useGet('/price-stream/routes')
  return (
    <>
      <h3>{t('Compared routes')}</h3>
      <Rows
        label={t('Compared routes')}
        rows={compared.candidates}
        keyOf={(row) => row.route_id}
        columns={[
          {
            key: 'route_id',
            title: t('Route'),
            width: 230,
            value: (row) =>
              routes?.find((route) => route.id === row.route_id)?.label ?? row.route_id,
          },
          {
            key: 'chosen',
            title: t('Chosen'),
            width: 80,
            render: (row) =>
              row.route_id === compared.chosen ? <strong>{t('Yes')}</strong> : NOTHING,
          },
          {
            key: 'total',
            title: side === 'BUY' ? t('Cost') : t('Proceeds'),
            kind: 'amount',
            asset: () => quote_asset,
          },
          { key: 'amount', title: t('Amount'), kind: 'amount', asset: () => base_asset },
          { key: 'complete', title: t('Complete'), kind: 'flag', width: 90 },
          { key: 'refused', title: t('Refused') },
        ]}
      />
    </>
  )
}
