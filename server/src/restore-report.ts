/** What after-restore shows a person of a workspace: what has left, and what may be paid again. */
import { firstIdAt } from './core/ids.ts'
import type { WorkspaceId } from './core/ids.ts'
import { IDLE_PART_STATES, OPEN_STATES, PART_MOVES, SETTLEMENT_MOVES } from './settlements/index.ts'
import type { Reader } from './store/db.ts'
import { sql } from './store/sql.ts'
import type { Query } from './store/sql.ts'
import { stateIn, stateNotIn } from './store/states.ts'
import { EXECUTION_MOVES, isStopInDoubt } from './trading/index.ts'
import {
  BATCH_REQUEST_MOVES,
  DEPOSIT_MOVES,
  JOB_MOVES,
  WITHDRAWAL_MOVES,
} from './treasury/index.ts'
import { SET_ASIDE_MOVES } from './venues/index.ts'

/** Of each list. */
export const MAXIMUM_LINES = 200

/** `since`: when it was noticed that the database had been set back. */
type Scope = { workspace: WorkspaceId; since: number }
type List = { title: string; select(scope: Scope): Query }

const PAYMENT = sql`
  v.label || ': ' || trim_scale(w.quantity) || ' ' || w.asset || ' to '
    || w.destination_address || ', ' || w.state || coalesce(', ' || w.reason, '')
    || ' (' || w.id || ')' as line
  from withdrawals w
  join venues v on v.workspace = w.workspace
    and v.id = w.venue_id`

const IS_LIVE = stateIn(WITHDRAWAL_MOVES, ['PENDING', 'PENDING_REVIEW', 'UNKNOWN'], 'w.state')

/** Before it was set back. What expired earlier was not submitted in the time that is lost. */
const lastBooking = (workspace: WorkspaceId, since: number): Query => sql`
  coalesce(
    (
      select max(committed_at)
      from batches
      where workspace = ${workspace}
        and committed_at < ${since}
    ),
    0
  )`

/** Each answers lines. */
const LISTS: readonly List[] = [
  {
    title: 'withdrawals that waited here and had left, as their venue says',
    select: ({ workspace, since }) => sql`
      select ${PAYMENT}
      where w.workspace = ${workspace}
        and (${IS_LIVE} or w.completed_at >= ${since})
        and w.submitted_at <= w.system_created_at
        and w.system_created_at < ${since}
        and w.foreign_id is not null
        and w.origin <> 'EXTERNAL'
      order by w.id`,
  },
  {
    title: 'payments that Kontor has no withdrawal for, booked as EXTERNAL: they may be ours',
    select: ({ workspace, since }) => sql`
      select ${PAYMENT}
      where w.workspace = ${workspace}
        and w.system_created_at >= ${since}
        and w.origin = 'EXTERNAL'
      order by w.id`,
  },
  {
    title: 'withdrawals whose outcome is UNKNOWN: a person finds it out and resolves them',
    select: ({ workspace }) => sql`
      select ${PAYMENT}
      where w.workspace = ${workspace}
        and ${stateIn(WITHDRAWAL_MOVES, 'UNKNOWN', 'w.state')}
      order by w.id`,
  },
  {
    title: 'deposits that are new here',
    select: ({ workspace, since }) => sql`
      select trim_scale(quantity) || ' ' || asset || ', ' || state || ' (' || id || ')' as line
      from deposits
      where workspace = ${workspace}
        and system_created_at >= ${since}
      order by id`,
  },
  {
    title: 'trades whose order Kontor does not know',
    select: ({ workspace, since }) => sql`
      select v.label || ': ' || f.side || ' ' || trim_scale(f.quantity) || ' '
        || f.base_asset || '/' || f.quote_asset || ' (' || f.id || ')' as line
      from fills f
      join venues v on v.workspace = f.workspace
        and v.id = f.venue_id
      where f.workspace = ${workspace}
        and f.execution_id is null
        and f.id >= ${firstIdAt(since)}
      order by f.id`,
  },
  {
    title: 'executions whose outcome is UNKNOWN',
    select: ({ workspace }) => sql`
      select side || ' ' || trim_scale(amount) || ' (' || id || ')' as line
      from executions
      where workspace = ${workspace}
        and ${stateIn(EXECUTION_MOVES, 'UNKNOWN')}
      order by id`,
  },
  {
    title: 'stops whose venue was not asked: one may have triggered, and its trades be above',
    select: ({ workspace, since }) => sql`
      select side || ' ' || trim_scale(amount) || ' ' || symbol || ' (' || id || ')' as line
      from executions
      where workspace = ${workspace}
        and ${isStopInDoubt(since)}
      order by id`,
  },
  {
    title: 'records of venues that are set aside',
    select: ({ workspace }) => sql`
      select v.label || ': ' || i.reason || ' (' || i.id || ')' as line
      from set_aside_items i
      join venues v on v.workspace = i.workspace
        and v.id = i.venue_id
      where i.workspace = ${workspace}
        and ${stateIn(SET_ASIDE_MOVES, 'OPEN', 'i.state')}
      order by i.id`,
  },
  {
    title: 'active transfer jobs: each runs on from the state of the backup',
    select: ({ workspace }) => sql`
      select r.label || ' (' || s.id || ')' as line
      from job_schedules s
      join transfer_jobs j on j.workspace = s.workspace
        and j.id = s.id
      join treasury_routes r on r.workspace = j.workspace
        and r.id = j.route_id
      where s.workspace = ${workspace}
        and ${stateIn(JOB_MOVES, 'ACTIVE', 's.state')}
      order by s.id`,
  },
  {
    title: 'parts of settlements that are not paid here: they may have been paid',
    select: ({ workspace, since }) => sql`
      select v.label || ': ' || trim_scale(p.quantity) || ' ' || p.asset || ', part ' || p.part_no
        || ' of settlement ' || p.settlement_id as line
      from settlements s
      join settlement_parts p on p.workspace = s.workspace
        and p.settlement_id = s.id
      join venues v on v.workspace = p.workspace
        and v.id = p.venue_id
      where s.workspace = ${workspace}
        and ${stateIn(SETTLEMENT_MOVES, OPEN_STATES, 's.state')}
        and ${stateIn(PART_MOVES, IDLE_PART_STATES, 'p.state')}
        and p.direction = 'OUTGOING'
        and p.system_created_at < ${since}
      order by p.id`,
  },
  {
    title: 'venues with trades that no settlement holds here: one may have been made and paid',
    select: ({ workspace, since }) => sql`
      select v.label || ': ' || count(*) || ' trades' as line
      from fills f
      join venues v on v.workspace = f.workspace
        and v.id = f.venue_id
      where f.workspace = ${workspace}
        and f.settlement_state = 'UNSETTLED'
        and f.executed_at < ${since}
        and not f.busted
      group by v.id, v.label
      order by v.label`,
  },
  {
    title: 'payments of batches that are prepared here: they may have been submitted and paid',
    select: ({ workspace, since }) => sql`
      select (request ->> 'quantity') || ' ' || (request ->> 'asset') || ' (' || id || ')' as line
      from batch_requests
      where workspace = ${workspace}
        and ${stateIn(BATCH_REQUEST_MOVES, 'PREPARED')}
        and system_created_at < ${since}
        and expires_at >= ${lastBooking(workspace, since)}
      order by id`,
  },
  {
    title: 'deposits that may have been returned: a payment went out that Kontor did not make',
    select: ({ workspace, since }) => sql`
      select v.label || ': ' || trim_scale(d.quantity) || ' ' || d.asset || ', deposit ' || d.id
        || ', paid by withdrawal ' || w.id as line
      from withdrawals w
      join deposits d on d.workspace = w.workspace
        and d.venue_id = w.venue_id
        and d.asset = w.asset
        and d.quantity >= w.quantity
        and (d.source_address = w.destination_address or d.quantity = w.quantity)
      join venues v on v.workspace = w.workspace
        and v.id = w.venue_id
      where w.workspace = ${workspace}
        and w.system_created_at >= ${since}
        and w.origin = 'EXTERNAL'
        and not w.venue_charge
        and not w.own_transfer
        and not d.own_transfer
        and ${stateNotIn(DEPOSIT_MOVES, ['FAILED', 'REVERSED', 'RETURNED'], 'd.state')}
      order by w.id, d.id`,
  },
]

export async function showReport(
  reader: Reader,
  scope: Scope,
  say: (line: string) => void,
): Promise<void> {
  for (const list of LISTS) await show(reader, list, scope, say)
}

async function show(
  reader: Reader,
  { title, select }: List,
  scope: Scope,
  say: (line: string) => void,
): Promise<void> {
  const rows = await reader.query<{ line: string }>(sql`
    ${select(scope)}
    limit ${MAXIMUM_LINES}`)
  if (rows.length === 0) return
  say(`  ${rows.length === MAXIMUM_LINES ? `${rows.length} or more` : rows.length} ${title}:`)
  for (const { line } of rows) say(`    ${line}`)
}
