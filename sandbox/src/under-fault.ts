/**
 * What a fault that is set for an operation does to one HTTP request, for venues that answer
 * JSON.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FaultKind } from './faults.ts'
import type { World } from './world.ts'

const LONGEST_SILENCE_MILLISECONDS = 60_000

export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

type Call = {
  world: World
  venue: string
  operation: string
  request: FastifyRequest
  reply: FastifyReply
  /** Of a venue that counts its calls. */
  overLimit?: Answer
}

/**
 * `work` does what was asked or, with `refuse`, says no. It is not called when the fault is DOWN.
 */
export async function underFault(
  { world, venue, operation, request, reply, overLimit }: Call,
  work: (refuse: boolean) => Answer,
): Promise<FastifyReply> {
  const fault = world.faults.take(venue, operation)
  if (fault?.kind === 'DOWN') return disconnect(request, reply)
  if (fault?.kind === 'LIMIT' && overLimit === undefined)
    throw new Error(`${venue} has no limit to be over`)
  const answer =
    fault?.kind === 'LIMIT' && overLimit !== undefined ? overLimit : work(fault?.kind === 'REFUSE')
  if (fault?.kind === 'CUT') return disconnect(request, reply)
  if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') return staySilent(request, reply)
  if (fault?.kind === 'LATE') {
    const delay = fault.delay_ms / Math.max(world.pace(), 0.001)
    await pause(Math.min(delay, LONGEST_SILENCE_MILLISECONDS))
  }
  const body = bodyUnder(fault?.kind, answer.body)
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(body)
}

function bodyUnder(kind: FaultKind | undefined, body: unknown): unknown {
  if (kind === 'TWICE') return twice(body)
  return kind === 'ODD' ? withOddRecord(body) : body
}

function disconnect(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack()
  request.raw.socket.destroy()
  return reply
}

function staySilent(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.hijack()
  const { socket } = request.raw
  const timer = setTimeout(() => {
    socket.destroy()
  }, LONGEST_SILENCE_MILLISECONDS)
  socket.once('close', () => {
    clearTimeout(timer)
  })
  return reply
}

/** Repeats the items of a list, whether it is the answer or one of its fields. */
function twice(body: unknown): unknown {
  if (Array.isArray(body)) return [...(body as unknown[]), ...(body as unknown[])]
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) ? [...(value as unknown[]), ...(value as unknown[])] : value,
    ]),
  )
}

/**
 * One more record in a list, whether it is the answer or one of its fields: like the first one, but
 * another, whose amount, where it has a field of that name, is no figure.
 */
export function withOddRecord(body: unknown): unknown {
  if (Array.isArray(body)) return body.length === 0 ? body : [...(body as unknown[]), odd(body[0])]
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) ? withOddRecord(value) : value,
    ]),
  )
}

function odd(record: unknown): unknown {
  if (typeof record !== 'object' || record === null) return record
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, oddField(name, value)]),
  )
}

function oddField(name: string, value: unknown): unknown {
  if (/(^|_)(id|refid|txid|hash)$|Id$|Hash$/.test(name)) return oddId(value)
  return /amount|^amt$/i.test(name) ? 'not a figure' : value
}

const oddId = (id: unknown): unknown => {
  if (typeof id === 'number') return id + 1_000_000_000
  return typeof id === 'string' ? `${id}-odd` : id
}
