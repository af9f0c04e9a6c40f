/** Filters that the lists of executions and of fills have in common; an index serves each. */
import type { CustomerId, WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'

/**
 * The tables that a list merges: what has one of these assets as its base, and what has one as its
 * quote alone. An index serves each by itself.
 */
export function tradesOfAssets(table: 'executions' | 'fills', assets: string[]): [Query, Query] {
  const having = (condition: Query) => sql`(
      select *
      from ${raw(table)}
      where ${condition}
    )`
  const base = columnIn('base_asset', assets)
  return [having(base), having(sql`${columnIn('quote_asset', assets)} and not ${base}`)]
}

/** Of so many executions of a customer the fills are looked up. Of more, a page is found soon. */
const FEW = 1_000

/** What fills are selected from: those of one customer's executions, or of `table`. */
export async function fillsOfCustomer(
  reader: Reader,
  workspace: WorkspaceId,
  customer_id: CustomerId,
  table: Query,
): Promise<Query> {
  const shares = sql`
        select execution_id
        from execution_customers
        where workspace = ${workspace}
          and customer_id = ${customer_id}`
  const rows = await reader.query<{ execution_id: string }>(sql`
    ${shares}
    order by execution_id desc
    limit ${FEW + 1}`)
  if (rows.length > FEW)
    return sql`(
      select *
      from ${table} as all_fills
      where exists (
        ${shares}
          and execution_id = all_fills.execution_id
      )
    )`
  // Looked up before they are sorted: otherwise all fills might be gone through.
  return sql`(
      select *
      from ${table} as all_fills
      where workspace = ${workspace}
        and execution_id = any(${rows.map((row) => row.execution_id)}::uuid[])
      offset 0
    )`
}
