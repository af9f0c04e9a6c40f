/** What the vault's words mean here. A word that is not in a table is UNKNOWN, never a guess. */
import type { TransactionResponse } from '@fireblocks/ts-sdk'
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
const UNSUCCESSFUL: readonly TransferState[] = ['FAILED', 'REJECTED', 'CANCELED']

/** It has left, and the exchange that it went to did not take it. */
const NOT_CREDITED = ['COMPLETED_BUT_3RD_PARTY_FAILED', 'COMPLETED_BUT_3RD_PARTY_REJECTED']
/** It was in the mempool, also where the vault shows no hash. */
const DROPPED = ['DROPPED_BY_BLOCKCHAIN', 'DOUBLE_SPENDING']
/** It came in, and cannot be spent until somebody unfreezes it. */
const FROZEN = ['AUTO_FREEZE', 'FROZEN_MANUALLY', 'REJECTED_AML_SCREENING']

const ALLOWLIST_STATES: Record<string, AllowlistState> = {
  WAITING_FOR_APPROVAL: 'PENDING_APPROVAL',
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
  CANCELLED: 'REJECTED',
  FAILED: 'FAILED',
}

type Words = Pick<TransactionResponse, 'status' | 'subStatus' | 'txHash' | 'numOfConfirmations'>

/**
 * What became of one transaction on its chain.
 *
 *   LIVE          it goes on
 *   CONFIRMED     it has left
 *   NOT_CREDITED  it has left, and the exchange that it went to did not take it
 *   REVERTED      a block holds it as failed: its nonce is used, and it cost its fee
 *   MAYBE         it has failed after it was sent, and can confirm until its nonce or its inputs
 *                 are spent by something else
 *   NEVER_SENT    it has failed before it was sent
 */
type Fate = 'LIVE' | 'CONFIRMED' | 'NOT_CREDITED' | 'REVERTED' | 'MAYBE' | 'NEVER_SENT'

export function fateOf({ status = '', subStatus = '', txHash, numOfConfirmations }: Words): Fate {
  const state = stateOfWord(status)
  if (state === 'SUCCESS') return NOT_CREDITED.includes(subStatus) ? 'NOT_CREDITED' : 'CONFIRMED'
  if (!UNSUCCESSFUL.includes(state)) return 'LIVE'
  if (!txHash && !DROPPED.includes(subStatus)) return 'NEVER_SENT'
  return subStatus === 'SMART_CONTRACT_EXECUTION_FAILED' && (numOfConfirmations ?? 0) > 0
    ? 'REVERTED'
    : 'MAYBE'
}

const stateOfWord = (status: string): TransferState => TRANSFER_STATES[status] ?? 'UNKNOWN'

/** Of a transaction by itself. */
export function transferState(words: Words): TransferState {
  const fate = fateOf(words)
  return fate === 'MAYBE' || fate === 'NOT_CREDITED' ? 'UNKNOWN' : stateOfWord(words.status ?? '')
}

/** A movement is final or failed only when the vault says so; all else is still on its way. */
export function incomingState({ status = '', subStatus = '', txHash }: Words): IncomingState {
  const state = stateOfWord(status)
  if (state === 'SUCCESS') return 'FINAL'
  if (!UNSUCCESSFUL.includes(state)) return 'PENDING'
  return txHash && FROZEN.includes(subStatus) ? 'PENDING_REVIEW' : 'FAILED'
}

/** An unknown word counts as not yet approved: nothing is sent to it. */
export function allowlistState(status: string): AllowlistState {
  return ALLOWLIST_STATES[status] ?? 'PENDING_APPROVAL'
}
