/**
 * One endpoint as a route of the server: schemas, guard, body, and what a handler is called with.
 */
import type { KeyObject } from 'node:crypto'
import { METHODS as NODE_METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { ApiError, permissionRequired, refuse } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import type { Json } from '../core/json.ts'
import { bodyBytesOf, faultGuardOf } from './body-limits.ts'
import type { Authenticate, Principal } from './caller.ts'
import type { Endpoint } from './endpoint.ts'
import { handlerOf } from './handlers.ts'
import type { AnyCall, HandlerParts } from './handlers.ts'
import { idempotencyOf } from './idempotency.ts'
import { assertClosed, assertStorableText, cleanerOf, queryDecoderOf } from './prepare.ts'
import { querySchemaOf } from './query-schema.ts'
import { readNoting, sourceOf } from './refused-requests.ts'
import type { Noting } from './refused-requests.ts'
import { closed, Type } from './shapes.ts'
import type { TObject } from './shapes.ts'

/** How long dangerous commands may follow a second factor. */
export const CONFIRMED_MILLISECONDS = 10 * 60_000
const DEFAULT_RATE_WINDOW = '1 minute'
/** A body below this cannot have so many faults that naming them takes long. */
const FEW_FAULTS_BYTES = 4_096
/** Whatever Node reads. CONNECT never reaches a route. */
const METHODS = NODE_METHODS.filter((method) => method !== 'CONNECT')

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    sent: Buffer | undefined
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint
  }
}

export function register(
  server: FastifyInstance,
  parts: HandlerParts & Noting & { authenticate: Authenticate },
  endpoint: Endpoint,
): void {
  const query = querySchemaOf(endpoint)
  for (const schema of [endpoint.params, query, endpoint.body, endpoint.data])
    assertClosed(schema, `${endpoint.method} ${endpoint.path}`)
  const { permission } = endpoint
  server.route({
    method: endpoint.method,
    url: endpoint.path,
    schema: schemaOf(endpoint, query),
    config: configOf(endpoint),
    bodyLimit: bodyBytesOf(endpoint),
    ...(permission === 'public' ? {} : guard(parts, endpoint)),
    ...readNoting(endpoint, parts),
    // The body of a GET is never read.
    ...(endpoint.method === 'GET' ? {} : bodyCheck(endpoint)),
    handler: handlerOf(
      parts,
      endpoint,
      callReader(endpoint, query, parts.request_key),
      permitted(parts.authenticate, endpoint),
    ),
  })
}

function schemaOf({ params, body, data, effect }: Endpoint, query: TObject) {
  return {
    ...(params === undefined ? {} : { params }),
    querystring: query,
    ...(body === undefined ? {} : { body }),
    response: {
      200: closed({
        success: Type.Literal(true),
        data: effect === 'list' ? Type.Array(data) : data,
      }),
    },
  }
}

function configOf(endpoint: Endpoint) {
  return {
    endpoint,
    ...(endpoint.rate_limit === undefined
      ? {}
      : { rateLimit: { max: endpoint.rate_limit, timeWindow: DEFAULT_RATE_WINDOW } }),
  }
}

/**
 * A known path answers a method that it does not have with 405, and names those that it has in
 * `Allow` (RFC 9110, part 15.5.6). To be called once all endpoints are registered.
 */
export function refuseOtherMethods(server: FastifyInstance, endpoints: readonly Endpoint[]): void {
  for (const method of METHODS)
    if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  const byPath = Map.groupBy(endpoints, ({ path }) => path.replaceAll(/:\w+/g, ':'))
  for (const [first, ...others] of byPath.values()) {
    if (first === undefined) continue
    const methods = new Set<string>([first, ...others].map(({ method }) => method))
    if (methods.has('GET')) methods.add('HEAD')
    const allowed = [...methods].join(', ')
    server.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url: first.path,
      exposeHeadRoute: false,
      onRequest: (request, reply) => {
        reply.header('allow', allowed)
        const message = `${request.method} is not possible here, only ${allowed}`
        throw new ApiError('MethodNotAllowed', message, [
          { path: '', code: 'METHOD_NOT_ALLOWED', message },
        ])
      },
      // The hook has answered.
      handler: () => undefined,
    })
  }
}

/** Answers at once where everything about the caller is known. */
function permitted(authenticate: Authenticate, endpoint: Endpoint): Authenticate {
  const checked = (principal: Principal): Principal => {
    assertPermitted(principal, endpoint)
    return principal
  }
  return (authorization, from) => {
    const principal = authenticate(authorization, from)
    return principal instanceof Promise ? principal.then(checked) : checked(principal)
  }
}

function assertPermitted(principal: Principal, { permission, enrolling }: Endpoint): void {
  if (principal.enrolling === true && enrolling !== true) throw new ApiError('SecondFactorMissing')
  if (permission !== 'authenticated' && !principal.permissions.has(permission))
    throw permissionRequired(permission)
}

/** The caller is known to the request also when it is refused. */
function guard(
  { authenticate, clock }: Pick<HandlerParts, 'clock'> & { authenticate: Authenticate },
  endpoint: Endpoint,
): Pick<RouteShorthandOptions, 'onRequest'> {
  const admit = (request: FastifyRequest, principal: Principal): Promise<void> | undefined => {
    request.principal = principal
    assertPermitted(principal, endpoint)
    return endpoint.confirmed === true && principal.confirmedAt !== undefined
      ? assertConfirmed(principal.confirmedAt(), clock)
      : undefined
  }
  return {
    onRequest: (request, _reply, done) => {
      const principal = authenticate(request.headers.authorization, request)
      const admitted =
        principal instanceof Promise
          ? principal.then((known) => admit(request, known))
          : admit(request, principal)
      if (admitted instanceof Promise) return admitted
      return done()
    },
  }
}

async function assertConfirmed(shown: Promise<number>, clock: Clock): Promise<void> {
  if ((await shown) <= clock.now() - CONFIRMED_MILLISECONDS)
    throw new ApiError('ConfirmationRequired')
}

function bodyCheck({ body }: Endpoint): Pick<RouteShorthandOptions, 'preValidation'> {
  const clean = body === undefined ? undefined : cleanerOf(body)
  const guardFaults = faultGuardOf(body ?? {})
  return {
    preValidation: (request, _reply, done) => {
      if (body === undefined && request.body !== undefined && request.body !== null)
        throw refuse('UNKNOWN_FIELD', '', 'this endpoint takes no body')
      clean?.(request.body)
      if (request.sent !== undefined && request.sent.length > FEW_FAULTS_BYTES)
        guardFaults(request.body, '')
      done()
    },
  }
}

function callReader(
  { effect }: Endpoint,
  query: TObject,
  request_key: KeyObject | undefined,
): (request: FastifyRequest, reply: FastifyReply) => AnyCall {
  const decode = queryDecoderOf(query)
  const reads = ['read', 'stream', 'list', 'file'].includes(effect)
  return (request, reply) => {
    assertStorableText(request.query)
    assertStorableText(request.params)
    const { principal } = request
    const source = sourceOf(request)
    const idempotency = reads
      ? undefined
      : idempotencyOf(
          request.headers['idempotency-key'],
          { method: request.method, url: request.url, body: (request.body ?? null) as Json },
          request_key,
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
          : {
              workspace: principal.workspace,
              by: principal.user_id,
              idempotency,
              source,
              ...(principal.api_key === undefined ? {} : { api_key: principal.api_key }),
            },
      idempotency,
      request_id: request.id,
      headers: request.headers,
      source,
      https: request.https,
      setCookie: (value) => {
        reply.header('set-cookie', value)
      },
      sent: request.sent,
    }
  }
}
