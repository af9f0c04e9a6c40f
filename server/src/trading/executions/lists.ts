/** The lists of executions, and of the orders and the fills of one. */
import { notFound } from '../../core/errors.ts'
import { firstIdAt } from '../../core/ids.ts'
import type { CustomerId, ExecutionId, WorkspaceId } from '../../core/ids.ts'
import { asset, oneOf, quantityConditions, tagCondition } from '../../http/index.ts'
import type { ListQuery } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf } from '../../store/rows.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import { SIDES } from '../quotes/quotes.schema.ts'
import { EXECUTION_STATES } from '../states.ts'
import type { ExecutionState } from '../states.ts'
import type { Execution } from './executions.schema.ts'
import type { Fill } from './fills.schema.ts'
import { OrderRecord } from './orders.schema.ts'
import type { Order } from './orders.schema.ts'
import { isStuck } from './stuck.ts'
import {
  EXECUTION_COLUMNS,
  EXECUTION_SELECT,
  executionsFrom,
  FILL_COLUMNS,
  isContradicted,
  withShares,
} from './rows.ts'
import type { ExecutionRow } from './rows.ts'
import { tradesOfAssets } from './trade-filters.ts'

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

export type ExecutionFilter = {
  state?: ExecutionState[]
  stuck?: boolean
  contradicted?: boolean
  created_at_from?: number
  created_at_to?: number
  customer_id?: CustomerId
  client_ref?: string
  tag?: string
  asset?: string[]
  amount_from?: string
  amount_to?: string
}

export const EXECUTION_TOTALS = {
  title: 'ExecutionTotals',
  by: {
    base_asset: asset(),
    quote_asset: asset(),
    side: oneOf(SIDES),
    state: oneOf(EXECUTION_STATES),
  },
  sums: ['amount', 'filled_amount', 'filled_volume'],
} as const

type ExecutionList = Pick<ListQuery<Execution>, 'select' | 'merged' | 'conditions' | 'key'> & {
  enrich(rows: never[]): Promise<Execution[]>
}

export async function listExecutions(
  reader: Reader,
  workspace: WorkspaceId,
  filter: ExecutionFilter,
  now: number,
): Promise<ExecutionList> {
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
  conditions.push(
    ...tagCondition({ workspace, kind: 'execution', id: column }, filter.tag),
    ...(await quantityConditions(
      reader,
      {
        table: 'executions',
        column: 'amount',
        of: { id: column, quantity: 'e.amount' },
        among: [sql`workspace = ${workspace}`],
      },
      { from: filter.amount_from, to: filter.amount_to },
    )),
  )
  if (filter.asset !== undefined && filter.customer_id !== undefined) {
    const base = columnIn('e.base_asset', filter.asset)
    conditions.push(sql`(${base} or ${columnIn('e.quote_asset', filter.asset)})`)
  }
  return {
    ...selectsOf(filter),
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

function selectsOf({
  customer_id,
  asset,
}: ExecutionFilter): Pick<ListQuery<Execution>, 'select' | 'merged'> {
  if (customer_id !== undefined) return { select: SELECT_BY_CUSTOMER }
  if (asset === undefined) return { select: EXECUTION_SELECT }
  const [base, quote] = tradesOfAssets('executions', asset)
  return { select: executionsFrom(base), merged: [executionsFrom(quote)] }
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
