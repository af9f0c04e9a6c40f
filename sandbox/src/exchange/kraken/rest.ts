/**
 * The HTTP face: public and private REST under /kraken/0, with Kraken's signature (HMAC-SHA512 over path and
 * SHA-256 of nonce and body) and its rule that the nonce of a key only ever grows. Errors are HTTP 200 with a list of texts.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Exchange } from '../exchange.ts'
import { Refusal } from './operations.ts'
import type { Fields, Operation } from './operations.ts'

/** Operations that change something, and the reference under which each is counted. */
const COUNTED: Record<string, ((fields: Fields) => string) | undefined> = {
  AddOrder: (fields) => fields['cl_ord_id'] ?? fields['userref'] ?? '',
  CancelOrder: (fields) => fields['cl_ord_id'] ?? fields['txid'] ?? '',
  Withdraw: (fields) => `${fields['key'] ?? ''} ${fields['amount'] ?? ''}`,
  WithdrawCancel: (fields) => fields['refid'] ?? '',
}

/** How the exchange says no to an operation when told to by a REFUSE fault. */
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
}

export function mountRest(server: FastifyInstance, face: Face): void {
  const {
    world,
    rules: { part },
  } = face
  const waiting = new Set<NodeJS.Timeout>()
  const later = (work: () => void, milliseconds: number) => {
    const timer = setTimeout(() => {
      waiting.delete(timer)
      work()
    }, milliseconds)
    waiting.add(timer)
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
      scope.get<{ Params: { operation: string } }>('/0/public/:operation', (request, reply) => {
        const run = face.publicOperations[request.params.operation]
        void answer(request, reply, request.params.operation, () => {
          if (run === undefined) throw new Refusal('EGeneral:Unknown method')
          return run(request.query as Fields)
        })
      })
      scope.post<{ Params: { operation: string } }>('/0/private/:operation', (request, reply) => {
        const name = request.params.operation
        void answer(request, reply, name, () => {
          const run = face.privateOperations[name]
          if (run === undefined) throw new Refusal('EGeneral:Unknown method')
          const body = typeof request.body === 'string' ? request.body : ''
          const fields = authenticate(face, `/0/private/${name}`, request, body)
          const reference = COUNTED[name]
          if (reference !== undefined) world.received(part, name, reference(fields))
          if (face.status() === 'maintenance') throw new Refusal('EService:Unavailable')
          return run(fields)
        })
      })
    },
    { prefix: `/${part}` },
  )

  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: string,
    work: () => unknown,
  ): Promise<void> {
    const fault = world.faults.take(part, operation)
    reply.hijack()
    if (fault?.kind === 'DOWN') {
      request.raw.socket.destroy()
      return
    }
    let payload: { error: string[]; result?: unknown }
    try {
      payload = {
        error: [],
        result: fault?.kind === 'REFUSE' ? refuse(face, operation, request) : work(),
      }
    } catch (error) {
      if (!(error instanceof Refusal)) server.log.error(error)
      payload = { error: [error instanceof Refusal ? error.message : 'EGeneral:Internal error'] }
    }
    if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') {
      later(() => {
        request.raw.socket.destroy()
      }, UNANSWERED_MILLISECONDS)
      return
    }
    if (fault?.kind === 'CUT') {
      request.raw.socket.destroy()
      return
    }
    if (fault?.kind === 'TWICE') payload.result = twice(payload.result)
    const send = () => {
      reply.raw.writeHead(200, { 'content-type': 'application/json' })
      reply.raw.end(JSON.stringify(payload))
    }
    if (fault?.kind === 'LATE')
      later(send, Math.min(fault.delay_ms / world.pace(), LATEST_MILLISECONDS))
    else send()
  }
}

/** Every list in the answer, also an order's list of trades, tells each of its items twice. */
function twice(result: unknown): unknown {
  if (Array.isArray(result)) return [...(result as unknown[]), ...(result as unknown[])]
  if (typeof result !== 'object' || result === null) return result
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, twice(value)]))
}

/** A refused request is counted as received like any other. */
function refuse(face: Face, operation: string, request: FastifyRequest): never {
  const reference = COUNTED[operation]
  const body = typeof request.body === 'string' ? request.body : ''
  if (reference !== undefined)
    face.world.received(
      face.rules.part,
      operation,
      reference(Object.fromEntries(new URLSearchParams(body))),
    )
  throw new Refusal(REFUSALS[operation] ?? REFUSAL)
}

function authenticate(face: Face, path: string, request: FastifyRequest, body: string): Fields {
  if (request.headers['api-key'] !== face.credentials.api_key) throw new Refusal('EAPI:Invalid key')
  const json = String(request.headers['content-type']).startsWith('application/json')
  let fields: Fields
  try {
    fields = json ? (JSON.parse(body) as Fields) : Object.fromEntries(new URLSearchParams(body))
  } catch {
    throw new Refusal('EGeneral:Invalid arguments')
  }
  const nonce = String(fields['nonce'] ?? '')
  const digest = createHash('sha256')
    .update(nonce + body)
    .digest()
  const expected = createHmac('sha512', Buffer.from(face.credentials.api_secret, 'base64'))
    .update(path)
    .update(digest)
    .digest()
  const given = Buffer.from(String(request.headers['api-sign'] ?? ''), 'base64')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new Refusal('EAPI:Invalid signature')
  if (!/^[0-9]{1,19}$/.test(nonce) || BigInt(nonce) <= BigInt(face.settings.get('nonce') ?? '0'))
    throw new Refusal('EAPI:Invalid nonce')
  face.settings.set('nonce', nonce)
  return fields
}
