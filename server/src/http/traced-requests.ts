/** A span for each request of the API, from its headers to the end of its answer. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestSpan, Tracing } from '../core/tracing.ts'

const FAULTS_FROM = 500

export function traceRequests(server: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>()
  server.addHook('onRequest', (request, reply, done) => {
    const { method, id, headers } = request
    const route = request.routeOptions.url ?? 'unknown'
    const { traceparent } = headers
    const span = tracing.begin(
      {
        name: `${method} ${route}`,
        kind: 'SERVER',
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'kontor.request_id': id,
        },
      },
      typeof traceparent === 'string' ? traceparent : undefined,
    )
    spans.set(request, span)
    reply.raw.once('close', () => {
      const { statusCode } = reply.raw
      span.end({ 'http.response.status_code': statusCode }, statusCode >= FAULTS_FROM)
    })
    span.run(done)
  })
  // Once the body has come, what comes next no longer lies inside what came before.
  server.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else span.run(done)
  })
}
