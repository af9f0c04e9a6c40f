/** The first order of an execution: how a venue takes it, and the price that guards it. */
import { mustExist } from '../../core/assert.ts'
import { format, least } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { assertOpened } from '../../venues/index.ts'
import type { Trading } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import { worstPrice } from '../pricing/pricing.ts'
import type { Side } from '../pricing/pricing.ts'
import { reachOf } from '../routes/market.ts'
import type { RouteMarket } from '../routes/market.ts'
import { gridOf, hopsOf } from '../routes/routes.ts'
import type { RouteRow } from '../routes/routes.ts'
import type { OrderDraft } from './rows.ts'

/** Which kinds of order a venue takes. */
export type OrderKinds = Pick<Trading, 'supports'>

/** `venues`: of the route's hops, in their order. */
export type OrderWay = { side: Side; route: RouteRow; venues: readonly OrderKinds[] }

export const unsupported = (path: string, message: string) =>
  refuse('UNSUPPORTED_BY_VENUE', path, message)

/** How a venue takes orders at market. */
function chooseMarketTif(venue: OrderKinds, name: string): 'IOC' | 'GTC' {
  const tif_mode = (['IOC', 'GTC'] as const).find((mode) =>
    venue.supports({ type: 'MARKET', tif_mode: mode }),
  )
  if (tif_mode === undefined) throw unsupported('route_id', `${name} takes no market orders`)
  return tif_mode
}

/** Throws unless the venues of the later hops take orders at market. */
export function assertLaterHops({ route, venues }: OrderWay): void {
  for (const [index, hop] of hopsOf(route).entries())
    if (index > 0)
      chooseMarketTif(
        mustExist(venues[index], 'each hop has a venue'),
        `the venue of ${hop.base_asset}/${hop.quote_asset}`,
      )
}

/** Connects the venues of the hops, in their order. Throws 2003, and 3001 UNSUPPORTED_BY_VENUE. */
export async function connectVenues(app: TradingApp, route: RouteRow): Promise<Trading[]> {
  const venues: Trading[] = []
  for (const hop of hopsOf(route)) {
    const { venue, adapter } = await app.venues.connect(route.workspace, hop.venue_id)
    assertOpened(venue)
    if (adapter.trading === undefined)
      throw unsupported('route_id', `the venue of route ${route.label} takes no orders`)
    venues.push(adapter.trading)
  }
  return venues
}

export function firstHop({ route, venues }: Pick<OrderWay, 'route' | 'venues'>) {
  return {
    hop: mustExist(hopsOf(route)[0], `price-stream route ${route.label} has a hop`),
    venue: mustExist(venues[0], 'each hop has a venue'),
  }
}

/** At market, whatever it costs. `name`: of the venue, for the refusal. */
export function draftMarketOrder(
  side: Side,
  { hop, venue, name }: { hop: OrderDraft['hop']; venue: OrderKinds; name: string },
  amount: Decimal,
): OrderDraft {
  return {
    hop,
    side,
    type: 'MARKET',
    tif_mode: chooseMarketTif(venue, name),
    price: null,
    expires_at: null,
    quantity: format(amount),
  }
}

/** At market, but not beyond a price where the venue takes one. */
export function draftGuardedOrder(
  way: OrderWay,
  price: Decimal,
  amount: Decimal,
  tif_mode: 'IOC' | 'FOK' = 'IOC',
): OrderDraft {
  const { hop, venue } = firstHop(way)
  const common = {
    hop,
    side: way.side,
    tif_mode,
    expires_at: null,
    quantity: format(amount),
  }
  if (venue.supports({ type: 'LIMIT', tif_mode }))
    return { ...common, type: 'LIMIT', price: format(price) }
  if (!venue.supports({ type: 'MARKET', tif_mode }))
    throw unsupported(
      tif_mode === 'FOK' ? 'tif_mode' : 'route_id',
      `the venue of route ${way.route.label} takes no market orders with ${tif_mode}`,
    )
  return { ...common, type: 'MARKET', price: null }
}

/**
 * The worst price at the venue of the first hop: of a route of one hop the route's own. Undefined
 * when its book is empty.
 */
export function firstHopGuard(
  side: Side,
  { hops }: RouteMarket,
  slippage: Decimal,
  worst: Decimal,
): Decimal | undefined {
  const [first, ...later] = hops
  const top = (side === 'BUY' ? first?.book.asks : first?.book.bids)?.[0]?.price
  if (first === undefined || top === undefined) return undefined
  return later.length === 0 ? worst : worstPrice(side, top, slippage, first.pair.price_step)
}

/**
 * STOP_LOSS: the market has come to the trigger from the good side; TAKE_PROFIT: from the bad one.
 * `top` is the side that is traded.
 */
export function isReached(
  side: Side,
  condition: 'STOP_LOSS' | 'TAKE_PROFIT',
  trigger: Decimal,
  top: Decimal,
): boolean {
  return (side === 'SELL') === (condition === 'STOP_LOSS') ? top <= trigger : top >= trigger
}

/**
 * The order of a stop that the market has reached: at market, guarded from the top of the book and
 * never beyond what is blocked.
 */
export function draftTriggeredOrder(
  way: OrderWay,
  market: RouteMarket,
  slippage: Decimal,
  { amount, guard_price, fok }: { amount: Decimal; guard_price: Decimal; fok: boolean },
): OrderDraft | undefined {
  const { side, route } = way
  const reach = reachOf(side, market, slippage, gridOf(route, market).price_step)
  if (reach === undefined) return undefined
  const covered = side === 'BUY' ? least(reach.worst, guard_price) : reach.worst
  const worst = firstHopGuard(side, market, slippage, covered)
  if (worst === undefined) return undefined
  return draftGuardedOrder(way, worst, amount, fok ? 'FOK' : 'IOC')
}
