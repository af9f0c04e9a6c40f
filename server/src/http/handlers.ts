/**
 * What answers a request once it is let in, by the endpoint's effect; chosen when the endpoint is
 * registered.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { NO_WORKSPACE } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Db, Tx } from '../store/db.ts'
import type { Authenticate, Caller, Principal } from './caller.ts'
import type { Call, Endpoint, ListQuery } from './endpoint.ts'
import { answerStream } from './event-stream.ts'
import { onceInSteps, onceInTransaction } from './idempotency.ts'
import type { Repeatable } from './idempotency.ts'
import { csvStream, csvText, jsonStream, page } from './lists.ts'

export type AnyCall = Omit<Call<unknown, unknown, unknown>, 'principal' | 'caller'> & {
  principal: Principal | undefined
  caller: Caller | undefined
}
type Handler = (call: Call<never, never, never>, tx?: Tx) => Promise<Json> | Json

/** `ending` is aborted when the server ends, so that streams do not hold it up. */
export type HandlerParts = { db: Db; clock: Clock; ending: AbortSignal }

export function handlerOf(
  parts: HandlerParts,
  endpoint: Endpoint,
  callOf: (request: FastifyRequest) => AnyCall,
  principalOf: Authenticate,
): (request: FastifyRequest, reply: FastifyReply) => unknown {
  if (endpoint.effect === 'list') {
    return async (request, reply) => {
      const call = callOf(request)
      return answerList(parts.db, request, reply, {
        itemSchema: endpoint.data,
        list: await endpoint.list(call as never),
        paging: call.query as Paging,
      })
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
  parts: HandlerParts,
  effect: Exclude<Endpoint['effect'], 'list' | 'stream'>,
  handle: Handler,
): (call: AnyCall) => Promise<Json> | Json {
  switch (effect) {
    case 'transaction':
      return (call) =>
        onceInTransaction(parts, repeatableOf(call), async (tx) => handle(call as never, tx))
    case 'venue':
      return (call) => onceInSteps(parts, repeatableOf(call), async () => handle(call as never))
    default:
      return (call) => handle(call as never)
  }
}

function repeatableOf({ principal, idempotency }: AnyCall): Repeatable {
  return principal === undefined
    ? { workspace: NO_WORKSPACE, idempotency: undefined }
    : { workspace: principal.workspace, idempotency }
}

type Paging = { limit?: number; cursor?: string }

async function answerList(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  { itemSchema, list, paging }: { itemSchema: unknown; list: ListQuery<Json>; paging: Paging },
) {
  const serialize = (reply.getSerializationFunction(itemSchema as never) ??
    reply.compileSerializationSchema(itemSchema as never)) as unknown as (item: Json) => string
  const columns = /\btext\/csv\b/.test(request.headers.accept ?? '')
    ? Object.keys((itemSchema as { properties: Record<string, unknown> }).properties)
    : undefined
  reply
    .type(columns === undefined ? 'application/json; charset=utf-8' : 'text/csv; charset=utf-8')
    .header('vary', 'Accept')
  // Nobody would take the rows, so nothing would slow the reading down.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  if (paging.limit === undefined)
    return reply.send(
      columns === undefined
        ? await jsonStream(db, list, paging.cursor, serialize)
        : await csvStream(db, list, paging.cursor, columns),
    )
  const { items, next } = await page(db, list, paging.limit, paging.cursor)
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
