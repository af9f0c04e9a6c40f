/** What search shows of treasury's records, and what of treasury needs a person now. */
import type { WorkspaceId } from '../../core/ids.ts'
import { ASSIGNMENT_MOVES } from '../assignments/assignments.schema.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import { JOB_MOVES, RUN_STATES } from '../jobs/jobs.schema.ts'
import { stateIn } from '../../store/states.ts'
import { WALLET_MOVES } from '../wallets/wallets.schema.ts'
import type { DeskFeed, Need, Searchable } from '../../store/desk-feed.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import {
  LIVE_STATES,
  STUCK_AFTER_MILLISECONDS,
  WITHDRAWAL_MOVES,
} from '../withdrawals/withdrawals.schema.ts'
import { SET_ASIDE_MOVES } from '../../venues/index.ts'
import { treasuryTimelines } from './timeline.ts'

/** The fields are SQL over the row `t`. */
type SearchFields = {
  kind: string
  permission: string
  table: string
  title: string
  subtitle: string
  at?: string
  parent?: string
}

const NO_PARENT = 'null::text as parent_kind, null::uuid as parent_id'
const MOVEMENT =
  "case when t.deposit_id is null then 'withdrawal' else 'deposit' end as parent_kind, " +
  'coalesce(t.deposit_id, t.withdrawal_id) as parent_id'
const JOB = "'job' as parent_kind, t.job_id as parent_id"
const ACCOUNT = "'account' as parent_kind, t.resource_id as parent_id"

const searchable = ({
  kind,
  permission,
  table,
  title,
  subtitle,
  at = 't.system_created_at',
  parent = NO_PARENT,
}: SearchFields): Searchable => ({
  kind,
  permission,
  table,
  show: (workspace, ids) => sql`
    select t.id, ${raw(title)} as title, ${raw(subtitle)} as subtitle,
      t.state, ${raw(at)} as at, ${raw(parent)}
    from ${raw(table)} t
    where t.workspace = ${workspace}
      and t.id = any(${ids}::uuid[])`,
})

const AMOUNT = "trim_scale(t.quantity)::text || ' ' || t.asset"
const joined = (...parts: string[]) =>
  `nullif(concat_ws(' · ', ${parts.map((part) => `nullif(${part}, '')`).join(', ')}), '')`

const SEARCHABLES = [
  searchable({
    kind: 'deposit',
    permission: 'treasury.deposits.read',
    table: 'deposits',
    title: `'Deposit ' || ${AMOUNT}`,
    subtitle: joined("t.counterparty ->> 'name'", 't.reference_text', 't.source_address'),
  }),
  searchable({
    kind: 'withdrawal',
    permission: 'treasury.withdrawals.read',
    table: 'withdrawals',
    title: `'Withdrawal ' || ${AMOUNT}`,
    subtitle: joined('t.recipient_name', 't.reference_text', 't.destination_address'),
  }),
  searchable({
    kind: 'set_aside_item',
    permission: 'treasury.deposits.read',
    table: 'set_aside_items',
    title: "'Set aside: ' || t.foreign_id",
    subtitle: 't.reason',
    parent: "'venue' as parent_kind, t.venue_id as parent_id",
  }),
  searchable({
    kind: 'assignment',
    permission: 'assignments.read',
    table: 'assignments',
    title: `'Assignment of ' || ${AMOUNT}`,
    subtitle: 'lower(t.source)',
    parent: MOVEMENT,
  }),
  searchable({
    kind: 'rectification',
    permission: 'rectifications.read',
    table: 'rectifications',
    title: "'Rectification'",
    subtitle: joined('t.reason', 't.note'),
    parent: MOVEMENT,
  }),
  searchable({
    kind: 'job',
    permission: 'treasury.jobs.read',
    table: 'transfer_jobs',
    title: "'Transfer job ' || lower(t.condition_type)",
    subtitle:
      '(select r.label from treasury_routes r ' +
      'where r.workspace = t.workspace and r.id = t.route_id)',
  }),
  searchable({
    kind: 'job_run',
    permission: 'treasury.jobs.read',
    table: 'job_runs',
    title: "'Run of a transfer job'",
    subtitle: 't.explanation',
    at: 't.started_at',
    parent: JOB,
  }),
  searchable({
    kind: 'wallet',
    permission: 'treasury.wallets.read',
    table: 'wallets',
    title: 't.label',
    subtitle: joined('t.asset', 't.address'),
  }),
  searchable({
    kind: 'route',
    permission: 'treasury.routes.read',
    table: 'treasury_routes',
    title: 't.label',
    subtitle: joined('t.protocol', 't.allowlist_state'),
  }),
  searchable({
    kind: 'matching',
    permission: 'matchings.read',
    table: 'matchings',
    title: "'Matching ' || t.asset",
    subtitle: joined('coalesce(t.destination_address, t.source_address)', 't.reference'),
    parent: ACCOUNT,
  }),
]

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

const NEEDS: readonly Need[] = [
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
    select: (workspace) =>
      counted(sql`
        withdrawals
        where workspace = ${workspace}
          and unassigned`),
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

export const treasuryDeskFeed: DeskFeed = {
  searchables: SEARCHABLES,
  needs: NEEDS,
  timelines: treasuryTimelines,
}
