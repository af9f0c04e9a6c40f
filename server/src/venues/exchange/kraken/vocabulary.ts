/** Kraken's words and ours, each pair once. */
import type { Decimal } from '../../../core/decimal.ts'
import type { IncomingState, OrderState, TransferState } from '../../contract.ts'
import { text, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { failuresOf } from '../wire.ts'

const TRANSFER_STATES: Record<string, TransferState | undefined> = {
  Initial: 'PENDING',
  Pending: 'PENDING',
  Settled: 'PENDING',
  Success: 'SUCCESS',
  Failure: 'FAILED',
  'Initial/onhold': 'PENDING_REVIEW',
  'Pending/onhold': 'PENDING_REVIEW',
  'Settled/onhold': 'PENDING_REVIEW',
  'Initial/on-hold': 'PENDING_REVIEW',
  'Pending/on-hold': 'PENDING_REVIEW',
  'Settled/on-hold': 'PENDING_REVIEW',
  'Initial/cancel-pending': 'PENDING',
  'Pending/cancel-pending': 'PENDING',
  'Settled/cancel-pending': 'PENDING',
  'Initial/cancel-denied': 'PENDING',
  'Pending/cancel-denied': 'PENDING',
  'Settled/cancel-denied': 'PENDING',
  'Success/cancel-denied': 'SUCCESS',
  'Failure/canceled': 'CANCELED',
  'Failure/cancel-denied': 'FAILED',
  'Failure/onhold': 'FAILED',
  'Failure/on-hold': 'FAILED',
}

const DEPOSIT_STATES: Record<string, IncomingState | undefined> = {
  Success: 'FINAL',
  Failure: 'FAILED',
  'Success/return': 'REVERSED',
  'Failure/return': 'REVERSED',
}

const ORDER_STATES: Record<string, OrderState | undefined> = {
  pending: 'PENDING_NEW',
  open: 'NEW',
  closed: 'FILLED',
  canceled: 'CANCELED',
  expired: 'EXPIRED',
}

/** `status` alone or `status/status-prop`, as one word. */
export function subState(row: Row): string {
  const status = text(row, 'status')
  const prop = row['status-prop']
  return typeof prop === 'string' && prop !== '' ? `${status}/${prop}` : status
}

export function transferState(row: Row): TransferState {
  return TRANSFER_STATES[subState(row)] ?? 'UNKNOWN'
}

/** What is not known to be final is pending: Kraken has not credited it. */
export function depositState(row: Row): IncomingState {
  return DEPOSIT_STATES[subState(row)] ?? 'PENDING'
}

/**
 * `filled` and `ordered` tell NEW from PARTIALLY_FILLED, and a closed order that is not filled is
 * not understood.
 */
export function orderState(row: Row, filled: Decimal, ordered: Decimal): OrderState {
  const state = ORDER_STATES[text(row, 'status')] ?? 'UNKNOWN'
  if (state === 'NEW' && filled > 0n) return 'PARTIALLY_FILLED'
  if (state === 'FILLED' && filled !== ordered) return 'UNKNOWN'
  return state
}

/** Kraken writes seconds, with or without a fraction. */
export function milliseconds(of: Row, field: string): number {
  const value = Number(of[field])
  if (!Number.isFinite(value)) throw unreadableAnswer(field)
  return Math.round(value * 1000)
}

/**
 * Texts after which nothing was done and nothing will be. Anything else (unavailable, busy,
 * internal, rate limit, nonce) is not certain or not final.
 */
const REFUSALS = [
  /^EOrder:(?!Rate limit)/,
  /^EFunding:/,
  /^EQuery:/,
  /^ETrade:/,
  /^EAccount:/,
  /^EGeneral:(Invalid arguments|Permission denied|Unknown method)/,
  /^EAPI:(Invalid key|Invalid signature|Bad request|Feature disabled)/,
  /^EService:Market in /,
]
/**
 * About the client's reference of an order: it may say that the order is there already. Kraken's
 * text for that is not documented.
 */
const REFERENCE = /cl_?ord_?id|duplicate/i
const QUOTED = /"error":\s*\[\s*"((?:[^"\\]|\\.)*)"/

/** Kraken answers its refusals with HTTP 200 and a list of texts. */
export const FAILURES = failuresOf('kraken', (message) => {
  const native = QUOTED.exec(message)?.[1]
  if (native === undefined) return undefined
  return {
    native,
    certain: REFUSALS.some((refusal) => refusal.test(native)) && !REFERENCE.test(native),
    access: native.startsWith('EAPI:'),
  }
})
