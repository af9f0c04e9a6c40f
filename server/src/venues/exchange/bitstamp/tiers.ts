/**
 * What Bitstamp counts: 400 requests a second and 10,000 in ten minutes ("Request limits",
 * www.bitstamp.net/api).
 */
import { windowMeter } from '../call-meters.ts'
import type { Meter } from '../call-meters.ts'
import { tierNamed } from '../tiers.ts'

/** AGREED: whatever was agreed with Bitstamp. Only its refusals are heeded. */
const TIERS: Readonly<Record<string, readonly (readonly [calls: number, ms: number])[]>> = {
  STANDARD: [
    [400, 1_000],
    [10_000, 600_000],
  ],
  AGREED: [],
}

export const bitstampMeters = (name: string = 'STANDARD'): Meter[] =>
  tierNamed(TIERS, 'bitstamp', name).map(([calls, ms]) => windowMeter(calls, ms))
