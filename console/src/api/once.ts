/**
 * Writes that are done once, however often they are sent: the same content goes under the same
 * Idempotency-Key until the service has answered it. Of an answer that was lost the key stays, also
 * for a form that is closed and filled in again.
 */
import { KontorError } from '@kontor/client'

const STILL_RUNNING = 4092
const unanswered = new Map<string, string>()

/** `content` says what is to be done; `send` is given the key. Throws what `send` throws. */
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

/** Whether the call that failed may have been done all the same. */
export function mayBeDone(error: unknown): boolean {
  return (
    !(error instanceof KontorError) || error.status >= 500 || error.error_code === STILL_RUNNING
  )
}
