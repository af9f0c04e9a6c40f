/** What of treasury needs a person now, as the overview counts it. */
import type { WorkspaceId } from '../../core/ids.ts'
import { ASSIGNMENT_MOVES } from '../assignments/assignments.schema.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import { PAYMENT_MOVES } from '../withdrawals/payments/payments.schema.ts'
import { JOB_MOVES, RUN_STATES } from '../jobs/jobs.schema.ts'
import { stateIn } from '../../store/states.ts'
import { WALLET_MOVES } from '../wallets/wallets.schema.ts'
import type { Need } from '../../store/desk-feed.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import {
  LIVE_STATES,
  STUCK_AFTER_MILLISECONDS,
  WITHDRAWAL_MOVES,
} from '../withdrawals/withdrawals.schema.ts'
import { OWNERLESS } from '../withdrawals/ownerless.ts'
import { suspenseDifferences } from './suspense.ts'
import { isGoneTwice } from '../withdrawals/gone-twice.ts'
import { SET_ASIDE_MOVES } from '../../venues/index.ts'

/** How many there are, and since when the oldest one is. */
const counted = (from: Query, since = 'system_created_at'): Query => sql`
  select count(*)::integer as count, min(${raw(since)}) as oldest_at
  from ${from}`

const liveWithdrawals = (workspace: WorkspaceId, condition: Query): Query =>
  counted(sql`
    withdrawals
    where workspace = ${workspace}
      and ${stateIn(WITHDRAWAL_MOVES, LIVE_STATES)}
      and ${condition}`)

export const TREASURY_NEEDS: readonly Need[] = [
  {
    kind: 'deposits_unassigned',
    permission: 'treasury.deposits.read',
    title: 'Deposits without an owner',
    list: '/treasury/deposits',
    filter: { state: 'UNASSIGNED,PARTIALLY_ASSIGNED' },
    select: (workspace) =>
      counted(sql`
        deposits
        where workspace = ${workspace}
          and state = any('{UNASSIGNED,PARTIALLY_ASSIGNED}')`),
  },
  {
    kind: 'deposits_in_review',
    permission: 'treasury.deposits.read',
    title: 'Deposits that the venue keeps frozen',
    list: '/treasury/deposits',
    filter: { state: 'PENDING_REVIEW' },
    select: (workspace) =>
      counted(sql`
        deposits
        where workspace = ${workspace}
          and ${stateIn(DEPOSIT_MOVES, 'PENDING_REVIEW')}`),
  },
  {
    kind: 'deposits_gone_twice',
    permission: 'treasury.deposits.read',
    title: 'Returned deposits that their venue took back',
    list: '/treasury/deposits',
    filter: { gone_twice: 'true' },
    select: (workspace) =>
      counted(
        sql`
          deposits
          where workspace = ${workspace}
            and ${isGoneTwice}`,
        'system_updated_at',
      ),
  },
  {
    kind: 'deposit_assignments_pending',
    permission: 'assignments.read',
    title: 'Assignments of deposits that wait for a decision',
    list: '/treasury/assignments',
    filter: { state: 'PENDING', of: 'DEPOSIT' },
    select: (workspace) =>
      counted(sql`
        assignments
        where workspace = ${workspace}
          and ${stateIn(ASSIGNMENT_MOVES, 'PENDING')}
          and deposit_id is not null`),
  },
  {
    kind: 'withdrawals_unassigned',
    permission: 'treasury.withdrawals.read',
    title: 'Withdrawals without an owner',
    list: '/treasury/withdrawals',
    filter: { unassigned: 'true' },
    select: (workspace) => {
      const [left, inFlight] = OWNERLESS.map((condition) =>
        counted(sql`
          withdrawals
          where workspace = ${workspace}
            and ${condition}`),
      ) as [Query, Query]
      return sql`
        select sum(count)::integer as count, min(oldest_at) as oldest_at
        from (${left} union all ${inFlight}) as parts`
    },
  },
  {
    kind: 'suspense_unexplained',
    permission: 'desk.read',
    title: 'Assets of which SUSPENSE differs from what waits there: it was booked on by hand',
    list: '/bookings',
    filter: { type: 'MANUAL' },
    select: (workspace) => sql`
      select count(*)::integer as count, null::bigint as oldest_at
      from (${suspenseDifferences(workspace)}) as differing`,
  },
  // Those of a withdrawal in flight wait for its end, not for a person.
  {
    kind: 'withdrawal_assignments_pending',
    permission: 'assignments.read',
    title: 'Assignments of withdrawals that wait for a decision',
    list: '/treasury/assignments',
    filter: { state: 'PENDING', of: 'WITHDRAWAL' },
    select: (workspace) =>
      counted(
        sql`
          assignments a
          join withdrawals w
            on w.workspace = a.workspace
            and w.id = a.withdrawal_id
          where a.workspace = ${workspace}
            and ${stateIn(ASSIGNMENT_MOVES, 'PENDING', 'a.state')}
            and ${stateIn(WITHDRAWAL_MOVES, 'SUCCESS', 'w.state')}`,
        'a.system_created_at',
      ),
  },
  {
    kind: 'withdrawals_unknown',
    permission: 'treasury.withdrawals.read',
    title: 'Withdrawals whose outcome is not known',
    list: '/treasury/withdrawals',
    filter: { state: 'UNKNOWN' },
    select: (workspace) => liveWithdrawals(workspace, sql`${stateIn(WITHDRAWAL_MOVES, 'UNKNOWN')}`),
  },
  {
    kind: 'withdrawals_in_review',
    permission: 'treasury.withdrawals.read',
    title: 'Withdrawals that the venue holds for review',
    list: '/treasury/withdrawals',
    filter: { state: 'PENDING_REVIEW' },
    select: (workspace) =>
      liveWithdrawals(workspace, sql`${stateIn(WITHDRAWAL_MOVES, 'PENDING_REVIEW')}`),
  },
  {
    kind: 'withdrawals_stuck',
    permission: 'treasury.withdrawals.read',
    title: 'Withdrawals that have been in flight for over an hour',
    list: '/treasury/withdrawals',
    filter: { state: 'PENDING', stuck: 'true' },
    select: (workspace, now) => {
      const since = now - STUCK_AFTER_MILLISECONDS
      return liveWithdrawals(
        workspace,
        sql`
          ${stateIn(WITHDRAWAL_MOVES, 'PENDING')}
            and coalesce(submitted_at, system_created_at) <= ${since}`,
      )
    },
  },
  {
    kind: 'records_set_aside',
    permission: 'treasury.deposits.read',
    title: 'Records of venues that were set aside',
    list: '/treasury/set-aside-items',
    filter: { state: 'OPEN' },
    select: (workspace) =>
      counted(sql`
        set_aside_items
        where workspace = ${workspace}
          and ${stateIn(SET_ASIDE_MOVES, 'OPEN')}`),
  },
  {
    kind: 'payments_refused',
    permission: 'treasury.withdrawals.read',
    title: 'Payments that were refused when they were to be sent',
    list: '/treasury/payments',
    filter: { state: 'REFUSED' },
    select: (workspace) =>
      counted(
        sql`
          payments
          where workspace = ${workspace}
            and ${stateIn(PAYMENT_MOVES, 'REFUSED')}`,
        'system_updated_at',
      ),
  },
  {
    kind: 'jobs_failing',
    permission: 'treasury.jobs.read',
    title: 'Active transfer jobs whose last run failed',
    list: '/treasury/jobs',
    filter: { state: 'ACTIVE' },
    select: (workspace) =>
      counted(
        sql`
          job_schedules s
          join job_runs r
            on r.workspace = s.workspace
            and r.id = s.last_run_id
          where s.workspace = ${workspace}
            and ${stateIn(JOB_MOVES, 'ACTIVE', 's.state')}
            and ${stateIn(RUN_STATES, 'FAILED', 'r.state')}`,
        'r.finished_at',
      ),
  },
  {
    kind: 'routes_refused',
    permission: 'treasury.routes.read',
    title: 'Routes whose destination the venue did not allow',
    list: '/treasury/routes',
    filter: { allowlist_state: 'REJECTED,FAILED' },
    select: (workspace) =>
      counted(
        sql`
          treasury_routes
          where workspace = ${workspace}
            and allowlist_state in ('REJECTED', 'FAILED')`,
        'system_updated_at',
      ),
  },
  {
    kind: 'wallets_failed',
    permission: 'treasury.wallets.read',
    title: 'Wallets that the venue refused to create',
    list: '/treasury/wallets',
    filter: { state: 'FAILED' },
    select: (workspace) =>
      counted(
        sql`
          wallets
          where workspace = ${workspace}
            and ${stateIn(WALLET_MOVES, 'FAILED')}`,
        'system_updated_at',
      ),
  },
]
