/**
 * OKX counts each endpoint by itself, by account ("Rate Limits"; the figure stands with each
 * endpoint of www.okx.com/docs-v5). Refused calls get code 50011 with HTTP 429. Assumed: a refused
 * call does not count, and public calls of one machine never reach their limit.
 */
import { openCallCounts } from '../call-counts.ts'
import type { CallCounts, Tiers, Window } from '../call-counts.ts'
import type { Settings } from '../settings.ts'
import { Refusal } from './request.ts'
import type { Fields } from './request.ts'

export const OVER_LIMIT = new Refusal(429, { msg: 'Too Many Requests', code: '50011' })

const second = (maximum: number): Window => ({ maximum, milliseconds: 1_000 })
const twoSeconds = (maximum: number): Window => ({ maximum, milliseconds: 2_000 })

type Limits = Readonly<Record<string, Window>>

export const OKX_TIERS: Tiers<Limits> = {
  STANDARD: {
    'GET asset/currencies': second(6),
    'GET asset/balances': second(6),
    'POST asset/transfer': second(2),
    'GET asset/transfer-state': second(10),
    'GET asset/deposit-address': second(6),
    'GET asset/deposit-history': second(6),
    'POST asset/withdrawal': second(6),
    'GET asset/withdrawal-history': second(6),
    'GET account/balance': twoSeconds(10),
    'GET account/trade-fee': twoSeconds(5),
    'POST trade/order': twoSeconds(60),
    'GET trade/order': twoSeconds(60),
    'POST trade/cancel-order': twoSeconds(60),
    'GET trade/fills': twoSeconds(60),
    'GET trade/fills-history': twoSeconds(10),
    'GET fiat/deposit-payment-methods': second(3),
    'GET fiat/withdrawal-payment-methods': second(3),
    'GET fiat/deposit-order-history': second(3),
    'GET fiat/withdrawal-order-history': second(3),
    'POST fiat/create-withdrawal': second(3),
  },
  AGREED: null,
}

/** These are counted by currency, or by instrument, too. */
const BY: Readonly<Record<string, string>> = {
  'POST asset/transfer': 'ccy',
  'POST trade/order': 'instId',
  'GET trade/order': 'instId',
  'POST trade/cancel-order': 'instId',
}

export type OkxLimits = {
  counts: CallCounts<Limits>
  /** Throws when the endpoint's limit is reached. */
  call(endpoint: string, fields: Fields): void
}

export function openLimits(settings: Settings): OkxLimits {
  const counts = openCallCounts(settings, OKX_TIERS)
  return {
    counts,
    call(endpoint, fields) {
      counts.note(1)
      const window = counts.limits()?.[endpoint]
      const by = BY[endpoint]
      const key = `${endpoint} ${by === undefined ? '' : fields[by]}`
      if (window !== undefined && !counts.takeWithin(key, window)) throw OVER_LIMIT
    },
  }
}
