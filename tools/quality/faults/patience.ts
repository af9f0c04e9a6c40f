import { setTimeout as pause } from 'node:timers/promises'

/** Longer than the slowest certainty of a venue: 180 s for an absent withdrawal at Kraken. */
export const PATIENCE_MILLISECONDS = 300_000
/** Between two looks, more from one to the next: many rows look at the same processes. */
const [FIRST_LOOK_MILLISECONDS, LAST_LOOK_MILLISECONDS] = [100, 400]

/** Waits for a condition, not for a time. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined>,
  patience = PATIENCE_MILLISECONDS,
): Promise<T> {
  const end = Date.now() + patience
  for (let wait = FIRST_LOOK_MILLISECONDS; ; wait = Math.min(LAST_LOOK_MILLISECONDS, wait * 1.5)) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > end) throw notCome(what, patience)
    await pause(wait)
  }
}

/** Something that may never come is waited for so long, and no longer. */
export async function within<T>(what: string, patience: number, coming: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const limit = setTimeout(() => {
    late.reject(notCome(what, patience))
  }, patience)
  try {
    return await Promise.race([coming, late.promise])
  } finally {
    clearTimeout(limit)
  }
}

const notCome = (what: string, patience: number): Error =>
  new Error(`${what} did not come within ${patience / 1000} s`)
