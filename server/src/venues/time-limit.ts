import { ApiError } from '../core/errors.ts'

/** How long a caller waits for a venue. */
const LIVE_ANSWER_MILLISECONDS = 5_000

/**
 * The answer of a venue's read, or 2003 when it does not come in time; what comes later is dropped.
 * The signal tells a read that has not begun that nobody waits for it any more.
 */
export async function withTimeLimit<T>(
  read: Promise<T> | ((signal: AbortSignal) => Promise<T>),
  what: string,
  milliseconds: number = LIVE_ANSWER_MILLISECONDS,
): Promise<T> {
  const gone = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new ApiError('VenueUnreachable', `${what} did not answer within ${milliseconds / 1000} s`),
      )
    }, milliseconds)
  })
  try {
    return await Promise.race([typeof read === 'function' ? read(gone.signal) : read, late])
  } finally {
    clearTimeout(timer)
    gone.abort()
  }
}

/** Nobody asked the venue: our own limits left no room, or another process works with it. */
export class NotAsked extends ApiError {
  constructor(message: string) {
    super('VenueUnreachable', message)
  }
}

export function isUnreachable(error: unknown): error is ApiError {
  return error instanceof ApiError && error.kind === 'VenueUnreachable'
}
