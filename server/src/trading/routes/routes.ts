/** Price-stream routes as they are stored, and what prices over them stand on. */
import { settingsRead } from '../../access/index.ts'
import type { Settings } from '../../access/index.ts'
import type { Clock } from '../../core/clock.ts'
import { decimal, greatest } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import type { PriceRouteId, WorkspaceId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import type { Static } from '../../http/index.ts'
import { haltsRead } from '../../ledger/index.ts'
import type { HaltScope, ActiveHalt } from '../../ledger/index.ts'
import { marketState } from '../../market-data/index.ts'
import type { Market, PriceBook } from '../../market-data/index.ts'
import { only } from '../../store/db.ts'
import { markedRead } from '../../store/reads.ts'
import type { Read } from '../../store/reads.ts'
import { columnsOf } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { StoredPriceRoute } from './routes.schema.ts'
import type { PriceRoute } from './routes.schema.ts'

/** Without the zeros of their columns. */
const TRIMMED = ['risk_quantile', 'min_amount', 'max_amount', 'amount_step', 'price_step'] as const
export const ROUTE_COLUMNS = columnsOf(StoredPriceRoute, {
  computed: Object.fromEntries(
    TRIMMED.map((column) => [column, sql`trim_scale(${raw(column)})::text`]),
  ),
})

/** As stored: the price book knows its state. */
export type RouteRow = Static<typeof StoredPriceRoute>
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

/**
 * The active routes of a symbol, which is read in any case, as `BTC/EUR`, `BTC-EUR` or `BTCEUR`.
 * Throws 4004 when there is none, and 3001 CONFLICT when it may be one of several symbols.
 */
export const routesOfSymbolRead = (
  workspace: WorkspaceId,
  symbol: string,
): Read<readonly RouteRow[]> => ({
  query: sql`
    select ${ROUTE_COLUMNS}
    from price_stream_routes
    where workspace = ${workspace}
      and ${isSpelled(symbol.toUpperCase())}
      and active
    order by id`,
  answer(rows: readonly RouteRow[]) {
    if (rows.length === 0) throw notFound('active price-stream route for', symbol, 'symbol')
    const exact = rows.filter((row) => row.symbol === symbol)
    if (exact.length > 0) return exact
    const symbols = [...new Set(rows.map((row) => row.symbol.toUpperCase()))]
    if (symbols.length === 1) return rows
    throw refuse('CONFLICT', 'symbol', `${symbol} may be ${symbols.join(' or ')}: give one of them`)
  },
})

/** A separator counts where it stands; only a text without one is compared letter by letter. */
function isSpelled(text: string): Query {
  if (!/[/-]/.test(text)) return sql`replace(upper(symbol), '/', '') = ${text}`
  const hyphens = [...text.matchAll(/-/g)]
  const spellings = hyphens.map(({ index }) => `${text.slice(0, index)}/${text.slice(index + 1)}`)
  return sql`upper(symbol) = any(${[text, ...spellings]}::text[])`
}

/**
 * What pricing over any route of a workspace stands on. `priced`: the venues of its active routes,
 * which have its prices.
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
