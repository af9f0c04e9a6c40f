/** The order of a LIMIT execution: its price at the venue, and how long it stands there. */
import { decimal, format, greatest, least } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { VenueOrder } from '../../venues/index.ts'
import { venueLimitPrice } from '../pricing/limit-price.ts'
import { assertPriceOnStep } from '../routes/market.ts'
import type { RouteMarket } from '../routes/market.ts'
import type { Grid } from '../routes/routes.ts'
import { firstHop, unsupported } from './order-drafts.ts'
import type { OrderKinds, OrderWay } from './order-drafts.ts'
import type { TimeInForce } from './request.ts'
import type { OrderDraft } from './rows.ts'

/** `quantity`: the amount that is the customer's. */
type LimitShare = { quantity: Decimal; margin: Decimal; risk: Decimal }

type LimitInput = OrderWay & {
  shares: readonly LimitShare[]
  limit: { price: string } & TimeInForce
  quote_scale: number
  now: number
}

/** At the worst price at the venue that keeps every customer's all-in price. Throws 3001. */
export function draftLimitOrder(
  input: LimitInput,
  { market, grid }: { market: RouteMarket; grid: Grid },
  amount: Decimal,
): OrderDraft {
  const { side, route, limit, now } = input
  const [only, second] = market.hops
  if (only === undefined || second !== undefined)
    throw unsupported(
      'execution_type',
      `a LIMIT order needs a route of one hop; route ${route.label} has ${market.hops.length}`,
    )
  assertPriceOnStep(decimal(limit.price), grid)
  const price = venuePriceOf(input, market, only.pair.price_step)
  const { hop, venue } = firstHop(input)
  const tif_mode = chooseLimitTif(venue, limit, route.label, now)
  return {
    hop,
    side,
    type: 'LIMIT',
    tif_mode,
    expires_at: tif_mode === 'GTD' ? limit.expires_at : null,
    quantity: format(amount),
    price: format(price),
  }
}

function venuePriceOf(
  { side, shares, limit, quote_scale }: LimitInput,
  { pair: { taker_fee } }: RouteMarket,
  price_step: Decimal,
): Decimal {
  const prices = shares.map(({ quantity, risk, margin }) =>
    venueLimitPrice(
      side,
      decimal(limit.price),
      { taker_fee, risk, margin },
      { price_step, amount: quantity, scale: quote_scale },
    ),
  )
  const possible = prices.filter((price) => price !== undefined)
  if (possible.length < prices.length)
    throw refuse(
      'RANGE',
      'price',
      `price ${limit.price} leaves nothing for the venue after fee, risk and margin`,
    )
  return possible.reduce(side === 'BUY' ? least : greatest)
}

/** Venues refuse a time to end that is near. */
const NEAR_END_MILLISECONDS = 60_000

/**
 * A venue that knows no time to end, or for which it is too near, is sent GTC, and asked to cancel
 * then.
 */
function chooseLimitTif(
  venue: OrderKinds,
  requested: TimeInForce,
  label: string,
  now: number,
): VenueOrder['tif_mode'] {
  const tif_mode = limitTifs(requested, now).find((mode) =>
    venue.supports({ type: 'LIMIT', tif_mode: mode }),
  )
  if (tif_mode === undefined)
    throw unsupported(
      'tif_mode',
      `the venue of route ${label} takes no LIMIT orders with ${requested.tif_mode}`,
    )
  return tif_mode
}

/** What would do, the best first. */
function limitTifs(
  { tif_mode, expires_at }: TimeInForce,
  now: number,
): readonly VenueOrder['tif_mode'][] {
  if (tif_mode !== 'GTD') return [tif_mode]
  return expires_at - now > NEAR_END_MILLISECONDS ? ['GTD', 'GTC'] : ['GTC', 'GTD']
}
