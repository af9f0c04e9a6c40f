/** States in the same colours everywhere: one table from state to tone. */
import type { ReactNode } from 'react'
import { NOTHING } from './values.tsx'

type Tone =
  /** Ended as wanted, or in order. */
  | 'good'
  /** In progress; nobody has to act. */
  | 'busy'
  /** Waiting for a person. */
  | 'wait'
  /** Unknown, or somebody must look. */
  | 'alarm'
  /** Ended otherwise than wanted. */
  | 'bad'
  /** Over and no longer important. */
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
  DELIVERED: 'good',
  SETTLED: 'good',
  RESOLVED: 'good',
  RETURNED: 'good',
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
  NOT_COMPARED: 'wait',
  PENDING_APPROVAL: 'wait',
  STOPPED: 'wait',
  PAUSED: 'wait',
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
  DISMISSED: 'off',
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

/** Words for a code of the API (`BALANCE_NOT_DUE`); any other text stays as it is. */
export function wordsOf(text: string): string {
  return /^[A-Z]{2,}(_[A-Z]+)*$/.test(text) ? inWords(text) : text
}

/**
 * `tone` where the state means something else here: an OPEN break is an alarm. `says` replaces the
 * name of the state.
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
