/** What private streams tell of: orders that changed since the last look, and their new trades. */
import type { Order, Orders } from './orders.ts'
import type { Trade } from './trades.ts'

/** Among these the trades since the last look are found. */
const NEWEST_TRADES = 1_000

/** Each call answers what happened since the one before; trades from the oldest. */
export function openOrderNews(orders: Orders): () => { changed: Order[]; trades: Trade[] } {
  let lastTrade = orders.allTrades(1)[0]?.trade_id ?? 0
  return () => {
    const changed = orders.takeChanged()
    if (changed.length === 0) return { changed, trades: [] }
    const trades = orders
      .allTrades(NEWEST_TRADES)
      .filter(({ trade_id }) => trade_id > lastTrade)
      .toReversed()
    lastTrade = trades.at(-1)?.trade_id ?? lastTrade
    return { changed, trades }
  }
}
