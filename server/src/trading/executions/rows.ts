/** Executions and their orders as they are stored and read. */
import { mustExist } from '../../core/assert.ts'
import { notFound } from '../../core/errors.ts'
import { firstIdAt, newId } from '../../core/ids.ts'
import type { AccountId, CustomerId, ExecutionId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Hop } from '../routes/routes.ts'
import { createdBy, insertRow } from '../rows.ts'
import type { Execution } from './executions.schema.ts'
import type { ExecutionState } from '../states.ts'
import type { Fill } from './fills.schema.ts'
import type { Order } from './orders.schema.ts'

export const EXECUTION_TASK = 'work_execution'

const EXECUTION_COLUMNS = `e.id, e.workspace, e.state, e.reason_code, e.reason, e.internal_ref, e.route_id, e.symbol, e.base_asset, e.quote_asset, e.side, e.execution_type, e.mode, e.amount, e.volume, e.price,
  e.stop_order_condition, e.tif_mode, e.expires_at, e.triggered_at, e.risk, e.margin, e.quote_id, e.client_ref, e.filled_amount, e.filled_volume, e.average_price, e.customer_price, e.fee, e.slippage, e.completed_at,
  e.best_execution, e.system_created_at, e.system_created_by, e.system_updated_at, e.system_updated_by, e.version, r.label as route_label, r.symbol as route_symbol`
const FROM =
  'from executions e join price_stream_routes r on r.workspace = e.workspace and r.id = e.route_id'
const SELECT = raw(`select ${EXECUTION_COLUMNS} ${FROM}`)
/**
 * One by one, from the key on: merged with all executions, all that are newer than the key would be
 * read.
 */
const SELECT_BY_CUSTOMER = raw(`
    select ${EXECUTION_COLUMNS}, c.execution_id
    from execution_customers c
    cross join lateral (
      select *
      from executions
      where workspace = c.workspace
        and id = c.execution_id
      limit 1
    ) e
    join price_stream_routes r on r.workspace = e.workspace
      and r.id = e.route_id`)
const SELECT_TO_WORK = raw(
  `select ${EXECUTION_COLUMNS}, e.firm, e.taker_fee, e.top_price, e.guard_price, e.hops ${FROM}`,
)

const ORDER_COLUMNS = raw(`
    id, workspace, execution_id, hop_no, venue_id, service_id, symbol, side, type, tif_mode,
      expires_at, price, quantity, volume, filled_quantity, average_price, state, reason_code,
      reason, client_order_id, foreign_id, sent_at, system_created_at, system_created_by,
      system_updated_at, system_updated_by, version`)
export const FILL_COLUMNS = raw(`
    id, workspace, execution_id, order_id, hop_no, service_id, venue_id, symbol, base_asset,
      quote_asset, side, price, quantity, volume, fee, fee_asset, liquidity, foreign_id,
      executed_at, busted, settlement_id, settlement_state, system_created_at, system_created_by,
      system_updated_at, system_updated_by, version`)

type ExecutionRow = Omit<Execution, 'customers' | 'route'> & {
  route_label: string
  route_symbol: string
}
export type Share = Execution['customers'][number]

/**
 * A customer's part with what only the work on it needs. `volume`: of mode VOLUME what he asked
 * for.
 */
export type ShareRow = Share & {
  customer_no: number
  account_id: AccountId
  booking_schema: 'ADVANCED' | 'SIMPLE'
  hold_id: string
  amount: string
  volume: string | null
}
export type StoredExecution = ExecutionRow & {
  firm: boolean
  taker_fee: string
  top_price: string | null
  guard_price: string | null
  hops: Hop[]
  shares: ShareRow[]
}
export type OrderRow = Order & {
  base_asset: string
  quote_asset: string
  cancel_sent_at: number | null
}

export type OrderDraft = Pick<
  Order,
  'side' | 'type' | 'tif_mode' | 'price' | 'quantity' | 'expires_at'
> & { hop: Pick<Hop, 'hop_no' | 'venue_id' | 'service_id' | 'base_asset' | 'quote_asset'> }

/** The order's id is our reference at the venue. */
export function insertOrder(
  workspace: WorkspaceId,
  execution_id: ExecutionId,
  { hop, ...draft }: OrderDraft,
  by: string,
  now: number,
): Query {
  const id = newId()
  return insertRow('execution_orders', {
    workspace,
    id,
    execution_id,
    hop_no: hop.hop_no,
    venue_id: hop.venue_id,
    service_id: hop.service_id,
    base_asset: hop.base_asset,
    quote_asset: hop.quote_asset,
    symbol: `${hop.base_asset}/${hop.quote_asset}`,
    ...draft,
    state: 'PENDING_NEW',
    client_order_id: id,
    ...createdBy(by, now),
  })
}

async function withShares(
  reader: Reader,
  workspace: WorkspaceId,
  rows: ExecutionRow[],
): Promise<Execution[]> {
  if (rows.length === 0) return []
  const shares = await reader.query<Share & { execution_id: ExecutionId }>(sql`
    select execution_id, customer_id, quantity_absolute, filled_amount, filled_volume, margin, risk
    from execution_customers
    where workspace = ${workspace}
      and execution_id = any(${rows.map((row) => row.id)}::uuid[])
    order by execution_id, customer_no`)
  const byExecution = Map.groupBy(shares, (share) => share.execution_id)
  return rows.map(({ route_label, route_symbol, ...row }) => ({
    ...row,
    route: { id: row.route_id, label: route_label, symbol: route_symbol },
    customers: (byExecution.get(row.id) ?? []).map(
      ({ customer_id, quantity_absolute, filled_amount, filled_volume, margin, risk }) => ({
        customer_id,
        quantity_absolute,
        filled_amount,
        filled_volume,
        margin,
        risk,
      }),
    ),
  }))
}

/** Throws 4004. */
export async function executionById(
  reader: Reader,
  workspace: WorkspaceId,
  id: ExecutionId,
): Promise<Execution> {
  const [execution] = await withShares(
    reader,
    workspace,
    await reader.query<ExecutionRow>(
      sql`${SELECT} where e.workspace = ${workspace} and e.id = ${id}`,
    ),
  )
  if (execution === undefined) throw notFound('execution', id, 'execution_id')
  return execution
}

/** With what the work on it needs. */
export async function readExecution(
  reader: Reader,
  workspace: WorkspaceId,
  id: ExecutionId,
): Promise<StoredExecution> {
  const [executions, shares] = await Promise.all([
    reader.query<Omit<StoredExecution, 'shares'>>(
      sql`${SELECT_TO_WORK} where e.workspace = ${workspace} and e.id = ${id}`,
    ),
    reader.query<ShareRow>(sql`
      select customer_no, customer_id, account_id, booking_schema, hold_id, amount, volume,
        quantity_absolute, filled_amount, filled_volume, margin, risk
      from execution_customers
      where workspace = ${workspace}
        and execution_id = ${id}
      order by customer_no`),
  ])
  return {
    ...mustExist(only(executions), `execution ${id} is there while it is worked on`),
    shares,
  }
}

/** In the order in which they were made. */
export function readOrders(
  reader: Reader,
  workspace: WorkspaceId,
  execution_id: ExecutionId,
): Promise<OrderRow[]> {
  return reader.query<OrderRow>(
    sql`
      select ${ORDER_COLUMNS}, base_asset, quote_asset, cancel_sent_at
      from execution_orders
      where workspace = ${workspace}
        and execution_id = ${execution_id}
      order by id`,
  )
}

/** Of an order that cannot be sent, or is at a venue that cannot be talked to any more. */
export const UNREACHED = 'VENUE_UNREACHABLE'

/** None takes so long but one that rests at its venue. */
const STUCK_AFTER_MILLISECONDS = 300_000

/**
 * Of executions `e`: at the market's price, being canceled, resting nowhere because it could not be
 * sent, or where nobody can ask about it.
 */
export function isStuck(now: number): Query {
  const since = now - STUCK_AFTER_MILLISECONDS
  return sql`
    (
      e.state in ('PROCESSING', 'CANCELING')
      and case when e.state = 'CANCELING' then e.system_updated_at <= ${since} else coalesce(e.triggered_at, e.system_created_at) <= ${since} and (
        e.execution_type <> 'LIMIT'
        or e.tif_mode not in ('GTC', 'GTD')
        or exists (
          select 1
          from execution_orders o
          where o.workspace = e.workspace
            and o.execution_id = e.id
            and (o.state = 'PENDING_NEW' and o.sent_at is null or o.reason_code = ${UNREACHED})
        )
      ) end
    )`
}

type ExecutionFilter = {
  state?: ExecutionState[]
  stuck?: boolean
  created_at_from?: number
  created_at_to?: number
  customer_id?: CustomerId
  client_ref?: string
}

export function listExecutions(
  reader: Reader,
  workspace: WorkspaceId,
  filter: ExecutionFilter,
  now: number,
): ListQuery<Execution> {
  const column = filter.customer_id === undefined ? 'e.id' : 'c.execution_id'
  const conditions =
    filter.customer_id === undefined
      ? [sql`e.workspace = ${workspace}`]
      : [sql`c.workspace = ${workspace}`, sql`c.customer_id = ${filter.customer_id}`]
  if (filter.state !== undefined) conditions.push(columnIn('e.state', filter.state))
  if (filter.stuck !== undefined)
    conditions.push(filter.stuck ? isStuck(now) : sql`not ${isStuck(now)}`)
  if (filter.created_at_from !== undefined)
    conditions.push(sql`${raw(column)} >= ${firstIdAt(filter.created_at_from)}`)
  if (filter.created_at_to !== undefined)
    conditions.push(sql`${raw(column)} < ${firstIdAt(filter.created_at_to)}`)
  if (filter.client_ref !== undefined) conditions.push(sql`e.client_ref = ${filter.client_ref}`)
  return {
    select: filter.customer_id === undefined ? SELECT : SELECT_BY_CUSTOMER,
    conditions,
    key: { column, type: 'uuid' },
    enrich: (rows: (ExecutionRow & { execution_id?: ExecutionId })[]) =>
      withShares(
        reader,
        workspace,
        rows.map(({ execution_id: _key, ...row }) => row),
      ),
  }
}

async function assertExecution(
  reader: Reader,
  workspace: WorkspaceId,
  id: ExecutionId,
): Promise<void> {
  if (
    only(
      await reader.query(
        sql`
          select 1
          from executions
          where workspace = ${workspace}
            and id = ${id}`,
      ),
    ) === undefined
  )
    throw notFound('execution', id, 'execution_id')
}

/** Throws 4004. */
export async function listOrders(
  reader: Reader,
  workspace: WorkspaceId,
  execution_id: ExecutionId,
): Promise<ListQuery<Order>> {
  await assertExecution(reader, workspace, execution_id)
  return {
    select: sql`
      select ${ORDER_COLUMNS}
      from execution_orders`,
    conditions: [sql`workspace = ${workspace}`, sql`execution_id = ${execution_id}`],
    key: { column: 'id', type: 'uuid' },
  }
}

/** Throws 4004. */
export async function listFills(
  reader: Reader,
  workspace: WorkspaceId,
  execution_id: ExecutionId,
): Promise<ListQuery<Fill>> {
  await assertExecution(reader, workspace, execution_id)
  return {
    select: sql`
      select ${FILL_COLUMNS}
      from fills`,
    conditions: [sql`workspace = ${workspace}`, sql`execution_id = ${execution_id}`],
    key: { column: 'id', type: 'uuid' },
  }
}
