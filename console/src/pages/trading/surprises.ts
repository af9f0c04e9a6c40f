/** Orders that may not do what is meant: said before they are sent, with the market's price. */
import { compareAmounts, multiplyAmounts, plainAmount } from '@kontor/client'
import type { Written } from './draft.ts'
import type { Quote } from './quote-sides.tsx'
import type { Side } from './words.tsx'

/** What somebody has of an asset is less than what an order needs. */
export type Lack = { asset: string; has: string; needs: string }

/**
 * `STOP_REACHED`: the order goes to the market at once. `GIVES_AWAY`: the limit is worse for the
 * customer than the market. `OUT_OF_REACH`: the market would have to come a long way.
 */
export type Surprise = {
  kind: 'STOP_REACHED' | 'GIVES_AWAY' | 'OUT_OF_REACH' | 'NO_MARKET'
  /** What is compared with: for a limit with fee and margin, as a limit is. */
  market: string | undefined
}

/** A limit further from the market than five per cent. */
const FAR = { above: '1.05', below: '0.95' }

/**
 * `price`: as it is sent. `quote`: what the market says now; undefined where no venue says it.
 */
export function surpriseOf(
  side: Side,
  { type, condition, price }: Pick<Written, 'type' | 'condition'> & { price: string | undefined },
  quote: Quote | undefined,
): Surprise | undefined {
  if (type === 'MARKET' || price === undefined) return undefined
  const priced = side === 'BUY' ? quote?.buy : quote?.sell
  const market = (type === 'LIMIT' ? priced?.price : priced?.vwap) ?? undefined
  if (market === undefined) return { kind: 'NO_MARKET', market }
  if (type === 'STOP_MARKET')
    return isReached(side, condition, { trigger: price, market })
      ? { kind: 'STOP_REACHED', market }
      : undefined
  const isAbove = compareAmounts(price, multiplyAmounts(market, FAR.above)) > 0
  const isBelow = compareAmounts(price, multiplyAmounts(market, FAR.below)) < 0
  if (!isAbove && !isBelow) return undefined
  return { kind: isAbove === (side === 'BUY') ? 'GIVES_AWAY' : 'OUT_OF_REACH', market }
}

/** The rule of the service. */
function isReached(
  side: Side,
  condition: Written['condition'],
  { trigger, market }: { trigger: string; market: string },
): boolean {
  const distance = compareAmounts(market, trigger)
  return (side === 'SELL') === (condition === 'STOP_LOSS') ? distance <= 0 : distance >= 0
}

/** `has`: what the customer can trade of both assets; undefined while it is not known. */
export function lackOf(
  side: Side,
  { type, by, quantity, price }: { [Name in 'type' | 'by' | 'quantity' | 'price']: string },
  { base, quoted }: { base: string; quoted: string },
  { has, quote }: { has: Readonly<Record<string, string>> | undefined; quote: Quote | undefined },
): Lack | undefined {
  if (has === undefined) return undefined
  const priced = side === 'BUY' ? quote?.buy : quote?.sell
  const amounts = [quantity, price].map((typed) => plainAmount(typed))
  const [amount, limit] = amounts
  const asset = side === 'BUY' ? quoted : base
  const isTyped = by === (side === 'BUY' ? 'quote' : 'base')
  const atLimit =
    amount === undefined || limit === undefined ? undefined : multiplyAmounts(amount, limit)
  const atMarket = side === 'BUY' ? priced?.volume : priced?.amount
  const worked = type === 'LIMIT' ? atLimit : (atMarket ?? undefined)
  const needs = isTyped ? amount : worked
  const there = has[asset] ?? '0'
  return needs !== undefined && compareAmounts(needs, there) > 0
    ? { asset, has: there, needs }
    : undefined
}
