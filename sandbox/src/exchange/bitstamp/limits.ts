/**
 * Bitstamp's limits: 400 requests a second and 10,000 in ten minutes ("Request limits",
 * www.bitstamp.net/api). Assumed: public requests are not counted among them, and a refused one
 * does not count.
 */
import { openCallCounts } from '../call-counts.ts'
import type { CallCounts, Tiers, Window } from '../call-counts.ts'
import type { Settings } from '../settings.ts'
import { Refusal } from './request.ts'

type Limits = readonly Window[]

export const BITSTAMP_TIERS: Tiers<Limits> = {
  STANDARD: [
    { maximum: 400, milliseconds: 1_000 },
    { maximum: 10_000, milliseconds: 600_000 },
  ],
  AGREED: null,
}

export const OVER_LIMIT = new Refusal(400, {
  status: 'error',
  reason: 'Request rejected due to exceeded rate limit.',
  code: '400.002',
})

export type BitstampLimits = {
  counts: CallCounts<Limits>
  /** Throws when one of the limits is reached. */
  call(): void
}

export function openLimits(settings: Settings): BitstampLimits {
  const counts = openCallCounts(settings, BITSTAMP_TIERS)
  return {
    counts,
    call() {
      counts.note(1)
      for (const window of counts.limits() ?? [])
        if (!counts.takeWithin(String(window.milliseconds), window)) throw OVER_LIMIT
    },
  }
}
