/** The current price of every asset, with its age, and a chart of one of them. */
import type { DataOf } from '@kontor/client'
import { Select } from 'antd'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import { Grid } from '../../list/grid.tsx'
import { AT_ONCE } from '../../list/state.ts'
import { amountWords, percent } from '../../parts/amount-words.ts'
import { Picture } from '../../parts/chart/picture.tsx'
import type { Plot } from '../../parts/chart/plot.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'
import { Amount, NOTHING, Time } from '../../parts/values.tsx'

const RouteChart = lazy(async () => ({ default: (await import('./route-chart.tsx')).RouteChart }))

const REFRESH_MILLISECONDS = 3_000
const KEPT_POINTS = 2_400
/** Where no price route says what prices are usually in. */
const FIRST_CHOICE = 'EUR'

type Line = {
  asset: string
  price: string | undefined
  age: number | undefined
  change: string | undefined
  volume: string | undefined
  market_cap: string | undefined
}

type Details = DataOf<'get', '/market-data/prices/v2/{asset}/details'>

export function Page(): ReactNode {
  const [params, setParams] = useSearchParams()
  const { target, isKnown } = useTarget(params.get('in'))
  const choose = (name: string, value: string): void => {
    setParams((old) => {
      const next = new URLSearchParams(old)
      next.set(name, value)
      return next
    }, AT_ONCE)
  }
  const { data, error, refetch } = useGet(
    '/market-data/prices/v2/{asset}/details',
    { params: { asset: target } },
    { enabled: isKnown, every: REFRESH_MILLISECONDS, keep: true },
  )
  const assets = data === undefined ? [] : assetsOf(data)
  const lines = data === undefined ? [] : linesOf(data, target)
  const chosen = params.get('asset') ?? lines.find((line) => line.price !== undefined)?.asset
  return (
    <section className="page" aria-label={t('Market data')}>
      <header className="page-head">
        <h1>{t('Market data')}</h1>
        <label>
          {t('in')}{' '}
          <Select
            size="small"
            aria-label={t('Prices in')}
            value={target}
            options={[...new Set([target, ...assets])]
              .toSorted()
              .map((asset) => ({ value: asset, label: asset }))}
            onChange={(asset: string) => {
              choose('in', asset)
            }}
          />
        </label>
        <span className="space" />
        {data !== undefined && (
          <span className="count">
            <Trans i18nKey="As of <time/>" components={{ time: <Time at={data.timestamp} /> }} />
          </span>
        )}
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <div className="market">
          <Prices
            lines={lines}
            target={target}
            chosen={chosen}
            choose={(asset) => {
              choose('asset', asset)
            }}
          />
          {chosen !== undefined && (
            <History
              asset={chosen}
              target={target}
              price={data.prices[chosen]}
              at={data.timestamp}
            />
          )}
        </div>
      )}
    </section>
  )
}

/** What prices are in, and whether that is known yet. */
function useTarget(wanted: string | null): { target: string; isKnown: boolean } {
  const { data: routes, isPending } = useGet('/price-stream/routes', undefined, {
    enabled: wanted === null,
  })
  return {
    target: wanted ?? usualQuote(routes ?? []) ?? FIRST_CHOICE,
    isKnown: wanted !== null || !isPending,
  }
}

/** What most price routes are quoted in. */
function usualQuote(routes: readonly { quote_asset: string }[]): string | undefined {
  const counts = Map.groupBy(routes, ({ quote_asset }) => quote_asset)
  const [usual] = [...counts].toSorted(([, one], [, other]) => other.length - one.length)
  return usual?.[0]
}

const assetsOf = ({ prices, stale }: Details): string[] => [
  ...new Set([...Object.keys(prices), ...stale]),
]

const linesOf = (data: Details, target: string): Line[] =>
  assetsOf(data)
    .filter((asset) => asset !== target)
    .toSorted()
    .map((asset) => ({
      asset,
      price: data.prices[asset],
      age: data.ages[asset],
      change: data['24h_change'][asset],
      volume: data['24h_volume'][asset],
      market_cap: data.market_cap[asset],
    }))

function Prices({
  lines,
  target,
  chosen,
  choose,
}: {
  lines: readonly Line[]
  target: string
  chosen: string | undefined
  choose(asset: string): void
}): ReactNode {
  const asset: Column<Line> = {
    key: 'asset',
    title: t('Asset'),
    width: 75,
    render: (line) => (
      <button
        type="button"
        className="sorter"
        aria-pressed={line.asset === chosen}
        title={t('Chart of {{asset}}', { asset: line.asset })}
        onClick={() => {
          choose(line.asset)
        }}
      >
        {line.asset}
      </button>
    ),
  }
  return (
    <Grid<Line>
      label={t('Prices')}
      rows={lines}
      keyOf={(line) => line.asset}
      openKey={chosen}
      empty={
        <Empty title={t('No prices')}>{t('Prices come from the pairs that venues trade.')}</Empty>
      }
      columns={[asset, ...priceColumns(target)]}
    />
  )
}

const priceColumns = (target: string): Column<Line>[] => [
  {
    key: 'price',
    title: t('Price'),
    kind: 'amount',
    price: true,
    width: 135,
    value: ({ price }) => price,
    asset: () => target,
    render: ({ price }, room) =>
      price === undefined ? (
        <Status state="STALE" />
      ) : (
        <Amount value={price} asset={target} price room={room} />
      ),
  },
  {
    key: 'change',
    title: '24 h',
    kind: 'number',
    width: 90,
    render: ({ change }) => (change === undefined ? NOTHING : <Change factor={change} />),
  },
  { key: 'volume', title: t('24 h volume'), kind: 'amount', width: 130, asset: () => target },
  { key: 'market_cap', title: t('Market cap'), kind: 'amount', asset: () => target, width: 190 },
  {
    key: 'age',
    title: t('Age'),
    kind: 'number',
    width: 70,
    render: ({ age }) =>
      age === undefined ? NOTHING : `${amountWords((age / 1000).toFixed(1))} s`,
  },
]

/** Two decimals of a percentage; all digits appear on hover. */
const SHOWN = /^(\d+\.\d{4})\d+$/

function Change({ factor }: { factor: string }): ReactNode {
  const down = factor.startsWith('-')
  const size = factor.replace('-', '')
  return (
    <span className={down ? 'falls' : 'rises'} title={percent(size)}>
      {down ? '▼' : '▲'} {percent(size.replace(SHOWN, '$1'))}
    </span>
  )
}

/** Two hours for a pair with a route; otherwise the prices since the page was opened. */
function History({
  asset,
  target,
  price,
  at,
}: {
  asset: string
  target: string
  price: string | undefined
  at: number
}): ReactNode {
  const { data: routes } = useGet('/price-stream/routes')
  const route = routes
    ?.filter((route) => route.base_asset === asset && route.quote_asset === target && route.active)
    .toSorted((a, b) => a.hops.length - b.hops.length)[0]
  return (
    <section className="panel" aria-label={t('{{asset}} in {{target}}', { asset, target })}>
      <h2>
        {t('{{asset}} in {{target}}', { asset, target })}
        {route !== undefined && ` · ${route.label}`}
      </h2>
      <Suspense fallback={<Loading />}>
        {route === undefined ? (
          <CollectedPrice
            key={`${asset}/${target}`}
            name={`${asset}/${target}`}
            unit={target}
            price={price}
            at={at}
          />
        ) : (
          <RouteChart route_id={route.id} quoted={target} height={300} />
        )}
      </Suspense>
    </section>
  )
}

type Collected = { at: number; price: string }

function CollectedPrice({
  name,
  unit,
  price,
  at,
}: {
  name: string
  unit: string
  price: string | undefined
  at: number
}): ReactNode {
  const [points, setPoints] = useState<readonly Collected[]>([])
  useEffect(() => {
    if (price === undefined) return
    setPoints((old) =>
      (old.at(-1)?.at ?? 0) + 1_000 > at ? old : [...old.slice(-KEPT_POINTS), { at, price }],
    )
  }, [price, at])
  const plot = useMemo(
    (): Plot => ({
      x: { title: t('Time') },
      unit,
      series: [
        {
          name: t('Price'),
          kind: 'line',
          values: points.map(({ at: x, price: value }) => ({ x, value })),
        },
      ],
    }),
    [points, unit],
  )
  if (points.length === 0)
    return (
      <Empty title={t('No current price')}>{t('The chart starts when a venue reports one.')}</Empty>
    )
  return <Picture title={name} caption={t('Since this page was opened')} plot={plot} height={300} />
}
