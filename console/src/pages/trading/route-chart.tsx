import type { DataOf } from '@kontor/client'
import { Segmented } from 'antd'
import { useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { useGet, useMay } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { Picture } from '../../parts/chart/picture.tsx'
import type { Plot, PlotValue, Series } from '../../parts/chart/plot.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Amount, clockTime } from '../../parts/values.tsx'

const REFRESH_MILLISECONDS = 10_000
const MINUTE_MILLISECONDS = 60_000
const RANGES = [
  { value: 15, label: t('15 min') },
  { value: 60, label: '1 h' },
  { value: 120, label: '2 h' },
]
const LONGEST = 120

type PricePoint = DataOf<'get', '/price-stream/routes/{route_id}/history'>[number]
type RouteFill = DataOf<'get', '/price-stream/routes/{route_id}/fills'>[number]

/** The middle price of a route over the last two hours with its fills on it. */
export function RouteChart({
  route_id,
  quoted,
  height,
}: {
  route_id: string
  quoted: string
  height?: number
}): ReactNode {
  const [minutes, setMinutes] = useState(LONGEST)
  const reading = { every: REFRESH_MILLISECONDS }
  const of = { params: { route_id } }
  const { data, error, refetch } = useGet('/price-stream/routes/{route_id}/history', of, reading)
  const mayFills = useMay('trading.executions.read')
  const { data: fills } = useGet('/price-stream/routes/{route_id}/fills', of, {
    ...reading,
    enabled: mayFills,
  })
  const shown = useMemo(() => shownOf(data ?? [], fills ?? [], minutes), [data, fills, minutes])
  const plots = useMemo(() => plotsOf(shown, quoted), [shown, quoted])
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  const [first, last] = [shown.points[0], shown.points.at(-1)]
  if (first === undefined || last === undefined)
    return (
      <Empty title={t('No prices yet')}>
        {t('Kontor stores a price every ten seconds once the venue is connected.')}
      </Empty>
    )
  return (
    <Picture
      title={t('Mid price and fills')}
      caption={
        <Trans
          i18nKey="Mid price since {{at}} · now <amount/>"
          components={{ amount: <Amount value={last.price} asset={quoted} price /> }}
          values={{ at: clockTime(first.at) }}
        />
      }
      tools={
        <Segmented
          size="small"
          aria-label={t('Shown')}
          options={RANGES}
          value={minutes}
          onChange={setMinutes}
        />
      }
      {...plots}
      {...(height === undefined ? {} : { height })}
    />
  )
}

type Shown = { points: readonly PricePoint[]; fills: readonly RouteFill[] }

/** Counted from the last price: a price that stands still keeps its picture. */
function shownOf(
  points: readonly PricePoint[],
  fills: readonly RouteFill[],
  minutes: number,
): Shown {
  const last = points.at(-1)?.at ?? 0
  const since = last - minutes * MINUTE_MILLISECONDS
  return {
    points: points.filter(({ at }) => at >= since),
    fills: fills.filter(({ executed_at }) => executed_at >= since),
  }
}

function plotsOf({ points, fills }: Shown, quoted: string): { plot: Plot; table: Plot } {
  const marks = (side: RouteFill['side'], name: string, shape: 'up' | 'down', tone: number) => {
    const values = fills
      .filter((fill) => fill.side === side)
      .map(({ executed_at, price, quantity, base_asset }): PlotValue => ({
        x: executed_at,
        value: price,
        note: `${quantity} ${base_asset}`,
      }))
    return values.length === 0 ? [] : [{ name, kind: 'marks', shape, tone, values } as const]
  }
  const ofFills: Series[] = [
    ...marks('BUY', t('Bought'), 'up', 3),
    ...marks('SELL', t('Sold'), 'down', 2),
  ]
  const plotOf = (shown: readonly PricePoint[]): Plot => ({
    x: { title: t('Time') },
    unit: quoted,
    series: [
      {
        name: t('Mid price'),
        kind: 'line',
        tone: 1,
        values: shown.map(({ at, price }) => ({ x: at, value: price })),
      },
      ...ofFills,
    ],
  })
  return { plot: plotOf(points), table: plotOf(lastOfEachMinute(points)) }
}

/** The table has the last price of each minute: all of them are more than anybody reads. */
const lastOfEachMinute = (points: readonly PricePoint[]): PricePoint[] =>
  points.filter(
    ({ at }, index) =>
      Math.ceil(at / MINUTE_MILLISECONDS) !==
      Math.ceil((points[index + 1]?.at ?? Infinity) / MINUTE_MILLISECONDS),
  )
