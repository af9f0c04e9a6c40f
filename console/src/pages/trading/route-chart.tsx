import type { ReactNode } from 'react'
import { useGet } from '../../api/query.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { Amount } from '../../parts/values.tsx'
import { Chart } from './chart.tsx'

const REFRESH_MILLISECONDS = 10_000

/** The middle price of a route over two hours. */
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
  if (data.length === 0)
    return (
      <Empty title="No prices yet">
        Kontor stores a price every ten seconds once the venue is connected.
      </Empty>
    )
  const last = data.at(-1)
  return (
    <figure className="chart-figure">
      <figcaption>
        Mid price, last two hours · now <Amount value={last?.price} asset={quoted} />
      </figcaption>
      <Chart points={data} label={route_id} {...(height === undefined ? {} : { height })} />
    </figure>
  )
}
