/**
 * The HTTP face: public and private REST under /kraken/0, with Kraken's signature (HMAC-SHA512
 * over path and SHA-256 of nonce and body) and its rule that the nonce of a key only ever grows.
 * Errors are HTTP 200 with a list of texts.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withOddRecord } from '../../under-fault.ts'
import type { Exchange } from '../exchange.ts'
import type { Settings } from '../settings.ts'
import { NONCE_WINDOW } from './api-key.ts'
import { Refusal } from './request.ts'
import type { Fields, Operation } from './request.ts'
import { OVER_LIMIT } from './limits.ts'
import type { KrakenLimits } from './limits.ts'

/** Operations that change something, and the reference under which each is counted. */
const COUNTED: Record<string, ((fields: Fields) => string) | undefined> = {
  AddOrder: (fields) => fields['cl_ord_id'] ?? fields['userref'] ?? '',
  CancelOrder: (fields) => fields['cl_ord_id'] ?? fields['txid'] ?? '',
  Withdraw: (fields) => `${fields['key'] ?? ''} ${fields['amount'] ?? ''}`,
  WithdrawCancel: (fields) => fields['refid'] ?? '',
}

/** The exchange's answer to an operation under a REFUSE fault. */
const REFUSALS: Record<string, string | undefined> = {
  AddOrder: 'EOrder:Insufficient funds',
  CancelOrder: 'EOrder:Unknown order',
  Withdraw: 'EFunding:Insufficient funds',
}
const REFUSAL = 'EGeneral:Permission denied'

const UNANSWERED_MILLISECONDS = 60_000
const LATEST_MILLISECONDS = 120_000

type Face = Pick<Exchange, 'world' | 'rules' | 'settings' | 'credentials' | 'status'> & {
  publicOperations: Record<string, Operation>
  privateOperations: Record<string, Operation>
  limits: KrakenLimits
}
type OperationRequest = FastifyRequest<{ Params: { operation: string } }>
/** Does something later, unless the server closes before. */
type Later = (work: () => void, milliseconds: number) => void

export function mountRest(server: FastifyInstance, face: Face): void {
  const waiting = new Set<NodeJS.Timeout>()
  const later: Later = (work, milliseconds) => {
    const timer = setTimeout(() => {
      waiting.delete(timer)
      work()
    }, milliseconds)
    waiting.add(timer)
  }
  const serve =
    (run: (face: Face, request: OperationRequest) => unknown) =>
    (request: OperationRequest, reply: FastifyReply) => {
      answer(face, { request, reply, later }, () => run(face, request))
    }
  void server.register(
    async (scope) => {
      scope.addHook('onClose', async () => {
        for (const timer of waiting) clearTimeout(timer)
      })
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
        done(null, body)
      })
      scope.get('/0/public/:operation', serve(runPublic))
      scope.post('/0/private/:operation', serve(runPrivate))
    },
    { prefix: `/${face.rules.part}` },
  )
}

function runPublic(face: Face, request: OperationRequest): unknown {
  const run = face.publicOperations[request.params.operation]
  if (run === undefined) throw new Refusal('EGeneral:Unknown method')
  return run(request.query as Fields)
}

function runPrivate(face: Face, request: OperationRequest): unknown {
  const name = request.params.operation
  const run = face.privateOperations[name]
  if (run === undefined) throw new Refusal('EGeneral:Unknown method')
  const fields = authenticate(face, `/0/private/${name}`, request)
  const reference = COUNTED[name]
  if (reference !== undefined) face.world.received(face.rules.part, name, reference(fields))
  face.limits.call(name)
  if (face.status() === 'maintenance') throw new Refusal('EService:Unavailable')
  return run(fields)
}

/** Runs the operation and answers it, or does what a fault says. */
function answer(
  face: Face,
  { request, reply, later }: { request: OperationRequest; reply: FastifyReply; later: Later },
  work: () => unknown,
): void {
  const { world, rules } = face
  const { operation } = request.params
  const fault = world.faults.take(rules.part, operation)
  reply.hijack()
  const disconnect = () => {
    request.raw.socket.destroy()
  }
  if (fault?.kind === 'DOWN') return disconnect()
  const payload = payloadOf(request, () => {
    if (fault?.kind === 'LIMIT') throw new Refusal(OVER_LIMIT)
    return fault?.kind === 'REFUSE' ? refuse(face, operation, request) : work()
  })
  if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') return later(disconnect, UNANSWERED_MILLISECONDS)
  if (fault?.kind === 'CUT') return disconnect()
  if (fault?.kind === 'TWICE') payload.result = twice(payload.result)
  if (fault?.kind === 'ODD') payload.result = withOddRecord(payload.result)
  const send = () => {
    reply.raw.writeHead(200, { 'content-type': 'application/json' })
    reply.raw.end(JSON.stringify(payload))
  }
  if (fault?.kind === 'LATE')
    later(send, Math.min(fault.delay_ms / world.pace(), LATEST_MILLISECONDS))
  else send()
}

function payloadOf(
  request: FastifyRequest,
  work: () => unknown,
): { error: string[]; result?: unknown } {
  try {
    return { error: [], result: work() }
  } catch (error) {
    if (error instanceof Refusal) return { error: [error.message] }
    request.log.error(error)
    return { error: ['EGeneral:Internal error'] }
  }
}

function bodyOf(request: FastifyRequest): string {
  return typeof request.body === 'string' ? request.body : ''
}

/** Every list in the answer, also an order's list of trades, has each of its items twice. */
function twice(result: unknown): unknown {
  if (Array.isArray(result)) return [...(result as unknown[]), ...(result as unknown[])]
  if (typeof result !== 'object' || result === null) return result
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, twice(value)]))
}

/** A refused request is counted as received like any other. */
function refuse(face: Face, operation: string, request: FastifyRequest): never {
  const reference = COUNTED[operation]
  const fields = Object.fromEntries(new URLSearchParams(bodyOf(request)))
  if (reference !== undefined) face.world.received(face.rules.part, operation, reference(fields))
  throw new Refusal(REFUSALS[operation] ?? REFUSAL)
}

/** Answers the fields of a request whose key, signature and nonce are right. */
function authenticate(face: Face, path: string, request: FastifyRequest): Fields {
  if (request.headers['api-key'] !== face.credentials.api_key) throw new Refusal('EAPI:Invalid key')
  const body = bodyOf(request)
  const fields = fieldsOf(request, body)
  const nonce = String(fields['nonce'] ?? '')
  const digest = createHash('sha256')
    .update(nonce + body)
    .digest()
  const expected = createHmac('sha512', Buffer.from(face.credentials.api_secret, 'base64'))
    .update(path)
    .update(digest)
    .digest()
  const signature = Buffer.from(String(request.headers['api-sign'] ?? ''), 'base64')
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected))
    throw new Refusal('EAPI:Invalid signature')
  if (!/^[0-9]{1,19}$/.test(nonce)) throw new Refusal('EAPI:Invalid nonce')
  takeNonce(face.settings, BigInt(nonce))
  return fields
}

/**
 * A nonce is above every earlier one, or at most the key's window below the highest ("What is a
 * nonce window?", support.kraken.com/hc/en-us/articles/360001148023).
 */
function takeNonce(settings: Settings, nonce: bigint): void {
  const highest = BigInt(settings.get('nonce') ?? '0')
  const window = BigInt(settings.get(NONCE_WINDOW) ?? '0')
  if (nonce === highest || nonce <= highest - window) throw new Refusal('EAPI:Invalid nonce')
  if (nonce > highest) settings.set('nonce', String(nonce))
}

function fieldsOf(request: FastifyRequest, body: string): Fields {
  if (!String(request.headers['content-type']).startsWith('application/json'))
    return Object.fromEntries(new URLSearchParams(body))
  try {
    return JSON.parse(body) as Fields
  } catch {
    throw new Refusal('EGeneral:Invalid arguments')
  }
}
