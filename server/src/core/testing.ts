/** For tests: waiting, and processes that stop at failpoints. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Flags of a process that does what `failpoints.testing.mjs` says. */
export const WITH_FAILPOINTS: readonly string[] = [
  '--import',
  new URL('failpoints.testing.mjs', import.meta.url).href,
]

/**
 * A new folder, in memory where `npm test` has room for it: a sandbox that writes to a disk stands
 * still for milliseconds with each of its commits.
 */
export const quickFolder = (prefix: string): Promise<string> =>
  mkdtemp(join(process.env['KONTOR_TEST_FOLDER'] ?? tmpdir(), prefix))

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
