/**
 * What a fault that is set for an operation does to one HTTP request, for venues that answer
 * JSON.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from './world.ts'

const LONGEST_SILENCE_MILLISECONDS = 60_000

export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

type Call = {
  world: World
  venue: string
  operation: string
  request: FastifyRequest
  reply: FastifyReply
}

/**
 * `work` does what was asked or, with `refuse`, says no. It is not called when the fault is DOWN.
 */
export async function underFault(
  { world, venue, operation, request, reply }: Call,
  work: (refuse: boolean) => Answer,
): Promise<FastifyReply> {
  const fault = world.faults.take(venue, operation)
  if (fault?.kind === 'DOWN') return disconnect(request, reply)
  const answer = work(fault?.kind === 'REFUSE')
  if (fault?.kind === 'CUT') return disconnect(request, reply)
  if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') return staySilent(request, reply)
  if (fault?.kind === 'LATE') {
    const delay = fault.delay_ms / Math.max(world.pace(), 0.001)
    await pause(Math.min(delay, LONGEST_SILENCE_MILLISECONDS))
  }
  const body = fault?.kind === 'TWICE' ? twice(answer.body) : answer.body
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(body)
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
