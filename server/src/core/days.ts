/** Days of UTC, such as 2026-03-02. */

export const DAY_MILLISECONDS = 86_400_000

/** The day of a moment. */
export const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The midnight that ends it. Undefined for what is no day. */
export function endOfDay(day: string): number | undefined {
  const at = Date.parse(day)
  // The parser would take 30 February for 2 March.
  return !Number.isNaN(at) && dayAt(at) === day ? at + DAY_MILLISECONDS : undefined
}
