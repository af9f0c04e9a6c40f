/**
 * How an execution is priced, what it blocks of each customer and which order goes out first.
 *
 * MARKET       at the market's price, not beyond the slippage guard: blocked by the worst price,
 *              sent as immediate-or-cancel at it
 * firm quote   the promised price, whatever the market does: the order goes out at market
 * VOLUME       the amount with which the volume is reached; BUY never pays more than the volume
 * LIMIT        the worst price at the venue that keeps every customer's all-in price
 * STOP_MARKET  nothing goes out yet; blocked by the trigger (what the market has reached already
 *              counts) and the guard
 *
 * Over several hops the first is guarded, the later ones go at market for what the one before has
 * moved.
 */
import { mustExist } from '../../core/assert.ts'
import {
  decimal,
  divide,
  format,
  greatest,
  least,
  multiply,
  ONE,
  sum,
  unitOf,
} from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { Customer } from '../../customers/index.ts'
import type { Trading, VenueOrder } from '../../venues/index.ts'
import type { OrderDraft } from './rows.ts'
import { allotByWeight } from '../pricing/positions.ts'
import {
  availableAmount,
  priceFilled,
  priceNotional,
  sideForVolume,
  toStep,
  venueLimitPrice,
  walk,
  worstPrice,
} from '../pricing/pricing.ts'
import type { Side, Terms } from '../pricing/pricing.ts'
import { pricedOf } from '../quotes/sides.ts'
import type { StoredQuote } from '../quotes/quotes.ts'
import type { ExecutionRequest, TimeInForce } from './request.ts'
import { assertNearReference, assertOnGrid, freshMarket, reachOf } from '../routes/market.ts'
import type { PricesNow, Reach, RouteMarket } from '../routes/market.ts'
import { gridOf, hopsOf } from '../routes/routes.ts'
import type { PricingBasis, Grid, RouteRow } from '../routes/routes.ts'

/** A customer's part of what is asked for, in the asset it is asked in, and his factors. */
export type ShareRequest = { customer: Customer; quantity: Decimal; margin: Decimal; risk: Decimal }

type PlannedShare = ShareRequest & { amount: Decimal; volume: Decimal | null; hold: Decimal }

export type Plan = {
  shares: PlannedShare[]
  amount: Decimal
  /** undefined: waits for its trigger. */
  order: OrderDraft | undefined
  taker_fee: Decimal
  top_price: Decimal | null
  /** The worst price of the route that what is blocked covers. */
  guard_price: Decimal | null
  firm: boolean
}

export type PlanInput = {
  side: Side
  route: RouteRow
  asked: ExecutionRequest
  portions: ShareRequest[]
  quote: StoredQuote | undefined
  basis: PricingBasis
  base_scale: number
  quote_scale: number
  now: number
  /** Of the hops' venues, in their order. */
  venues: readonly Pick<Trading, 'supports'>[]
}

/** Throws 3001: STALE_PRICE, NO_LIQUIDITY, SCALE, BELOW_MINIMUM, RANGE, UNSUPPORTED_BY_VENUE. */
export function makePlan(app: PricesNow, planned: PlanInput): Plan {
  const { route, quote, asked, side, basis } = planned
  for (const [index, hop] of hopsOf(route).entries())
    if (index > 0)
      chooseMarketTif(
        mustExist(planned.venues[index], 'each hop has a venue'),
        `the venue of ${hop.base_asset}/${hop.quote_asset}`,
      )
  if (quote?.firm === true && asked.kind.type === 'MARKET') return planFirm(planned, quote)
  const market = freshMarket(app, route)
  const grid = gridOf(route, market)
  const reach = reachOf(side, market, decimal(basis.settings.slippage), grid.price_step)
  if (reach === undefined)
    throw refuse('NO_LIQUIDITY', asked.field, `route ${route.label} has nothing to ${side}`)
  assertNearReference(app, basis, route, [reach.top])
  const priced: PricedMarket = { market, grid, reach }
  if (asked.field === 'volume') return planVolume(planned, priced)
  const amount = sum(planned.portions.map((portion) => portion.quantity))
  assertOnGrid(amount, grid, route.base_asset, 'amount')
  if (amount > grid.max_amount)
    throw refuse(
      'NO_LIQUIDITY',
      'amount',
      `amount ${format(amount)} is above the route's maximum ${format(grid.max_amount)} ${route.base_asset}`,
    )
  if (asked.kind.type === 'LIMIT') return planLimit(planned, asked.kind, priced, amount)
  return asked.kind.type === 'STOP_MARKET'
    ? planStop(planned, asked.kind, priced, amount)
    : planMarket(planned, priced, amount)
}

type PricedMarket = { market: RouteMarket; grid: Grid; reach: Reach }

const unsupported = (path: string, message: string) => refuse('UNSUPPORTED_BY_VENUE', path, message)

/** How a venue takes orders at market. */
export function chooseMarketTif(venue: Pick<Trading, 'supports'>, name: string): 'IOC' | 'GTC' {
  const tif_mode = (['IOC', 'GTC'] as const).find((each) =>
    venue.supports({ type: 'MARKET', tif_mode: each }),
  )
  if (tif_mode === undefined) throw unsupported('route_id', `${name} takes no market orders`)
  return tif_mode
}

function firstOf({ route, venues, side }: Pick<PlanInput, 'route' | 'venues' | 'side'>) {
  const hop = mustExist(hopsOf(route)[0], `price-stream route ${route.label} has a hop`)
  return { hop, venue: mustExist(venues[0], 'each hop has a venue'), side }
}

/** At market, but not beyond a price where the venue takes one. */
function draftGuardedOrder(
  planned: Pick<PlanInput, 'route' | 'venues' | 'side'>,
  price: Decimal,
  amount: Decimal,
  tif_mode: 'IOC' | 'FOK' = 'IOC',
): OrderDraft {
  const { hop, venue, side } = firstOf(planned)
  const common = { hop, side, tif_mode, expires_at: null, quantity: format(amount) }
  if (venue.supports({ type: 'LIMIT', tif_mode }))
    return { ...common, type: 'LIMIT', price: format(price) }
  if (!venue.supports({ type: 'MARKET', tif_mode }))
    throw unsupported(
      tif_mode === 'FOK' ? 'tif_mode' : 'route_id',
      `the venue of route ${planned.route.label} takes no market orders with ${tif_mode}`,
    )
  return { ...common, type: 'MARKET', price: null }
}

/** The guard at the venue of the first hop: of a route of one hop the route's own. */
function firstHopGuard(
  { side, basis: { settings } }: PlanInput,
  { market, reach }: PricedMarket,
): Decimal {
  const [first, ...later] = market.hops
  const top = (side === 'BUY' ? first?.book.asks : first?.book.bids)?.[0]?.price
  if (first === undefined || top === undefined || later.length === 0) return reach.worst
  return worstPrice(side, top, decimal(settings.slippage), first.pair.price_step)
}

const termsOf = (portion: ShareRequest, taker_fee: Decimal): Terms => ({
  taker_fee,
  risk: portion.risk,
  margin: portion.margin,
})

/** What a customer may have to give: SELL the amount, BUY the total at this price of the route. */
function quantityToBlock(
  { side, quote_scale }: PlanInput,
  portion: ShareRequest,
  amount: Decimal,
  price: Decimal,
  taker_fee: Decimal,
): Decimal {
  return side === 'SELL'
    ? amount
    : priceNotional('BUY', amount, multiply(amount, price, quote_scale, 'up'), {
        terms: termsOf(portion, taker_fee),
        scale: quote_scale,
      }).total
}

function assertWorth(
  planned: PlanInput,
  portion: ShareRequest,
  amount: Decimal,
  notional: Decimal,
  taker_fee: Decimal,
  path: string,
): void {
  const { total } = priceNotional(planned.side, amount, notional, {
    terms: termsOf(portion, taker_fee),
    scale: planned.quote_scale,
  })
  if (total <= 0n)
    throw refuse(
      'BELOW_MINIMUM',
      path,
      `the parts of the price leave nothing of ${format(amount)} ${planned.route.base_asset}`,
    )
}

function planFirm(planned: PlanInput, quote: StoredQuote): Plan {
  const { side, route, asked } = planned
  const [portion] = planned.portions
  const priced = pricedOf(side, side === 'BUY' ? quote.buy : quote.sell)
  if (portion === undefined || priced.total <= 0n)
    throw refuse(
      'BELOW_MINIMUM',
      asked.field,
      `the parts of the price leave nothing of ${format(priced.amount)} ${route.base_asset}`,
    )
  const { hop, venue } = firstOf(planned)
  const tif_mode = chooseMarketTif(venue, `the venue of route ${route.label}`)
  return {
    shares: [
      {
        ...portion,
        amount: priced.amount,
        volume: asked.field === 'volume' ? portion.quantity : null,
        hold: side === 'BUY' ? priced.total : priced.amount,
      },
    ],
    amount: priced.amount,
    order: {
      hop,
      side,
      type: 'MARKET',
      tif_mode,
      price: null,
      expires_at: null,
      quantity: format(priced.amount),
    },
    taker_fee: decimal(quote.taker_fee),
    top_price: null,
    guard_price: null,
    firm: true,
  }
}

function planMarket(planned: PlanInput, priced: PricedMarket, amount: Decimal): Plan {
  const {
    side,
    route,
    portions,
    quote_scale,
    basis: { settings },
  } = planned
  const { market, grid, reach } = priced
  const { taker_fee } = market.pair
  const notional = walk(side, reach.levels, amount, quote_scale)
  if (notional === undefined) {
    const available = availableAmount(reach.levels, { scale: quote_scale, ...grid })
    throw refuse(
      'NO_LIQUIDITY',
      'amount',
      `only ${format(available)} ${route.base_asset} can be had within ${settings.slippage} of the top of the book`,
    )
  }
  for (const portion of portions)
    assertWorth(
      planned,
      portion,
      portion.quantity,
      (notional * portion.quantity) / amount,
      taker_fee,
      'amount',
    )
  return {
    shares: portions.map((portion) => ({
      ...portion,
      amount: portion.quantity,
      volume: null,
      hold: quantityToBlock(planned, portion, portion.quantity, reach.worst, taker_fee),
    })),
    amount,
    order: draftGuardedOrder(planned, firstHopGuard(planned, priced), amount),
    taker_fee,
    top_price: reach.top,
    guard_price: reach.worst,
    firm: false,
  }
}

/**
 * BUY pays the volume exactly and buys with what the margin leaves of it; SELL sells as much as
 * brings the volume.
 */
function planVolume(planned: PlanInput, priced: PricedMarket): Plan {
  const {
    side,
    route,
    portions,
    quote_scale,
    base_scale,
    basis: { settings },
  } = planned
  const { market, grid, reach } = priced
  const { taker_fee } = market.pair
  const limits = { scale: quote_scale, amount_step: grid.amount_step, max_amount: grid.max_amount }
  const { amount, amounts, complete } = side === 'BUY' ? amountForBuy() : amountForSell()
  if (!complete)
    throw refuse(
      'NO_LIQUIDITY',
      'volume',
      `only ${format(amount)} ${route.base_asset} can be had within ${settings.slippage} of the top of the book`,
    )
  if (amount < grid.min_amount || amounts.includes(0n))
    throw refuse(
      'BELOW_MINIMUM',
      'volume',
      `volume is worth less than the minimum ${format(grid.min_amount)} ${route.base_asset}`,
    )
  const guard = side === 'BUY' ? coveredPrice() : reach.worst
  return {
    shares: portions.map((portion, index) => ({
      ...portion,
      amount: amounts[index] ?? 0n,
      volume: portion.quantity,
      hold: side === 'BUY' ? portion.quantity : (amounts[index] ?? 0n),
    })),
    amount,
    order: draftGuardedOrder(
      planned,
      market.hops.length === 1 ? guard : firstHopGuard(planned, priced),
      amount,
    ),
    taker_fee,
    top_price: reach.top,
    guard_price: guard,
    firm: false,
  }

  function amountForBuy() {
    const budgets = portions.map((portion) =>
      divide(portion.quantity, ONE + portion.margin, quote_scale, 'down'),
    )
    const { priced: bought, complete: all } = sideForVolume('BUY', reach.levels, sum(budgets), {
      terms: { taker_fee, risk: 0n, margin: 0n },
      limits,
    })
    return {
      amount: bought.amount,
      amounts: allotByWeight(bought.amount, budgets, unitOf(base_scale)),
      complete: all,
    }
  }

  /** One amount for all: the least with which every customer's part brings what he asked for. */
  function amountForSell() {
    const risk = portions[0]?.risk ?? 0n
    const whole = sum(portions.map((portion) => portion.quantity))
    const weights = portions.map((portion) =>
      divide(portion.quantity, greatest(1n, ONE - portion.risk - portion.margin), 18, 'up'),
    )
    const margin =
      portions.length === 1
        ? (portions[0]?.margin ?? 0n)
        : greatest(0n, ONE - risk - divide(whole, sum(weights), 18, 'up'))
    const { priced: sold, complete: all } = sideForVolume('SELL', reach.levels, whole, {
      terms: { taker_fee, risk, margin },
      limits,
    })
    const partsOf = (amount: Decimal) => allotByWeight(amount, weights, unitOf(base_scale))
    if (!all || portions.length === 1)
      return { amount: sold.amount, amounts: partsOf(sold.amount), complete: all }
    const brings = (steps: bigint) => {
      const notional = walk('SELL', reach.levels, steps * grid.amount_step, quote_scale) ?? 0n
      const volumes = allotByWeight(notional, partsOf(steps * grid.amount_step), 1n)
      return portions.every(
        (portion, index) =>
          priceFilled('SELL', 0n, volumes[index] ?? 0n, {
            terms: termsOf(portion, taker_fee),
            scale: quote_scale,
          }).total >= portion.quantity,
      )
    }
    const most = availableAmount(reach.levels, limits) / grid.amount_step
    let [low, high] = [0n, sold.amount / grid.amount_step]
    // Rounding each part may ask for a few cents more than rounding the whole.
    while (high < most && !brings(high))
      [low, high] = [high, least(most, high + 1n + (high - low) * 2n)]
    if (!brings(high))
      return {
        amount: high * grid.amount_step,
        amounts: partsOf(high * grid.amount_step),
        complete: false,
      }
    while (low < high) {
      const middle = (low + high) / 2n
      if (brings(middle)) high = middle
      else low = middle + 1n
    }
    return {
      amount: high * grid.amount_step,
      amounts: partsOf(high * grid.amount_step),
      complete: true,
    }
  }

  /**
   * Up to this price the volume covers notional and fee, whatever the market does until the venue
   * fills.
   */
  function coveredPrice(): Decimal {
    const covered = divide(
      divide(sum(portions.map((portion) => portion.quantity)), ONE + taker_fee, 18, 'down'),
      amount,
      18,
      'down',
    )
    const deepest = deepestFor(amount)
    return least(reach.worst, greatest(deepest, toStep(covered, grid.price_step, 'down')))
  }

  function deepestFor(wanted: Decimal): Decimal {
    let depth = 0n
    for (const level of reach.levels) {
      depth += level.quantity
      if (depth >= wanted) return level.price
    }
    return reach.worst
  }
}

function assertPriceOnStep(price: Decimal, grid: Grid): void {
  if (toStep(price, grid.price_step, 'down') !== price)
    throw refuse(
      'SCALE',
      'price',
      `price ${format(price)} is not a multiple of the step ${format(grid.price_step)}`,
    )
}

function planLimit(
  planned: PlanInput,
  kind: Extract<ExecutionRequest['kind'], { type: 'LIMIT' }>,
  { market, grid, reach }: PricedMarket,
  amount: Decimal,
): Plan {
  const { side, route, portions, quote_scale } = planned
  const { taker_fee } = market.pair
  const [only, second] = market.hops
  if (only === undefined || second !== undefined)
    throw unsupported(
      'execution_type',
      `a LIMIT order needs a route of one hop; route ${route.label} has ${market.hops.length}`,
    )
  const price = decimal(kind.price)
  assertPriceOnStep(price, grid)
  const prices = portions.map((portion) =>
    venueLimitPrice(side, price, termsOf(portion, taker_fee), {
      price_step: only.pair.price_step,
      amount: portion.quantity,
      scale: quote_scale,
    }),
  )
  const possible = prices.filter((price) => price !== undefined)
  if (possible.length < prices.length)
    throw refuse(
      'RANGE',
      'price',
      `price ${kind.price} leaves nothing for the venue after fee, risk and margin`,
    )
  const { hop, venue } = firstOf(planned)
  const tif = chooseLimitTif(venue, kind, route.label, planned.now)
  return {
    shares: portions.map((portion) => ({
      ...portion,
      amount: portion.quantity,
      volume: null,
      hold:
        side === 'BUY' ? multiply(portion.quantity, price, quote_scale, 'up') : portion.quantity,
    })),
    amount,
    order: {
      hop,
      side,
      type: 'LIMIT',
      tif_mode: tif,
      expires_at: tif === 'GTD' ? kind.expires_at : null,
      quantity: format(amount),
      price: format(possible.reduce(side === 'BUY' ? least : greatest)),
    },
    taker_fee,
    top_price: reach.top,
    guard_price: null,
    firm: false,
  }
}

/** Venues refuse a time to end that is near. */
const NEAR_END_MILLISECONDS = 60_000

/**
 * A venue that knows no time to end, or for which it is too near, is sent GTC, and asked to cancel
 * then.
 */
function chooseLimitTif(
  venue: Pick<Trading, 'supports'>,
  { tif_mode: wanted, expires_at }: TimeInForce,
  label: string,
  now: number,
): VenueOrder['tif_mode'] {
  const ways =
    wanted !== 'GTD'
      ? [wanted]
      : expires_at - now > NEAR_END_MILLISECONDS
        ? (['GTD', 'GTC'] as const)
        : (['GTC', 'GTD'] as const)
  const tif_mode = ways.find((way) => venue.supports({ type: 'LIMIT', tif_mode: way }))
  if (tif_mode === undefined)
    throw unsupported(
      'tif_mode',
      `the venue of route ${label} takes no LIMIT orders with ${wanted}`,
    )
  return tif_mode
}

function planStop(
  planned: PlanInput,
  kind: Extract<ExecutionRequest['kind'], { type: 'STOP_MARKET' }>,
  { market, grid, reach }: PricedMarket,
  amount: Decimal,
): Plan {
  const {
    side,
    portions,
    basis: { settings },
  } = planned
  const { taker_fee } = market.pair
  const price = decimal(kind.price)
  assertPriceOnStep(price, grid)
  const reached = isReached(side, kind.condition, price, reach.top)
  const basis = reached && side === 'BUY' ? greatest(price, reach.top) : price
  const guard = worstPrice(side, basis, decimal(settings.slippage), grid.price_step)
  for (const portion of portions)
    assertWorth(
      planned,
      portion,
      portion.quantity,
      multiply(portion.quantity, price, planned.quote_scale, 'down'),
      taker_fee,
      'amount',
    )
  // Refused now rather than when it is triggered.
  draftGuardedOrder(planned, guard, amount, kind.tif_mode === 'FOK' ? 'FOK' : 'IOC')
  return {
    shares: portions.map((portion) => ({
      ...portion,
      amount: portion.quantity,
      volume: null,
      hold: quantityToBlock(planned, portion, portion.quantity, guard, taker_fee),
    })),
    amount,
    order: undefined,
    taker_fee,
    top_price: null,
    guard_price: guard,
    firm: false,
  }
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
  planned: Pick<PlanInput, 'route' | 'venues' | 'side'>,
  market: RouteMarket,
  slippage: Decimal,
  { amount, guard_price, fok }: { amount: Decimal; guard_price: Decimal; fok: boolean },
): OrderDraft | undefined {
  const { side, route } = planned
  const reach = reachOf(side, market, slippage, gridOf(route, market).price_step)
  const [first, ...later] = market.hops
  const top = (side === 'BUY' ? first?.book.asks : first?.book.bids)?.[0]?.price
  if (reach === undefined || first === undefined || top === undefined) return undefined
  const worst =
    later.length > 0
      ? worstPrice(side, top, slippage, first.pair.price_step)
      : side === 'BUY'
        ? least(reach.worst, guard_price)
        : reach.worst
  return draftGuardedOrder(planned, worst, amount, fok ? 'FOK' : 'IOC')
}
