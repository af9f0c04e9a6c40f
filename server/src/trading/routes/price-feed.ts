/** The price book follows what the routes of all workspaces need. */
import type { WorkspaceId } from '../../core/ids.ts'
import type { PriceBook } from '../../market-data/index.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Venues } from '../../venues/index.ts'
import { isOpenOrder } from '../states.ts'
import type { Hop } from './routes.ts'

type FollowApp = {
  db: Db
  prices: PriceBook
  venues: Pick<Venues, 'connect'>
  log: { error(details: object, message: string): void }
}

/**
 * Makes the price book follow what the active routes of all workspaces need, and what has begun
 * over several hops. A venue that fails does not hold up the others. `said`: what the log has of
 * each venue already.
 */
export async function followRoutes(
  { db, prices, venues, log }: FollowApp,
  said: Map<string, string> = new Map(),
): Promise<void> {
  const routes = await db.query<{ workspace: WorkspaceId; hops: Hop[] }>(sql`
    select workspace, hops
    from price_stream_routes
    where active
    union
    select e.workspace, e.hops
    from execution_orders o
    join executions e on e.workspace = o.workspace
      and e.id = o.execution_id
    where ${isOpenOrder}
      and jsonb_array_length(e.hops) > 1`)
  const wanted = new Map<string, { workspace: WorkspaceId; pairs: Map<string, Hop> }>()
  for (const { workspace, hops } of routes) {
    for (const hop of hops) {
      const known = wanted.get(hop.venue_id) ?? { workspace, pairs: new Map<string, Hop>() }
      wanted.set(hop.venue_id, known)
      known.pairs.set(`${hop.base_asset}/${hop.quote_asset}`, hop)
    }
  }
  for (const venue_id of prices.followed()) if (!wanted.has(venue_id)) await prices.forget(venue_id)
  await Promise.all(
    [...wanted].map(async ([venue_id, { workspace, pairs }]) => {
      try {
        const { adapter } = await venues.connect(workspace, venue_id)
        if (adapter.prices !== undefined)
          await prices.follow(venue_id, adapter.prices, [...pairs.values()])
        said.delete(venue_id)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        if (said.get(venue_id) !== why)
          log.error({ venue_id, error: why }, 'prices of a venue cannot be followed')
        said.set(venue_id, why)
      }
    }),
  )
}

const FOLLOW_AGAIN_MILLISECONDS = 5_000

/** Follows the routes as they change, until stopped: for each process that prices. */
export function startFollowing(app: FollowApp): {
  refresh(): Promise<void>
  stop(): Promise<void>
} {
  const said = new Map<string, string>()
  let running: Promise<void> | undefined
  let stopped = false
  const refresh = (): Promise<void> => {
    if (stopped) return Promise.resolve()
    running ??= followRoutes(app, said)
      .catch((error: unknown) => {
        app.log.error(
          { error: error instanceof Error ? error.message : String(error) },
          'price routes cannot be read',
        )
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
  const timer = setInterval(() => {
    void refresh()
  }, FOLLOW_AGAIN_MILLISECONDS)
  timer.unref()
  void refresh()
  return {
    refresh,
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
      await app.prices.close()
    },
  }
}
