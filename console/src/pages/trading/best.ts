import { compareAmounts } from '@kontor/client'
import type { Quote } from './quote-sides.tsx'
import type { Side } from './words.tsx'

/** Complete quotes first, then the best total for the customer: the rule of the service. */
export function bestOf(side: Side, quotes: readonly Quote[]): Quote | undefined {
  const sideOf = (quote: Quote) => (side === 'BUY' ? quote.buy : quote.sell)
  const better = (a: Quote, b: Quote): number => {
    const [left, right] = [sideOf(a), sideOf(b)]
    if (left.complete !== right.complete) return left.complete ? -1 : 1
    const by_amount = a.request_asset === a.symbol.split('/')[0]
    const order = by_amount
      ? compareAmounts(left.volume, right.volume)
      : compareAmounts(left.amount, right.amount)
    return (side === 'BUY') === by_amount ? order : -order
  }
  return quotes.filter((quote) => sideOf(quote).price !== null).toSorted(better)[0]
}
