/** What answers a request once it is let in, by the endpoint's effect; chosen when the endpoint is registered. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { NO_WORKSPACE } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Db, Tx } from '../store/db.ts'
import type { Caller, Principal } from './caller.ts'
import type { Call, Endpoint, ListQuery } from './endpoint.ts'
import { answerStream } from './event-stream.ts'
import { onceInSteps, onceInTransaction } from './idempotency.ts'
import { csvStream, csvText, jsonStream, page } from './lists.ts'

export type AnyCall = Omit<Call<unknown, unknown, unknown>, 'principal' | 'caller'> & {
  principal: Principal | undefined
  caller: Caller | undefined
}
type Handler = (call: Call<never, never, never>, tx?: Tx) => Promise<Json> | Json

type PrincipalOf = (authorization: string | undefined) => Promise<Principal> | Principal
/** `ending` is aborted when the server ends, so that streams do not hold it up. */
type Parts = { db: Db; clock: Clock; ending: AbortSignal }

export function handlerOf(
  parts: Parts,
  endpoint: Endpoint,
  callOf: (request: FastifyRequest) => AnyCall,
  principalOf: PrincipalOf,
): (request: FastifyRequest, reply: FastifyReply) => unknown {
  if (endpoint.effect === 'list') {
    return async (request, reply) => {
      const call = callOf(request)
      return answerList(
        parts,
        request,
        reply,
        endpoint.data,
        await endpoint.list(call as never),
        call.query as { limit?: number; cursor?: string },
      )
    }
  }
  if (endpoint.effect === 'stream') {
    return async (request, reply) => {
      const call = callOf(request)
      return answerStream(request, reply, {
        ending: parts.ending,
        allowed: async () => {
          await principalOf(request.headers.authorization)
          return true
        },
        source: (leaving) => endpoint.stream(call as never, leaving),
      })
    }
  }
  const work = workOf(parts, endpoint.effect, endpoint.handle as unknown as Handler)
  /** Of answers that are frozen. */
  const texts = new WeakMap<object, string>()
  const answered = (reply: FastifyReply, answer: Json): unknown => {
    if (typeof answer !== 'object' || answer === null) return { success: true, data: answer }
    let text = texts.get(answer)
    if (text === undefined) {
      const envelope = { success: true, data: answer }
      if (!Object.isFrozen(answer)) return envelope
      texts.set(answer, (text = inOnePiece(String(reply.serialize(envelope)))))
    }
    reply.type('application/json; charset=utf-8')
    return text
  }
  return (request, reply) => {
    const answer = work(callOf(request))
    return answer instanceof Promise
      ? answer.then((known) => answered(reply, known))
      : answered(reply, answer)
  }
}

/** A text put together of parts would be put together again for each who is sent it. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString()
}

/** A repeat is recognised by the caller's workspace: a public endpoint does its work each time. */
function workOf(
  { db, clock }: Parts,
  effect: Exclude<Endpoint['effect'], 'list' | 'stream'>,
  handle: Handler,
): (call: AnyCall) => Promise<Json> | Json {
  const known = ({ principal, idempotency }: AnyCall) =>
    principal === undefined ? undefined : idempotency
  const workspaceOf = ({ principal }: AnyCall) => principal?.workspace ?? NO_WORKSPACE
  switch (effect) {
    case 'transaction':
      return (call) =>
        onceInTransaction(db, clock, workspaceOf(call), known(call), async (tx) =>
          handle(call as never, tx),
        )
    case 'venue':
      return (call) =>
        onceInSteps(db, clock, workspaceOf(call), known(call), async () => handle(call as never))
    default:
      return (call) => handle(call as never)
  }
}

async function answerList(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  itemSchema: unknown,
  list: ListQuery<Json>,
  paging: { limit?: number; cursor?: string },
) {
  const serialize = (reply.getSerializationFunction(itemSchema as never) ??
    reply.compileSerializationSchema(itemSchema as never)) as unknown as (item: Json) => string
  const columns = /\btext\/csv\b/.test(request.headers.accept ?? '')
    ? Object.keys((itemSchema as { properties: Record<string, unknown> }).properties)
    : undefined
  reply
    .type(columns === undefined ? 'application/json; charset=utf-8' : 'text/csv; charset=utf-8')
    .header('vary', 'Accept')
  // Nobody would read it, so nothing would hold the reading back.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  if (paging.limit === undefined)
    return reply.send(
      columns === undefined
        ? await jsonStream(parts.db, list, paging.cursor, serialize)
        : await csvStream(parts.db, list, paging.cursor, columns),
    )
  const { items, next } = await page(parts.db, list, paging.limit, paging.cursor)
  if (next !== undefined) {
    const url = new URL(request.url, 'http://kontor')
    url.searchParams.set('cursor', next)
    reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
  }
  return reply.send(
    columns === undefined
      ? `{"success":true,"data":[${items.map(serialize).join(',')}]}`
      : csvText(items, columns),
  )
}
