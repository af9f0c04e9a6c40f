import type { PriceRouteId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, Type } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import type { TradingApp } from '../app.ts'
import { priceHistory } from './price-history.ts'
import { routeFills } from './route-fills.ts'
import { PricePointShape, PriceRouteRecord, RouteFillShape } from './routes.schema.ts'
import { ROUTE_COLUMNS, withState } from './routes.ts'
import type { RouteRow } from './routes.ts'

const tag = 'Price stream'

export function routeEndpoints(app: TradingApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listPriceRoutes',
      tagged: 'price_route',
      path: '/price-stream/routes',
      origin: 'SPECIFIED',
      tag,
      summary: 'Configured price-stream routes',
      permission: 'trading.routes.read',
      data: PriceRouteRecord,
      list: ({ principal }) => ({
        select: sql`
          select ${ROUTE_COLUMNS}
          from price_stream_routes`,
        conditions: [sql`workspace = ${principal.workspace}`],
        key: { column: 'id', type: 'uuid' },
        item: (row: RouteRow) => withState(app.prices, app.clock, row),
      }),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'listRoutePrices',
      path: '/price-stream/routes/:route_id/history',
      origin: { ours: 'the chart beside a ticket shows the price history' },
      tag,
      summary: 'Prices of the last two hours',
      permission: 'trading.routes.read',
      effect: 'read',
      description:
        'Every ten seconds, oldest first; a moment at which a hop had no price is left out.',
      params: closed({ route_id: id<PriceRouteId>() }),
      data: Type.Array(PricePointShape),
      handle: ({ params: { route_id }, principal }) =>
        priceHistory(app, principal.workspace, route_id),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'listRouteFills',
      path: '/price-stream/routes/:route_id/fills',
      origin: { ours: 'the chart of a price shows what was traded at it' },
      tag,
      summary: 'What was traded over a route in the last two hours',
      permission: 'trading.executions.read',
      effect: 'read',
      read_cost: 500,
      description:
        'Oldest first, the newest 500. Of a route with one hop each fill; of a longer one each ' +
        'execution that has ended, at its average price, because no hop has its price.',
      params: closed({ route_id: id<PriceRouteId>() }),
      data: Type.Array(RouteFillShape),
      handle: ({ params: { route_id }, principal }) =>
        routeFills(app, principal.workspace, route_id),
    }),
  ]
}
