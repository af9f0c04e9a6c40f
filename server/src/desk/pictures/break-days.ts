/** How many breaks were opened and closed on each day, and were open at its end, by venue. */
import type { WorkspaceId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { BREAK_MOVES } from '../reconciliation/reconciliation.schema.ts'
import { daysOf } from './days.ts'
import type { AskedDays } from './days.ts'
import type { BreakDays } from './pictures.schema.ts'
import type { PicturesApp } from './positions.ts'

/** Days are counted from 1; 0 is before them, and null has not come. */
type Counted = { venue_id: string; opened: number; closed: number | null; count: number }

/** Throws RANGE, FORMAT. */
export async function breakDays(
  { db, clock, venues }: Pick<PicturesApp, 'db' | 'clock' | 'venues'>,
  workspace: WorkspaceId,
  asked: AskedDays,
): Promise<BreakDays> {
  const days = daysOf(asked, clock.now())
  const [from = 0, end = 0] = [days[0]?.from, days.at(-1)?.to]
  const edges = [...days.map((day) => day.from), end]
  const rows = await db.query<Counted>(sql`
    select venue_id, width_bucket(system_created_at, ${edges}::bigint[]) as opened,
      width_bucket(closed_at, ${edges}::bigint[]) as closed, count(*)::integer as count
    from (
      select venue_id, system_created_at, closed_at
      from breaks
      where workspace = ${workspace}
        and ${stateIn(BREAK_MOVES, 'OPEN')}
      union all
      select venue_id, system_created_at, closed_at
      from breaks
      where workspace = ${workspace}
        and closed_at >= ${from}
    ) b
    where system_created_at < ${end}
    group by 1, 2, 3`)
  const labels = new Map((await venues.list(workspace)).map(({ id, label }) => [id, label]))
  return {
    days,
    venues: [...Map.groupBy(rows, ({ venue_id }) => venue_id)]
      .map(([venue_id, of]) => ({
        venue_id,
        label: labels.get(venue_id) ?? venue_id,
        ...countsOf(of, days.length),
      }))
      .toSorted((a, b) => (a.label < b.label ? -1 : 1)),
  }
}

function countsOf(rows: readonly Counted[], days: number) {
  const count = (isMeant: (row: Counted) => boolean) =>
    rows.filter(isMeant).reduce((total, row) => total + row.count, 0)
  const places = Array.from({ length: days }, (_none, index) => index + 1)
  return {
    opened: places.map((day) => count((row) => row.opened === day)),
    closed: places.map((day) => count((row) => row.closed === day)),
    open: places.map((day) =>
      count((row) => row.opened <= day && (row.closed === null || row.closed > day)),
    ),
  }
}
