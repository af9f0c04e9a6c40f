import { setTimeout as pause } from 'node:timers/promises'

export const PATIENCE_MILLISECONDS = 180_000
const LOOK_MILLISECONDS = 100

/** Waits for a condition, not for a time. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined>,
  patience = PATIENCE_MILLISECONDS,
): Promise<T> {
  const end = Date.now() + patience
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw new Error(`${what} did not come within ${patience / 1000} s`)
    await pause(LOOK_MILLISECONDS)
  }
}
