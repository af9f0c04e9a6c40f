/**
 * Streams of server-sent events (HTML standard, 9.2). The source is read on only when the socket
 * has taken what it had, so a slow reader costs one page of memory. A reader that takes
 * nothing for a minute is cut off, and may come back with Last-Event-ID.
 *
 * A stream ends with its caller's session or permission, and at once when the server ends.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Message } from './endpoint.ts'

const LOOK_MILLISECONDS = 1_000
const STALLED_MILLISECONDS = 60_000
/** How long a caller waits before it comes back. */
const RETRY_MILLISECONDS = 1_000

type Streaming = {
  /** Aborted when the server ends. */
  ending: AbortSignal
  /** Whether the caller may still see this. */
  allowed(): Promise<boolean>
  source(leaving: AbortSignal): AsyncIterable<readonly Message[]>
}

export function answerStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { ending, allowed, source }: Streaming,
): FastifyReply {
  reply
    .type('text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .header('connection', 'close')
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  const leave = new AbortController()
  const batches = source(leave.signal)
  let offeredAt: number | undefined
  const watch = setInterval(() => {
    if (offeredAt !== undefined && performance.now() - offeredAt > STALLED_MILLISECONDS)
      return void reply.raw.destroy()
    // Whoever cannot be recognised is not served: also while the database does not answer.
    allowed().then(
      (may) => {
        if (!may) leave.abort()
      },
      () => {
        leave.abort()
      },
    )
  }, LOOK_MILLISECONDS)
  const end = () => {
    leave.abort()
  }
  ending.addEventListener('abort', end)
  reply.raw.once('close', () => {
    clearInterval(watch)
    ending.removeEventListener('abort', end)
    leave.abort()
  })
  if (ending.aborted) leave.abort()
  return reply.send(
    Readable.from(
      (async function* () {
        yield `retry: ${RETRY_MILLISECONDS}\n\n`
        for await (const messages of batches) {
          if (leave.signal.aborted) return
          offeredAt = performance.now()
          yield messages.length === 0 ? ': \n\n' : messages.map(messageText).join('')
          offeredAt = undefined
        }
      })(),
      { objectMode: false, highWaterMark: 1 << 14 },
    ),
  )
}

function messageText({ id, event, data }: Message): string {
  // JSON has no line breaks, so one data line holds it.
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
