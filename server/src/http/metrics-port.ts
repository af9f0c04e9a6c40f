/**
 * A port of its own for those who watch the service, in every role: probes and metrics, and nothing
 * else. It asks for no token, so it listens where only they reach it.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import { mustExist } from '../core/assert.ts'
import { ApiError, ERRORS } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { UsageError } from '../core/usage.ts'
import type { Certificate } from './certificate.ts'
import { metricsDoorFrom } from './door.ts'
import type { Door } from './door.ts'
import { envelopeOf } from './error-answers.ts'
import { receiverOf } from './misdirected.ts'
import type { Receive } from './misdirected.ts'
import { healthProbes, isHealthProbe, metricsProbe } from './probes.ts'
import type { Probes, Ready } from './probes.ts'

const MAXIMUM_CONNECTIONS = 50
const REQUEST_MILLISECONDS = 5_000

/** `fixed`: an operator named the port, and is told when it is taken. Else a free one will do. */
export type MetricsPlace = Door & { port: number; fixed: boolean }

type WatchedParts = {
  metrics: Registry
  ready: Ready
  log: FastifyBaseLogger
  /** Of a door with TLS. */
  certificate?: Certificate | undefined
}

export type MetricsPort = { port: number; close(): Promise<void> }

const USUAL_PORT = 4001

/** Undefined: there shall be none. Throws a sentence that names the variable. */
export function metricsPlaceFrom(
  env: Readonly<Record<string, string | undefined>>,
): MetricsPlace | undefined {
  const { KONTOR_METRICS_PORT: text } = env
  if (text === 'off') return undefined
  const port = Number(text || USUAL_PORT)
  if (text && (!/^[0-9]{1,5}$/.test(text) || port > 65_535))
    throw new UsageError(`KONTOR_METRICS_PORT must be off or a number from 0 to 65535, not ${text}`)
  return { ...metricsDoorFrom(env), port, fixed: Boolean(text) }
}

export async function openMetricsPort(
  { metrics, ready, log, certificate }: WatchedParts,
  place: MetricsPlace,
): Promise<MetricsPort> {
  const watched = {
    probes: { ...healthProbes(ready), ...metricsProbe(metrics) },
    receive: receiverOf(place),
  }
  const server = serverAt(place, certificate, (request, response) => {
    answer(watched, request, response).catch((error: unknown) => {
      if (!(error instanceof ApiError))
        log.error({ error: String(error) }, 'the metrics port could not answer')
      if (response.headersSent) response.destroy()
      else refuse(error instanceof ApiError ? error : undefined, response)
    })
  })
  server.maxConnections = MAXIMUM_CONNECTIONS
  const port = await listenAt(server, place, log)
  server.on('error', (error) => {
    log.error({ error: String(error) }, 'the metrics port took no connection')
  })
  return {
    port,
    close: () =>
      new Promise((done) => {
        server.close(() => {
          done()
        })
        server.closeAllConnections()
      }),
  }
}

function serverAt(
  { tls }: MetricsPlace,
  certificate: Certificate | undefined,
  take: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const times = { requestTimeout: REQUEST_MILLISECONDS, headersTimeout: REQUEST_MILLISECONDS }
  if (tls === undefined) return createServer(times, take)
  const own = mustExist(certificate, 'a certificate')
  const handshakeTimeout = REQUEST_MILLISECONDS
  const server = createTlsServer({ ...times, ...own.options, handshakeTimeout }, take)
  own.renew(server)
  return server
}

async function listenAt(
  server: Server,
  { host, port, fixed }: MetricsPlace,
  log: FastifyBaseLogger,
): Promise<number> {
  try {
    return await listen(server, host, port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (fixed)
      throw new UsageError(
        `Port ${port} is taken by another program. Set KONTOR_METRICS_PORT to a free one, or off.`,
        { cause: error },
      )
    const free = await listen(server, host, 0)
    log.warn({ taken: port, port: free }, 'the usual port for metrics is taken; there is another')
    return free
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      done((server.address() as AddressInfo).port)
    })
  })
}

async function answer(
  { probes, receive }: { probes: Probes; receive: Receive },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '' } = request
  const path = url.split('?')[0] ?? ''
  if (!isHealthProbe(path)) receive(request)
  const probe = Object.hasOwn(probes, path) ? probes[path] : undefined
  if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405).end()
  if (probe === undefined) return void response.writeHead(404).end()
  const { status, type, text } = await probe()
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
}

function refuse(refusal: ApiError | undefined, response: ServerResponse): void {
  response
    .writeHead(ERRORS[refusal?.kind ?? 'InternalServerError'].status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
    .end(envelopeOf(refusal, newId()))
}
