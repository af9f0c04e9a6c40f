/** Executions and their orders as they are stored and read. */
import { mustExist } from '../../core/assert.ts'
import { notFound } from '../../core/errors.ts'
import { derivedId, firstIdAt, newId } from '../../core/ids.ts'
import type { AccountId, CustomerId, ExecutionId, OrderId, WorkspaceId } from '../../core/ids.ts'
import {
  asset,
  decimalText,
  flag,
  id as idShape,
  integer,
  nullable,
  oneOf,
  time,
  Type,
} from '../../http/index.ts'
import type { ListQuery } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { allColumnsOf, columnsOf, insertRow, tableOf } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Hop } from '../routes/routes.ts'
import type { ExecutionState } from '../states.ts'
import { ExecutionRecord } from './executions.schema.ts'
import type { Execution } from './executions.schema.ts'
import { FillRecord } from './fills.schema.ts'
import type { Fill } from './fills.schema.ts'
import { OrderRecord } from './orders.schema.ts'
import type { Order } from './orders.schema.ts'
import { isStuck } from './stuck.ts'

export const EXECUTION_TASK = 'work_execution'

export const EXECUTIONS = tableOf('executions', ExecutionRecord, {
  computed: ['route', 'customers', 'contradicted'],
  inside: {
    hops: Type.Unsafe<Hop[]>({ type: 'array', items: { type: 'object' } }),
    firm: flag("A firm quote's price is kept"),
    taker_fee: decimalText(),
    top_price: nullable(decimalText('The top of the book when it was ordered')),
    guard_price: nullable(decimalText('The worst price that what is blocked covers')),
    looked_up_at: nullable(time()),
  },
})

/** The customers' shares. */
export const SHARES = tableOf('execution_customers', ExecutionRecord.properties.customers.items, {
  inside: {
    workspace: idShape<WorkspaceId>(),
    execution_id: idShape<ExecutionId>(),
    customer_no: integer(1, 100),
    account_id: idShape<AccountId>(),
    booking_schema: oneOf(['ADVANCED', 'SIMPLE']),
    hold_id: idShape(),
    amount: decimalText(),
    volume: nullable(decimalText('Of mode VOLUME what the customer asked for')),
  },
})

const SENDING = { cancel_sent_at: nullable(time()), looked_up_at: nullable(time()) }
export const ORDERS = tableOf('execution_orders', OrderRecord, {
  inside: { base_asset: asset(), quote_asset: asset(), ...SENDING },
})

const ALL_EXECUTION_COLUMNS = allColumnsOf(EXECUTIONS)
const ALL_ORDER_COLUMNS = allColumnsOf(ORDERS)

export const FILLS = tableOf('fills', FillRecord)
export const FILL_COLUMNS = columnsOf(FillRecord)

/** Of executions `e`: the venue reports something else than a person has entered. */
const isContradicted = sql`
  e.id in (
    select o.execution_id
    from execution_orders o
    where o.workspace = e.workspace
      and o.contradiction is not null
  )`

const EXECUTION_COLUMNS = sql`${columnsOf(Type.Omit(ExecutionRecord, ['route', 'customers']), {
  of: 'e',
  computed: { contradicted: isContradicted },
})}, r.label as route_label, r.symbol as route_symbol`
const FROM = raw(`
    from executions e
    join price_stream_routes r on r.workspace = e.workspace
      and r.id = e.route_id`)
const SELECT = sql`select ${EXECUTION_COLUMNS} ${FROM}`
/**
 * One by one, from the key on: merged with all executions, all that are newer than the key would be
 * read.
 */
const SELECT_BY_CUSTOMER = sql`
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
      and r.id = e.route_id`

type ExecutionRow = Omit<Execution, 'customers' | 'route'> & {
  route_label: string
  route_symbol: string
}
export type Share = Execution['customers'][number]

/** A customer's share with what only the work on it needs. */
export type ShareRow = Omit<NonNullable<typeof SHARES.types>['row'], 'workspace' | 'execution_id'>
/** An execution with what the work on it needs. */
export type StoredExecution = NonNullable<typeof EXECUTIONS.types>['row'] & { shares: ShareRow[] }
export type OrderRow = NonNullable<typeof ORDERS.types>['row']

export type OrderDraft = Pick<
  Order,
  'side' | 'type' | 'tif_mode' | 'price' | 'quantity' | 'expires_at'
> & {
  id?: OrderId
  hop: Pick<Hop, 'hop_no' | 'venue_id' | 'service_id' | 'base_asset' | 'quote_asset'>
}

/** Our reference at the venue. */
export const clientOrderId = ({ id }: Pick<Execution, 'id'>, orders_before: number): string =>
  derivedId(id, orders_before)

/** By our reference at the venue, who plans the order again finds the first one. */
export function insertOrder(
  execution: Pick<Execution, 'workspace' | 'id'>,
  { id = newId(), hop, ...draft }: OrderDraft,
  stamp: Stamp,
  orders_before = 0,
): Query {
  return insertRow(
    ORDERS,
    {
      workspace: execution.workspace,
      id,
      execution_id: execution.id,
      hop_no: hop.hop_no,
      venue_id: hop.venue_id,
      service_id: hop.service_id,
      base_asset: hop.base_asset,
      quote_asset: hop.quote_asset,
      symbol: `${hop.base_asset}/${hop.quote_asset}`,
      ...draft,
      state: 'PENDING_NEW',
      client_order_id: clientOrderId(execution, orders_before),
    },
    stamp,
  )
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
    reader.query<Omit<StoredExecution, 'shares'>>(sql`
      select ${ALL_EXECUTION_COLUMNS}
      from executions
      where workspace = ${workspace}
        and id = ${id}`),
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
      select ${ALL_ORDER_COLUMNS}
      from execution_orders
      where workspace = ${workspace}
        and execution_id = ${execution_id}
      order by id`,
  )
}

type ExecutionFilter = {
  state?: ExecutionState[]
  stuck?: boolean
  contradicted?: boolean
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
  if (filter.contradicted !== undefined)
    conditions.push(filter.contradicted ? isContradicted : sql`not ${isContradicted}`)
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
      select ${columnsOf(OrderRecord)}
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
