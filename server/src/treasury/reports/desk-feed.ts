/** What search shows of treasury's records, and what of treasury needs a person now. */
import type { WorkspaceId } from '../../core/ids.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Searchable, RecordKind, Need, DeskFeed } from '../../store/desk-feed.ts'
import { treasuryTimelines } from './timeline.ts'
import { STUCK_AFTER_MILLISECONDS } from '../withdrawals/withdrawals.schema.ts'

const found = (
  kind: RecordKind,
  permission: string,
  table: string,
  select: string,
): Searchable => ({
  kind,
  permission,
  table,
  show: (workspace, ids) =>
    sql`
      select t.id, ${raw(select)}
      from ${raw(table)} t
      where t.workspace = ${workspace}
        and t.id = any(${ids}::uuid[])`,
})

const amount = "trim_scale(t.quantity)::text || ' ' || t.asset"
const alone = 'null::text as parent_kind, null::uuid as parent_id'
const ofMovement =
  "case when t.deposit_id is null then 'withdrawal' else 'deposit' end as parent_kind, coalesce(t.deposit_id, t.withdrawal_id) as parent_id"
const joined = (...parts: string[]) =>
  `nullif(concat_ws(' · ', ${parts.map((part) => `nullif(${part}, '')`).join(', ')}), '')`

const FINDABLES: readonly Searchable[] = [
  found(
    'deposit',
    'treasury.deposits.read',
    'deposits',
    `'Deposit ' || ${amount} as title, ${joined("t.counterparty ->> 'name'", 't.reference_text', 't.source_address')} as subtitle, t.state, t.system_created_at as at, ${alone}`,
  ),
  found(
    'withdrawal',
    'treasury.withdrawals.read',
    'withdrawals',
    `'Withdrawal ' || ${amount} as title, ${joined('t.recipient_name', 't.reference_text', 't.destination_address')} as subtitle, t.state, t.system_created_at as at, ${alone}`,
  ),
  found(
    'assignment',
    'assignments.read',
    'assignments',
    `'Assignment of ' || ${amount} as title, lower(t.source) as subtitle, t.state, t.system_created_at as at, ${ofMovement}`,
  ),
  found(
    'rectification',
    'rectifications.read',
    'rectifications',
    `'Rectification' as title, ${joined('t.reason', 't.note')} as subtitle, t.state, t.system_created_at as at, ${ofMovement}`,
  ),
  found(
    'job',
    'treasury.jobs.read',
    'transfer_jobs',
    `'Transfer job ' || lower(t.condition_type) as title,
    (select r.label from treasury_routes r where r.workspace = t.workspace and r.id = t.route_id) as subtitle, t.state, t.system_created_at as at, ${alone}`,
  ),
  found(
    'job_run',
    'treasury.jobs.read',
    'job_runs',
    `'Run of a transfer job' as title, t.explanation as subtitle, t.state, t.started_at as at, 'job' as parent_kind, t.job_id as parent_id`,
  ),
  found(
    'wallet',
    'treasury.wallets.read',
    'wallets',
    `t.label as title, ${joined('t.asset', 't.address')} as subtitle, t.state, t.system_created_at as at, ${alone}`,
  ),
  found(
    'route',
    'treasury.routes.read',
    'treasury_routes',
    `t.label as title, ${joined('t.protocol', 't.allowlist_state')} as subtitle, t.state, t.system_created_at as at, ${alone}`,
  ),
  found(
    'matching',
    'matchings.read',
    'matchings',
    `'Matching ' || t.asset as title, ${joined('coalesce(t.destination_address, t.source_address)', 't.reference')} as subtitle, t.state, t.system_created_at as at, 'account' as parent_kind, t.resource_id as parent_id`,
  ),
]

type Counted = (workspace: WorkspaceId, now: number) => Query
const open = (
  kind: Need['kind'],
  permission: string,
  title: string,
  list: string,
  filter: Record<string, string>,
  select: Counted,
): Need => ({ kind, permission, title, list, filter, select })

const counted = (since: string, from: Query): Query =>
  sql`
    select count(*)::integer as count, min(${raw(since)}) as oldest_at
    from ${from}`

const withdrawals =
  (condition: Query): Counted =>
  (workspace) =>
    counted(
      'system_created_at',
      sql`
        withdrawals
        where workspace = ${workspace}
          and state in ('PENDING', 'PENDING_REVIEW', 'UNKNOWN')
          and ${condition}`,
    )

const NEEDS: readonly Need[] = [
  open(
    'deposits_unassigned',
    'treasury.deposits.read',
    'Deposits that belong to nobody yet',
    '/treasury/deposits',
    { state: 'UNASSIGNED,PARTIALLY_ASSIGNED' },
    (workspace) =>
      counted(
        'system_created_at',
        sql`
          deposits
          where workspace = ${workspace}
            and state = any('{UNASSIGNED,PARTIALLY_ASSIGNED}')`,
      ),
  ),
  open(
    'deposit_assignments_pending',
    'assignments.read',
    'Assignments of deposits that wait for a decision',
    '/treasury/assignments',
    { state: 'PENDING', of: 'DEPOSIT' },
    (workspace) =>
      counted(
        'system_created_at',
        sql`
          assignments
          where workspace = ${workspace}
            and state = 'PENDING'
            and deposit_id is not null`,
      ),
  ),
  // Those of a withdrawal in flight wait for its end, not for a person.
  open(
    'withdrawal_assignments_pending',
    'assignments.read',
    'Assignments of withdrawals that wait for a decision',
    '/treasury/assignments',
    { state: 'PENDING', of: 'WITHDRAWAL' },
    (workspace) =>
      counted(
        'a.system_created_at',
        sql`
          assignments a
          join withdrawals w on w.workspace = a.workspace
            and w.id = a.withdrawal_id
          where a.workspace = ${workspace}
            and a.state = 'PENDING'
            and w.state = 'SUCCESS'`,
      ),
  ),
  open(
    'withdrawals_unknown',
    'treasury.withdrawals.read',
    'Withdrawals whose outcome is not known',
    '/treasury/withdrawals',
    { state: 'UNKNOWN' },
    withdrawals(sql`state = 'UNKNOWN'`),
  ),
  open(
    'withdrawals_in_review',
    'treasury.withdrawals.read',
    'Withdrawals that the venue holds for review',
    '/treasury/withdrawals',
    { state: 'PENDING_REVIEW' },
    withdrawals(sql`state = 'PENDING_REVIEW'`),
  ),
  open(
    'withdrawals_stuck',
    'treasury.withdrawals.read',
    'Withdrawals that have been under way for over an hour',
    '/treasury/withdrawals',
    { state: 'PENDING', stuck: 'true' },
    (workspace, now) =>
      withdrawals(
        sql`
          state = 'PENDING'
            and coalesce(submitted_at, system_created_at) <= ${now - STUCK_AFTER_MILLISECONDS}`,
      )(workspace, now),
  ),
  open(
    'jobs_failing',
    'treasury.jobs.read',
    'Active transfer jobs whose last run failed',
    '/treasury/jobs',
    { state: 'ACTIVE' },
    (workspace) =>
      counted(
        'r.finished_at',
        sql`
          job_schedules s
          join job_runs r on r.workspace = s.workspace
            and r.id = s.last_run_id
          where s.workspace = ${workspace}
            and s.state = 'ACTIVE'
            and r.state = 'FAILED'`,
      ),
  ),
  open(
    'routes_refused',
    'treasury.routes.read',
    'Routes whose destination the venue did not allow',
    '/treasury/routes',
    { allowlist_state: 'REJECTED,FAILED' },
    (workspace) =>
      counted(
        'system_updated_at',
        sql`
          treasury_routes
          where workspace = ${workspace}
            and allowlist_state in ('REJECTED', 'FAILED')`,
      ),
  ),
  open(
    'wallets_failed',
    'treasury.wallets.read',
    'Wallets that the venue would not create',
    '/treasury/wallets',
    { state: 'FAILED' },
    (workspace) =>
      counted(
        'system_updated_at',
        sql`wallets where workspace = ${workspace} and state = 'FAILED'`,
      ),
  ),
]

export const treasuryDeskFeed: DeskFeed = {
  searchables: FINDABLES,
  needs: NEEDS,
  timelines: treasuryTimelines,
}
