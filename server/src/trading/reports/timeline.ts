/**
 * What has a part in how an execution came to be what it is: its quote, its orders, and the
 * settlement of its fills.
 */
import type { ExecutionId, QuoteId, SettlementId, WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import type {
  TimelineEntry,
  TimelineSource,
  TimelineParts,
  TimelineResource,
} from '../../store/desk-feed.ts'
import { sql } from '../../store/sql.ts'

const MAXIMUM_ORDERS = 100
const MAXIMUM_SETTLEMENTS = 10

type ExecutionRow = {
  quote_id: QuoteId | null
  best_execution: { candidates: { route_id: string }[]; chosen: string } | null
  system_created_at: number
  system_created_by: string | null
}

type OrderRow = {
  id: string
  state: string
  reason: string | null
  symbol: string
  side: string
  type: string
  quantity: string
  price: string | null
  sent_at: number
  label: string
  system_created_by: string | null
}

async function executionTimeline(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<TimelineParts | undefined> {
  const row = only(
    await reader.query<ExecutionRow>(sql`
      select quote_id, best_execution, system_created_at, system_created_by
      from executions
      where workspace = ${workspace}
        and id = ${id}`),
  )
  if (row === undefined) return undefined
  const orders = await reader.query<OrderRow>(sql`
    select o.id, o.state, o.reason, o.symbol, o.side, o.type, trim_scale(o.quantity) as quantity,
      trim_scale(o.price) as price, o.sent_at, coalesce(v.label, 'a venue') as label,
      o.system_created_by
    from execution_orders o
    left join venues v on v.workspace = o.workspace
      and v.id = o.venue_id
    where o.workspace = ${workspace}
      and o.execution_id = ${id}
      and o.sent_at is not null
    order by o.id
    limit ${MAXIMUM_ORDERS}`)
  const settled = await reader.query<{ settlement_id: SettlementId }>(sql`
    select distinct settlement_id
    from (
      select settlement_id
      from fills
      where workspace = ${workspace}
        and execution_id = ${id}
      order by id
      limit 1000
    ) f
    where settlement_id is not null
    limit ${MAXIMUM_SETTLEMENTS}`)
  const quoted =
    row.quote_id === null ? undefined : await quoteEntry(reader, workspace, row.quote_id)
  return {
    resources: [
      { kind: 'execution', id },
      ...settled.map(({ settlement_id }): TimelineResource => ({
        kind: 'settlement',
        id: settlement_id,
      })),
    ],
    entries: [
      ...(quoted === undefined ? [] : [quoted]),
      ...routeChoice(id, row),
      ...orders.map(orderEntry),
    ],
  }
}

function routeChoice(id: string, row: ExecutionRow): TimelineEntry[] {
  if (row.best_execution === null) return []
  const { candidates, chosen } = row.best_execution
  return [
    {
      kind: 'execution',
      id,
      at: row.system_created_at,
      type: 'execution.route_chosen',
      title: 'The best of the routes was chosen',
      by: row.system_created_by,
      reason: `${candidates.length} routes were priced; ${chosen} had the best total`,
    },
  ]
}

const orderEntry = ({
  id,
  sent_at,
  type,
  side,
  quantity,
  price,
  symbol,
  label,
  reason,
  system_created_by,
}: OrderRow): TimelineEntry => ({
  kind: 'order',
  id,
  at: sent_at,
  type: 'order.sent',
  title:
    `Order to ${label}: ${side} ${quantity} ${symbol}, ${type}` +
    (price === null ? '' : ` at ${price}`),
  reason,
  by: system_created_by,
})

async function quoteEntry(
  reader: Reader,
  workspace: WorkspaceId,
  id: QuoteId,
): Promise<TimelineEntry | undefined> {
  const row = only(
    await reader.query<{
      firm: boolean
      created_at: number
      request_quantity: string
      request_asset: string
      system_created_by: string | null
    }>(sql`
      select firm, created_at, trim_scale(request_quantity) as request_quantity, request_asset,
        system_created_by
      from taken_quotes
      where workspace = ${workspace}
        and id = ${id}`),
  )
  return (
    row && {
      kind: 'quote',
      id,
      at: row.created_at,
      type: 'quote.created',
      title: `Quote for ${row.request_quantity} ${row.request_asset}`,
      reason: row.firm
        ? 'firm: its price holds until it expires'
        : 'indicative: the price is that of the execution',
      by: row.system_created_by,
    }
  )
}

export const tradingTimelines: readonly TimelineSource[] = [
  { kind: 'execution', permission: 'trading.executions.read', parts: executionTimeline },
]

/** The latest executions of a customer, newest first. */
export async function executionsOf(
  reader: Reader,
  workspace: WorkspaceId,
  customer_id: string,
  limit: number,
): Promise<TimelineResource[]> {
  const rows = await reader.query<{ execution_id: ExecutionId }>(
    sql`
      select execution_id
      from execution_customers
      where workspace = ${workspace}
        and customer_id = ${customer_id}
      order by execution_id desc
      limit ${limit}`,
  )
  return rows.map(({ execution_id }) => ({ kind: 'execution', id: execution_id }))
}
