import { Select } from 'antd'
import type { ReactNode } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useGet } from '../../api/query.ts'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Status, wordsOf } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { FILL_COLUMNS, FILL_TOTALS } from './fill-columns.tsx'
import type { Fill } from './fill-columns.tsx'
import { SideWord } from './words.tsx'

const COLUMNS: readonly Column<Fill>[] = [
  ...FILL_COLUMNS.filter(({ key }) => key !== 'venue_id'),
  {
    key: 'execution_id',
    title: 'Execution',
    width: 115,
    text: (row) => row.execution_id ?? 'Outside trade',
    render: (row) =>
      row.execution_id === null ? (
        <span title="This trade was not ordered through Kontor">Outside trade</span>
      ) : (
        <Link
          to={`/trading/executions/${row.execution_id}`}
          onClick={(event) => {
            event.stopPropagation()
          }}
        >
          Execution
        </Link>
      ),
  },
  {
    key: 'liquidity',
    title: 'Maker or taker',
    value: (row) => wordsOf(row.liquidity ?? ''),
    width: 120,
    extra: true,
  },
  { key: 'hop_no', title: 'Hop', kind: 'number', extra: true },
  { key: 'settlement_id', title: 'Settlement id', kind: 'id', extra: true },
  { key: 'id', title: 'Id', kind: 'id', extra: true },
]

/** The trades of one trading service, which the address names. */
export function Page(): ReactNode {
  const [params, setParams] = useSearchParams()
  const { data, error, refetch } = useGet('/venues')
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  const services = data.flatMap((venue) =>
    venue.services
      .filter(({ type }) => type === 'TOMS')
      .map(({ id, state }) => ({
        value: id,
        label: `${venue.label}${state === 'RUNNING' ? '' : ` (${state.toLowerCase()})`}`,
      })),
  )
  const service_id = params.get('service') ?? services[0]?.value
  if (service_id === undefined)
    return <Empty title="No trading venue">Connect an exchange under Desk → Venues.</Empty>
  return (
    <WorkList
      key={service_id}
      title="Account trades"
      path="/toms/{service_id}/fills"
      params={{ service_id }}
      live={['execution', 'fill']}
      columns={COLUMNS}
      filters={[
        { name: 'asset', label: 'Asset', kind: 'text' },
        { name: 'quantity_from', label: 'Amount from', kind: 'amount' },
        { name: 'quantity_to', label: 'Amount to', kind: 'amount' },
        { name: 'customer_id', label: 'Customer', kind: 'customer' },
        { name: 'from', label: 'Traded since', kind: 'time' },
        { name: 'to', label: 'Until', kind: 'time' },
      ]}
      actions={
        <Select
          aria-label="Venue"
          size="small"
          className="filter"
          value={service_id}
          options={services}
          onChange={(chosen: string) => {
            setParams((old) => {
              const next = new URLSearchParams(old)
              next.set('service', chosen)
              return next
            })
          }}
        />
      }
      totals={FILL_TOTALS}
      empty={{
        title: 'No trades at this venue',
        text: 'Trades of the account appear here, outside trades included.',
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Account trade"
      path="/settlements/fills/{fill_id}"
      request={{ params: { fill_id: id } }}
      live={['execution', 'fill', 'settlement']}
      title={(row) => (
        <>
          <SideWord side={row.side} /> <Amount value={row.quantity} asset={row.base_asset} />{' '}
          <Status state={row.settlement_state} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'symbol', title: 'Market' },
            { key: 'executed_at', title: 'Traded', kind: 'time' },
            { key: 'quantity', title: 'Amount', kind: 'amount', asset: (row) => row.base_asset },
            { key: 'venue_id', title: 'Venue', kind: 'venue' },
            {
              key: 'price',
              title: 'Price',
              kind: 'amount',
              price: true,
              asset: (row) => row.quote_asset,
            },
            { key: 'foreign_id', title: 'Venue reference', kind: 'id' },
            { key: 'volume', title: 'Volume', kind: 'amount', asset: (row) => row.quote_asset },
            {
              key: 'liquidity',
              title: 'Maker or taker',
              value: (row) => wordsOf(row.liquidity ?? ''),
            },
            { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.fee_asset },
            { key: 'busted', title: 'Busted', kind: 'flag' },
            {
              key: 'execution_id',
              title: 'Execution',
              render: (row) =>
                row.execution_id === null ? (
                  'None: an outside trade'
                ) : (
                  <Link to={`/trading/executions/${row.execution_id}`}>Execution</Link>
                ),
            },
            {
              key: 'settlement_id',
              title: 'Settlement',
              render: (row) =>
                row.settlement_id === null ? (
                  'None'
                ) : (
                  <Link to={`/trading/settlements/${row.settlement_id}`}>Settlement</Link>
                ),
            },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
