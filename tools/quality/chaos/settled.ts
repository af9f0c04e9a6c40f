import { setTimeout as pause } from 'node:timers/promises'

const CALM_MILLISECONDS = 240_000
const LOOK_MILLISECONDS = 1_500
/** What is right for a moment, between two steps of something, is not right yet. */
const RIGHT_LOOKS = 2

type Look = { wrong: readonly string[] }

/**
 * Looks until nothing is wrong twice in a row, or for some minutes; what is wrong then stays so.
 * Answers the last look.
 */
export async function settled<Seen extends Look>(
  look: () => Promise<Seen>,
  { calm = CALM_MILLISECONDS, between = LOOK_MILLISECONDS } = {},
): Promise<Seen> {
  const end = Date.now() + calm
  for (let right = 0; ;) {
    await pause(between)
    const seen = await look()
    right = seen.wrong.length === 0 ? right + 1 : 0
    if (right === RIGHT_LOOKS || (right === 0 && Date.now() >= end)) return seen
  }
}
