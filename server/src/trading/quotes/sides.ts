/** Both sides of a quote: what each costs or brings, and how much of it there is. */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import {
  availableAmount,
  displayPrice,
  NOTHING,
  priceAmount,
  sideForAmount,
  sideForVolume,
} from '../pricing/pricing.ts'
import type { Level, Limits, PriceParts, Side, Terms } from '../pricing/pricing.ts'
import { reachOf } from '../routes/market.ts'
import type { RouteMarket } from '../routes/market.ts'
import type { Grid, RouteRow } from '../routes/routes.ts'
import type { QuoteSide } from './quotes.schema.ts'

/** `by_amount`: of the base asset; otherwise a volume of the quote asset. */
export type QuoteRequest = { quantity: Decimal; by_amount: boolean }
type SideLimits = Limits & Pick<Grid, 'min_amount' | 'price_step'>
type QuoteSides = Record<Side, QuoteSide>

export function quoteSides(
  market: RouteMarket,
  request: QuoteRequest,
  { terms, slippage, limits }: { terms: Terms; slippage: Decimal; limits: SideLimits },
): QuoteSides {
  const quote = (side: Side) => {
    const reach = reachOf(side, market, slippage, limits.price_step)
    return quoteSide(side, reach?.levels ?? [], request, { terms, limits })
  }
  return { BUY: quote('BUY'), SELL: quote('SELL') }
}

/** What is less than the least amount, or brings nothing, is not executed and not offered. */
function quoteSide(
  side: Side,
  levels: readonly Level[],
  { quantity, by_amount }: QuoteRequest,
  { terms, limits }: { terms: Terms; limits: SideLimits },
): QuoteSide {
  const orNothing = (parts: PriceParts) =>
    parts.amount < limits.min_amount || parts.total <= 0n ? NOTHING : parts
  const priceSide = by_amount ? sideForAmount : sideForVolume
  const offer = priceSide(side, levels, quantity, { terms, limits })
  const priced = orNothing(offer.priced)
  const most = availableAmount(levels, limits)
  const available = orNothing(
    priceAmount(side, levels, most, { terms, scale: limits.scale }) ?? NOTHING,
  )
  const showPrice = (value: Decimal) => {
    const price = displayPrice(side, value, priced.amount)
    return price === undefined ? null : format(price)
  }
  return {
    price: showPrice(priced.total),
    amount: format(priced.amount),
    volume: format(priced.total),
    available_amount: format(available.amount),
    available_volume: format(available.total),
    complete: offer.complete && priced === offer.priced,
    vwap: showPrice(priced.notional),
    fee: format(priced.fee),
    risk: format(priced.risk),
    margin: format(priced.margin),
  }
}

/** A volume too small for the smallest amount could not be executed on either side. */
export function assertVolumeReaches(
  { BUY, SELL }: QuoteSides,
  { min_amount }: Grid,
  { base_asset }: RouteRow,
): void {
  const isTooSmall = (side: QuoteSide) =>
    decimal(side.amount) === 0n && decimal(side.available_amount) > 0n
  if (isTooSmall(BUY) && isTooSmall(SELL)) {
    const least = `${format(min_amount)} ${base_asset}`
    throw refuse(
      'BELOW_MINIMUM',
      'request_quantity',
      `request_quantity is worth less than the minimum ${least}`,
    )
  }
}

/** The parts behind a side, as they were priced. */
export function pricedOf(side: Side, quoted: QuoteSide): PriceParts {
  const [total, fee, risk, margin] = [
    decimal(quoted.volume),
    decimal(quoted.fee),
    decimal(quoted.risk),
    decimal(quoted.margin),
  ]
  return {
    amount: decimal(quoted.amount),
    notional: side === 'BUY' ? total - fee - risk - margin : total + fee + risk + margin,
    fee,
    risk,
    margin,
    total,
  }
}
