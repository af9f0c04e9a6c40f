/** Turns endpoints into a running HTTP server; each of its parts stands in a file of its own. */
import type { KeyObject } from 'node:crypto'
import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:tls'
import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyHttpOptions,
  FastifyInstance,
  FastifyReply,
} from 'fastify'
import type { Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { tracingInUse } from '../core/tracing.ts'
import type { Db } from '../store/db.ts'
import { Answer } from './answer.ts'
import { MAXIMUM_BODY_BYTES } from './body-limits.ts'
import { replaceEndedBodies, takeJsonOnly } from './body.ts'
import type { Authenticate } from './caller.ts'
import type { Certificate } from './certificate.ts'
import { compilersAtFirstUse, VALIDATION } from './compilers.ts'
import { serveConsole } from './console.ts'
import type { Console, ConsolePages } from './console.ts'
import { doorFrom } from './door.ts'
import type { Door } from './door.ts'
import { serveDocumentation } from './documentation.ts'
import type { Endpoint } from './endpoint.ts'
import { Connections, cutStalled } from './connections.ts'
import { BulkReads } from './bulk-reads.ts'
import { answerError, answerMalformed, BrokenAnswers, isTimedOut } from './error-answers.ts'
import { StreamSeats } from './event-stream.ts'
import { limitsFrom, measureLimits } from './limits.ts'
import type { InUse, Limits, OnReached } from './limits.ts'
import { measure } from './measure.ts'
import { refuseMisdirected } from './misdirected.ts'
import { openApiDocument } from './openapi/document.ts'
import { healthProbes, metricsProbe, serveProbes } from './probes.ts'
import type { Ready } from './probes.ts'
import { serveReference } from './reference.ts'
import { tellRefused } from './refused-requests.ts'
import type { Noting } from './refused-requests.ts'
import { refuseOtherMethods, register } from './registration.ts'
import { traceRequests } from './traced-requests.ts'

const HEADERS_MILLISECONDS = 15_000
/** A connection on which TLS has not begun would hold up the end for as long. */
const HANDSHAKE = { handshakeTimeout: 10_000 }
/** How often the runtime looks for requests that do not arrive. */
const LOOK_MILLISECONDS = 5_000
/**
 * How long the last answers may take to reach their callers when the server ends: a reader who has
 * stopped reading would hold it up for ever.
 */
const DRAIN_MILLISECONDS = 10_000

type ServerParts = Noting & {
  db: Db
  clock: Clock
  log: FastifyBaseLogger
  authenticate: Authenticate
  /** By which hashes of requests are made. */
  request_key?: KeyObject | undefined
  endpoints: readonly Endpoint[]
  /** Answers whether the service can serve now. */
  ready: Ready
  /** Why nothing may be changed now. */
  fault?(): string | undefined
  /** The console at `/`; without it there is none. */
  console?: Console
  metrics: Registry
  /** Anybody may read the metrics here too; they have a port of their own. */
  public_metrics?: boolean
  /** Anybody may read the API's reference and document, and the documentation. */
  public_documents?: boolean
  /** Where the documentation lies, for `/docs`. */
  documentation?: string
  /** DRAIN_MILLISECONDS when absent. */
  drain_ms?: number
  /** Those of an empty environment when absent. */
  limits?: Limits
  /** That of an empty environment when absent. */
  door?: Door
  /** Of a door with TLS. */
  certificate?: Certificate | undefined
}

export async function buildServer(parts: ServerParts): Promise<FastifyInstance> {
  const limits = parts.limits ?? limitsFrom({})
  const inUse: InUse = {}
  const onReached = measureLimits(parts.metrics, limits, inUse)
  const door = parts.door ?? doorFrom({})
  const certificate = door.tls && mustExist(parts.certificate, 'the certificate of a door with TLS')
  const server = openServer({ log: parts.log, door, certificate }, limits, onReached)
  limitConnections(server, { limits, onReached, inUse, door, certificate })
  const bulk = new BulkReads(limits, onReached)
  const seats = new StreamSeats(limits, onReached)
  inUse.list_places = () => bulk.taken
  inUse.streams = () => seats.taken
  const ending = drainAtClose(server, parts.drain_ms)
  const handling = { ...parts, limits, onReached, ending, bulk, seats }
  server.decorateRequest('principal', undefined)
  server.decorateRequest('sent', undefined)
  server.setErrorHandler((error: FastifyError, request, reply) => {
    tellRefused(parts, error, request)
    return answerError(parts.log, error, request, reply)
  })
  let pages: ConsolePages | undefined
  server.setNotFoundHandler((request, reply) => {
    if (pages?.isPage(request) === true) return pages.page(reply)
    throw notFound('resource', `${request.method} ${request.url.split('?')[0]?.slice(0, 200)}`)
  })
  takeJsonOnly(server)
  measure(server, parts)
  const tracing = tracingInUse()
  if (tracing !== undefined) traceRequests(server, tracing)
  refuseMisdirected(server, door)
  replaceEndedBodies(server)
  await limitRates(server)
  await server.register(
    async (api) => {
      refuseChanges(api, parts.fault)
      for (const endpoint of parts.endpoints) register(api, handling, endpoint)
      refuseOtherMethods(api, parts.endpoints)
      if (parts.public_documents === true) serveDocument(api, parts.endpoints)
    },
    { prefix: '/api' },
  )
  if (parts.public_documents === true) {
    serveReference(server)
    if (parts.documentation !== undefined) await serveDocumentation(server, parts.documentation)
  }
  if (parts.console !== undefined) pages = await serveConsole(server, parts.console)
  serveProbes(server, healthProbes(parts.ready))
  if (parts.public_metrics === true) serveProbes(server, metricsProbe(parts.metrics))
  return server
}

/** `certificate`: of the server's own TLS. */
type Entrance = { door: Door; certificate: Certificate | undefined }

function openServer(
  { log, door: { isProxy }, certificate }: Entrance & Pick<ServerParts, 'log'>,
  { request_ms }: Limits,
  onReached: OnReached,
): FastifyInstance {
  const listening = {
    ServerResponse: Answer,
    // A request without a body has no stream that must be read to its end.
    optimizeEmptyRequests: true,
    headersTimeout: Math.min(HEADERS_MILLISECONDS, request_ms),
    connectionsCheckingInterval: Math.min(LOOK_MILLISECONDS, request_ms),
  }
  const server = Fastify({
    // With a logger of its own the framework would make one for each request and listen twice to
    // its answer.
    logController: new BrokenAnswers(log),
    ...(certificate === undefined
      ? { http: listening }
      : { https: { ...listening, ...certificate.options, ...HANDSHAKE } }),
    genReqId: () => newId(),
    bodyLimit: MAXIMUM_BODY_BYTES,
    requestTimeout: request_ms,
    ...(isProxy === undefined ? {} : { trustProxy: isProxy }),
    forceCloseConnections: 'idle',
    // While closing, what still arrives on an open connection is answered in full, and the
    // connection then closed.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
    schemaController: { compilersFactory: compilersAtFirstUse() },
    ajv: { customOptions: VALIDATION },
    frameworkErrors: (error, request, reply) =>
      answerError(log, error, request, reply as FastifyReply),
    clientErrorHandler: (error, socket) => {
      if (isTimedOut(error)) onReached('request_ms')
      answerMalformed(error, socket)
    },
  } as FastifyHttpOptions<Server>)
  certificate?.renew(server.server as unknown as TlsServer)
  return server
}

function limitConnections(
  { server }: FastifyInstance,
  {
    inUse,
    door: { isProxy },
    certificate,
    ...parts
  }: Entrance & { limits: Limits; onReached: OnReached; inUse: InUse },
): void {
  const connections = new Connections({ ...parts, isProxy, speaksTls: certificate !== undefined })
  connections.guard(server)
  cutStalled(server, parts.limits, parts.onReached)
  passOverExpectations(server)
  inUse.connections = () => connections.open
}

/** The runtime would answer one that it does not know by itself, without the envelope. */
function passOverExpectations(server: FastifyInstance['server']): void {
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer))
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

const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
const FAULT_RETRY_SECONDS = 30

/** What only reads is answered all the same: who looks finds out what is wrong. */
function refuseChanges(api: FastifyInstance, fault: ServerParts['fault']): void {
  if (fault === undefined) return
  api.addHook('onRequest', (request, _reply, done) => {
    const reason = READING.includes(request.method) ? undefined : fault()
    if (reason === undefined) done()
    else done(new ApiError('Busy', reason, [], FAULT_RETRY_SECONDS))
  })
}

/** Made once: the document is large, and anybody may ask for it. */
function serveDocument(server: FastifyInstance, endpoints: readonly Endpoint[]): void {
  let document: string | undefined
  server.get('/openapi.json', (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(endpoints))).toString()
    return reply.type('application/json; charset=utf-8').send(document)
  })
}
