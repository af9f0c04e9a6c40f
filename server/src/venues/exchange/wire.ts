/**
 * What a failed call means. ccxt turns an exchange's refusals into exceptions of many classes; the
 * exchange's own text, not the class, says whether the request was certainly not executed.
 */
import { ApiError, refuse } from '../../core/errors.ts'
import { wireFaultIn } from '../../core/wire-faults.ts'
import type { Outcome } from '../contract.ts'
import { NotHeld } from '../lease/credential.ts'
import { NotAsked } from '../time-limit.ts'
import { NotCalled } from './call-limiter.ts'

const NOT_CONNECTED = /ECONNREFUSED/

/**
 * `certain`: nothing was done and nothing will be. `access`: it is about the key, not about the
 * request.
 */
type Refusal = { native: string; certain: boolean; access: boolean }
type Failure = { certain: boolean; reason: string; native: string | null; unreached?: true }

export type Failures = {
  /**
   * Never carries more of the exception than the exchange's text or ccxt's kind of error: no
   * address, header or key. Of a connection that failed it names the host.
   */
  failureOf(error: unknown): Failure
  outcomeOf<Report>(error: unknown): Outcome<Report>
  /**
   * For reads: the exchange's own refusal is the caller's mistake (`path` names the field), all
   * else is VenueUnreachable.
   */
  reading<Result>(work: () => Promise<Result>, path?: string): Promise<Result>
}

const isNotCalled = (error: unknown): error is NotCalled | NotHeld =>
  error instanceof NotCalled || error instanceof NotHeld

/** Of what was not sent, because of what we know ourselves. */
export const refusal = (reason: string) =>
  ({ outcome: 'refused', reason, native: null }) as const satisfies Outcome<never>

/** `refusalIn` finds the exchange's own text in the message of an exception. */
export function failuresOf(
  name: string,
  refusalIn: (message: string) => Refusal | undefined,
): Failures {
  const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
  const failureOf: Failures['failureOf'] = (error) => {
    const message = messageOf(error)
    const refusal = refusalIn(message)
    if (refusal !== undefined)
      return { certain: refusal.certain, reason: refusal.native, native: refusal.native }
    // Refused while connecting: no byte of the request has left.
    if (NOT_CONNECTED.test(message))
      return {
        certain: true,
        reason: 'the exchange does not accept connections',
        native: null,
        unreached: true,
      }
    // Another call of the same act may have been sent before.
    if (isNotCalled(error)) return { certain: false, reason: error.message, native: null }
    const kind = error instanceof Error && error.name !== '' ? error.name : 'Error'
    const why = wireFaultIn(message) ?? kind
    return { certain: false, reason: `no answer from the exchange (${why})`, native: null }
  }
  return {
    failureOf,
    outcomeOf(error) {
      const { certain, ...failure } = failureOf(error)
      return certain
        ? { outcome: 'refused', ...failure }
        : { outcome: 'unknown', reason: failure.reason }
    },
    async reading(work, path = '') {
      try {
        return await work()
      } catch (error) {
        if (error instanceof ApiError) throw error
        const refusal = refusalIn(messageOf(error))
        if (refusal !== undefined && refusal.certain && !refusal.access)
          throw refuse('REFUSED_BY_VENUE', path, `${name}: ${refusal.native}`)
        if (isNotCalled(error)) throw new NotAsked(error.message)
        throw new ApiError('VenueUnreachable', `${name}: ${failureOf(error).reason}`)
      }
    },
  }
}
