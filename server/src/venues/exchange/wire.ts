/**
 * What a failed call means. Kraken answers its refusals with HTTP 200 and a list of texts, which ccxt turns into exceptions
 * of many classes; the text, not the class, tells whether the request was certainly not executed.
 */
import { ApiError, refuse } from '../../core/errors.ts'
import type { Outcome } from '../contract.ts'

/** Texts after which nothing was done and nothing will be. Anything else (unavailable, busy, internal, rate limit, nonce) is not certain or not final. */
const REFUSALS = [
  /^EOrder:(?!Rate limit)/, /^EFunding:/, /^EQuery:/, /^ETrade:/, /^EAccount:/, /^EGeneral:(Invalid arguments|Permission denied|Unknown method)/,
  /^EAPI:(Invalid key|Invalid signature|Bad request|Feature disabled)/, /^EService:Market in /,
]
const QUOTED = /"error":\s*\[\s*"((?:[^"\\]|\\.)*)"/
const NOT_CONNECTED = /ECONNREFUSED/

export type Failure = { certain: boolean; reason: string; native: string | null }

/** Never carries more of the exception than Kraken's text or ccxt's kind of error: no address, header or key. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error)
  const native = QUOTED.exec(message)?.[1] ?? null
  if (native !== null) return { certain: REFUSALS.some((each) => each.test(native)), reason: native, native }
  // Refused while connecting: no byte of the request has left.
  if (NOT_CONNECTED.test(message)) return { certain: true, reason: 'the exchange does not accept connections', native: null }
  const kind = error instanceof Error && error.name !== '' ? error.name : 'Error'
  return { certain: false, reason: `no answer from the exchange (${kind})`, native: null }
}

export function outcomeOf<Report>(error: unknown): Outcome<Report> {
  const failure = failureOf(error)
  if (failure.certain) return { outcome: 'refused', reason: failure.reason, native: failure.native }
  return { outcome: 'unknown', reason: failure.reason }
}

/** Calls one after another: Kraken refuses a nonce that is not above the last one it saw. */
export type Serial = <Result>(work: () => Promise<Result>) => Promise<Result>

export function serial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.then(() => undefined, () => undefined)
    return result
  }
}

/** For reads: the venue's own refusal is the caller's mistake (`path` names the field), all else is VenueUnreachable. */
export async function reading<Result>(work: () => Promise<Result>, path = ''): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw error
    const failure = failureOf(error)
    if (failure.native !== null && failure.certain && !failure.native.startsWith('EAPI:')) throw refuse('REFUSED_BY_VENUE', path, `kraken: ${failure.reason}`)
    throw new ApiError('VenueUnreachable', `kraken: ${failure.reason}`)
  }
}
