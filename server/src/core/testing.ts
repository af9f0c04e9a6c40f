/** For tests: waiting, and processes that stop at failpoints. */
import { setTimeout as pause } from 'node:timers/promises'

/** Flags of a process that does what `failpoints.testing.mjs` says. */
export const WITH_FAILPOINTS: readonly string[] = [
  '--import',
  new URL('failpoints.testing.mjs', import.meta.url).href,
]

/** Long enough for a slow machine that is busy with other tests: only what never happens fails. */
const PATIENCE_MILLISECONDS = 90_000
const FIRST_PAUSE_MILLISECONDS = 10
const LONGEST_PAUSE_MILLISECONDS = 150

/**
 * Waits for a condition, not for a time: answers what `look` finds as soon as that is neither
 * undefined nor false. `state` adds to the error.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  state: () => string = () => '',
): Promise<Exclude<T, undefined | false>> {
  const end = Date.now() + PATIENCE_MILLISECONDS
  for (
    let wait = FIRST_PAUSE_MILLISECONDS;
    ;
    wait = Math.min(LONGEST_PAUSE_MILLISECONDS, wait * 1.5)
  ) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>
    if (Date.now() > end) throw new Error(`never happened: ${what} ${state()}`)
    await pause(wait)
  }
}
