/**
 * Streams of server-sent events (HTML standard, 9.2). The source is read on only when the socket
 * has taken what it had, so a slow reader costs one page of memory. A reader that does not take it
 * in time is cut off, and may come back with Last-Event-ID.
 *
 * A stream ends with its caller's session or permission, and at once when the server ends.
 */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import type { UserId } from '../core/ids.ts'
import type { Message } from './endpoint.ts'
import type { Limits, OnReached } from './limits.ts'
import { inPieces } from './slow-readers.ts'
import type { Pacing } from './slow-readers.ts'

const LOOK_MILLISECONDS = 1_000
/** Bytes that are written ahead of the reader. */
const AHEAD_BYTES = 1 << 14
/** How long a caller waits before it comes back. */
const RETRY_MILLISECONDS = 1_000

/** A comment, which readers pass over. */
const SIGN_OF_LIFE = ': \n\n'
const FULL_SECONDS = 30

/** How many streams there are, of each user and in all. */
export class StreamSeats {
  readonly #limits: Limits
  readonly #onReached: OnReached
  readonly #ofUser = new Map<UserId, number>()
  #taken = 0

  constructor(limits: Limits, onReached: OnReached) {
    this.#limits = limits
    this.#onReached = onReached
  }

  get taken(): number {
    return this.#taken
  }

  /** Answers what frees it. Throws 4291 for too many of the user, 2004 for too many in all. */
  take(user_id: UserId): () => void {
    const { streams, streams_per_user } = this.#limits
    const count = this.#ofUser.get(user_id) ?? 0
    if (count >= streams_per_user) {
      this.#onReached('streams_per_user')
      const reason = `at most ${streams_per_user} streams of one user`
      throw new ApiError('RateLimited', reason, [], FULL_SECONDS)
    }
    if (this.#taken >= streams) {
      this.#onReached('streams')
      throw new ApiError('Busy', 'there are too many streams', [], FULL_SECONDS)
    }
    this.#taken += 1
    this.#ofUser.set(user_id, count + 1)
    return () => {
      this.#taken -= 1
      const left = (this.#ofUser.get(user_id) ?? 1) - 1
      if (left === 0) this.#ofUser.delete(user_id)
      else this.#ofUser.set(user_id, left)
    }
  }
}

type Streaming = Pacing & {
  seats: StreamSeats
  /** Aborted when the server ends. */
  ending: AbortSignal
  /** Whether the caller may still see this. */
  allowed(): Promise<boolean>
  source(leaving: AbortSignal): AsyncIterable<readonly Message[]>
}

export function answerStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { ending, allowed, seats, source, ...pacing }: Streaming,
): FastifyReply {
  const isRead = request.method !== 'HEAD'
  const { principal } = request
  const free = isRead && principal !== undefined ? seats.take(principal.user_id) : undefined
  reply
    .type('text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .header('connection', 'close')
  if (!isRead) return reply.send(Readable.from([]))
  const leave = new AbortController()
  const batches = source(leave.signal)
  const watch = setInterval(() => {
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
    free?.()
    clearInterval(watch)
    ending.removeEventListener('abort', end)
    leave.abort()
  })
  if (ending.aborted) leave.abort()
  const texts = async function* () {
    yield SIGN_OF_LIFE
    // Stands in the first event, so that no reader meets a frame without data.
    let retry = `retry: ${RETRY_MILLISECONDS}\n`
    for await (const messages of batches) {
      if (leave.signal.aborted) return
      if (messages.length === 0) yield SIGN_OF_LIFE
      else {
        yield retry + messages.map(messageText).join('')
        retry = ''
      }
    }
  }
  return reply.send(inPieces(reply, texts(), pacing, AHEAD_BYTES))
}

function messageText({ id, event, data }: Message): string {
  // JSON has no line breaks, so one data line holds it.
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
