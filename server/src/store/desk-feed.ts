/**
 * What a module shows of itself to those who oversee the whole: its records as search finds them,
 * what of it needs a person now, and how its records came to be what they are. It stands beside the
 * module's tables; the desk puts it together.
 */
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from './db.ts'
import type { Query } from './sql.ts'

/** Beyond the terms of the table search_terms: a column with an index of its own. */
export type SearchLookup = {
  field: string
  /** Answers `id` and `matched` of at most `limit` rows, or undefined when such a text is none. */
  find(workspace: WorkspaceId, text: string, limit: number): Query | undefined
}

export type Searchable = {
  kind: string
  /** Who may see its records finds them. */
  permission: string
  /** Its table, with the columns workspace and id. */
  table: string
  /** Columns `id, title, subtitle, state, at, parent_kind, parent_id` of these rows. */
  show(workspace: WorkspaceId, ids: readonly string[]): Query
  lookups?: readonly SearchLookup[]
}

export type Need = {
  kind: string
  permission: string
  /** For people, e.g. `Deposits without an owner`. */
  title: string
  /** Where they are listed: the address of a list and its filter. */
  list: string
  filter: Readonly<Record<string, string>>
  /**
   * One row `count, oldest_at`; oldest_at is null when there is none. Where it can be said of what
   * and why, also `reasons`, some texts. Its cost grows with what is open, not with history.
   */
  select(workspace: WorkspaceId, now: number): Query
}

/** A record whose events and bookings are a part of a timeline. */
export type TimelineResource = { kind: string; id: string }

/** A step that the record shows and no event does. `by`: a user's id or a worker. */
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
 * The timeline of a record: what has a part in it, itself first. Undefined when there is
 * no such record.
 */
export type TimelineSource = {
  kind: string
  permission: string
  parts(reader: Reader, workspace: WorkspaceId, id: string): Promise<TimelineParts | undefined>
}

export type DeskFeed = {
  searchables: readonly Searchable[]
  needs: readonly Need[]
  timelines?: readonly TimelineSource[]
}
