/** Turns endpoints into a running HTTP server: guard, validation, idempotency, envelope, lists, documents. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import apiReference from '@scalar/fastify-api-reference'
import Fastify, { LogController } from 'fastify'
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import type { Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'
import { ApiError, ERRORS, notFound, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Db } from '../store/db.ts'
import { Answer } from './answer.ts'
import type { Principal } from './caller.ts'
import type { Endpoint } from './endpoint.ts'
import { serveConsole } from './console.ts'
import type { Console, ConsolePages } from './console.ts'
import { handlerOf } from './handlers.ts'
import type { AnyCall } from './handlers.ts'
import { idempotencyOf } from './idempotency.ts'
import { MAXIMUM_PAGE } from './lists.ts'
import { measure } from './measure.ts'
import { openApiInfo, openApiTransform } from './openapi.ts'
import {
  assertClosed,
  assertStorableText,
  cleanerOf,
  mayBeDeep,
  queryDecoderOf,
  validationError,
} from './prepare.ts'
import { queryInteger, queryText } from './query.ts'
import { closed, Type } from './shapes.ts'

export const MAXIMUM_BODY_BYTES = 1_048_576
const REQUEST_TIMEOUT_MILLISECONDS = 30_000
/** How long the last answers may take to reach their callers when the server ends. A reader who has stopped reading never ends. */
const DRAIN_MILLISECONDS = 10_000
const DEFAULT_RATE_WINDOW = '1 minute'

export type Authenticate = (authorization: string | undefined) => Promise<Principal> | Principal

export type ServerParts = {
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

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    sent: Buffer | undefined
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
}

export async function buildServer(parts: ServerParts): Promise<FastifyInstance> {
  const server = Fastify({
    // With a logger of its own the framework would make one for each request and listen twice to its answer.
    logController: new BrokenAnswers(parts.log),
    // A request without a body has no stream that must be read to its end.
    http: { ServerResponse: Answer, optimizeEmptyRequests: true },
    genReqId: () => newId(),
    bodyLimit: MAXIMUM_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
    forceCloseConnections: 'idle',
    // While closing, what still arrives on an open connection is answered in full, and the connection then closed.
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
      answerError(parts, error, request, reply as FastifyReply),
    clientErrorHandler: answerMalformed,
  })
  let draining: NodeJS.Timeout | undefined
  const ending = new AbortController()
  server.addHook('preClose', async () => {
    ending.abort()
    draining = setTimeout(() => {
      server.server.closeAllConnections()
    }, parts.drain_ms ?? DRAIN_MILLISECONDS)
  })
  server.addHook('onClose', async () => {
    clearTimeout(draining)
  })
  server.decorateRequest('principal', undefined)
  server.decorateRequest('sent', undefined)
  server.setErrorHandler((error: FastifyError, request, reply) =>
    answerError(parts, error, request, reply),
  )
  let pages: ConsolePages | undefined
  server.setNotFoundHandler((request, reply) => {
    if (pages?.isPage(request) === true) return pages.page(reply)
    throw notFound('resource', `${request.method} ${request.url.split('?')[0]?.slice(0, 200)}`)
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.sent = body as Buffer
    // Many clients name the type also where they send nothing.
    if (body.length === 0 && request.routeOptions.config.endpoint?.body === undefined)
      return done(null, undefined)
    try {
      done(null, parseJson(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  server.addContentTypeParser('*', (_request, _payload, done) => {
    done(refuse('FORMAT', 'Content-Type', 'the body must be application/json'))
  })

  measure(server, parts)
  // Whoever names a type is read, and of a stream that has ended before no end would come.
  server.addHook('preParsing', (request, _reply, payload, done) => {
    done(
      null,
      request.headers['content-type'] !== undefined && request.raw.readableEnded
        ? Readable.from([])
        : payload,
    )
  })
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
  await server.register(swagger, {
    openapi: openApiInfo,
    transform: openApiTransform as never,
    hideUntagged: false,
  })

  await server.register(
    async (api) => {
      for (const endpoint of parts.endpoints)
        register(api, { ...parts, ending: ending.signal }, endpoint)
      api.get('/openapi.json', { schema: { hide: true } }, () => server.swagger())
    },
    { prefix: '/api' },
  )
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

  if (parts.console !== undefined) pages = await serveConsole(server, parts.console)
  server.get('/healthz', { schema: { hide: true } }, () => ({ status: 'alive' }))
  server.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const missing = await parts.ready()
    return reply
      .code(missing === undefined ? 200 : 503)
      .send(missing === undefined ? { status: 'ready' } : { status: 'not ready', reason: missing })
  })
  server.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(parts.metrics.contentType).send(await parts.metrics.metrics()),
  )
  return server
}

function register(
  server: FastifyInstance,
  parts: ServerParts & { ending: AbortSignal },
  endpoint: Endpoint,
): void {
  const where = `${endpoint.method} ${endpoint.path}`
  const isList = endpoint.effect === 'list'
  const query = isList
    ? closed({
        ...endpoint.query?.properties,
        limit: queryInteger(1, MAXIMUM_PAGE),
        cursor: queryText(120),
      })
    : (endpoint.query ?? closed({}))
  for (const schema of [endpoint.params, query, endpoint.body, endpoint.data])
    assertClosed(schema, where)
  const { permission } = endpoint
  const takesNoBody = endpoint.body === undefined
  const clean = takesNoBody ? undefined : cleanerOf(endpoint.body)
  const decode = queryDecoderOf(query)
  const data = isList ? Type.Array(endpoint.data) : endpoint.data
  const reads = endpoint.effect === 'read' || endpoint.effect === 'stream' || isList
  const permitted = (principal: Principal): Principal => {
    if (permission !== 'authenticated' && !principal.permissions.has(permission)) {
      throw new ApiError('PermissionDenied', `this needs the permission ${permission}`, [])
    }
    return principal
  }
  /** At once where everything about the caller is known. */
  const principalOf = (authorization: string | undefined): Promise<Principal> | Principal => {
    const principal = parts.authenticate(authorization)
    return principal instanceof Promise ? principal.then(permitted) : permitted(principal)
  }
  const callOf = (request: FastifyRequest): AnyCall => {
    assertStorableText(request.query)
    const { principal } = request
    const idempotency = reads
      ? undefined
      : idempotencyOf(
          request.headers['idempotency-key'],
          request.method,
          request.url,
          (request.body ?? null) as Json,
        )
    return {
      params: request.params,
      query: decode(request.query as Record<string, unknown>),
      body: request.body,
      // A public endpoint's handler has no caller and must not ask for one.
      principal,
      caller:
        principal === undefined
          ? undefined
          : { workspace: principal.workspace, by: principal.user_id, idempotency },
      idempotency,
      request_id: request.id,
      headers: request.headers,
      address: request.ip,
      sent: request.sent,
    }
  }

  server.route({
    method: endpoint.method,
    url: endpoint.path,
    schema: {
      ...(endpoint.params === undefined ? {} : { params: endpoint.params }),
      querystring: query,
      ...(endpoint.body === undefined ? {} : { body: endpoint.body }),
      response: { 200: closed({ success: Type.Literal(true), data }) },
    },
    config: {
      endpoint,
      ...(endpoint.rate_limit === undefined
        ? {}
        : { rateLimit: { max: endpoint.rate_limit, timeWindow: DEFAULT_RATE_WINDOW } }),
    },
    ...(permission === 'public'
      ? {}
      : {
          onRequest: (request, _reply, done) => {
            const principal = principalOf(request.headers.authorization)
            if (principal instanceof Promise)
              return principal.then((known) => {
                request.principal = known
              })
            request.principal = principal
            return done()
          },
        }),
    // The body of a GET is never read.
    ...(endpoint.method === 'GET'
      ? {}
      : {
          preValidation: (request, _reply, done) => {
            if (takesNoBody && request.body !== undefined && request.body !== null)
              throw refuse('UNKNOWN_FIELD', '', 'this endpoint takes no body')
            clean?.(request.body)
            done()
          },
        }),
    handler: handlerOf(parts, endpoint, callOf, principalOf),
  })
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const SUSPECT = /\\u0000|\\u[dD][89abAB]|\\u[dD][c-fC-F]/

function parseJson(body: Buffer): Json {
  if (body.length === 0) throw refuse('MALFORMED_JSON', '', 'the body is empty')
  let text: string
  try {
    text = strictUtf8.decode(body)
  } catch {
    throw refuse('ENCODING', '', 'the body is not valid UTF-8')
  }
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw refuse(
      'MALFORMED_JSON',
      '',
      `the body is not valid JSON: ${(error as Error).message.slice(0, 200)}`,
    )
  }
  if (text.includes('\0') || SUSPECT.test(text) || mayBeDeep(text)) assertStorableText(value)
  return value
}

function answerError(
  parts: ServerParts,
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = apiErrorOf(error)
  const kind = known?.kind ?? 'InternalServerError'
  const { code, status, message } = ERRORS[kind]
  if (status >= 500 && !(isClientGone(error) && reply.raw.destroyed))
    parts.log.error(
      {
        request_id: request.id,
        method: request.method,
        url: request.url.split('?')[0],
        error: errorForLog(error),
      },
      'request failed',
    )
  if (known?.retryAfter !== undefined) reply.header('retry-after', known.retryAfter)
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        success: false,
        error_code: code,
        error_message: message,
        // What broke inside is for the log; the caller gets the request id to name it.
        ...(known === undefined || known.message === message
          ? {}
          : { error_description: known.message }),
        ...(known === undefined || known.details.length === 0
          ? {}
          : { error_details: known.details }),
        request_id: request.id,
      }),
    )
}

/** What never became a request still gets the envelope, after the answers to those that did. */
function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const underWay = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
  if (underWay !== undefined && underWay !== null) {
    underWay.once('close', () => {
      answerMalformed(error, socket)
    })
    return
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? '431 Request Header Fields Too Large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? '408 Request Timeout'
        : '400 Bad Request'
  const { code, message } = ERRORS.BadRequest
  const body = JSON.stringify({
    success: false,
    error_code: code,
    error_message: message,
    error_description: `not a valid HTTP request: ${status.slice(4)}`,
    request_id: newId(),
  })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function errorForLog(error: Error): {
  name: string
  message: string
  stack: string | undefined
  code: unknown
} {
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code: (error as { code?: unknown }).code,
  }
}

function apiErrorOf(error: FastifyError | ApiError): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error.validation !== undefined)
    return validationError(error.validation as never, error.validationContext ?? '')
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return refuse('TOO_LARGE', '', `the body is larger than ${MAXIMUM_BODY_BYTES} bytes`)
  if (
    error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY' ||
    error.code === 'FST_ERR_CTP_INVALID_JSON_BODY'
  )
    return refuse('MALFORMED_JSON', '', error.message)
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return refuse('FORMAT', '', error.message)
  return undefined
}

/** Whoever leaves before the end of an answer is no trouble of ours; a venue that breaks off says the same of itself. */
const isClientGone = (error: Error & { code?: unknown }): boolean =>
  error.code === 'ERR_STREAM_PREMATURE_CLOSE'

/** What the framework would tell of answers that break off, in our log. */
class BrokenAnswers extends LogController {
  readonly #log: FastifyBaseLogger
  constructor(log: FastifyBaseLogger) {
    super({ disableRequestLogging: true })
    this.#log = log
  }
  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (!isClientGone(error)) this.#tell(error, request)
  }
  override writeHeadError(error: Error, request: FastifyRequest): void {
    this.#tell(error, request)
  }
  override serializerError(error: Error, request: FastifyRequest): void {
    this.#tell(error, request)
  }
  #tell(error: Error, request: FastifyRequest): void {
    this.#log.error(
      {
        request_id: request.id,
        method: request.method,
        url: request.url.split('?')[0],
        error: errorForLog(error),
      },
      'answer broken off',
    )
  }
}
