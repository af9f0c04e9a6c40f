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
import { decimal, format, greatest, multiply, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { Customer } from '../../customers/index.ts'
import { availableAmount, priceNotional, walk, worstPrice } from '../pricing/pricing.ts'
import type { Terms } from '../pricing/pricing.ts'
import type { StoredQuote } from '../quotes/quotes.ts'
import { pricedOf } from '../quotes/sides.ts'
import {
  assertNearReference,
  assertOnGrid,
  assertPriceOnStep,
  freshMarket,
  reachOf,
} from '../routes/market.ts'
import type { PricesNow, Reach, RouteMarket } from '../routes/market.ts'
import { gridOf } from '../routes/routes.ts'
import type { Grid, PricingBasis } from '../routes/routes.ts'
import { draftLimitOrder } from './limit-orders.ts'
import {
  assertLaterHops,
  draftGuardedOrder,
  draftMarketOrder,
  firstHop,
  firstHopGuard,
  isReached,
} from './order-drafts.ts'
import type { OrderWay } from './order-drafts.ts'
import type { ExecutionRequest } from './request.ts'
import type { OrderDraft } from './rows.ts'
import { coveredPrice, findAmounts } from './volume-amounts.ts'

/** A customer's part of what is asked for, in the asset it is asked in, and their factors. */
export type ShareRequest = {
  customer: Customer
  quantity: Decimal
  margin: Decimal
  risk: Decimal
}

export type PlannedShare = ShareRequest & { amount: Decimal; volume: Decimal | null; hold: Decimal }

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

type PlanInput = OrderWay & {
  request: ExecutionRequest
  shares: ShareRequest[]
  quote: StoredQuote | undefined
  basis: PricingBasis
  base_scale: number
  quote_scale: number
  now: number
}

/** The market that a plan is priced at. */
type PricedMarket = { market: RouteMarket; grid: Grid; reach: Reach }

type Kind<Type extends string> = Extract<ExecutionRequest['kind'], { type: Type }>

/** Throws 3001: STALE_PRICE, NO_LIQUIDITY, SCALE, BELOW_MINIMUM, RANGE, UNSUPPORTED_BY_VENUE. */
export function makePlan(app: PricesNow, input: PlanInput): Plan {
  const { quote, request, shares } = input
  const { kind, field } = request
  assertLaterHops(input)
  if (quote?.firm === true && kind.type === 'MARKET') return planFirm(input, quote)
  const priced = priceMarket(app, input)
  if (field === 'volume') return planVolume(input, priced)
  const amount = sum(shares.map((share) => share.quantity))
  assertAmount(amount, input, priced.grid)
  if (kind.type === 'LIMIT') return planLimit(input, kind, priced, amount)
  return kind.type === 'STOP_MARKET'
    ? planStop(input, kind, priced, amount)
    : planMarket(input, priced, amount)
}

function priceMarket(app: PricesNow, { side, route, request, basis }: PlanInput): PricedMarket {
  const market = freshMarket(app, route)
  const grid = gridOf(route, market)
  const reach = reachOf(side, market, decimal(basis.settings.slippage), grid.price_step)
  if (reach === undefined)
    throw refuse('NO_LIQUIDITY', request.field, `route ${route.label} has nothing to ${side}`)
  assertNearReference(app, basis, route, [reach.top])
  return { market, grid, reach }
}

function assertAmount(amount: Decimal, { route }: PlanInput, grid: Grid): void {
  assertOnGrid(amount, grid, route.base_asset, 'amount')
  if (amount > grid.max_amount)
    throw refuse(
      'NO_LIQUIDITY',
      'amount',
      `amount ${format(amount)} is above the route's maximum ` +
        `${format(grid.max_amount)} ${route.base_asset}`,
    )
}

const notEnough = (
  field: ExecutionRequest['field'],
  { route, basis }: PlanInput,
  available: Decimal,
) =>
  refuse(
    'NO_LIQUIDITY',
    field,
    `only ${format(available)} ${route.base_asset} are available ` +
      `within ${basis.settings.slippage} of the top of the book`,
  )

const worthNothing = (path: string, amount: Decimal, { route }: PlanInput) =>
  refuse(
    'BELOW_MINIMUM',
    path,
    `the parts of the price leave nothing of ${format(amount)} ${route.base_asset}`,
  )

const termsOf = ({ risk, margin }: ShareRequest, taker_fee: Decimal): Terms => ({
  taker_fee,
  risk,
  margin,
})

/** What a customer may have to give: SELL the amount, BUY the total at this price of the route. */
function quantityToBlock(
  { side, quote_scale }: PlanInput,
  share: ShareRequest,
  price: Decimal,
  taker_fee: Decimal,
): Decimal {
  const amount = share.quantity
  if (side === 'SELL') return amount
  const notional = multiply(amount, price, quote_scale, 'up')
  const terms = termsOf(share, taker_fee)
  return priceNotional('BUY', amount, notional, { terms, scale: quote_scale }).total
}

/** Refuses a share of which fee, risk and margin leave nothing. */
function assertWorth(
  input: PlanInput,
  share: ShareRequest,
  notional: Decimal,
  taker_fee: Decimal,
): void {
  const { side, quote_scale } = input
  const amount = share.quantity
  const terms = termsOf(share, taker_fee)
  const { total } = priceNotional(side, amount, notional, { terms, scale: quote_scale })
  if (total <= 0n) throw worthNothing('amount', amount, input)
}

function firstHopWorst({ side, basis }: PlanInput, { market, reach }: PricedMarket): Decimal {
  const { slippage } = basis.settings
  return firstHopGuard(side, market, decimal(slippage), reach.worst) ?? reach.worst
}

function planFirm(input: PlanInput, quote: StoredQuote): Plan {
  const { side, route, request } = input
  const [share] = input.shares
  const priced = pricedOf(side, side === 'BUY' ? quote.buy : quote.sell)
  if (share === undefined || priced.total <= 0n)
    throw worthNothing(request.field, priced.amount, input)
  const place = { ...firstHop(input), name: `the venue of route ${route.label}` }
  return {
    shares: [
      {
        ...share,
        amount: priced.amount,
        volume: request.field === 'volume' ? share.quantity : null,
        hold: side === 'BUY' ? priced.total : priced.amount,
      },
    ],
    amount: priced.amount,
    order: draftMarketOrder(side, place, priced.amount),
    taker_fee: decimal(quote.taker_fee),
    top_price: null,
    guard_price: null,
    firm: true,
  }
}

function planMarket(input: PlanInput, priced: PricedMarket, amount: Decimal): Plan {
  const { side, shares, quote_scale } = input
  const { market, grid, reach } = priced
  const { taker_fee } = market.pair
  const notional = walk(side, reach.levels, amount, quote_scale)
  if (notional === undefined)
    throw notEnough('amount', input, availableAmount(reach.levels, { scale: quote_scale, ...grid }))
  for (const share of shares)
    assertWorth(input, share, (notional * share.quantity) / amount, taker_fee)
  return {
    shares: shares.map((share) => ({
      ...share,
      amount: share.quantity,
      volume: null,
      hold: quantityToBlock(input, share, reach.worst, taker_fee),
    })),
    amount,
    order: draftGuardedOrder(input, firstHopWorst(input, priced), amount),
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
function planVolume(input: PlanInput, priced: PricedMarket): Plan {
  const { side, route, shares, quote_scale, base_scale } = input
  const { market, grid, reach } = priced
  const { taker_fee } = market.pair
  const order = { side, shares, reach, grid, taker_fee, base_scale, quote_scale }
  const { amount, amounts, complete } = findAmounts(order)
  if (!complete) throw notEnough('volume', input, amount)
  if (amount < grid.min_amount || amounts.includes(0n))
    throw refuse(
      'BELOW_MINIMUM',
      'volume',
      `volume is worth less than the minimum ${format(grid.min_amount)} ${route.base_asset}`,
    )
  const guard = side === 'BUY' ? coveredPrice(order, amount) : reach.worst
  const first = market.hops.length === 1 ? guard : firstHopWorst(input, priced)
  return {
    shares: shares.map((share, index) => ({
      ...share,
      amount: amounts[index] ?? 0n,
      volume: share.quantity,
      hold: side === 'BUY' ? share.quantity : (amounts[index] ?? 0n),
    })),
    amount,
    order: draftGuardedOrder(input, first, amount),
    taker_fee,
    top_price: reach.top,
    guard_price: guard,
    firm: false,
  }
}

function planLimit(
  input: PlanInput,
  kind: Kind<'LIMIT'>,
  priced: PricedMarket,
  amount: Decimal,
): Plan {
  const { side, shares, quote_scale } = input
  const { market, reach } = priced
  const price = decimal(kind.price)
  return {
    shares: shares.map((share) => ({
      ...share,
      amount: share.quantity,
      volume: null,
      hold: side === 'BUY' ? multiply(share.quantity, price, quote_scale, 'up') : share.quantity,
    })),
    amount,
    order: draftLimitOrder({ ...input, limit: kind }, priced, amount),
    taker_fee: market.pair.taker_fee,
    top_price: reach.top,
    guard_price: null,
    firm: false,
  }
}

function planStop(
  input: PlanInput,
  kind: Kind<'STOP_MARKET'>,
  { market, grid, reach }: PricedMarket,
  amount: Decimal,
): Plan {
  const { side, shares, basis } = input
  const { taker_fee } = market.pair
  const price = decimal(kind.price)
  assertPriceOnStep(price, grid)
  const reached = isReached(side, kind.condition, price, reach.top)
  const start = reached && side === 'BUY' ? greatest(price, reach.top) : price
  const guard = worstPrice(side, start, decimal(basis.settings.slippage), grid.price_step)
  for (const share of shares) {
    const notional = multiply(share.quantity, price, input.quote_scale, 'down')
    assertWorth(input, share, notional, taker_fee)
  }
  // Refused now rather than when it is triggered.
  draftGuardedOrder(input, guard, amount, kind.tif_mode === 'FOK' ? 'FOK' : 'IOC')
  return {
    shares: shares.map((share) => ({
      ...share,
      amount: share.quantity,
      volume: null,
      hold: quantityToBlock(input, share, guard, taker_fee),
    })),
    amount,
    order: undefined,
    taker_fee,
    top_price: null,
    guard_price: guard,
    firm: false,
  }
}
