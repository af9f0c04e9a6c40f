import type { ReactNode } from 'react'
import { useGet } from '../../api/query.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Amount, clockTime } from '../../parts/values.tsx'
import { Chart } from './chart.tsx'

const REFRESH_MILLISECONDS = 10_000

/** The middle price of a route over the last two hours, or as long as there is one. */
export function RouteChart({
  route_id,
  quoted,
  height,
}: {
  route_id: string
  quoted: string
  height?: number
}): ReactNode {
  const { data, error, refetch } = useGet(
    '/price-stream/routes/{route_id}/history',
    { params: { route_id } },
    { every: REFRESH_MILLISECONDS },
  )
  if (error !== null) return <Failure error={error} again={refetch} />
  if (data === undefined) return <Loading />
  const [first, last] = [data[0], data.at(-1)]
  if (first === undefined || last === undefined)
    return (
      <Empty title="No prices yet">
        Kontor stores a price every ten seconds once the venue is connected.
      </Empty>
    )
  return (
    <figure className="chart-figure">
      <figcaption>
        Mid price since {clockTime(first.at)} · now <Amount value={last.price} asset={quoted} />
      </figcaption>
      <Chart points={data} label={route_id} {...(height === undefined ? {} : { height })} />
    </figure>
  )
}
