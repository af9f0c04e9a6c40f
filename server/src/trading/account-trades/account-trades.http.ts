/**
 * GET /toms/:service_id/fills: every trade that is known of a trading service, its own and those
 * made outside; GET /toms/fills: of all of them.
 */
import { notFound, refuse } from '../../core/errors.ts'
import { firstIdAt } from '../../core/ids.ts'
import type { CustomerId, ServiceId, VenueId, WorkspaceId } from '../../core/ids.ts'
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

const ALL_TOTALS = { ...TOTALS, title: 'AccountTradeTotals' } as const

const FillFilter = closed({
  from: queryTime(),
  to: queryTime(),
  asset: queryAssets(),
  quantity_from: queryQuantity(),
  quantity_to: queryQuantity(),
  customer_id: queryId<CustomerId>(),
  tag: queryTag(),
})

const AllFillsFilter = closed({ ...FillFilter.properties, venue_id: queryId<VenueId>() })

const common = { tag: 'Executions', permission: 'trading.executions.read' } as const
const ofOne = {
  ...common,
  params: closed({ service_id: id<ServiceId>() }),
  query: FillFilter,
} as const
const ofAll = { ...common, query: AllFillsFilter } as const

const FILTERS =
  '`from` and `to` are times of execution, `from` inclusive, `to` exclusive. An outside ' +
  'trade has `execution_id` null. A trade that the venue took back is `busted`. ' +
  '`asset`: of which either asset is one of these. `quantity_from` and `quantity_to` are ' +
  'both inclusive. `customer_id`: of executions in which this customer has a part.'
const SUMS = 'Of the trades that the list has with the same filters, newest first.'

export const accountTradeEndpoints = ({ db }: { db: Db }): Endpoint[] => [
  ...endpointsOfOne(db),
  ...endpointsOfAll(db),
]

const endpointsOfOne = (db: Db): Endpoint[] => [
  listEndpoint({
    ...ofOne,
    operation_id: 'listServiceFills',
    path: '/toms/:service_id/fills',
    origin: 'SPECIFIED',
    summary: 'Trades of a trading service, including outside trades',
    data: FillRecord,
    description: FILTERS,
    list: ({ params, query, principal }) =>
      listServiceFills(db, principal.workspace, params.service_id, query),
  }),
  endpoint({
    ...ofOne,
    method: 'GET',
    effect: 'read',
    read_cost: TOTALS_COST,
    operation_id: 'getServiceFillTotals',
    path: '/toms/:service_id/fills/totals',
    origin: { ours: 'a desk wants to know what all trades of a period amount to' },
    summary: 'Sums of the trades of a trading service by market and side',
    description: SUMS,
    data: totalsShape(TOTALS),
    handle: async ({ params: { service_id }, query, principal: { workspace } }) =>
      totalsOf(db, await listServiceFills(db, workspace, service_id, query), TOTALS),
  }),
]

const endpointsOfAll = (db: Db): Endpoint[] => [
  listEndpoint({
    ...ofAll,
    operation_id: 'listAccountTrades',
    path: '/toms/fills',
    origin: { ours: 'one list shows the trades of all venues' },
    summary: 'Trades of all trading services, including outside trades',
    data: FillRecord,
    description: FILTERS,
    list: ({ query, principal }) => listFills(db, principal.workspace, query),
  }),
  endpoint({
    ...ofAll,
    method: 'GET',
    effect: 'read',
    read_cost: TOTALS_COST,
    operation_id: 'getAccountTradeTotals',
    path: '/toms/fills/totals',
    origin: { ours: 'a desk wants to know what all trades of a period amount to' },
    summary: 'Sums of the trades of all trading services by market and side',
    description: SUMS,
    data: totalsShape(ALL_TOTALS),
    handle: async ({ query, principal: { workspace } }) =>
      totalsOf(db, await listFills(db, workspace, query), ALL_TOTALS),
  }),
]

/** Of every service that trades, or of that of one venue. */
async function listFills(
  reader: Reader,
  workspace: WorkspaceId,
  { venue_id, ...filter }: Static<typeof AllFillsFilter>,
): Promise<ListQuery<Fill>> {
  const services = await reader.query<{ id: ServiceId }>(sql`
    select id
    from services
    where workspace = ${workspace}
      and type = 'TOMS'
      and ${venue_id === undefined ? sql`true` : sql`venue_id = ${venue_id}`}
    order by id`)
  const ids = services.map((service) => service.id)
  return fillsOf(reader, { workspace, services: ids }, filter)
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
  return fillsOf(reader, { workspace, services: [service_id] }, filter)
}

type Services = { workspace: WorkspaceId; services: readonly ServiceId[] }

async function fillsOf(
  reader: Reader,
  of: Services,
  filter: Static<typeof FillFilter>,
): Promise<ListQuery<Fill>> {
  const { workspace, services } = of
  const { from, to, quantity_from, quantity_to } = filter
  const ofServices = [sql`workspace = ${workspace}`, sql`service_id = any(${services}::uuid[])`]
  const quantities = await quantityConditions(
    reader,
    {
      table: 'fills',
      column: 'quantity',
      of: { id: 'id', quantity: 'quantity' },
      among: ofServices,
    },
    { from: quantity_from, to: quantity_to },
  )
  return {
    ...(await selectsOf(reader, of, filter)),
    key: { column: 'id', type: 'uuid' },
    conditions: [
      ...ofServices,
      ...quantities,
      ...tagCondition({ workspace, kind: 'fill', id: 'id' }, filter.tag),
      ...(from === undefined ? [] : [sql`id >= ${firstIdAt(from)}`]),
      ...(to === undefined ? [] : [sql`id < ${firstIdAt(to)}`]),
    ],
  }
}

async function selectsOf(
  reader: Reader,
  { workspace, services }: Services,
  { asset, customer_id }: Static<typeof FillFilter>,
): Promise<Pick<ListQuery<Fill>, 'select' | 'merged'>> {
  const all = asset === undefined ? [raw('fills')] : tradesOfAssets('fills', asset)
  // Of each service by itself, as an index has them in the order of the list.
  const tables = services.length < 2 ? all : services.flatMap((id) => all.map(ofService(id)))
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

const ofService =
  (id: ServiceId) =>
  (table: Query): Query =>
    sql`(
      select *
      from ${table} as of_all
      where service_id = ${id}
    )`
