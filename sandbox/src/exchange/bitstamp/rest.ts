/**
 * The HTTP face: REST version 2 under /bitstamp/api/v2, public by GET and private by POST, with
 * Bitstamp's signature (HMAC-SHA256 over key, method, address, content type, nonce, time, version
 * and body). A nonce serves once within 150 seconds, which is also how far the time may be off.
 * Faults and counts go by operation: every order is `order`, every withdrawal `withdrawal`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { underFault } from '../../under-fault.ts'
import type { Answer } from '../../under-fault.ts'
import type { Exchange } from '../exchange.ts'
import { fundingOperations } from './funding-operations.ts'
import { OVER_LIMIT } from './limits.ts'
import type { BitstampLimits } from './limits.ts'
import { orderOperations } from './order-operations.ts'
import { publicOperations } from './public-operations.ts'
import { Refusal, formRefusal } from './request.ts'
import type { Fields, Operation } from './request.ts'

const WINDOW_MILLISECONDS = 150_000

/**
 * `operation` as faults and counts name it; `run` is the operation's name in operations.ts,
 * `word` the pair or currency of the path.
 */
type Route = { operation: string; run: string; word: string }

/** Operations that change something, and the reference under which each is counted. */
const COUNTED: Record<string, ((fields: Fields) => string) | undefined> = {
  order: (fields) => fields['client_order_id'] ?? '',
  cancel_order: (fields) => fields['id'] ?? '',
  withdrawal: (fields) => `${fields['address'] ?? fields['iban'] ?? ''} ${fields['amount'] ?? ''}`,
}

const NO_FUNDS = 'You have only 0.00 EUR available. Check your account balance for details.'
/** The exchange's answers under a REFUSE fault. */
const REFUSALS: Record<string, Refusal | undefined> = {
  order: formRefusal('__all__', NO_FUNDS),
  withdrawal: formRefusal('amount', NO_FUNDS),
}
const REFUSAL = new Refusal(403, {
  status: 'error',
  reason: 'No permission found',
  code: 'API0006',
})

const MAINTENANCE = "Bitstamp.net is under scheduled maintenance. We'll be back soon."

/** `refuse`: a fault says that the exchange says no. */
type Call = { fields: Fields; refuse: boolean }

export function mountRest(
  server: FastifyInstance,
  exchange: Exchange,
  limits: BitstampLimits,
  moreOperations: Record<string, Operation>,
): void {
  const { world, rules } = exchange
  const publicOnes = publicOperations(exchange)
  const privateOnes = {
    ...fundingOperations(exchange),
    ...orderOperations(exchange),
    ...moreOperations,
  }
  const authenticate = openAuthentication(exchange)

  const run = (route: Route, operations: Record<string, Operation>, call: Call) => {
    const { fields, refuse } = call
    const reference = COUNTED[route.operation]
    if (reference !== undefined) world.received(rules.part, route.operation, reference(fields))
    if (refuse) throw REFUSALS[route.operation] ?? REFUSAL
    if (exchange.status() === 'maintenance') throw new Refusal(503, { error: MAINTENANCE })
    const operation = operations[route.run]
    if (operation === undefined) throw new Refusal(404, { status: 'error', reason: 'Not found.' })
    return operation(fields, route.word)
  }
  const serve =
    (
      routeOf: (path: string) => Route,
      operations: Record<string, Operation>,
      fieldsOf: (request: FastifyRequest) => Fields,
    ) =>
    (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
      const route = routeOf(request.params['*'].replace(/\/$/, ''))
      return underFault(
        {
          world,
          venue: rules.part,
          operation: route.operation,
          request,
          reply,
          overLimit: OVER_LIMIT,
        },
        (refuse) =>
          answerOf(request, () => run(route, operations, { fields: fieldsOf(request), refuse })),
      )
    }
  void server.register(
    async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
        done(null, body)
      })
      scope.get(
        '/api/v2/*',
        serve(publicRoute, publicOnes, (request) => request.query as Fields),
      )
      scope.post(
        '/api/v2/*',
        serve(privateRoute, privateOnes, (request) => {
          const fields = authenticate(request)
          limits.call()
          return fields
        }),
      )
    },
    { prefix: `/${rules.part}` },
  )
}

function answerOf(request: FastifyRequest, work: () => unknown): Answer {
  try {
    return { status: 200, body: work() }
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body }
    request.log.error(error)
    return { status: 500, body: { status: 'error', reason: 'Internal error' } }
  }
}

function publicRoute(path: string): Route {
  const [run = '', word = ''] = path.split('/')
  return { operation: run, run, word }
}

function privateRoute(path: string): Route {
  const order = /^((?:buy|sell)(?:\/(?:market|instant))?)\/([a-z]+)$/.exec(path)
  if (order !== null)
    return { operation: 'order', run: order[1] as string, word: order[2] as string }
  const coin = /^([a-z]+)_(withdrawal|address)$/.exec(path)
  if (coin !== null)
    return { operation: coin[2] as string, run: coin[2] as string, word: coin[1] as string }
  if (path === 'withdrawal/open') return { operation: 'withdrawal', run: path, word: '' }
  const fee = /^(fees\/[a-z]+)\/([a-z]+)$/.exec(path)
  if (fee !== null)
    return { operation: fee[1] as string, run: fee[1] as string, word: fee[2] as string }
  return { operation: path, run: path, word: '' }
}

function openAuthentication({
  world,
  rules,
  credentials,
}: Exchange): (request: FastifyRequest) => Fields {
  const table = `${rules.tables}_nonces`
  world.db.exec(`create table if not exists ${table} (nonce text primary key, at integer not null)`)
  const insert = world.db.prepare(`
    insert or ignore into ${table} (nonce, at)
    values (?, ?)`)
  const forget = world.db.prepare(`
    delete from ${table}
    where at < ?`)
  const refusal = (reason: string, code: string) =>
    new Refusal(403, { status: 'error', reason, code })
  return (request) => {
    const header = (name: string) => headerOf(request, name)
    const body = typeof request.body === 'string' ? request.body : ''
    if (header('x-auth') !== `BITSTAMP ${credentials.api_key}`)
      throw refusal('API key not found', 'API0001')
    if (!isSigned(request, body, credentials.api_secret))
      throw refusal('Invalid signature', 'API0005')
    const at = Number(header('x-auth-timestamp'))
    // Real time: the client's clock does not follow the world's.
    const now = Date.now()
    if (!Number.isSafeInteger(at) || Math.abs(now - at) > WINDOW_MILLISECONDS)
      throw refusal('X-Auth-Timestamp is not within 150 seconds of the server time', 'API0017')
    forget.run(now - 2 * WINDOW_MILLISECONDS)
    if (
      !/^[0-9a-f-]{36}$/.test(header('x-auth-nonce')) ||
      insert.run(header('x-auth-nonce'), now).changes === 0
    )
      throw refusal('Invalid nonce', 'API0004')
    return Object.fromEntries(new URLSearchParams(body))
  }
}

function headerOf(request: FastifyRequest, name: string): string {
  return String(request.headers[name] ?? '')
}

/** Requests over https sign the address without a scheme; ccxt signs `http://` too. */
function isSigned(request: FastifyRequest, body: string, secret: string): boolean {
  const header = (name: string) => headerOf(request, name)
  const rest = [
    header('content-type'),
    header('x-auth-nonce'),
    header('x-auth-timestamp'),
    header('x-auth-version'),
    body,
  ].join('')
  const signature = Buffer.from(header('x-auth-signature'), 'hex')
  return ['', 'http://'].some((scheme) => {
    const address = `${scheme}${header('host')}${request.url}`
    const expected = createHmac('sha256', secret)
      .update(`${header('x-auth')}${request.method}${address}${rest}`)
      .digest()
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}
