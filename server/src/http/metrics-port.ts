/**
 * A port of its own for those who watch the service, in every role: probes and metrics, and nothing
 * else. It asks for no token, so it listens where only they reach it.
 */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'
import { healthProbes, metricsProbe } from './probes.ts'
import type { Probes, Ready } from './probes.ts'

const MAXIMUM_CONNECTIONS = 50
const REQUEST_MILLISECONDS = 5_000

/** `fixed`: an operator named the port, and is told when it is taken. Else a free one will do. */
export type MetricsPlace = { host: string; port: number; fixed: boolean }

type WatchedParts = { metrics: Registry; ready: Ready; log: FastifyBaseLogger }

export type MetricsPort = { port: number; close(): Promise<void> }

const USUAL: MetricsPlace = { host: '127.0.0.1', port: 4001, fixed: false }

/** Undefined: there shall be none. Throws a sentence that names the variable. */
export function metricsPlaceFrom(
  env: Readonly<Record<string, string | undefined>>,
): MetricsPlace | undefined {
  const { KONTOR_METRICS_PORT: text, KONTOR_METRICS_HOST: host } = env
  const place = { ...USUAL, host: host || USUAL.host }
  if (text === 'off') return undefined
  if (!text) return place
  const port = Number(text)
  if (!/^[0-9]{1,5}$/.test(text) || port > 65_535)
    throw new Error(`KONTOR_METRICS_PORT must be off or a number from 0 to 65535, not ${text}`)
  return { ...place, port, fixed: true }
}

export async function openMetricsPort(
  { metrics, ready, log }: WatchedParts,
  place: MetricsPlace,
): Promise<MetricsPort> {
  const probes = { ...healthProbes(ready), ...metricsProbe(metrics) }
  const server = createServer(
    { requestTimeout: REQUEST_MILLISECONDS, headersTimeout: REQUEST_MILLISECONDS },
    (request, response) => {
      answer(probes, request, response).catch((error: unknown) => {
        log.error({ error: String(error) }, 'the metrics port could not answer')
        if (response.headersSent) response.destroy()
        else response.writeHead(500).end()
      })
    },
  )
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
      throw new Error(
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
  probes: Probes,
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = url.split('?')[0] ?? ''
  const probe = Object.hasOwn(probes, path) ? probes[path] : undefined
  if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405).end()
  if (probe === undefined) return void response.writeHead(404).end()
  const { status, type, text } = await probe()
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text)
}
