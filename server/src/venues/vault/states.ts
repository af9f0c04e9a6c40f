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

export function transferState(status: string): TransferState {
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
