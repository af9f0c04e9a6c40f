import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { Loading } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { percent } from './words.tsx'

export type PriceRoute = RowOf<'/price-stream/routes'>

const RouteChart = lazy(async () => ({ default: (await import('./route-chart.tsx')).RouteChart }))
const ASKED_AGAIN_MILLISECONDS = 3_000

export function Page(): ReactNode {
  return (
    <WorkList
      title="Price routes"
      path="/price-stream/routes"
      every={ASKED_AGAIN_MILLISECONDS}
      columns={[
        { key: 'label', title: 'Route', width: 250 },
        { key: 'symbol', title: 'Market', width: 110 },
        { key: 'state', title: 'Prices', kind: 'status', width: 110 },
        { key: 'active', title: 'Active', kind: 'flag' },
        {
          key: 'hops',
          title: 'Hops',
          width: 240,
          value: (row) => row.hops.map((hop) => `${hop.base_asset}/${hop.quote_asset}`).join(' → '),
        },
        {
          key: 'min_amount',
          title: 'At least',
          kind: 'amount',
          asset: (row) => row.base_asset,
          width: 140,
        },
        {
          key: 'max_amount',
          title: 'At most',
          kind: 'amount',
          asset: (row) => row.base_asset,
          width: 140,
        },
        { key: 'amount_step', title: 'Amount step', kind: 'amount', width: 130, extra: true },
        { key: 'price_step', title: 'Price step', kind: 'amount', width: 130, extra: true },
        { key: 'id', title: 'Id', kind: 'id' },
      ]}
      empty={{
        title: 'No price routes',
        text: 'They are declared in the configuration file, under price_routes.',
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what="Price route"
      path="/price-stream/routes"
      request={{}}
      timeline={false}
      pick={(rows) => rows.find((row) => row.id === id)}
      title={(row) => (
        <>
          {row.label} <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <Link className="link-button" to={`/trading/ticket?market=${row.id}`}>
          Trade over it
        </Link>
      )}
      sections={[
        {
          fields: [
            { key: 'symbol', title: 'Market' },
            { key: 'state', title: 'Prices', kind: 'status' },
            { key: 'active', title: 'Active', kind: 'flag' },
            { key: 'risk_quantile', title: 'Risk quantile' },
            {
              key: 'min_amount',
              title: 'At least',
              kind: 'amount',
              asset: (row) => row.base_asset,
            },
            {
              key: 'amount_step',
              title: 'Amount step',
              kind: 'amount',
              asset: (row) => row.base_asset,
            },
            { key: 'max_amount', title: 'At most', kind: 'amount', asset: (row) => row.base_asset },
            {
              key: 'price_step',
              title: 'Price step',
              kind: 'amount',
              asset: (row) => row.quote_asset,
            },
            {
              key: 'margin',
              title: 'Margin',
              value: (row) =>
                Object.entries(row.margin)
                  .map(([category, factor]) => `${category} ${percent(factor)}`)
                  .join(', ') || "The workspace's",
            },
          ],
        },
        COMMON_FIELDS,
      ]}
      tabs={[
        { key: 'hops', label: 'Hops', node: (row) => <Hops route={row} /> },
        {
          key: 'chart',
          label: 'Two hours',
          node: (row) => (
            <Suspense fallback={<Loading />}>
              <RouteChart route_id={row.id} quoted={row.quote_asset} />
            </Suspense>
          ),
        },
      ]}
    />
  )
}

function Hops({ route }: { route: PriceRoute }): ReactNode {
  return (
    <Rows
      label="Hops"
      rows={route.hops.toSorted((a, b) => a.hop_no - b.hop_no)}
      keyOf={(row) => String(row.hop_no)}
      columns={[
        { key: 'hop_no', title: 'Hop', kind: 'number', width: 60 },
        { key: 'venue_id', title: 'Venue', kind: 'venue' },
        {
          key: 'pair',
          title: 'Trades',
          value: (row) => `${row.base_asset}/${row.quote_asset}`,
          width: 110,
        },
        { key: 'service_id', title: 'Service', kind: 'id' },
      ]}
    />
  )
}
