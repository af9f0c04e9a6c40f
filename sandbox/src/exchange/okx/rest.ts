/**
 * The HTTP face: version 5 under /okx/api/v5. Private calls are signed (HMAC-SHA256 in base64 over
 * time, method, path with query, and body) and carry the key and its passphrase; the time may be
 * off by 30 seconds ("REST Authentication"). Every answer is an envelope of code, msg and data.
 * Faults and counts go by the last word of the path; reading an order is `order-details`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { underFault } from '../../under-fault.ts'
import type { Answer } from '../../under-fault.ts'
import type { Exchange } from '../exchange.ts'
import { OVER_LIMIT } from './limits.ts'
import type { OkxLimits } from './limits.ts'
import { Refusal, orderRefusal, refusal } from './request.ts'
import type { Fields, Operation } from './request.ts'

const WINDOW_MILLISECONDS = 30_000
const MAINTENANCE = 'Service temporarily unavailable. Please try again later.'

/** Operations that change something, and the reference under which each is counted. */
const COUNTED: Readonly<Record<string, (fields: Fields) => string>> = {
  order: (fields) => fields['clOrdId'] ?? '',
  'cancel-order': (fields) => fields['ordId'] ?? fields['clOrdId'] ?? '',
  withdrawal: (fields) => fields['clientId'] ?? '',
  transfer: (fields) => fields['clientId'] ?? '',
  'create-withdrawal': (fields) => fields['clientId'] ?? '',
}

/** The exchange's answers under a REFUSE fault. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  order: orderRefusal('51009', 'Order blocked. Please contact customer support for assistance.'),
  withdrawal: refusal('58207', "Withdrawal address isn't on the verified address list."),
  transfer: refusal('58101', 'Transfer suspended'),
  'create-withdrawal': refusal('58402', 'Invalid payment account'),
}
const REFUSED = refusal('50030', "You don't have permission to use this API endpoint")

export type Operations = Readonly<Record<string, Operation>>
type Parts = { publicOnes: Operations; privateOnes: Operations; limits: OkxLimits }

export function mountRest(server: FastifyInstance, exchange: Exchange, parts: Parts): void {
  const { world, rules } = exchange
  const { publicOnes, privateOnes, limits } = parts
  const serve = (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
    const endpoint = `${request.method} ${request.params['*']}`
    const operation = nameOf(endpoint)
    const answer = (refuse: boolean) => {
      const fields = fieldsOf(request)
      const isPublic = publicOnes[endpoint] !== undefined
      if (!isPublic) {
        authenticate(exchange, request)
        limits.call(endpoint, fields)
      }
      const reference = COUNTED[operation]
      if (reference !== undefined) world.received(rules.part, operation, reference(fields))
      if (refuse) throw REFUSALS[operation] ?? REFUSED
      if (exchange.status() === 'maintenance') throw refusal('50001', MAINTENANCE, 503)
      const run = publicOnes[endpoint] ?? privateOnes[endpoint]
      if (run === undefined) throw new Refusal(404, { code: '404', msg: 'Not Found', data: [] })
      return { code: '0', msg: '', data: run(fields) }
    }
    return underFault(
      { world, venue: rules.part, operation, request, reply, overLimit: OVER_LIMIT },
      (refuse) => answerOf(request, () => answer(refuse)),
    )
  }
  void server.register(
    async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
        done(null, body)
      })
      scope.get('/api/v5/*', serve)
      scope.post('/api/v5/*', serve)
    },
    { prefix: `/${rules.part}` },
  )
}

/** `POST asset/withdrawal` is `withdrawal`. */
function nameOf(endpoint: string): string {
  return endpoint === 'GET trade/order' ? 'order-details' : (endpoint.split('/').at(-1) ?? '')
}

function answerOf(request: FastifyRequest, work: () => object): Answer {
  try {
    return { status: 200, body: work() }
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body }
    request.log.error(error)
    return {
      status: 500,
      body: { code: '50026', msg: 'System error. Try again later', data: [] },
    }
  }
}

function fieldsOf(request: FastifyRequest): Fields {
  if (request.method === 'GET') return request.query as Fields
  const text = typeof request.body === 'string' ? request.body : ''
  try {
    const body = JSON.parse(text) as Record<string, unknown>
    return Object.fromEntries(
      Object.entries(body)
        .filter(([, value]) => typeof value !== 'object')
        .map(([name, value]) => [name, String(value)]),
    )
  } catch {
    throw refusal('50002', 'JSON syntax error', 400)
  }
}

function authenticate({ rules, credentials }: Exchange, request: FastifyRequest): void {
  const header = (name: string) => String(request.headers[`ok-access-${name}`] ?? '')
  if (header('key') !== credentials.api_key) throw refusal('50111', 'Invalid OK-ACCESS-KEY.', 401)
  if (header('passphrase') !== credentials.passphrase)
    throw refusal('50105', 'Request header "OK-ACCESS-PASSPHRASE" incorrect.', 401)
  const time = header('timestamp')
  const at = Date.parse(time)
  if (!/^[0-9-]{10}T[0-9:.]{12}Z$/.test(time) || !Number.isFinite(at))
    throw refusal('50112', 'Invalid OK-ACCESS-TIMESTAMP.', 401)
  // Real time: the client's clock does not follow the world's.
  if (Math.abs(Date.now() - at) > WINDOW_MILLISECONDS)
    throw refusal('50102', 'Timestamp request expired.', 401)
  const body = typeof request.body === 'string' ? request.body : ''
  const path = request.url.slice(`/${rules.part}`.length)
  const expected = createHmac('sha256', credentials.api_secret)
    .update(`${time}${request.method}${path}${body}`)
    .digest()
  const signature = Buffer.from(header('sign'), 'base64')
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected))
    throw refusal('50113', 'Invalid signature.', 401)
}
