/**
 * What a module shows of itself to those who oversee the whole: its records as search finds them,
 * what of it needs a person now, and how its records came to be what they are. It stands beside the
 * module's tables; the desk puts it together.
 */
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from './db.ts'
import type { Query } from './sql.ts'

export const RECORD_KINDS = [
  'customer',
  'account',
  'deposit',
  'withdrawal',
  'execution',
  'quote',
  'order',
  'fill',
  'settlement',
  'booking',
  'assignment',
  'rectification',
  'job',
  'job_run',
  'wallet',
  'route',
  'matching',
  'price_route',
  'venue',
  'break',
  'user',
] as const
export type RecordKind = (typeof RECORD_KINDS)[number]

export const NEED_KINDS = [
  'deposits_unassigned',
  'deposit_assignments_pending',
  'withdrawal_assignments_pending',
  'withdrawals_unknown',
  'withdrawals_in_review',
  'withdrawals_stuck',
  'executions_unknown',
  'executions_stuck',
  'executions_incomplete',
  'stops_waiting_in_vain',
  'jobs_failing',
  'settlements_failed',
  'settlements_waiting',
  'settlements_unseen',
  'settlements_left_over',
  'breaks_open',
  'venues_stale',
  'halts_set',
  'routes_refused',
  'wallets_failed',
] as const
export type NeedKind = (typeof NEED_KINDS)[number]

/** Beyond the terms of the table search_terms: a column with an index of its own. */
export type SearchLookup = {
  field: string
  /** Answers `id` and `matched` of at most `limit` rows, or undefined when such a text is none. */
  find(workspace: WorkspaceId, text: string, limit: number): Query | undefined
}

export type Searchable = {
  kind: RecordKind
  /** Who may see its records finds them. */
  permission: string
  /** Its table, with the columns workspace and id. */
  table: string
  /** Columns `id, title, subtitle, state, at, parent_kind, parent_id` of these rows. */
  show(workspace: WorkspaceId, ids: readonly string[]): Query
  lookups?: readonly SearchLookup[]
}

export type Need = {
  kind: NeedKind
  permission: string
  /** For people, e.g. `Deposits of nobody`. */
  title: string
  /** Where they are listed: the address of a list and its filter. */
  list: string
  filter: Readonly<Record<string, string>>
  /**
   * One row `count, oldest_at`; oldest_at is null when there is none. Its cost grows with what is
   * open, not with history.
   */
  select(workspace: WorkspaceId, now: number): Query
}

/** Something whose events and bookings are a part of a story. */
export type TimelineResource = { kind: RecordKind; id: string }

/** What a record says that no event tells. `by`: a user's id or a worker. */
export type TimelineEntry = TimelineResource & {
  at: number
  type: string
  title: string
  reason: string | null
  by: string | null
}

export type TimelineParts = {
  resources: readonly TimelineResource[]
  entries?: readonly TimelineEntry[]
}

/**
 * How a record came to be what it is: what has a part in it, itself first. Undefined when there is
 * no such record.
 */
export type TimelineSource = {
  kind: RecordKind
  permission: string
  parts(reader: Reader, workspace: WorkspaceId, id: string): Promise<TimelineParts | undefined>
}

export type DeskFeed = {
  searchables: readonly Searchable[]
  needs: readonly Need[]
  timelines?: readonly TimelineSource[]
}
