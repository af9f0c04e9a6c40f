/** What was traded, hour by hour. */
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'

const HOUR_MILLISECONDS = 3_600_000

/**
 * What customers got and gave by the executions of each hour, counted from `from`; `to` is
 * exclusive.
 */
export function tradedByHour(
  reader: Reader,
  workspace: WorkspaceId,
  { from, to }: { from: number; to: number },
): Promise<{ asset: string; got: boolean; hour: number; count: number; quantity: string }[]> {
  return reader.query(sql`
    select part.asset, part.got,
      ((e.system_created_at - ${from}) / ${HOUR_MILLISECONDS}::bigint)::integer as hour,
      count(*)::integer as count, trim_scale(sum(part.quantity)) as quantity
    from executions e
    cross join lateral (
      values (e.base_asset, e.side = 'BUY', e.filled_amount),
        (e.quote_asset, e.side = 'SELL', e.filled_volume)
    ) part (asset, got, quantity)
    where e.workspace = ${workspace}
      and e.system_created_at >= ${from}
      and e.system_created_at < ${to}
      and e.filled_amount > 0
    group by part.asset, part.got, hour`)
}
