/** Executions and their orders as they are stored and read. */
import { mustExist } from '../../core/assert.ts'
import { notFound } from '../../core/errors.ts'
import { derivedId, newId } from '../../core/ids.ts'
import type { AccountId, ExecutionId, OrderId, WorkspaceId } from '../../core/ids.ts'
import {
  asset,
  decimalText,
  flag,
  id as idShape,
  integer,
  nullable,
  oneOf,
  text,
  time,
  Type,
} from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { allColumnsOf, columnsOf, insertRow, tableOf } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Hop } from '../routes/routes.ts'
import { ExecutionRecord } from './executions.schema.ts'
import type { Execution } from './executions.schema.ts'
import { FillRecord } from './fills.schema.ts'
import { OrderRecord } from './orders.schema.ts'
import type { Order } from './orders.schema.ts'

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

const SENDING = {
  cancel_sent_at: nullable(time()),
  looked_up_at: nullable(time()),
  sent_over: nullable(text(100, 'The connection of its venue over which it was sent')),
}
export const ORDERS = tableOf('execution_orders', OrderRecord, {
  inside: { base_asset: asset(), quote_asset: asset(), ...SENDING },
})

const ALL_EXECUTION_COLUMNS = allColumnsOf(EXECUTIONS)
const ALL_ORDER_COLUMNS = allColumnsOf(ORDERS)

export const FILLS = tableOf('fills', FillRecord)
export const FILL_COLUMNS = columnsOf(FillRecord)

/** Of executions `e`: the venue reports something else than a person has entered. */
export const isContradicted = sql`
  e.id in (
    select o.execution_id
    from execution_orders o
    where o.workspace = e.workspace
      and o.contradiction is not null
  )`

export const EXECUTION_COLUMNS = sql`${columnsOf(
  Type.Omit(ExecutionRecord, ['route', 'customers']),
  {
    of: 'e',
    computed: { contradicted: isContradicted },
  },
)}, r.label as route_label, r.symbol as route_symbol`
export const executionsFrom = (table: Query) => sql`
  select ${EXECUTION_COLUMNS}
  from ${table} e
  join price_stream_routes r on r.workspace = e.workspace
    and r.id = e.route_id`
export const EXECUTION_SELECT = executionsFrom(raw('executions'))
export type ExecutionRow = Omit<Execution, 'customers' | 'route'> & {
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

export async function withShares(
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
      sql`${EXECUTION_SELECT} where e.workspace = ${workspace} and e.id = ${id}`,
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
