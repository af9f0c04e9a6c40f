/** What a customer may read of the trades on their account. */
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'

export type ToldTrade = {
  id: string
  side: 'BUY' | 'SELL'
  base_asset: string
  quote_asset: string
}

export const toldTrades = (
  reader: Reader,
  workspace: WorkspaceId,
  execution_ids: readonly string[],
): Promise<ToldTrade[]> =>
  reader.query<ToldTrade>(sql`
    select id, side, base_asset, quote_asset
    from executions
    where workspace = ${workspace}
      and id = any(${execution_ids}::uuid[])`)
