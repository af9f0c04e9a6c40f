/** How often a venue's news make it read: it may say a lot. */

const READ_EVERY_MILLISECONDS = 2_000

/**
 * Answers when a list of a subject is to be read because something is new, and undefined where its
 * next reading comes after that anyway. One for each kind of list.
 */
export function readingPace(): (subject_id: string, now: number) => number | undefined {
  const readings = new Map<string, number>()
  return (subject_id, now) => {
    const last = readings.get(subject_id) ?? -Infinity
    if (last > now) return undefined
    const due_at = Math.max(now, last + READ_EVERY_MILLISECONDS)
    readings.set(subject_id, due_at)
    return due_at
  }
}
