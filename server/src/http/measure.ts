/** How long each answer took, by route and status, in the metrics and in the log. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { Counter, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Answer } from './answer.ts'

const ANSWERED = 'http.server.response.finish'

/**
 * Counts and logs every answer once its last byte was handed over. The runtime announces that for
 * all answers in one place; a listener on each answer costs more.
 */
export function measure(
  server: FastifyInstance,
  { metrics, log }: { metrics: Registry; log: FastifyBaseLogger },
): void {
  const duration = new Histogram({
    name: 'kontor_http_request_seconds',
    help: 'HTTP requests by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [metrics],
  })
  const refused = new Counter({
    name: 'kontor_http_errors_total',
    help: 'Error answers by status',
    labelNames: ['status'],
    registers: [metrics],
  })
  const verbose = ['debug', 'trace'].includes(log.level)
  const observe = ({ request, at }: NonNullable<Answer['received']>, status: number) => {
    const milliseconds = performance.now() - at
    const { method } = request
    // Of all methods that a path does not have one series is enough: anybody may try them.
    const route = status === 405 ? 'unknown' : (request.routeOptions.url ?? 'unknown')
    duration.observe({ method, route, status }, milliseconds / 1000)
    if (status < 400 && !verbose) return
    const line = {
      request_id: request.id,
      method,
      route,
      status,
      milliseconds: Math.round(milliseconds * 10) / 10,
      user_id: request.principal?.user_id,
    }
    if (status >= 400) refused.inc({ status })
    if (status >= 500) log.error(line, 'answered')
    else if (status >= 400) log.info(line, 'refused')
    else log.debug(line, 'answered')
  }
  const onAnswered = (message: unknown) => {
    const {
      response: { received, statusCode },
    } = message as { response: Answer }
    // Another server of this process counts its own.
    if (received !== undefined && received.request.server.server === server.server)
      observe(received, statusCode)
  }
  server.addHook('onRequest', (request, reply, done) => {
    ;(reply.raw as Answer).received = { request, at: performance.now() }
    done()
  })
  subscribe(ANSWERED, onAnswered)
  server.addHook('onClose', async () => {
    unsubscribe(ANSWERED, onAnswered)
  })
}
