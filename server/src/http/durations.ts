/**
 * How long requests take, by method, route and status, as a Prometheus histogram. prom-client's own finds its series by a text
 * made of all labels, which costs as much as a small request does; here it is found by the route's own text.
 */
import type { Metric, Registry } from 'prom-client'

const NAME = 'kontor_http_request_seconds'
export const BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

type Series = { labels: { method: string; route: string; status: number }; sum: number; count: number; within: number[] }

/** Answers what counts a request. */
export function openDurations(registry: Registry): (method: string, route: string, status: number, seconds: number) => void {
  const byRoute = new Map<string, Series[]>()
  const metric = {
    name: NAME, help: 'HTTP requests by route', type: 'histogram', aggregator: 'sum',
    get: async () => ({ ...metric, values: [...byRoute.values()].flat().flatMap(linesOf) }),
  }
  registry.registerMetric(metric as unknown as Metric)
  return (method, route, status, seconds) => {
    let known = byRoute.get(route)
    if (known === undefined) byRoute.set(route, known = [])
    let series = known.find(({ labels }) => labels.status === status && labels.method === method)
    if (series === undefined) known.push(series = { labels: { method, route, status }, sum: 0, count: 0, within: BOUNDS.map(() => 0) })
    series.sum += seconds
    series.count += 1
    for (let index = BOUNDS.length - 1; index >= 0 && seconds <= (BOUNDS[index] ?? 0); index -= 1) series.within[index] = (series.within[index] ?? 0) + 1
  }
}

function linesOf({ labels, sum, count, within }: Series) {
  const bucket = (le: number | string, value: number) => ({ metricName: `${NAME}_bucket`, labels: { le, ...labels }, value })
  return [
    ...BOUNDS.map((le, index) => bucket(le, within[index] ?? 0)), bucket('+Inf', count),
    { metricName: `${NAME}_sum`, labels, value: sum }, { metricName: `${NAME}_count`, labels, value: count },
  ]
}
