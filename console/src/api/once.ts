/**
 * Writes that take effect once, however often they are sent. The same content keeps the same
 * Idempotency-Key until the service has answered, also when a form is closed and filled in again.
 */
import { KontorError } from '@kontor/client'

const STILL_RUNNING = 4092
const unanswered = new Map<string, string>()

/** Calls `send` with the key that belongs to `content`. Throws what `send` throws. */
export async function once<T>(content: string, send: (key: string) => Promise<T>): Promise<T> {
  const key = unanswered.get(content) ?? crypto.randomUUID()
  unanswered.set(content, key)
  try {
    const data = await send(key)
    unanswered.delete(content)
    return data
  } catch (error) {
    if (!mayBeDone(error)) unanswered.delete(content)
    throw error
  }
}

/** Whether a failed call may have taken effect nevertheless. */
export function mayBeDone(error: unknown): boolean {
  return (
    !(error instanceof KontorError) || error.status >= 500 || error.error_code === STILL_RUNNING
  )
}
