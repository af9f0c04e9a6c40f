/**
 * Kraken's limits by tier. A counter of each key that all private calls raise, except orders and
 * cancellations ("Spot REST Rate Limits", docs.kraken.com/exchange/guides/rest/ratelimits). A
 * counter of each pair that these raise: a new order by one, a cancellation by the more the younger
 * the order is ("Spot Trading Limits", docs.kraken.com/exchange/guides/general/ratelimits).
 * Assumed: a refused call does not count, and a cancellation is counted and never refused.
 */
import { openCallCounts } from '../call-counts.ts'
import type { CallCounts, Counter, Tiers } from '../call-counts.ts'
import type { Settings } from '../settings.ts'
import { Refusal } from './request.ts'

type Limits = { rest: Counter; engine: Counter }

export const KRAKEN_TIERS: Tiers<Limits> = {
  STARTER: {
    rest: { maximum: 15, per_second: 0.33 },
    engine: { maximum: 60, per_second: 1 },
  },
  INTERMEDIATE: {
    rest: { maximum: 20, per_second: 0.5 },
    engine: { maximum: 125, per_second: 2.34 },
  },
  PRO: {
    rest: { maximum: 20, per_second: 1 },
    engine: { maximum: 180, per_second: 3.75 },
  },
  AGREED: null,
}

const PLACED_AND_CANCELED: readonly string[] = ['AddOrder', 'CancelOrder']
const COUNTED_TWICE: readonly string[] = ['TradesHistory', 'Ledgers']
/** Points of a cancellation, by the age of the order in seconds. */
const CANCELED_WITHIN = [
  [5, 8],
  [10, 6],
  [15, 5],
  [45, 4],
  [90, 2],
  [300, 1],
] as const

export const OVER_LIMIT = 'EAPI:Rate limit exceeded'

export type KrakenLimits = {
  counts: CallCounts<Limits>
  /** Throws when the key's counter is full. */
  call(operation: string): void
  /** Throws when the pair's counter is full. */
  add(pair: string): void
  cancel(pair: string, age_ms: number): void
}

export function openLimits(settings: Settings): KrakenLimits {
  const counts = openCallCounts(settings, KRAKEN_TIERS)
  return {
    counts,
    call(operation) {
      if (PLACED_AND_CANCELED.includes(operation)) return
      const cost = COUNTED_TWICE.includes(operation) ? 2 : 1
      const { rest } = counts.limits() ?? {}
      counts.note(cost)
      if (rest !== undefined && !counts.take('key', cost, rest)) throw new Refusal(OVER_LIMIT)
    },
    add(pair) {
      const { engine } = counts.limits() ?? {}
      if (engine !== undefined && !counts.take(pair, 1, engine))
        throw new Refusal('EOrder:Rate limit exceeded')
    },
    cancel(pair, age_ms) {
      const { engine } = counts.limits() ?? {}
      const [, cost = 0] = CANCELED_WITHIN.find(([seconds]) => age_ms < seconds * 1000) ?? []
      if (engine !== undefined) counts.take(pair, cost, { ...engine, maximum: Infinity })
    },
  }
}
