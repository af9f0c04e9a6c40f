/**
 * What answers a request once it is let in, by the endpoint's effect; chosen when the endpoint is
 * registered.
 */
import type { KeyObject } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { NO_WORKSPACE } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { placeOf, servingCall } from '../store/calls.ts'
import type { Db, Tx } from '../store/db.ts'
import { takePlace } from './bulk-reads.ts'
import type { BulkReads } from './bulk-reads.ts'
import type { Authenticate, Caller, Principal } from './caller.ts'
import type { Call, Endpoint, ListOrder, ListQuery, Work } from './endpoint.ts'
import { callerGone } from './error-answers.ts'
import { answerFile } from './files.ts'
import { answerStream } from './event-stream.ts'
import type { StreamSeats } from './event-stream.ts'
import { onceInSteps, onceInTransaction } from './idempotency.ts'
import type { Repeatable } from './idempotency.ts'
import { answerPaper, wantedPaper } from './paper.ts'
import { recordIn } from './refused-requests.ts'
import { csvFormat, jsonFormat, listInPieces, orderOf, pageInPieces } from './lists.ts'
import { AHEAD_BYTES, inPieces } from './slow-readers.ts'
import type { Pacing } from './slow-readers.ts'

export type AnyCall = Omit<Call<unknown, unknown, unknown>, 'principal' | 'caller'> & {
  principal: Principal | undefined
  caller: Caller | undefined
}
type Handler = (call: Call<never, never, never>, tx?: Tx) => Promise<Json> | Json

/** `ending` is aborted when the server ends, so that streams do not hold it up. */
export type HandlerParts = Pacing & {
  db: Db
  clock: Clock
  /** By which hashes of requests are made; without it they have no key. */
  request_key?: KeyObject | undefined
  ending: AbortSignal
  bulk: BulkReads
  seats: StreamSeats
}

type RepeatParts = Pick<HandlerParts, 'db'>
type CallOf = (request: FastifyRequest, reply: FastifyReply) => AnyCall
type Answerer = (request: FastifyRequest, reply: FastifyReply) => unknown

export function handlerOf(
  parts: HandlerParts,
  endpoint: Endpoint,
  callOf: CallOf,
  principalOf: Authenticate,
): Answerer {
  const answerData = dataHandlerOf(parts, endpoint, callOf, principalOf)
  const { papers } = endpoint
  if (papers === undefined) return answerData
  return (request, reply) => {
    reply.header('vary', 'Accept')
    const wanted = wantedPaper(request, papers)
    if (wanted === undefined) return answerData(request, reply)
    const call = callOf(request, reply)
    return answerPaper(parts, { request, reply }, wanted.form, async () =>
      wanted.write(call as never, await dataOf(endpoint, call)),
    )
  }
}

/** What a paper is written from. */
function dataOf(endpoint: Endpoint, call: AnyCall): unknown {
  if (endpoint.effect === 'list') return endpoint.list(call as never)
  assert(endpoint.effect === 'read', `${endpoint.operation_id} reads`)
  return endpoint.handle(call as never)
}

function dataHandlerOf(
  parts: HandlerParts,
  endpoint: Endpoint,
  callOf: CallOf,
  principalOf: Authenticate,
): Answerer {
  if (endpoint.effect === 'list') {
    return (request, reply) => {
      const call = callOf(request, reply)
      return answerList(parts, request, reply, {
        itemSchema: endpoint.data,
        list: async () => endpoint.list(call as never),
        ordered_by: endpoint.ordered_by ?? 'id',
        paging: call.query as Paging,
      })
    }
  }
  if (endpoint.effect === 'stream') {
    return async (request, reply) => {
      const call = callOf(request, reply)
      return answerStream(request, reply, {
        ...parts,
        // Who lost a permission comes back, and sees what is left.
        allowed: async () => {
          const { permissions } = await principalOf(request.headers.authorization, request)
          return [...(call.principal?.permissions ?? [])].every((had) => permissions.has(had))
        },
        source: (leaving) => endpoint.stream(call as never, leaving),
      })
    }
  }
  if (endpoint.effect === 'file') {
    const { read_cost = 0 } = endpoint
    return async (request, reply) => {
      parts.bulk.admit(request.principal)
      parts.bulk.charge(request.principal, read_cost)
      return answerFile(reply, await endpoint.file(callOf(request, reply) as never))
    }
  }
  const work = workOf(parts, endpoint, endpoint.handle as unknown as Handler)
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
  const { read_cost } = endpoint
  return (request, reply) => {
    if (read_cost !== undefined) {
      parts.bulk.admit(request.principal)
      parts.bulk.charge(request.principal, read_cost)
    }
    const answer = work(callOf(request, reply))
    return answer instanceof Promise
      ? answer.then((known) => answered(reply, known))
      : answered(reply, answer)
  }
}

/** A text put together of parts would be put together again for each who is sent it. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString()
}

type WorkOfAny = (call: AnyCall) => Promise<Json> | Json

function workOf(parts: RepeatParts, endpoint: Endpoint, handle: Handler): WorkOfAny {
  const work = plainWorkOf(parts, endpoint, handle)
  const { around } = endpoint
  return around === undefined ? work : (call) => around(call as never, work as Work)
}

/** The work of an endpoint for a call that no request brings, without what stands around it. */
export function performerOf(parts: RepeatParts, endpoint: Endpoint): Work {
  assert('handle' in endpoint, `${endpoint.operation_id} does something`)
  return plainWorkOf(parts, endpoint, endpoint.handle as unknown as Handler) as Work
}

/** A repeat is recognised by the caller's workspace: a public endpoint does its work each time. */
function plainWorkOf(parts: RepeatParts, endpoint: Endpoint, handle: Handler): WorkOfAny {
  switch (endpoint.effect) {
    case 'read':
      return (call) => handle(call as never)
    case 'transaction':
      return (call) =>
        recorded(endpoint, call, () =>
          onceInTransaction(parts, repeatableOf(call), async (tx) => handle(call as never, tx)),
        )
    case 'venue':
      return (call) =>
        onceInSteps(parts, repeatableOf(call), () =>
          recorded(endpoint, call, () => handle(call as never)),
        )
    default:
      return (call) => recorded(endpoint, call, () => handle(call as never))
  }
}

/** What the work commits is recorded as done for this call. */
function recorded(
  { operation_id, unrecorded }: Endpoint,
  { principal, source, request_id, params }: AnyCall,
  work: () => Promise<Json> | Json,
): Promise<Json> {
  if (principal === undefined || unrecorded !== undefined) return Promise.resolve(work())
  const call = {
    workspace: principal.workspace,
    operation: operation_id,
    request_id,
    actor: principal.user_id,
    // What is done once it was approved has none.
    session_id: principal.session_id === '' ? null : principal.session_id,
    ...placeOf(source),
    record_id: recordIn(params),
    told: false,
    ended: false,
  }
  return servingCall(call, work)
}

function repeatableOf({ principal, idempotency }: AnyCall): Repeatable {
  return principal === undefined
    ? { workspace: NO_WORKSPACE, idempotency: undefined }
    : { workspace: principal.workspace, idempotency }
}

type Paging = { limit?: number; cursor?: string }

type ListAnswer = {
  itemSchema: unknown
  list(): Promise<ListQuery<Json>>
  ordered_by: ListOrder
  paging: Paging
}

async function answerList(
  parts: HandlerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { itemSchema, list, ordered_by, paging: { limit, cursor } }: ListAnswer,
): Promise<FastifyReply> {
  const { bulk, db } = parts
  const isCsv = /\btext\/csv\b/.test(request.headers.accept ?? '')
  reply
    .type(isCsv ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8')
    .header('vary', 'Accept')
  // Nobody would take the rows, so nothing would slow the reading down.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  await takePlace(bulk, request, reply, limit)
  const query = await list()
  assert(orderOf(query.key) === ordered_by, `the list is ordered by ${ordered_by}`)
  const reading = {
    db,
    list: query,
    cursor,
    format: isCsv ? csvFormat(columnsOf(itemSchema)) : jsonFormat(serializerOf(reply, itemSchema)),
    inTurn: <Result>(work: () => Promise<Result>) =>
      bulk.query(limit, () => {
        if (reply.raw.destroyed) throw callerGone()
        return work()
      }),
    onRows: (count: number) => {
      bulk.charge(request.principal, count)
    },
  }
  if (limit === undefined)
    return reply.send(inPieces(reply, await listInPieces(reading), parts, AHEAD_BYTES))
  const { pieces, next } = await pageInPieces(reading, limit)
  if (next !== undefined) reply.header('link', linkTo(request.url, next))
  return reply.send(
    pieces.length <= FEW_PIECES ? pieces.join('') : inPieces(reply, pieces, parts, AHEAD_BYTES),
  )
}

/** A page of so few is handed over as one text. */
const FEW_PIECES = 12

export const columnsOf = (itemSchema: unknown): string[] =>
  Object.keys((itemSchema as { properties: Record<string, unknown> }).properties)

const serializerOf = (reply: FastifyReply, itemSchema: unknown): ((item: Json) => string) =>
  (reply.getSerializationFunction(itemSchema as never) ??
    reply.compileSerializationSchema(itemSchema as never)) as unknown as (item: Json) => string

function linkTo(address: string, cursor: string): string {
  const url = new URL(address, 'http://kontor')
  url.searchParams.set('cursor', cursor)
  return `<${url.pathname}${url.search}>; rel="next"`
}
