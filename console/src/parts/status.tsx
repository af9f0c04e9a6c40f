/** States, everywhere in the same colours: one table from word to tone. */
import type { ReactNode } from 'react'
import { NOTHING } from './values.tsx'

export type Tone =
  /** Ended well, or in order. */
  | 'good'
  /** Under way; nobody has to do anything. */
  | 'busy'
  /** Waits for a person. */
  | 'wait'
  /** Nobody knows, or somebody must look. */
  | 'alarm'
  /** Ended without what was wanted. */
  | 'bad'
  /** Over, and of no importance any more. */
  | 'off'

const TONES: Readonly<Record<string, Tone>> = {
  SUCCESS: 'good',
  SUCCESSFUL: 'good',
  ASSIGNED: 'good',
  DONE: 'good',
  FILLED: 'good',
  ACTIVE: 'good',
  CONNECTED: 'good',
  APPROVED: 'good',
  ACCEPTED: 'good',
  SENT: 'good',
  SETTLED: 'good',
  ALLOWED: 'good',
  UP: 'good',
  BALANCED: 'good',
  CONFIRMED_MANUALLY: 'good',
  PENDING: 'busy',
  PROCESSING: 'busy',
  NEW: 'busy',
  CONNECTING: 'busy',
  CREATING: 'busy',
  SUBMITTED: 'busy',
  PREPARED: 'busy',
  PARTIALLY_FILLED: 'busy',
  PENDING_NEW: 'busy',
  PENDING_CANCEL: 'busy',
  CANCELING: 'busy',
  WAITING_FOR_TRIGGER: 'busy',
  REQUESTED: 'busy',
  RUNNING: 'busy',
  TRANSFERRING: 'busy',
  PARTIALLY_SETTLED: 'busy',
  INITIATED: 'busy',
  IN_SETTLEMENT: 'busy',
  CHECKING: 'busy',
  UNASSIGNED: 'wait',
  PARTIALLY_ASSIGNED: 'wait',
  PENDING_REVIEW: 'wait',
  PENDING_APPROVAL: 'wait',
  STOPPED: 'wait',
  HALTED: 'wait',
  PREPARING: 'wait',
  READY: 'wait',
  UNSETTLED: 'wait',
  UNKNOWN: 'alarm',
  OPEN: 'alarm',
  UNREACHABLE: 'alarm',
  STALE: 'alarm',
  DEGRADED: 'alarm',
  BREAK: 'alarm',
  SET: 'alarm',
  FAILED: 'bad',
  REJECTED: 'bad',
  REVERSED: 'bad',
  REFUSED: 'bad',
  DOWN: 'bad',
  CANCELED: 'off',
  EXPIRED: 'off',
  CLOSED: 'off',
  DISABLED: 'off',
  DELETED: 'off',
  REMOVED: 'off',
  INACTIVE: 'off',
  NOT_REQUESTED: 'off',
  RELEASED: 'off',
  SKIPPED: 'off',
}

/** `PARTIALLY_ASSIGNED` → `Partially assigned`. */
export function inWords(word: string): string {
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What may be a word of the API (`BALANCE_NOT_DUE`) or somebody's own text, which stays. */
export function wordsOf(text: string): string {
  return /^[A-Z]{2,}(_[A-Z]+)*$/.test(text) ? inWords(text) : text
}

/**
 * `tone` where the word means something else here, e.g. an OPEN break against an OPEN settlement;
 * `says` instead of the state itself.
 */
export function Status({
  state,
  tone,
  says,
}: {
  state: string | null | undefined
  tone?: Tone
  says?: string
}): ReactNode {
  if (state === null || state === undefined) return NOTHING
  return (
    <span className={`status ${tone ?? TONES[state] ?? 'busy'}`} title={state}>
      {says ?? inWords(state)}
    </span>
  )
}
