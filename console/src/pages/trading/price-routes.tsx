import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { amountWords, percent } from '../../parts/amount-words.ts'
import { wordsOf } from '../../parts/code-words.ts'
import { Loading } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section, Tab } from '../../record/record.tsx'

export type PriceRoute = RowOf<'/price-stream/routes'>

const RouteChart = lazy(async () => ({ default: (await import('./route-chart.tsx')).RouteChart }))
const REFRESH_MILLISECONDS = 3_000

const pairOf = (hop: PriceRoute['hops'][number]): string => `${hop.base_asset}/${hop.quote_asset}`

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Price-stream routes')}
      path="/price-stream/routes"
      every={REFRESH_MILLISECONDS}
      columns={[
        { key: 'label', title: t('Route'), width: 250 },
        { key: 'symbol', title: t('Market'), width: 110 },
        { key: 'state', title: t('Prices'), kind: 'status', width: 110 },
        { key: 'active', title: t('Active'), kind: 'flag' },
        {
          key: 'hops',
          title: t('Hops'),
          width: 240,
          value: (row) => row.hops.map(pairOf).join(' → '),
        },
        {
          key: 'min_amount',
          title: t('Minimum'),
          kind: 'amount',
          asset: (row) => row.base_asset,
          width: 140,
        },
        {
          key: 'max_amount',
          title: t('Maximum'),
          kind: 'amount',
          asset: (row) => row.base_asset,
          width: 140,
        },
        { key: 'amount_step', title: t('Amount step'), kind: 'amount', width: 130, extra: true },
        {
          key: 'price_step',
          title: t('Price step'),
          kind: 'amount',
          price: true,
          width: 130,
          extra: true,
        },
        { key: 'id', title: t('Id'), kind: 'id' },
      ]}
      empty={{
        title: t('No price-stream routes'),
        text: t('Declare them in the configuration file, under price_routes.'),
      }}
    />
  )
}

const SECTIONS: readonly Section<PriceRoute>[] = [
  {
    fields: [
      { key: 'symbol', title: t('Market') },
      { key: 'state', title: t('Prices'), kind: 'status' },
      { key: 'active', title: t('Active'), kind: 'flag' },
      {
        key: 'risk_quantile',
        title: t('Risk quantile'),
        value: (row) => amountWords(row.risk_quantile),
      },
      {
        key: 'min_amount',
        title: t('Minimum'),
        kind: 'amount',
        asset: (row) => row.base_asset,
      },
      {
        key: 'amount_step',
        title: t('Amount step'),
        kind: 'amount',
        asset: (row) => row.base_asset,
      },
      { key: 'max_amount', title: t('Maximum'), kind: 'amount', asset: (row) => row.base_asset },
      {
        key: 'price_step',
        title: t('Price step'),
        kind: 'amount',
        price: true,
        asset: (row) => row.quote_asset,
      },
      {
        key: 'margin',
        title: t('Margin'),
        value: (row) =>
          Object.entries(row.margin)
            .map(([category, factor]) => `${wordsOf(category)} ${percent(factor)}`)
            .join(', ') || t('Workspace default'),
      },
    ],
  },
  COMMON_FIELDS,
]

const TABS: readonly Tab<PriceRoute>[] = [
  { key: 'hops', label: t('Hops'), node: (row) => <Hops route={row} /> },
  {
    key: 'chart',
    label: t('Chart'),
    node: (row) => (
      <Suspense fallback={<Loading />}>
        <RouteChart route_id={row.id} quoted={row.quote_asset} />
      </Suspense>
    ),
  },
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Price-stream route')}
      path="/price-stream/routes"
      request={{}}
      timeline={false}
      pick={(routes) => routes.find((route) => route.id === id)}
      title={(row) => (
        <>
          {row.label} <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <Link className="link-button" to={`/trading/ticket?market=${row.id}`}>
          {t('Trade', { context: 'verb' })}
        </Link>
      )}
      sections={SECTIONS}
      tabs={TABS}
    />
  )
}

function Hops({ route }: { route: PriceRoute }): ReactNode {
  return (
    <Rows
      label={t('Hops')}
      rows={route.hops.toSorted((a, b) => a.hop_no - b.hop_no)}
      keyOf={(row) => String(row.hop_no)}
      columns={[
        { key: 'hop_no', title: t('Hop'), kind: 'number', width: 60 },
        { key: 'venue_id', title: t('Venue'), kind: 'venue' },
        {
          key: 'pair',
          title: t('Trades', { context: 'verb' }),
          value: pairOf,
          width: 110,
        },
        { key: 'service_id', title: t('Service'), kind: 'id' },
      ]}
    />
  )
}
