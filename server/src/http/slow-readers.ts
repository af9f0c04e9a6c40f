/** Answers in pieces: the next piece is made when the socket has taken the one before. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Limits, OnReached } from './limits.ts'

export type Pacing = { limits: Pick<Limits, 'stalled_ms'>; onReached: OnReached }

type Piece = string | Buffer

/** What is written ahead of the reader. */
export const AHEAD_BYTES = 1 << 16

/** A reader that does not take a piece in time is cut. */
export function inPieces(
  reply: FastifyReply,
  pieces: AsyncIterable<Piece> | Iterable<Piece>,
  { limits, onReached }: Pacing,
  highWaterMark: number,
): Readable {
  const offer = async function* () {
    for await (const piece of pieces) {
      const limit = setTimeout(() => {
        onReached('stalled_ms')
        reply.raw.destroy()
      }, limits.stalled_ms)
      try {
        yield piece
      } finally {
        clearTimeout(limit)
      }
    }
  }
  return Readable.from(offer(), { objectMode: false, highWaterMark })
}
