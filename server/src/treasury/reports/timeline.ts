/**
 * What has a part in how a movement, an assignment or a run of a job came to be what it is: read
 * from the records that name each other.
 */
import { stateIn } from '../../store/states.ts'
import { RUN_STATES } from '../jobs/jobs.schema.ts'
import { firstIdAt } from '../../core/ids.ts'
import type {
  AccountId,
  DepositId,
  JobRunId,
  SettlementId,
  WalletId,
  WithdrawalId,
  WorkspaceId,
} from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import type {
  TimelineEntry,
  TimelineSource,
  TimelineParts,
  TimelineResource,
} from '../../store/desk-feed.ts'
import { sql } from '../../store/sql.ts'

const MAXIMUM_RELATED = 20

const resources = (
  kind: TimelineResource['kind'],
  ids: readonly (string | null)[],
): TimelineResource[] => ids.flatMap((id) => (id === null ? [] : [{ kind, id }]))

async function depositTimeline(
  reader: Reader,
  workspace: WorkspaceId,
  id: DepositId,
): Promise<TimelineParts | undefined> {
  const row = only(
    await reader.query<{
      wallet_id: WalletId | null
      related_withdrawal_id: string | null
      settlement_id: SettlementId | null
      final_at: number | null
    }>(sql`
      select wallet_id, related_withdrawal_id, settlement_id, final_at
      from deposits
      where workspace = ${workspace}
        and id = ${id}`),
  )
  if (row === undefined) return undefined
  const onward =
    row.wallet_id === null || row.final_at === null
      ? undefined
      : await onwardJobTransfer(reader, workspace, row.wallet_id, row.final_at)
  const returns = await reader.query<{ id: string }>(sql`
    select id
    from withdrawals
    where workspace = ${workspace}
      and returns_deposit_id = ${id}
    order by id desc
    limit ${MAXIMUM_RELATED}`)
  return {
    resources: [
      { kind: 'deposit', id },
      ...resources(
        'withdrawal',
        returns.map((withdrawal) => withdrawal.id),
      ),
      ...resources('withdrawal', [row.related_withdrawal_id, onward?.withdrawal_id ?? null]),
      ...resources('settlement', [row.settlement_id]),
    ],
    entries: onward === undefined ? [] : [onward.fact],
  }
}

/** The first transfer by a job out of the wallet after it came to hold the deposit. */
async function onwardJobTransfer(
  reader: Reader,
  workspace: WorkspaceId,
  wallet_id: WalletId,
  final_at: number,
): Promise<{ withdrawal_id: WithdrawalId; fact: TimelineEntry } | undefined> {
  const run = only(
    await reader.query<RunRow>(sql`
      select r.id, r.state, r.reason, r.explanation, r.finished_at, r.system_created_by,
        r.withdrawal_id
      from treasury_routes t
      join transfer_jobs j on j.workspace = t.workspace
        and j.route_id = t.id
      cross join lateral (
        select *
        from job_runs
        where workspace = ${workspace}
          and job_id = j.id
          and id >= ${firstIdAt(final_at)}
          and ${stateIn(RUN_STATES, 'TRANSFERRED')}
          and started_at >= ${final_at}
        order by id
        limit 1
      ) r
      where t.workspace = ${workspace}
        and t.from_wallet_id = ${wallet_id}
      order by r.id
      limit 1`),
  )
  return run === undefined || run.withdrawal_id === null
    ? undefined
    : {
        withdrawal_id: run.withdrawal_id,
        fact: {
          ...runEntry(run),
          title: 'A transfer job moved money from the wallet that holds it',
        },
      }
}

type RunRow = {
  id: string
  state: 'TRANSFERRED' | 'SKIPPED' | 'FAILED'
  reason: string | null
  explanation: string
  finished_at: number
  system_created_by: string | null
  withdrawal_id: WithdrawalId | null
}

const RUN_TITLES = {
  TRANSFERRED: 'A run of the job made a withdrawal',
  SKIPPED: 'A run of the job moved nothing',
  FAILED: 'A run of the job failed',
} as const

const runEntry = ({
  id,
  state,
  reason,
  explanation,
  finished_at,
  system_created_by,
}: RunRow): TimelineEntry => ({
  kind: 'job_run',
  id,
  at: finished_at,
  type: `job.${state.toLowerCase()}`,
  title: RUN_TITLES[state],
  reason: reason === null ? explanation : `${reason}: ${explanation}`,
  by: system_created_by,
})

async function runOf(
  reader: Reader,
  workspace: WorkspaceId,
  id: JobRunId,
): Promise<RunRow | undefined> {
  return only(
    await reader.query<RunRow>(
      sql`
        select id, state, reason, explanation, finished_at, system_created_by, withdrawal_id
        from job_runs
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
}

async function withdrawalTimeline(
  reader: Reader,
  workspace: WorkspaceId,
  id: WithdrawalId,
): Promise<TimelineParts | undefined> {
  const row = only(
    await reader.query<{
      job_run_id: JobRunId | null
      settlement_id: SettlementId | null
      related_withdrawal_id: string | null
      returns_deposit_id: string | null
    }>(sql`
      select job_run_id, settlement_id, related_withdrawal_id, returns_deposit_id
      from withdrawals
      where workspace = ${workspace}
        and id = ${id}`),
  )
  if (row === undefined) return undefined
  const arrived = await reader.query<{ id: string }>(
    sql`
      select id
      from deposits
      where workspace = ${workspace}
        and related_withdrawal_id = ${id}
      order by id
      limit ${MAXIMUM_RELATED}`,
  )
  const late = await reader.query<{ id: string }>(
    sql`
      select id
      from withdrawals
      where workspace = ${workspace}
        and related_withdrawal_id = ${id}
      order by id
      limit ${MAXIMUM_RELATED}`,
  )
  const run = row.job_run_id === null ? undefined : await runOf(reader, workspace, row.job_run_id)
  return {
    resources: [
      { kind: 'withdrawal', id },
      ...resources('withdrawal', [
        row.related_withdrawal_id,
        ...late.map((withdrawal) => withdrawal.id),
      ]),
      ...resources(
        'deposit',
        arrived.map((deposit) => deposit.id),
      ),
      ...resources('deposit', [row.returns_deposit_id]),
      ...resources('settlement', [row.settlement_id]),
    ],
    entries: run === undefined ? [] : [runEntry(run)],
  }
}

async function runTimeline(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<TimelineParts | undefined> {
  const run = await runOf(reader, workspace, id)
  if (run === undefined) return undefined
  const moved =
    run.withdrawal_id === null
      ? undefined
      : await withdrawalTimeline(reader, workspace, run.withdrawal_id)
  return {
    resources: [{ kind: 'job_run', id }, ...(moved?.resources ?? [])],
    entries: [runEntry(run)],
  }
}

/** The story of the movement that it is a part of. */
async function assignmentTimeline(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<TimelineParts | undefined> {
  const row = only(
    await reader.query<{ deposit_id: DepositId | null; withdrawal_id: WithdrawalId | null }>(
      sql`
        select deposit_id, withdrawal_id
        from assignments
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  if (row === undefined) return undefined
  return row.deposit_id !== null
    ? depositTimeline(reader, workspace, row.deposit_id)
    : withdrawalTimeline(reader, workspace, row.withdrawal_id ?? '')
}

export const treasuryTimelines: readonly TimelineSource[] = [
  { kind: 'deposit', permission: 'treasury.deposits.read', parts: depositTimeline },
  { kind: 'withdrawal', permission: 'treasury.withdrawals.read', parts: withdrawalTimeline },
  { kind: 'job_run', permission: 'treasury.jobs.read', parts: runTimeline },
  { kind: 'assignment', permission: 'assignments.read', parts: assignmentTimeline },
]

/** The movements that an account had a part in lately, newest first. */
export async function latestMovements(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
  limit: number,
): Promise<TimelineResource[]> {
  const rows = await reader.query<{
    deposit_id: DepositId | null
    withdrawal_id: WithdrawalId | null
  }>(
    sql`
      select deposit_id, withdrawal_id
      from assignments
      where workspace = ${workspace}
        and account_id = ${account_id}
      order by id desc
      limit ${limit}`,
  )
  return rows.flatMap((row) => [
    ...resources('deposit', [row.deposit_id]),
    ...resources('withdrawal', [row.withdrawal_id]),
  ])
}
