/**
 * Best execution: what every active route of a pair would make of an order, several hops and their
 * fees included, and which is best. For an amount the best total counts, for a volume the most
 * bought for it or the least sold for it.
 */
import type { PriceRouteId } from '../../core/ids.ts'
import { decimal, divideInteger, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import type { Customer } from '../../customers/index.ts'
import { assertNoHaltStops, assetByCode } from '../../ledger/index.ts'
import { sideForAmount, sideForVolume } from '../pricing/pricing.ts'
import type { Side } from '../pricing/pricing.ts'
import type { QuotesApp } from '../quotes/quotes.ts'
import { assertNearReference, assertOnGrid, freshMarket, reachOf } from '../routes/market.ts'
import { tradingScope, gridOf, marginFor } from '../routes/routes.ts'
import type { PricingBasis, RouteRow } from '../routes/routes.ts'

/**
 * `amount` in the base asset or `volume` in the quote asset. A customer's `share` is in the same
 * asset; it weighs their margin.
 */
export type BestOrder = {
  side: Side
  quantity: { amount: Decimal } | { volume: Decimal }
  customers: readonly { customer: Pick<Customer, 'margin' | 'ignore_margin'>; share: Decimal }[]
  /** Factors as requested. */
  margin: Decimal | undefined
  risk: Decimal
}

/**
 * `total` and `amount`: what it would be, of all that can be had when not `complete`; null when it
 * is refused, and why.
 */
export type Candidate = {
  route_id: PriceRouteId
  total: string | null
  amount: string | null
  complete: boolean
  refused: string | null
}

type Candidates = { candidates: Candidate[]; chosen: RouteRow | undefined }

/**
 * Best first: complete ones, then those that give less, refused ones last. `chosen` is the first
 * that is not refused.
 */
export async function compareRoutes(
  app: QuotesApp,
  routes: readonly RouteRow[],
  basis: PricingBasis,
  order: BestOrder,
): Promise<Candidates> {
  const priced = await Promise.all(routes.map((route) => priceCandidate(app, route, basis, order)))
  const ranked = priced.toSorted((a, b) => gradeOf(a) - gradeOf(b) || compare(order, a, b))
  const best = ranked.find((candidate) => candidate.refused === null)
  return { candidates: ranked, chosen: routes.find((route) => route.id === best?.route_id) }
}

function gradeOf({ complete, refused }: Candidate): number {
  if (complete) return 0
  return refused === null ? 1 : 2
}

/** Negative: `a` is better. Of incomplete ones the one that moves more is. */
function compare({ side, quantity }: BestOrder, a: Candidate, b: Candidate): number {
  const by = (field: 'amount' | 'total', least: boolean) => {
    const [one, other] = [decimal(a[field] ?? '0'), decimal(b[field] ?? '0')]
    if (one === other) return 0
    return one < other === least ? -1 : 1
  }
  if (!a.complete) return by('amount', false) || by('total', side === 'BUY')
  return 'amount' in quantity ? by('total', side === 'BUY') : by('amount', side === 'SELL')
}

/** A candidate that cannot be traded now. */
const refusedCandidate = (route_id: PriceRouteId, refused: string): Candidate => ({
  route_id,
  total: null,
  amount: null,
  complete: false,
  refused,
})

async function priceCandidate(
  app: QuotesApp,
  route: RouteRow,
  basis: PricingBasis,
  { side, quantity, customers, margin, risk }: BestOrder,
): Promise<Candidate> {
  try {
    assertNoHaltStops(basis.halts, tradingScope(route))
    const { settings } = basis
    const market = freshMarket(app, route)
    const grid = gridOf(route, market)
    if ('amount' in quantity) assertOnGrid(quantity.amount, grid, route.base_asset, 'amount')
    const reach = reachOf(side, market, decimal(settings.slippage), grid.price_step)
    if (reach === undefined) return refusedCandidate(route.id, 'NO_LIQUIDITY')
    assertNearReference(app, basis, route, [reach.top])
    const whole = sum(customers.map((customer) => customer.share))
    const margins = customers.map(
      (customer) => marginFor(customer.customer, route, settings, margin) * customer.share,
    )
    const terms = {
      taker_fee: market.pair.taker_fee,
      risk,
      margin: whole === 0n ? 0n : divideInteger(sum(margins), whole, 'up'),
    }
    const limits = {
      scale: (await assetByCode(app.db, route.workspace, route.quote_asset)).scale,
      amount_step: grid.amount_step,
      max_amount: grid.max_amount,
    }
    const { priced, complete } =
      'amount' in quantity
        ? sideForAmount(side, reach.levels, quantity.amount, { terms, limits })
        : sideForVolume(side, reach.levels, quantity.volume, { terms, limits })
    if (priced.amount < grid.min_amount)
      return refusedCandidate(route.id, complete ? 'BELOW_MINIMUM' : 'NO_LIQUIDITY')
    return {
      route_id: route.id,
      total: format(priced.total),
      amount: format(priced.amount),
      complete,
      refused: null,
    }
  } catch (error) {
    const reason = error instanceof ApiError ? error.details[0]?.code : undefined
    if (reason === undefined) throw error
    return refusedCandidate(route.id, reason)
  }
}

/**
 * Plans over the candidates, the best first, until one is not refused for a fault of its route.
 * Answers the candidates as they turned out. Throws 3001 when none can be traded.
 */
export async function planBestCandidate<Planned>(
  symbol: string,
  candidates: readonly Candidate[],
  plan: (route_id: PriceRouteId) => Promise<Planned>,
): Promise<{ planned: Planned; candidates: Candidate[] }> {
  const compared = [...candidates]
  let refusal: ApiError | undefined
  for (const [index, { route_id, refused }] of candidates.entries()) {
    if (refused !== null) continue
    try {
      return { planned: await plan(route_id), candidates: compared }
    } catch (error) {
      const fault = routeFault(error)
      if (fault === undefined) throw error
      if (fault !== 'UNSUPPORTED_BY_VENUE') refusal = error as ApiError
      compared[index] = refusedCandidate(route_id, fault)
    }
  }
  const reasons = new Set(compared.map((candidate) => candidate.refused))
  if (refusal !== undefined && reasons.size === 1) throw refusal
  const [reason] = reasons
  throw refuse(
    reasons.size === 1 ? (reason as 'NO_LIQUIDITY') : 'NO_LIQUIDITY',
    'symbol',
    `no route for ${symbol} can be traded now: ${[...reasons].join(', ')}`,
  )
}

/**
 * The fault of a route for which it cannot be used; undefined for a fault of the request. A price
 * that does not fit the route's price steps is a fault of the route.
 */
function routeFault(
  error: unknown,
): 'UNSUPPORTED_BY_VENUE' | 'VENUE_UNREACHABLE' | 'SCALE' | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.kind === 'VenueUnreachable') return 'VENUE_UNREACHABLE'
  const [detail] = error.details
  if (detail?.code === 'SCALE' && detail.path === 'price') return 'SCALE'
  return detail?.code === 'UNSUPPORTED_BY_VENUE' ? 'UNSUPPORTED_BY_VENUE' : undefined
}
