/** How often a venue's news make it read: it may say a lot. */

const READ_EVERY_MILLISECONDS = 2_000

/** `every_ms`: the venue's own pace. */
type ReadingPace = (subject_id: string, now: number, every_ms?: number) => number | undefined

/**
 * Answers when a subject is to be read because something is new, and undefined where its next
 * reading comes after that anyway. One for each kind of reading.
 */
export function readingPace(): ReadingPace {
  /** From when on each may be read again, those that were read last at the end. */
  const free = new Map<string, number>()
  return (subject_id, now, every_ms = READ_EVERY_MILLISECONDS) => {
    forgetFree(free, now)
    const free_at = free.get(subject_id) ?? -Infinity
    if (free_at - every_ms > now) return undefined
    const due_at = Math.max(now, free_at)
    free.delete(subject_id)
    free.set(subject_id, due_at + every_ms)
    return due_at
  }
}

/** So it holds no more than what was in the news just now: executions come and go. */
function forgetFree(free: Map<string, number>, now: number): void {
  for (const [subject_id, free_at] of free) {
    if (free_at > now) return
    free.delete(subject_id)
  }
}
