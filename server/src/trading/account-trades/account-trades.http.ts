/**
 * GET /toms/:service_id/fills: every trade that is known of a trading service, its own and those
 * made outside.
 */
import { notFound, refuse } from '../../core/errors.ts'
import { firstIdAt } from '../../core/ids.ts'
import type { CustomerId, ServiceId, WorkspaceId } from '../../core/ids.ts'
import {
  asset,
  closed,
  endpoint,
  flag,
  id,
  listEndpoint,
  oneOf,
  quantityConditions,
  queryAssets,
  queryId,
  queryQuantity,
  queryTag,
  queryTime,
  tagCondition,
  TOTALS_COST,
  totalsOf,
  totalsShape,
} from '../../http/index.ts'
import type { Endpoint, ListQuery, Static } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { FILL_COLUMNS } from '../executions/rows.ts'
import { fillsOfCustomer, tradesOfAssets } from '../executions/trade-filters.ts'
import { SIDES } from '../quotes/quotes.schema.ts'
import { FillRecord } from '../executions/fills.schema.ts'
import type { Fill } from '../executions/fills.schema.ts'

const TOTALS = {
  title: 'ServiceFillTotals',
  by: { base_asset: asset(), quote_asset: asset(), side: oneOf(SIDES), busted: flag() },
  sums: ['quantity', 'volume'],
} as const

const FillFilter = closed({
  from: queryTime(),
  to: queryTime(),
  asset: queryAssets(),
  quantity_from: queryQuantity(),
  quantity_to: queryQuantity(),
  customer_id: queryId<CustomerId>(),
  tag: queryTag(),
})

const common = {
  tag: 'Executions',
  permission: 'trading.executions.read',
  params: closed({ service_id: id<ServiceId>() }),
  query: FillFilter,
} as const

export function accountTradeEndpoints({ db }: { db: Db }): Endpoint[] {
  return [
    listEndpoint({
      ...common,
      operation_id: 'listServiceFills',
      path: '/toms/:service_id/fills',
      origin: 'SPECIFIED',
      summary: 'Trades of a trading service, including outside trades',
      data: FillRecord,
      description:
        '`from` and `to` are times of execution, `from` inclusive, `to` exclusive. An outside ' +
        'trade has `execution_id` null. A trade that the venue took back is `busted`. ' +
        '`asset`: of which either asset is one of these. `quantity_from` and `quantity_to` are ' +
        'both inclusive. `customer_id`: of executions in which this customer has a part.',
      list: ({ params, query, principal }) =>
        listServiceFills(db, principal.workspace, params.service_id, query),
    }),
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'getServiceFillTotals',
      path: '/toms/:service_id/fills/totals',
      origin: { ours: 'a desk wants to know what all trades of a period amount to' },
      summary: 'Sums of the trades of a trading service by market and side',
      effect: 'read',
      read_cost: TOTALS_COST,
      description: 'Of the trades that the list has with the same filters, newest first.',
      data: totalsShape(TOTALS),
      handle: async ({ params: { service_id }, query, principal: { workspace } }) =>
        totalsOf(db, await listServiceFills(db, workspace, service_id, query), TOTALS),
    }),
  ]
}

/** Throws 4004, and 3001 for a service that does not trade. */
export async function listServiceFills(
  reader: Reader,
  workspace: WorkspaceId,
  service_id: ServiceId,
  filter: Static<typeof FillFilter>,
): Promise<ListQuery<Fill>> {
  const service = only(
    await reader.query<{ type: string }>(
      sql`
        select type
        from services
        where workspace = ${workspace}
          and id = ${service_id}`,
    ),
  )
  if (service === undefined) throw notFound('service', service_id, 'service_id')
  if (service.type !== 'TOMS')
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'service_id',
      `service_id names a ${service.type} service, which does not trade`,
    )
  const { from, to, quantity_from, quantity_to } = filter
  const ofService = [sql`workspace = ${workspace}`, sql`service_id = ${service_id}`]
  const quantities = await quantityConditions(
    reader,
    {
      table: 'fills',
      column: 'quantity',
      of: { id: 'id', quantity: 'quantity' },
      among: ofService,
    },
    { from: quantity_from, to: quantity_to },
  )
  return {
    ...(await selectsOf(reader, workspace, filter)),
    key: { column: 'id', type: 'uuid' },
    conditions: [
      ...ofService,
      ...quantities,
      ...tagCondition({ workspace, kind: 'fill', id: 'id' }, filter.tag),
      ...(from === undefined ? [] : [sql`id >= ${firstIdAt(from)}`]),
      ...(to === undefined ? [] : [sql`id < ${firstIdAt(to)}`]),
    ],
  }
}

async function selectsOf(
  reader: Reader,
  workspace: WorkspaceId,
  { asset, customer_id }: Static<typeof FillFilter>,
): Promise<Pick<ListQuery<Fill>, 'select' | 'merged'>> {
  const tables = asset === undefined ? [raw('fills')] : tradesOfAssets('fills', asset)
  const selects: Query[] = []
  for (const table of tables) {
    const fills =
      customer_id === undefined
        ? table
        : await fillsOfCustomer(reader, workspace, customer_id, table)
    selects.push(sql`
      select ${FILL_COLUMNS}
      from ${fills} as fills`)
  }
  const [select = raw(''), ...merged] = selects
  return { select, merged }
}
