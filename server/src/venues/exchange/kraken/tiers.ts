/**
 * What Kraken counts, by tier of the account: each key has a counter that calls raise and time
 * lowers ("Spot REST Rate Limits", docs.kraken.com/exchange/guides/rest/ratelimits).
 */
import { decayingMeter } from '../call-meters.ts'
import type { Meter } from '../call-meters.ts'
import type { Paces } from '../quiet-lists.ts'
import { tierNamed } from '../tiers.ts'

type Counter = { maximum: number; per_second: number }

/** AGREED: whatever was agreed with Kraken. Only its refusals are heeded. */
const TIERS: Readonly<Record<string, Counter | null>> = {
  STARTER: { maximum: 15, per_second: 0.33 },
  INTERMEDIATE: { maximum: 20, per_second: 0.5 },
  PRO: { maximum: 20, per_second: 1 },
  AGREED: null,
}

/** Kraken's counter and ours do not run on one clock. */
const MARGIN = 1

type KrakenTier = { counted: boolean; meters: Meter[] }

export function krakenTier(name: string = 'STARTER'): KrakenTier {
  const counter = tierNamed(TIERS, 'kraken', name)
  return {
    counted: counter !== null,
    meters: counter === null ? [] : [decayingMeter(counter.maximum - MARGIN, counter.per_second)],
  }
}

/** Longer than reconciliation waits, which always asks for the balances: its reading is enough. */
const QUIET_MILLISECONDS = 75_000
/** The other lists are read when the balances have changed, and otherwise this much more seldom. */
const SELDOM = 4
const LIVE_MILLISECONDS = 30_000

/**
 * Less than two points a minute: a tenth of what the smallest tier has. `listening`: Kraken says by
 * itself when the balances change.
 */
export const pacesOf = (quiet: number = QUIET_MILLISECONDS, listening = false): Paces => ({
  balances: listening ? quiet * SELDOM : quiet,
  deposits: quiet * SELDOM,
  withdrawals: quiet * SELDOM,
  trades: quiet * SELDOM,
  live: LIVE_MILLISECONDS,
})

/** Ledger and trade history calls count twice, orders and cancellations elsewhere. */
export function costOf(operation: string): number {
  if (operation === 'AddOrder' || operation === 'CancelOrder') return 0
  return /^(TradesHistory|Ledgers)$/.test(operation) ? 2 : 1
}
