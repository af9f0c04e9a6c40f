/** For tests: waiting. */
import { setTimeout as pause } from 'node:timers/promises'

/** Long enough for a slow machine that is busy with other tests. */
const PATIENCE_MILLISECONDS = 90_000

/** Answers what `look` finds as soon as that is neither undefined nor false. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
): Promise<Exclude<T, undefined | false>> {
  const end = Date.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>
    if (Date.now() > end) throw new Error(`never happened: ${what}`)
    await pause(15)
  }
}
