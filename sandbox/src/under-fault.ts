/** What a fault that is set for an operation does to one HTTP request, for venues that answer JSON. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from './world.ts'

const LONGEST_SILENCE_MILLISECONDS = 60_000

export type Answer = { status: number; body: unknown; headers?: Record<string, string> }

/** `work` does what was asked, or says no when it is told to refuse; it is not called when the connection is DOWN. */
export async function underFault(
  world: World,
  venue: string,
  operation: string,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (refuse: boolean) => Answer,
): Promise<FastifyReply> {
  const fault = world.faults.take(venue, operation)
  if (fault?.kind === 'DOWN') {
    reply.hijack()
    request.raw.socket.destroy()
    return reply
  }
  const answer = work(fault?.kind === 'REFUSE')
  if (fault?.kind === 'CUT') {
    reply.hijack()
    request.raw.socket.destroy()
    return reply
  }
  if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') {
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
  if (fault?.kind === 'LATE') {
    await new Promise((resolve) => {
      setTimeout(
        resolve,
        Math.min(fault.delay_ms / Math.max(world.pace(), 0.001), LONGEST_SILENCE_MILLISECONDS),
      )
    })
  }
  const body = fault?.kind === 'TWICE' ? twice(answer.body) : answer.body
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(body)
}

/** A list is told twice, whether it is the answer or the one list inside it. */
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
