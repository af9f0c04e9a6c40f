/** Repeats of what failed for the moment: no answer, a service that is busy or just starting. */
import { KontorError, NoAnswerError } from './errors.ts'

const RETRIES = 4
const FIRST_PAUSE_MILLISECONDS = 500
const LONGEST_PAUSE_MILLISECONDS = 10_000
/** Who is told to wait for longer is told so, and decides. */
const LONGEST_WAIT_SECONDS = 60

export type Patience = {
  /** How often a call is repeated that may be; 4 when absent. */
  retries?: number
  /** Before the first repeat; grows up to ten seconds. Half a second when absent. */
  pause_ms?: number
  /** Told before each repeat. */
  retrying?(cause: unknown, pause_ms: number): void
}

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof NoAnswerError) return true
  if (!(error instanceof KontorError)) return false
  // 4092: the first request with this key, whose answer was lost, is still running.
  if (error.is('IdempotencyInProgress')) return true
  return error.status >= 500 || error.status === 429
}

/** Does the work until it succeeds, fails for good, or the retries are used up. */
export async function patiently<T>(
  work: () => Promise<T>,
  patience: Patience,
  signal?: AbortSignal,
): Promise<T> {
  const { retries = RETRIES } = patience
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= retries || !isPassing(error)) throw error
      const pause = pauseAfter(error, attempt, patience.pause_ms)
      if (pause > LONGEST_WAIT_SECONDS * 1000) throw error
      patience.retrying?.(error, pause)
      await sleep(pause, signal)
    }
  }
}

/** As long as the service says, else ever longer, and by chance, so that not all come at once. */
export function pauseAfter(
  error: unknown,
  attempt: number,
  first_ms: number = FIRST_PAUSE_MILLISECONDS,
): number {
  const told = error instanceof KontorError ? error.retry_after : undefined
  if (told !== undefined) return told * 1000
  const longest = Math.min(first_ms * 2 ** attempt, LONGEST_PAUSE_MILLISECONDS)
  return longest * (0.5 + Math.random() / 2)
}

/** Throws the reason of the signal as soon as it is aborted. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
