/** Days of venues as they were reconciled, for people: with what became of each difference. */
import { notFound } from '../../core/errors.ts'
import type { ReconciliationDayId, VenueId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf } from '../../store/rows.ts'
import { columnIn, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { breaksAmong } from './breaks.ts'
import { DAY_MOVES, DayRecord } from './days.schema.ts'
import type { Day, DayLine, ShownDay } from './days.schema.ts'
import { endOf, startOf } from './day-taking.ts'
import { BREAK_MOVES } from './reconciliation.schema.ts'

const CHECKING: DayLine['state'] = 'CHECKING'

/** Of `reconciliation_days d`. */
const OPEN_BREAKS = sql`
  select count(*)
  from breaks b
  where b.workspace = d.workspace
    and b.venue_id = d.venue_id
    and b.first_seen_at < d.ends_at
    and ${stateIn(BREAK_MOVES, 'OPEN', 'b.state')}`

/** Differences that were being checked, and stand as they stood without having become a break. */
const CHECKED_STILL = sql`
  select count(*)
  from reconciliation_lines l
  join positions p on p.workspace = l.workspace
    and p.venue_id = d.venue_id
    and p.asset = l.asset
    and p.wallet = l.wallet
    and p.since = l.since
    and p.difference <> p.accepted
  where l.workspace = d.workspace
    and l.day_id = d.id
    and l.state = ${CHECKING}
    and not exists (
      select
      from breaks b
      where b.workspace = l.workspace
        and b.venue_id = d.venue_id
        and b.asset = l.asset
        and coalesce(b.wallet, '') = l.wallet
        and b.first_seen_at = l.since
    )`

const SELECT = sql`
  select ${columnsOf(DayRecord, {
    of: 'd',
    computed: {
      unexplained_count: sql`
        case when ${stateIn(DAY_MOVES, 'OPEN', 'd.state')} then (${OPEN_BREAKS}) + (
          ${CHECKED_STILL}
        ) else 0 end`,
    },
  })}
  from reconciliation_days d`

type DayFilter = { state?: Day['state'][]; venue_id?: VenueId; day?: string }

export const listDays = (workspace: WorkspaceId, filter: DayFilter): ListQuery<Day> => ({
  select: SELECT,
  conditions: [
    sql`d.workspace = ${workspace}`,
    ...(filter.state === undefined ? [] : [columnIn('d.state', filter.state)]),
    ...(filter.venue_id === undefined ? [] : [sql`d.venue_id = ${filter.venue_id}`]),
    ...(filter.day === undefined ? [] : [sql`d.day = ${filter.day}`]),
  ],
  key: { column: 'd.id', type: 'uuid' },
})

/** Throws 4004. */
export async function dayById(
  reader: Reader,
  workspace: WorkspaceId,
  id: ReconciliationDayId,
): Promise<Day> {
  const day = only(
    await reader.query<Day>(sql`${SELECT} where d.workspace = ${workspace} and d.id = ${id}`),
  )
  if (day === undefined) throw notFound('reconciled day', id, 'day_id')
  return day
}

/** With the break that the line's difference was, or became, or was accepted by. */
const selectLines = (): Query => sql`
  select l.line_no, l.asset, nullif(l.wallet, '') as wallet, l.state, l.ledger, l.venue,
    l.on_the_way, l.difference, l.since, l.compared_at, b.id as break_id, b.state as break_state,
    b.explanation, b.note,
    case when b.closed_reason = 'BY_HAND' then b.closed_by end as explained_by,
    b.closed_at as explained_at
  from reconciliation_lines l
  join reconciliation_days d on d.workspace = l.workspace
    and d.id = l.day_id
  left join lateral (
    select *
    from breaks
    where workspace = l.workspace
      and id = l.break_id
    union all
    select *
    from breaks
    where l.break_id is null
      and l.state = ${CHECKING}
      and workspace = l.workspace
      and venue_id = d.venue_id
      and asset = l.asset
      and coalesce(wallet, '') = l.wallet
      and first_seen_at = l.since
    limit 1
  ) b on true`

/** Throws 4004. */
export async function listLines(
  reader: Reader,
  workspace: WorkspaceId,
  id: ReconciliationDayId,
): Promise<ListQuery<DayLine>> {
  await dayById(reader, workspace, id)
  return {
    select: selectLines(),
    conditions: [sql`l.workspace = ${workspace}`, sql`l.day_id = ${id}`],
    key: { column: 'l.line_no', type: 'bigint', order: 'oldest first' },
  }
}

/** Throws 4004. */
export async function showDay(
  reader: Reader,
  workspace: WorkspaceId,
  id: ReconciliationDayId,
  now: number,
): Promise<ShownDay> {
  const day = await dayById(reader, workspace, id)
  const lines = await reader.query<DayLine>(sql`
    ${selectLines()}
    where l.workspace = ${workspace}
      and l.day_id = ${id}
    order by l.line_no`)
  const ids = await breaksOf(reader, workspace, day)
  const signatures = await reader.query<ShownDay['signatures'][number]>(sql`
    select action, signed_by, signed_at, note
    from reconciliation_signatures
    where workspace = ${workspace}
      and day_id = ${id}
    order by id`)
  return { ...day, lines, breaks: await breaksAmong(reader, workspace, ids, now), signatures }
}

/** The breaks that were open at some time of the day, and those that its lines name. */
export async function breaksOf(
  reader: Reader,
  workspace: WorkspaceId,
  { id, venue_id, day }: Day,
): Promise<string[]> {
  const rows = await reader.query<{ id: string }>(sql`
    select id
    from breaks
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and int8range(
        first_seen_at, case when closed_at >= first_seen_at then closed_at end, '[]'
      ) && int8range(${startOf(day)}, ${endOf(day)})
    union
    select break_id
    from reconciliation_lines
    where workspace = ${workspace}
      and day_id = ${id}
      and break_id is not null`)
  return rows.map((row) => row.id)
}
