import { settingsRead } from '../../access/index.ts'
import type { Settings } from '../../access/index.ts'
import type { Clock } from '../../core/clock.ts'
import { decimal, format, greatest, scaleOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { factorOf } from '../../core/factor.ts'
import { newId } from '../../core/ids.ts'
import type { PriceRouteId, WorkspaceId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { assetByCode, haltsRead } from '../../ledger/index.ts'
import type { HaltScope, ActiveHalt } from '../../ledger/index.ts'
import { marketState } from '../../market-data/index.ts'
import type { Market, PriceBook } from '../../market-data/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Tx } from '../../store/db.ts'
import { markedRead } from '../../store/reads.ts'
import type { Read } from '../../store/reads.ts'
import { raw, sql } from '../../store/sql.ts'
import type { VenueRecord, Venues } from '../../venues/index.ts'
import { isOpenOrder } from '../states.ts'
import type { DeclaredPriceRoute, PriceRoute } from './routes.schema.ts'

const text = (column: string) => `trim_scale(${column})::text as ${column}`
export const ROUTE_COLUMNS = raw(`
    id, workspace, label, symbol, base_asset, quote_asset, hops, margin,
      ${['risk_quantile', 'min_amount', 'max_amount', 'amount_step', 'price_step'].map(text).join(', ')},
      active, system_created_at, system_created_by, system_updated_at, system_updated_by, version`)

/** As stored; its state is told by the price book. */
export type RouteRow = Omit<PriceRoute, 'state'>
export type Hop = PriceRoute['hops'][number]

/** Throws 4004, and 3001 NOT_ACTIVE for a route that is switched off. */
export const activeRouteRead = (workspace: WorkspaceId, id: PriceRouteId) =>
  markedRead(
    ROUTE_COLUMNS,
    sql`price_stream_routes where workspace = ${workspace} and id = ${id}`,
    (rows: readonly RouteRow[]) => {
      const route = only(rows)
      if (route === undefined) throw notFound('price-stream route', id, 'route_id')
      if (!route.active)
        throw refuse('NOT_ACTIVE', 'route_id', `price-stream route ${route.label} is not active`)
      return route
    },
  )

/** Throws 4004 when no active route has the symbol. */
export const routesOfSymbolRead = (
  workspace: WorkspaceId,
  symbol: string,
): Read<readonly RouteRow[]> => ({
  query: sql`
    select ${ROUTE_COLUMNS}
    from price_stream_routes
    where workspace = ${workspace}
      and symbol = ${symbol}
      and active
    order by id`,
  answer(rows: readonly RouteRow[]) {
    if (rows.length === 0) throw notFound('active price-stream route for', symbol, 'symbol')
    return rows
  },
})

/**
 * What pricing over any route of a workspace stands on. `priced`: the venues that tell its prices,
 * those of its active routes.
 */
export type PricingBasis = {
  settings: Settings
  halts: readonly ActiveHalt[]
  priced: readonly string[]
}

export const basisReads = (workspace: WorkspaceId) => ({
  settings: settingsRead(workspace),
  halts: haltsRead(workspace),
  priced: markedRead(
    raw("distinct jsonb_array_elements(hops) ->> 'venue_id' as id"),
    sql`price_stream_routes where workspace = ${workspace} and active`,
    (rows: readonly { id: string }[]): readonly string[] => rows.map((row) => row.id),
  ),
})

/**
 * The route's hops, from the base asset on: each one's quote asset is the next one's base asset.
 */
export function hopsOf(route: Pick<RouteRow, 'hops'>): Hop[] {
  return route.hops.toSorted((a, b) => a.hop_no - b.hop_no)
}

/** The halts that stop trading over this route. */
export function tradingScope(
  route: Pick<RouteRow, 'hops' | 'base_asset' | 'quote_asset'>,
): HaltScope {
  const { hops, base_asset, quote_asset } = route
  return {
    action: 'TRADING',
    venue_ids: hops.map((hop) => hop.venue_id),
    assets: [
      ...new Set([
        base_asset,
        quote_asset,
        ...hops.flatMap((hop) => [hop.base_asset, hop.quote_asset]),
      ]),
    ],
  }
}

/** A route is as good as the worst of its hops. */
export function withState(prices: PriceBook, clock: Clock, route: RouteRow): PriceRoute {
  const states = route.hops.map((hop) => marketState(prices.market(hop.venue_id, hop), clock.now()))
  return {
    ...route,
    state: (['DOWN', 'STALE'] as const).find((state) => states.includes(state)) ?? 'UP',
  }
}

/** Steps and the smallest amount, where the venue's own may be coarser than the route's. */
export type Grid = {
  amount_step: Decimal
  price_step: Decimal
  min_amount: Decimal
  max_amount: Decimal
}

export function gridOf(route: RouteRow, market: Pick<Market, 'pair'>): Grid {
  return {
    amount_step: greatest(decimal(route.amount_step), market.pair.amount_step),
    price_step: greatest(decimal(route.price_step), market.pair.price_step),
    min_amount: greatest(decimal(route.min_amount), market.pair.min_amount),
    max_amount: decimal(route.max_amount),
  }
}

/**
 * The customer's exemption, else the request's margin, else the route's for his category, else the
 * workspace's.
 */
export function marginFor(
  customer: Pick<Customer, 'margin' | 'ignore_margin'>,
  route: Pick<RouteRow, 'margin'>,
  settings: Pick<Settings, 'margins'>,
  requested: Decimal | undefined,
): Decimal {
  if (customer.ignore_margin) return 0n
  return (
    requested ??
    decimal(
      route.margin[customer.margin] ??
        settings.margins[customer.margin] ??
        settings.margins.DEFAULT,
    )
  )
}

/**
 * Brings the routes to what the configuration file declares; a route that it no longer names is
 * switched off, and the open quotes of such a route, or of one that trades something else now, are
 * canceled. Throws 3001 naming the entry that is wrong. `venues` are the workspace's, by their key
 * in the file.
 */
export async function applyPriceRoutes(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  declared: readonly DeclaredPriceRoute[],
  venues: ReadonlyMap<string, VenueRecord>,
  by: string,
): Promise<void> {
  const now = clock.now()
  for (const [index, each] of declared.entries()) {
    const path = `price_routes[${index}]`
    const hops = await checkHops(tx, workspace, each, venues, path)
    await tx.query(sql`
      insert into price_stream_routes (
        workspace, id, key, label, symbol, base_asset, quote_asset, hops, margin, risk_quantile,
        active, min_amount, max_amount, amount_step, price_step, system_created_at,
        system_created_by, system_updated_at, system_updated_by
      )
      values (
        ${workspace}, ${newId()}, ${each.key}, ${each.label},
        ${each.symbol ?? `${each.base_asset}/${each.quote_asset}`}, ${each.base_asset},
        ${each.quote_asset}, ${JSON.stringify(hops)}, ${JSON.stringify(each.margin ?? {})},
        ${each.risk_quantile}, ${each.active ?? true}, ${each.min_amount}, ${each.max_amount},
        ${each.amount_step}, ${each.price_step}, ${now}, ${by}, ${now}, ${by}
      )
      on conflict (workspace, key) do update
      set label = excluded.label, symbol = excluded.symbol, base_asset = excluded.base_asset,
        quote_asset = excluded.quote_asset, hops = excluded.hops, margin = excluded.margin,
        risk_quantile = excluded.risk_quantile, active = excluded.active,
        min_amount = excluded.min_amount, max_amount = excluded.max_amount,
        amount_step = excluded.amount_step, price_step = excluded.price_step,
        version = price_stream_routes.version + 1, system_updated_at = excluded.system_updated_at,
        system_updated_by = excluded.system_updated_by
      where (
        price_stream_routes.label, price_stream_routes.symbol, price_stream_routes.base_asset,
        price_stream_routes.quote_asset, price_stream_routes.hops, price_stream_routes.margin,
        price_stream_routes.risk_quantile, price_stream_routes.active,
        price_stream_routes.min_amount, price_stream_routes.max_amount,
        price_stream_routes.amount_step, price_stream_routes.price_step
      )
        is distinct from (
          excluded.label, excluded.symbol, excluded.base_asset, excluded.quote_asset, excluded.hops,
          excluded.margin, excluded.risk_quantile, excluded.active, excluded.min_amount,
          excluded.max_amount, excluded.amount_step, excluded.price_step
        )`)
  }
  await tx.query(sql`
    update price_stream_routes
    set active = false, version = version + 1, system_updated_at = ${now}, system_updated_by = ${by}
    where workspace = ${workspace}
      and active
      and not key = any(${declared.map((each) => each.key)}::text[])`)
  await tx.query(sql`
    update quotes
    set state = 'CANCELED', version = version + 1, system_updated_at = ${now},
      system_updated_by = ${by}
    where workspace = ${workspace}
      and state = 'ACTIVE'
      and route_id in (
        select id
        from price_stream_routes
        where workspace = ${workspace}
          and (not active or symbol <> quotes.symbol)
      )`)
}

async function checkHops(
  tx: Tx,
  workspace: WorkspaceId,
  declared: DeclaredPriceRoute,
  venues: ReadonlyMap<string, VenueRecord>,
  path: string,
): Promise<Hop[]> {
  const base = await assetByCode(tx, workspace, declared.base_asset, `${path}.base_asset`)
  await assetByCode(tx, workspace, declared.quote_asset, `${path}.quote_asset`)
  if (decimal(declared.risk_quantile) >= decimal('1'))
    throw refuse('RANGE', `${path}.risk_quantile`, `${path}.risk_quantile must be between 0 and 1`)
  for (const [category, margin] of Object.entries(declared.margin ?? {}))
    factorOf(margin, `${path}.margin.${category}`)
  if (decimal(declared.max_amount) < decimal(declared.min_amount))
    throw refuse(
      'RANGE',
      `${path}.max_amount`,
      `${path}.max_amount is below min_amount ${declared.min_amount}`,
    )
  if (scaleOf(decimal(declared.amount_step)) > base.scale)
    throw refuse(
      'SCALE',
      `${path}.amount_step`,
      `${path}.amount_step ${format(decimal(declared.amount_step))} is finer than the ${base.scale} fraction digits of ${base.code}`,
    )
  const hops: Hop[] = []
  for (const [index, { venue: key, base_asset, quote_asset }] of declared.hops.entries()) {
    const at = `${path}.hops[${index}]`
    await assetByCode(tx, workspace, quote_asset, `${at}.quote_asset`)
    const from = hops.at(-1)?.quote_asset ?? declared.base_asset
    if (base_asset !== from)
      throw refuse(
        'ASSET_MISMATCH',
        at,
        `${at} trades ${base_asset}/${quote_asset}, its base asset must be ${from}`,
      )
    if (hops.some((hop) => hop.base_asset === quote_asset))
      throw refuse('ASSET_MISMATCH', at, `${at} leads back to ${quote_asset}`)
    const venue = venues.get(key)
    if (venue === undefined)
      throw refuse('NOT_FOUND', `${at}.venue`, `${at}.venue names ${key}, which is not configured`)
    const service = venue.services.find((service) => service.type === 'TOMS')
    if (service === undefined)
      throw refuse('UNSUPPORTED_BY_VENUE', `${at}.venue`, `venue ${venue.label} takes no orders`)
    hops.push({
      hop_no: index + 1,
      venue_id: venue.id,
      service_id: service.id,
      base_asset,
      quote_asset,
    })
  }
  const last = hops.at(-1)?.quote_asset
  if (last !== declared.quote_asset)
    throw refuse(
      'ASSET_MISMATCH',
      `${path}.hops`,
      `${path}.hops end at ${last}, the route is for ${declared.base_asset}/${declared.quote_asset}`,
    )
  return hops
}

export type FollowApp = {
  db: Db
  prices: PriceBook
  venues: Pick<Venues, 'connected'>
  log: { error(details: object, message: string): void }
}

/**
 * Makes the price book follow what the active routes of all workspaces need, and what has begun
 * over several hops. A venue that fails does not hold up the others.
 */
export async function followRoutes({ db, prices, venues, log }: FollowApp): Promise<void> {
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
        const { adapter } = await venues.connected(workspace, venue_id)
        if (adapter.prices !== undefined)
          await prices.follow(venue_id, adapter.prices, [...pairs.values()])
      } catch (error) {
        log.error(
          { venue_id, error: error instanceof Error ? error.message : String(error) },
          'prices of a venue cannot be followed',
        )
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
  let running: Promise<void> | undefined
  let stopped = false
  const refresh = (): Promise<void> => {
    if (stopped) return Promise.resolve()
    running ??= followRoutes(app)
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
