/**
 * The records of orders and transactions in crypto-assets, a row each. What is read is what the
 * period has: an index leads to its first row, and to what belongs to each.
 */
import { firstIdAt } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { assertPeriod } from '../../http/index.ts'
import type { ListQuery } from '../../http/index.ts'
import { assetIn, assetsOf } from '../../ledger/index.ts'
import type { Assets } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { valuesOf } from './fields.ts'
import { ORDER_FIELDS } from './order-fields.ts'
import type { OrderRow } from './order-fields.ts'
import type { OrderEntry, TransactionEntry } from './records.schema.ts'
import { TRANSACTION_FIELDS } from './transaction-fields.ts'
import type { TransactionRow } from './transaction-fields.ts'

type Period = { from?: number; to?: number }
type Of = { reader: Reader; workspace: WorkspaceId }
type Traded = { base_asset: string; quote_asset: string }

/** Part by part: merged with the executions, all that are newer than the key would be read. */
const ORDERS = raw(`
  select g.*
  from (
    select c.workspace, c.execution_id, lpad(c.customer_no::text, 3, '0') as part, c.customer_id,
      c.amount, c.volume, c.filled_amount, c.filled_volume, e.state, e.execution_type, e.mode,
      e.tif_mode, e.expires_at, e.price, e.side, e.average_price, e.base_asset, e.quote_asset,
      e.system_created_at as created_at, o.venue_order, f.venue_trade, f.liquidity
    from execution_customers c
    cross join lateral (
      select *
      from executions
      where workspace = c.workspace
        and id = c.execution_id
      limit 1
    ) e
    cross join lateral (
      select case when count(*) = 1 then min(foreign_id) end as venue_order
      from execution_orders
      where workspace = c.workspace
        and execution_id = c.execution_id
    ) o
    cross join lateral (
      select case when count(*) = 1 then min(foreign_id) end as venue_trade,
        case when min(liquidity) = max(liquidity) then min(liquidity) end as liquidity
      from fills
      where workspace = c.workspace
        and execution_id = c.execution_id
        and not busted
    ) f
  ) as g`)

/** Throws RANGE. */
export async function orderRecords(
  { reader, workspace }: Of,
  period: Period,
): Promise<ListQuery<OrderEntry>> {
  const assets = await assetsOf(reader, workspace)
  assertPeriod(period)
  return {
    select: ORDERS,
    conditions: [
      sql`g.workspace = ${workspace}`,
      ofCoins(assets),
      ...(period.from === undefined ? [] : [sql`g.execution_id >= ${firstIdAt(period.from)}`]),
      ...(period.to === undefined ? [] : [sql`g.execution_id < ${firstIdAt(period.to)}`]),
    ],
    key: { column: 'g.execution_id', type: 'uuid', order: 'oldest first', second: 'g.part' },
    item: ({ base_asset: _base, quote_asset, ...row }: Omit<OrderRow, 'quote'> & Traded) => ({
      execution_id: row.execution_id,
      customer_id: row.customer_id,
      ...valuesOf(ORDER_FIELDS, { ...row, quote: assetIn(assets, quote_asset) }),
    }),
  }
}

/**
 * The customer is a side of the trade where it was made for them alone and in one step. What one
 * trade has brought to each of several customers is not stored.
 */
const TRANSACTIONS = raw(`
  select g.*
  from (
    select f.workspace, f.executed_at, f.id::text as fill_id, f.execution_id, f.side, f.price,
      f.quantity, f.foreign_id, f.busted, f.base_asset, f.quote_asset, p.first_name, p.last_name
    from fills f
    left join lateral (
      select min(c.customer_id::text)::uuid as customer_id
      from execution_customers c
      where c.workspace = f.workspace
        and c.execution_id = f.execution_id
        and (
          select jsonb_array_length(e.hops)
          from executions e
          where e.workspace = f.workspace
            and e.id = f.execution_id
        ) = 1
      having count(*) = 1
    ) s on true
    left join lateral (
      select first_name, last_name
      from customers
      where workspace = f.workspace
        and id = s.customer_id
        and type = 'RETAIL'
      limit 1
    ) p on true
  ) as g`)

/** Throws RANGE. */
export async function transactionRecords(
  { reader, workspace }: Of,
  period: Period,
): Promise<ListQuery<TransactionEntry>> {
  const assets = await assetsOf(reader, workspace)
  assertPeriod(period)
  return {
    select: TRANSACTIONS,
    conditions: [
      sql`g.workspace = ${workspace}`,
      ofCoins(assets),
      ...(period.from === undefined ? [] : [sql`g.executed_at >= ${period.from}`]),
      ...(period.to === undefined ? [] : [sql`g.executed_at < ${period.to}`]),
    ],
    key: { column: 'g.executed_at', type: 'bigint', order: 'oldest first', second: 'g.fill_id' },
    item: ({
      base_asset,
      quote_asset,
      ...row
    }: Omit<TransactionRow, 'base' | 'quote'> & Traded) => ({
      fill_id: row.fill_id,
      execution_id: row.execution_id,
      ...valuesOf(TRANSACTION_FIELDS, {
        ...row,
        base: assetIn(assets, base_asset),
        quote: assetIn(assets, quote_asset),
      }),
    }),
  }
}

/** A currency for a currency is no order in crypto-assets. */
function ofCoins(assets: Assets): Query {
  const coins = [...assets.values()].filter(({ kind }) => kind === 'CRYPTO')
  const codes = coins.map(({ code }) => code)
  return sql`(g.base_asset = any(${codes}) or g.quote_asset = any(${codes}))`
}
