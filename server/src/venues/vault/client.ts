/**
 * Calls of the vault's SDK. Its errors are no `Error`s, and one that is printed shows the bearer
 * token: they end here, and only the venue's status, code and text go on.
 */
import { ApiError, refuse } from '../../core/errors.ts'
import { wireFaultIn } from '../../core/wire-faults.ts'
import type { Outcome } from '../contract.ts'

export type Failure = { status: number | null; code: number | null; reason: string }
export type Answer<Data> =
  | { ok: true; data: Data; headers: Record<string, string> }
  | { ok: false; failure: Failure }

const LONGEST_REASON = 300
/** Statuses below 500 after which a repeated request may be served. */
const NOT_FINAL = [408, 425, 429]

export async function ask<Data>(
  call: () => Promise<{ data: Data; headers: Record<string, string> }>,
): Promise<Answer<Data>> {
  try {
    const { data, headers } = await call()
    return { ok: true, data, headers }
  } catch (error) {
    return { ok: false, failure: failureOf(error) }
  }
}

function failureOf(error: unknown): Failure {
  const { message, response } = (error ?? {}) as {
    message?: unknown
    response?: { statusCode?: unknown; data?: unknown }
  }
  if (typeof response?.statusCode !== 'number') {
    // Only what names the kind of wire trouble; a message may quote what was sent.
    const kind =
      typeof message === 'string'
        ? (wireFaultIn(message) ?? /ECONN[A-Z]+|EPIPE|timeout|socket hang up/.exec(message)?.[0])
        : undefined
    return {
      status: null,
      code: null,
      reason: `no answer from the vault${kind === undefined ? '' : ` (${kind})`}`,
    }
  }
  const data = (typeof response.data === 'object' ? response.data : null) as {
    message?: unknown
    code?: unknown
  } | null
  return {
    status: response.statusCode,
    code: typeof data?.code === 'number' ? data.code : null,
    reason:
      typeof data?.message === 'string'
        ? data.message.slice(0, LONGEST_REASON)
        : `the vault answered ${response.statusCode}`,
  }
}

/** The vault itself has refused, not something on the way to it. */
export function isRefusal({ status, code }: Failure): boolean {
  return (
    status !== null && status >= 400 && status < 500 && !NOT_FINAL.includes(status) && code !== null
  )
}

export function isAbsent(failure: Failure): boolean {
  return failure.status === 404 && failure.code !== null
}

export function outcomeOf<Report>(failure: Failure): Outcome<Report> {
  if (isRefusal(failure))
    return { outcome: 'refused', reason: failure.reason, native: String(failure.code) }
  return { outcome: 'unknown', reason: failure.reason }
}

/**
 * For reads: the data, or VenueUnreachable, or REFUSED_BY_VENUE where the vault refuses what the
 * caller asked for.
 */
export function readOf<Data>(answer: Answer<Data>): Data {
  if (answer.ok) return answer.data
  const { failure } = answer
  if (isRefusal(failure) && failure.status !== 401 && failure.status !== 403)
    throw refuse('REFUSED_BY_VENUE', '', `vault: ${failure.reason}`)
  throw new ApiError('VenueUnreachable', `vault: ${failure.reason}`)
}
