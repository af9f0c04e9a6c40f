/** Closed periods, for people. */
import { notFound } from '../../core/errors.ts'
import type { PeriodId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import type { TrialBalance } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf } from '../../store/rows.ts'
import { columnIn, sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { PERIOD_MOVES, PeriodRecord } from './periods.schema.ts'
import type { Period, ShownPeriod } from './periods.schema.ts'

const COLUMNS = columnsOf(PeriodRecord)

export const listPeriods = (
  workspace: WorkspaceId,
  { state }: { state?: Period['state'][] },
): ListQuery<Period> => ({
  select: sql`
    select ${COLUMNS}
    from periods`,
  conditions: [
    sql`workspace = ${workspace}`,
    ...(state === undefined ? [] : [columnIn('state', state)]),
  ],
  key: { column: 'id', type: 'uuid' },
})

export type StoredPeriod = Period & { frozen: string; ends_at: number; opened_from: number | null }

const SELECT_STORED = sql`
  select ${COLUMNS}, frozen, ends_at, opened_from
  from periods`

/** Throws 4004. */
export async function periodById(
  reader: Reader,
  workspace: WorkspaceId,
  id: PeriodId,
): Promise<StoredPeriod> {
  const row = only(
    await reader.query<StoredPeriod>(sql`
      ${SELECT_STORED}
      where workspace = ${workspace}
        and id = ${id}`),
  )
  if (row === undefined) throw notFound('period', id, 'period_id')
  return row
}

/** The one that is closed last, or the one before it. */
export async function lastClosed(
  reader: Reader,
  workspace: WorkspaceId,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<StoredPeriod | undefined> {
  const [row] = await reader.query<StoredPeriod>(sql`
    ${SELECT_STORED}
    where workspace = ${workspace}
      and ${stateIn(PERIOD_MOVES, 'CLOSED')}
      and ends_at < ${before}
    order by ends_at desc
    limit 1`)
  return row
}

/** Throws 4004. */
export async function showPeriod(
  reader: Reader,
  workspace: WorkspaceId,
  id: PeriodId,
): Promise<ShownPeriod> {
  const { ends_at: _ends, opened_from: _from, ...period } = await periodById(reader, workspace, id)
  const { assets } = JSON.parse(period.frozen) as Pick<TrialBalance, 'assets'>
  return { ...period, assets }
}
