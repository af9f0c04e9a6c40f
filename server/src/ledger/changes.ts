/**
 * A change, as plain data: what a module hands to the lane, what the lane loads for it, and what it
 * writes.
 */
import type { Decimal } from '../core/decimal.ts'
import type { ApiError } from '../core/errors.ts'
import type { AccountId, BookingId, WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Call } from '../store/calls.ts'
import type { Query } from '../store/sql.ts'
import type { HaltScope, ActiveHalt } from './halts.schema.ts'
import type { EventType } from './event-types.ts'
import type { Counted, Facts, Judgement } from './policy/judge.ts'
import type { Policy } from './policy/policy.schema.ts'
import type { AccountType, BookingDraft, HoldDraft, LedgerStep } from './ledger.schema.ts'

/**
 * A compare-and-set of one row of a module: `state` must be one of `from` (and `version` match),
 * then becomes `to`. Its version grows by one.
 */
export type Guard = {
  table: string
  /** In words, for the refusal: `withdrawal`. */
  resource: string
  id: string
  from: readonly string[]
  to?: string
  version?: number
  /** Only compared: the row stays as it is, also its version. */
  kept?: true
  /**
   * From this time on (domain time, ms) refused with `error`: what was still good when it was read
   * may not be at the commit.
   */
  until?: { at: number; error: ApiError }
}

/** What a program moves, for the limits of its API key. */
export type Moved = {
  asset: string
  quantity: Decimal
  /** Of treasury or prices. Null: a way that no route names. Absent: it needs none. */
  route_id?: string | null
  /** It only prepares: judged, not counted. */
  prepares?: true
}

/**
 * What a policy was asked when a change was composed, and what it said: the lane compares it with
 * what it says under the lock. Without facts: the policy is off.
 */
export type PolicyAsk = {
  policy: Policy
  facts: Facts | null
  expected: Pick<Judgement, 'verdict' | 'rule'>
}

export type EventDraft = { type: EventType; resource_id: string; data: Json }

export type TaskOfChange = { kind: string; subject_id: string; due_at: number }

export type Change = {
  workspace: WorkspaceId
  /** A command may be refused for its money; a fact has happened and is always booked. */
  class: 'command' | 'fact'
  /** User id or the name of the worker; stored with what the change writes. */
  by: string
  /**
   * The program that asked. `standing`: it is done later, by what the program set up, and so also
   * once the key is revoked.
   */
  api_key?: { id: string; standing?: true }
  /** Of a program; what it books and blocks when absent. */
  moves?: readonly Moved[]
  policy?: readonly PolicyAsk[]
  /** The version of the policy that let the call pass: refused once another is in force. */
  judged_by?: number
  /** What was counted for the policy, and does not count any more: nothing has moved. */
  uncounted?: readonly Counted[]
  /** The field of the request that names the amount, for a refusal of it. */
  amount_path?: string
  /** The call that it is made for, which is recorded with it; the lane finds it. */
  call?: Call
  /** What a halt may be on: this command is then refused HALTED. */
  halt?: HaltScope
  guards?: Guard[]
  ledger?: LedgerStep[]
  /** The module's own writes, run in order after the guards' moves. */
  rows?: Query[]
  events?: EventDraft[]
  tasks?: TaskOfChange[]
  idempotency?: {
    key: string
    request_hash: Buffer
    former_hash?: Buffer
    reply: { booking_id: string } | { data: Json }
  }
}

export type CommittedLeg = {
  account_id: AccountId
  account_label: string
  type: 'DEBIT' | 'CREDIT'
  quantity: Decimal
  balance_after: Decimal
}
export type CommittedBooking = Omit<BookingDraft, 'legs' | 'value_date'> & {
  sequence: number
  event_sequence: number
  value_date: number
  booked_at: number
  booked_by: string
  legs: CommittedLeg[]
  /** Of its description, in the chain of hashes. */
  description_salt?: Buffer
  /** Of a description that was erased. */
  description_digest?: Buffer
}
type StoredEvent = EventDraft & { id: string; sequence: number; by: string }

export type Acceptance = { verdict: 'accepted'; at: number; bookings: CommittedBooking[] }
export type Replay = { verdict: 'replayed'; reply: { booking_id: BookingId } | { data: Json } }
export type Verdict = Acceptance | Replay | { verdict: 'refused'; error: unknown }

/** `frozen`: why commands may take or block nothing there, null when they may. */
export type AccountState = {
  type: AccountType
  label: string
  overdraft: boolean
  frozen: string | null
}
export type BalanceState = {
  account_id: string
  asset: string
  total: Decimal
  held_withdrawal: Decimal
  held_trading: Decimal
  unsettled: Decimal
  floor: Decimal | null
}
export type HoldState = HoldDraft & { captured: Decimal; released: Decimal }
type GuardedRow = { state: string; version: number }
export type StoredKey = {
  request_hash: Buffer
  reply: { booking_id: string } | { data: Json } | undefined
}

/** An API key as the lane reads it. Amounts are texts; null means any. */
export type ProgramState = {
  id: string
  label: string
  state: string
  expires_at: number
  limits: {
    assets: { asset: string; per_transaction: string | null; per_day: string | null }[] | null
    routes: string[] | null
  }
}

/** What the lane loaded; the fold changes it as it goes. */
export type Books = {
  at: number
  booking_sequence: number
  event_sequence: number
  accounts: Map<string, AccountState>
  balances: Map<string, BalanceState>
  holds: Map<string, HoldState>
  guarded: Map<string, GuardedRow>
  keys: Map<string, StoredKey>
  /** The halts that are set; loaded when one may stop a change of the batch. */
  halts: ActiveHalt[]
  /** Those that the changes come from. */
  programs: Map<string, ProgramState>
  /** What each has moved, by key, day and asset. */
  spent: Map<string, Decimal>
  policy_version: number
  /** What was counted for the policy. */
  totals: Map<string, Decimal>
}

/** What the batch writes, in the order of the changes. */
export type Writes = {
  bookings: CommittedBooking[]
  events: StoredEvent[]
  balances: Map<string, BalanceState>
  new_holds: Map<string, HoldState>
  changed_holds: Map<string, HoldState>
  /** `was`: the state before. */
  moves: { guard: Guard; by: string; was: string; call: Call | undefined }[]
  spent: Map<string, Decimal>
  totals: Map<string, Decimal>
  accepted: Change[]
}

export const balanceKey = (account_id: AccountId, asset: string) => `${account_id} ${asset}`
export const guardKey = (guard: Pick<Guard, 'table' | 'id'>) => `${guard.table} ${guard.id}`
