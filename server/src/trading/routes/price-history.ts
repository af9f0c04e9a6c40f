/**
 * How a route's price moved in the last two hours: its middle price at the end of each 10 s, over
 * its hops as one market.
 */
import { decimal, format, multiply } from '../../core/decimal.ts'
import type { Clock } from '../../core/clock.ts'
import { notFound } from '../../core/errors.ts'
import type { PriceRouteId, WorkspaceId } from '../../core/ids.ts'
import { BUCKET_MILLISECONDS, HISTORY_BUCKETS } from '../../market-data/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { hopsOf } from './routes.ts'
import type { RouteRow } from './routes.ts'
import type { PricePoint } from './routes.schema.ts'

const SCALE = 18

/** Oldest first. A moment of which a hop's price is not known is left out. Throws 4004. */
export async function priceHistory(
  { db, clock }: { db: Reader; clock: Clock },
  workspace: WorkspaceId,
  route_id: PriceRouteId,
): Promise<PricePoint[]> {
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
  const since = Math.floor(clock.now() / BUCKET_MILLISECONDS) - HISTORY_BUCKETS
  const ofHops = await Promise.all(
    hopsOf(route).map(({ venue_id, base_asset, quote_asset }) =>
      db.query<{ bucket: number; mid: string }>(sql`
        select bucket, mid
        from price_mids
        where venue_id = ${venue_id}
          and base_asset = ${base_asset}
          and quote_asset = ${quote_asset}
          and bucket >= ${since}
        order by bucket`),
    ),
  )
  const [first = [], ...others] = ofHops.map((rows) =>
    rows.map((row) => [Number(row.bucket), decimal(row.mid)] as const),
  )
  const known = others.map((rows) => new Map(rows))
  return first.flatMap(([bucket, mid]) => {
    const mids = known.map((hop) => hop.get(bucket))
    if (!mids.every((mid) => mid !== undefined)) return []
    return [
      {
        at: (bucket + 1) * BUCKET_MILLISECONDS,
        price: format(mids.reduce((price, mid) => multiply(price, mid, SCALE, 'half_even'), mid)),
      },
    ]
  })
}
