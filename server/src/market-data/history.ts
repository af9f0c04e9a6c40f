/**
 * How a market moved in the last two hours: its middle price at the end of each 10 s. What is asked
 * of it is computed once per 10 s, however often it is asked.
 */
import { absolute, divide, ONE } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'

export const BUCKET_MILLISECONDS = 10_000
export const HISTORY_BUCKETS = 720

/** `bucket`: Unix time ÷ 10 s; `mid` in the quote asset. */
export type Mid = { bucket: number; mid: Decimal }

export type History = {
  /** Answers the bucket that this price ends, if any. */
  note(at: number, mid: Decimal): Mid | undefined
  /**
   * The relative moves between neighbouring buckets that have ended, each ≥ 0, as factors; the same
   * array until the next one ends.
   */
  moves(): readonly Decimal[]
}

/** `stored`: from before, in any order. */
export function openHistory(stored: readonly Mid[] = []): History {
  const mids = new Map(
    stored.toSorted((a, b) => a.bucket - b.bucket).map(({ bucket, mid }) => [bucket, mid]),
  )
  let open: Mid | undefined
  let moves: readonly Decimal[] | undefined

  const end = (last: Mid): void => {
    mids.set(last.bucket, last.mid)
    moves = undefined
    for (const bucket of mids.keys()) {
      if (bucket > last.bucket - HISTORY_BUCKETS) break
      mids.delete(bucket)
    }
  }
  return {
    note(at, mid) {
      const bucket = Math.floor(at / BUCKET_MILLISECONDS)
      const before = open
      if (before !== undefined && bucket < before.bucket) return undefined
      open = { bucket, mid }
      if (before === undefined || bucket === before.bucket) return undefined
      end(before)
      return before
    },
    moves() {
      moves ??= movesOf(mids)
      return moves
    },
  }
}

/** A gap in the history gives no move: what happened in it is not known. */
function movesOf(mids: ReadonlyMap<number, Decimal>): Decimal[] {
  const moves: Decimal[] = []
  for (const [bucket, mid] of mids) {
    const before = mids.get(bucket - 1)
    if (before !== undefined) moves.push(absolute(divide(mid, before, 18, 'half_even') - ONE))
  }
  return moves
}
