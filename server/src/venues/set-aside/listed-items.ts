/** Set-aside items in a list, each with what tells it from the others at a glance. */
import { firstIdAt } from '../../core/ids.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import { columnsOf } from '../../store/rows.ts'
import { columnIn, sql } from '../../store/sql.ts'
import { SetAsideItemRecord } from './items.schema.ts'
import type { SetAsideItem, SetAsideItemRow, SetAsideState } from './items.schema.ts'
import { amountIn } from './records.ts'

const COLUMNS = columnsOf(SetAsideItemRecord)
/** A longer record is read only by itself. */
const LONGEST_LISTED = 5_000

type ItemFilter = {
  state?: SetAsideState[]
  venue_id?: VenueId
  system_created_at_from?: number
  system_created_at_to?: number
}
type ListedRow = SetAsideItem & { raw: string | null }

export const listItems = (
  workspace: WorkspaceId,
  { state, venue_id, system_created_at_from: from, system_created_at_to: to }: ItemFilter,
): ListQuery<SetAsideItemRow> => ({
  select: sql`
    select ${COLUMNS}, case when raw_length <= ${LONGEST_LISTED} then raw end as raw
    from set_aside_items`,
  conditions: [
    sql`workspace = ${workspace}`,
    ...(state === undefined ? [] : [columnIn('state', state)]),
    ...(venue_id === undefined ? [] : [sql`venue_id = ${venue_id}`]),
    ...(from === undefined ? [] : [sql`id >= ${firstIdAt(from)}`]),
    ...(to === undefined ? [] : [sql`id < ${firstIdAt(to)}`]),
  ],
  key: { column: 'id', type: 'uuid' },
  item: ({ raw, ...item }: ListedRow) => ({ ...item, amount: raw === null ? null : amountIn(raw) }),
})
