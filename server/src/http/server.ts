/** Turns endpoints into a running HTTP server; each of its parts stands in a file of its own. */
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import apiReference from '@scalar/fastify-api-reference'
import Fastify from 'fastify'
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply } from 'fastify'
import type { Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Db } from '../store/db.ts'
import { Answer } from './answer.ts'
import { MAXIMUM_BODY_BYTES, replaceEndedBodies, takeJsonOnly } from './body.ts'
import type { Authenticate } from './caller.ts'
import { serveConsole } from './console.ts'
import type { Console, ConsolePages } from './console.ts'
import type { Endpoint } from './endpoint.ts'
import { answerError, answerMalformed, BrokenAnswers } from './error-answers.ts'
import { measure } from './measure.ts'
import { openApiInfo, openApiTransform } from './openapi.ts'
import { refuseOtherMethods, register } from './registration.ts'

const REQUEST_TIMEOUT_MILLISECONDS = 30_000
/**
 * How long the last answers may take to reach their callers when the server ends: a reader who has
 * stopped reading would hold it up for ever.
 */
const DRAIN_MILLISECONDS = 10_000

type ServerParts = {
  db: Db
  clock: Clock
  log: FastifyBaseLogger
  authenticate: Authenticate
  endpoints: readonly Endpoint[]
  /** Answers whether the service can serve now; a sentence names what is missing. */
  ready(): Promise<string | undefined>
  /** The console at `/`; without it there is none. */
  console?: Console
  metrics: Registry
  /** DRAIN_MILLISECONDS when absent. */
  drain_ms?: number
}

export async function buildServer(parts: ServerParts): Promise<FastifyInstance> {
  const server = openServer(parts.log)
  const ending = drainAtClose(server, parts.drain_ms)
  server.decorateRequest('principal', undefined)
  server.decorateRequest('sent', undefined)
  server.setErrorHandler((error: FastifyError, request, reply) =>
    answerError(parts.log, error, request, reply),
  )
  let pages: ConsolePages | undefined
  server.setNotFoundHandler((request, reply) => {
    if (pages?.isPage(request) === true) return pages.page(reply)
    throw notFound('resource', `${request.method} ${request.url.split('?')[0]?.slice(0, 200)}`)
  })
  takeJsonOnly(server)
  measure(server, parts)
  replaceEndedBodies(server)
  await limitRates(server)
  await describeApi(server)
  await server.register(
    async (api) => {
      for (const endpoint of parts.endpoints) register(api, { ...parts, ending }, endpoint)
      refuseOtherMethods(api, parts.endpoints)
      api.get('/openapi.json', { schema: { hide: true } }, () => server.swagger())
    },
    { prefix: '/api' },
  )
  await serveReference(server)
  if (parts.console !== undefined) pages = await serveConsole(server, parts.console)
  serveProbes(server, parts)
  return server
}

function openServer(log: FastifyBaseLogger): FastifyInstance {
  return Fastify({
    // With a logger of its own the framework would make one for each request and listen twice to
    // its answer.
    logController: new BrokenAnswers(log),
    // A request without a body has no stream that must be read to its end.
    http: { ServerResponse: Answer, optimizeEmptyRequests: true },
    genReqId: () => newId(),
    bodyLimit: MAXIMUM_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    forceCloseConnections: 'idle',
    // While closing, what still arrives on an open connection is answered in full, and the
    // connection then closed.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
        verbose: true,
        strict: false,
      },
    },
    frameworkErrors: (error, request, reply) =>
      answerError(log, error, request, reply as FastifyReply),
    clientErrorHandler: answerMalformed,
  })
}

/** Answers a signal that is aborted when the server begins to close. */
function drainAtClose(server: FastifyInstance, drain_ms = DRAIN_MILLISECONDS): AbortSignal {
  let draining: NodeJS.Timeout | undefined
  const ending = new AbortController()
  server.addHook('preClose', async () => {
    ending.abort()
    draining = setTimeout(() => {
      server.server.closeAllConnections()
    }, drain_ms)
  })
  server.addHook('onClose', async () => {
    clearTimeout(draining)
  })
  return ending.signal
}

async function limitRates(server: FastifyInstance): Promise<void> {
  await server.register(rateLimit, {
    global: false,
    errorResponseBuilder: (_request, context) =>
      new ApiError(
        'RateLimited',
        `at most ${context.max} requests a minute`,
        [],
        Math.ceil(context.ttl / 1000),
      ),
  })
}

async function describeApi(server: FastifyInstance): Promise<void> {
  await server.register(swagger, {
    openapi: openApiInfo,
    transform: openApiTransform as never,
    hideUntagged: false,
  })
}

async function serveReference(server: FastifyInstance): Promise<void> {
  await server.register(
    apiReference as never,
    {
      routePrefix: '/api/docs',
      configuration: {
        url: '/api/openapi.json',
        pageTitle: 'Kontor API',
        withDefaultFonts: false,
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
        telemetry: false,
        showDeveloperTools: 'never',
      },
    } as never,
  )
}

function serveProbes(
  server: FastifyInstance,
  { ready, metrics }: Pick<ServerParts, 'ready' | 'metrics'>,
): void {
  server.get('/healthz', { schema: { hide: true } }, () => ({ status: 'alive' }))
  server.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const missing = await ready()
    return reply
      .code(missing === undefined ? 200 : 503)
      .send(missing === undefined ? { status: 'ready' } : { status: 'not ready', reason: missing })
  })
  server.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  )
}
