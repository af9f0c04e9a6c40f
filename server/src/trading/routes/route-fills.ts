/**
 * What was traded over a route in the last two hours, for the picture of its price: each fill of a
 * route with one hop; of a longer one each execution as a whole, because no hop has its price.
 */
import type { Clock } from '../../core/clock.ts'
import { decimal, divide, format } from '../../core/decimal.ts'
import { notFound } from '../../core/errors.ts'
import { firstIdAt } from '../../core/ids.ts'
import type { PriceRouteId, WorkspaceId } from '../../core/ids.ts'
import { BUCKET_MILLISECONDS, HISTORY_BUCKETS } from '../../market-data/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { RouteRow } from './routes.ts'
import type { RouteFill } from './routes.schema.ts'

const SCALE = 18
const MOST_FILLS = 500

type Reading = { db: Reader; workspace: WorkspaceId; route_id: PriceRouteId; since: number }

/** Oldest first; the newest 500. Throws 4004. */
export async function routeFills(
  { db, clock }: { db: Reader; clock: Clock },
  workspace: WorkspaceId,
  route_id: PriceRouteId,
): Promise<RouteFill[]> {
  const route = only(
    await db.query<Pick<RouteRow, 'hops'>>(
      sql`
        select hops
        from price_stream_routes
        where workspace = ${workspace}
          and id = ${route_id}`,
    ),
  )
  if (route === undefined) throw notFound('price-stream route', route_id, 'route_id')
  const since = clock.now() - HISTORY_BUCKETS * BUCKET_MILLISECONDS
  const reading = { db, workspace, route_id, since }
  const [hop, ...others] = route.hops
  const newest =
    hop === undefined || others.length > 0
      ? await wholeExecutions(reading)
      : await fillsAt(reading, hop.service_id)
  return newest.toSorted((a, b) => a.executed_at - b.executed_at)
}

function fillsAt(
  { db, workspace, route_id, since }: Reading,
  service_id: string,
): Promise<RouteFill[]> {
  return db.query<RouteFill>(sql`
    select f.execution_id, f.side, f.base_asset, f.price, f.quantity, f.executed_at
    from fills f
    join executions e on e.workspace = f.workspace
      and e.id = f.execution_id
    where f.workspace = ${workspace}
      and f.service_id = ${service_id}
      and f.id >= ${firstIdAt(since)}
      and f.executed_at >= ${since}
      and not f.busted
      and e.route_id = ${route_id}
    order by f.id desc
    limit ${MOST_FILLS}`)
}

async function wholeExecutions({ db, workspace, route_id, since }: Reading): Promise<RouteFill[]> {
  const rows = await db.query<Omit<RouteFill, 'price'> & { volume: string }>(sql`
    select id as execution_id, side, base_asset, filled_amount as quantity,
      filled_volume as volume, completed_at as executed_at
    from executions
    where workspace = ${workspace}
      and id >= ${firstIdAt(since)}
      and route_id = ${route_id}
      and filled_amount > 0
      and completed_at is not null
    order by id desc
    limit ${MOST_FILLS}`)
  return rows.map(({ volume, ...row }) => ({
    ...row,
    price: format(divide(decimal(volume), decimal(row.quantity), SCALE, 'half_even')),
  }))
}
