/** How much of what was told still waits: counted as the overview counts it. */
import type { Clock } from '../../core/clock.ts'
import type { Principal } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import type { DeskFeed } from '../../store/desk-feed.ts'
import { allDeskFeeds } from '../overview/desk-feed.ts'
import type { NeedKind } from '../overview/kinds.ts'
import { needsOf } from '../overview/overview.ts'
import type { NotificationKind } from './kinds.ts'
import type { Notification } from './notifications.schema.ts'

/** `states`: of one record that waits, where its state says so. */
type Standing = { needs: readonly NeedKind[]; states?: readonly string[] }

const STANDING: Readonly<Partial<Record<NotificationKind, Standing>>> = {
  deposit_unassigned: {
    needs: ['deposits_unassigned'],
    states: ['UNASSIGNED', 'PARTIALLY_ASSIGNED'],
  },
  assignment_pending: { needs: ['deposit_assignments_pending'] },
  held_for_review: {
    needs: ['deposits_in_review', 'withdrawals_in_review'],
    states: ['PENDING_REVIEW'],
  },
  outcome_unknown: {
    needs: ['withdrawals_unknown', 'executions_unknown', 'executions_contradicted'],
  },
  break_opened: { needs: ['breaks_open'], states: ['OPEN'] },
  halt_set: { needs: ['halts_set'] },
  venue_silent: { needs: ['venues_stale'] },
  setting_drifts: { needs: ['settings_drifting'] },
  declaration_drifts: { needs: ['declarations_drifting'] },
  set_aside: { needs: ['records_set_aside'], states: ['OPEN'] },
}

type Of = Pick<Notification, 'kind' | 'count' | 'read_at'>

/** Answers null for what is read, and for what happens and is over at once. */
export async function standingOf(
  { db, clock }: { db: Db; clock: Clock },
  beside: readonly DeskFeed[],
  { workspace, permissions }: Pick<Principal, 'workspace' | 'permissions'>,
  rows: readonly Of[],
): Promise<(row: Of, state: string | undefined) => number | null> {
  const asked = new Set(
    rows.flatMap(({ kind, read_at }) => (read_at === null ? (STANDING[kind]?.needs ?? []) : [])),
  )
  const needs = allDeskFeeds(beside).needs.filter(
    ({ kind, permission }) => asked.has(kind) && permissions.has(permission),
  )
  const counted = await needsOf(db, needs, workspace, clock.now())
  const counts = new Map(counted.map(({ kind, count }) => [kind, count]))
  return ({ kind, count, read_at }, state) => {
    const standing = STANDING[kind]
    if (standing === undefined || read_at !== null) return null
    const { needs: own, states } = standing
    if (count === 1 && state !== undefined && states !== undefined)
      return states.includes(state) ? 1 : 0
    const waiting = own.reduce((sum, need) => sum + (counts.get(need) ?? 0), 0)
    return count === 1 ? Math.min(1, waiting) : waiting
  }
}
