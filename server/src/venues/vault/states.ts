/** What the vault's words mean here. A word that is not in a table is UNKNOWN, never a guess. */
import type { AllowlistState, IncomingState, TransferState } from '../contract.ts'

const TRANSFER_STATES: Record<string, TransferState> = {
  SUBMITTED: 'PENDING',
  PENDING_AML_SCREENING: 'PENDING',
  PENDING_ENRICHMENT: 'PENDING',
  PENDING_AUTHORIZATION: 'PENDING_REVIEW',
  QUEUED: 'PENDING',
  PENDING_SIGNATURE: 'PENDING',
  PENDING_3RD_PARTY_MANUAL_APPROVAL: 'PENDING_REVIEW',
  PENDING_3RD_PARTY: 'PENDING',
  BROADCASTING: 'PENDING',
  CONFIRMING: 'PENDING',
  CANCELLING: 'PENDING',
  COMPLETED: 'SUCCESS',
  CANCELLED: 'CANCELED',
  BLOCKED: 'REJECTED',
  REJECTED: 'REJECTED',
  FAILED: 'FAILED',
  TIMEOUT: 'FAILED',
}

const ALLOWLIST_STATES: Record<string, AllowlistState> = {
  WAITING_FOR_APPROVAL: 'PENDING_APPROVAL',
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
  CANCELLED: 'REJECTED',
  FAILED: 'FAILED',
}

/**
 * Done on the chain, and failed or rejected at the exchange that was to credit it: COMPLETED is no
 * success then ("Transaction substatuses", support.fireblocks.io, article 5643077899036).
 */
const NOT_CREDITED: ReadonlySet<string> = new Set([
  'COMPLETED_BUT_3RD_PARTY_FAILED',
  'COMPLETED_BUT_3RD_PARTY_REJECTED',
])

export function transferState(status: string, subStatus = ''): TransferState {
  if (NOT_CREDITED.has(subStatus)) return 'UNKNOWN'
  return TRANSFER_STATES[status] ?? 'UNKNOWN'
}

/** A movement is final or failed only when the vault says so; all else is still on its way. */
export function incomingState(status: string): IncomingState {
  const state = transferState(status)
  if (state === 'SUCCESS') return 'FINAL'
  return state === 'FAILED' || state === 'REJECTED' || state === 'CANCELED' ? 'FAILED' : 'PENDING'
}

/** An unknown word counts as not yet approved: nothing is sent to it. */
export function allowlistState(status: string): AllowlistState {
  return ALLOWLIST_STATES[status] ?? 'PENDING_APPROVAL'
}
