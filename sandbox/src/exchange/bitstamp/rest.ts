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
import { Refusal, formRefusal, privateOperations, publicOperations } from './operations.ts'
import type { Fields, Operation } from './operations.ts'

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

/** How the exchange says no when told to by a REFUSE fault. */
const REFUSALS: Record<string, Refusal | undefined> = {
  order: formRefusal(
    '__all__',
    'You have only 0.00 EUR available. Check your account balance for details.',
  ),
  withdrawal: formRefusal(
    'amount',
    'You have only 0.00 EUR available. Check your account balance for details.',
  ),
}
const REFUSAL = new Refusal(403, {
  status: 'error',
  reason: 'No permission found',
  code: 'API0006',
})

export function mountRest(server: FastifyInstance, exchange: Exchange): void {
  const { world, rules } = exchange
  const publicOnes = publicOperations(exchange)
  const privateOnes = privateOperations(exchange)
  const authenticate = openAuthentication(exchange)

  const answered = (work: () => unknown): Answer => {
    try {
      return { status: 200, body: work() }
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: error.body }
      server.log.error(error)
      return { status: 500, body: { status: 'error', reason: 'Internal error' } }
    }
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
        { world, venue: rules.part, operation: route.operation, request, reply },
        (refuse) =>
          answered(() => {
            const fields = fieldsOf(request)
            const reference = COUNTED[route.operation]
            if (reference !== undefined)
              world.received(rules.part, route.operation, reference(fields))
            if (refuse) throw REFUSALS[route.operation] ?? REFUSAL
            if (exchange.status() === 'maintenance')
              throw new Refusal(503, {
                error: "Bitstamp.net is under scheduled maintenance. We'll be back soon.",
              })
            const run = operations[route.run]
            if (run === undefined) throw new Refusal(404, { status: 'error', reason: 'Not found.' })
            return run(fields, route.word)
          }),
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
      scope.post('/api/v2/*', serve(privateRoute, privateOnes, authenticate))
    },
    { prefix: `/${rules.part}` },
  )
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
  const insert = world.db.prepare(`insert or ignore into ${table} (nonce, at) values (?, ?)`)
  const forget = world.db.prepare(`delete from ${table} where at < ?`)
  const refusal = (reason: string, code: string) =>
    new Refusal(403, { status: 'error', reason, code })
  return (request) => {
    const header = (name: string) => String(request.headers[name] ?? '')
    const body = typeof request.body === 'string' ? request.body : ''
    if (header('x-auth') !== `BITSTAMP ${credentials.api_key}`)
      throw refusal('API key not found', 'API0001')
    // Real requests go by https, and its name is no part of what is signed; ccxt leaves a plain
    // http in.
    const [host, rest] = [
      header('host'),
      `${header('content-type')}${header('x-auth-nonce')}${header('x-auth-timestamp')}${header('x-auth-version')}${body}`,
    ]
    const given = Buffer.from(header('x-auth-signature'), 'hex')
    const signed = (scheme: string) =>
      createHmac('sha256', credentials.api_secret)
        .update(`${header('x-auth')}${request.method}${scheme}${host}${request.url}${rest}`)
        .digest()
    if (
      !['', 'http://'].some(
        (scheme) =>
          given.length === signed(scheme).length && timingSafeEqual(given, signed(scheme)),
      )
    )
      throw refusal('Invalid signature', 'API0005')
    const at = Number(header('x-auth-timestamp'))
    // The time of the wire is the real one: the client's clock does not follow the world's.
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
