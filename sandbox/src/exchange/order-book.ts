/** One pair's book in memory: what rests on both sides, in price-time priority. */
import type { Figure } from './figures.ts'
import type { Order, Side } from './orders.ts'

export type Level = { price: Figure; quantity: Figure }
export type Levels = { bids: Level[]; asks: Level[] }

/** An order that rests; a quote of the maker has no `order`. */
export type Resting = { seq: number; price: Figure; quantity: Figure; order: Order | undefined }

export class OrderBook {
  bids: Resting[] = []
  asks: Resting[] = []

  side(side: Side): Resting[] {
    return side === 'buy' ? this.bids : this.asks
  }

  opposite(side: Side): Resting[] {
    return side === 'buy' ? this.asks : this.bids
  }

  all(): Resting[] {
    return [...this.bids, ...this.asks]
  }

  find(orderId: string): Resting | undefined {
    return this.all().find((resting) => resting.order?.id === orderId)
  }

  removeQuotes(): void {
    this.bids = this.bids.filter((bid) => bid.order !== undefined)
    this.asks = this.asks.filter((ask) => ask.order !== undefined)
  }

  /** Removes what is filled and brings the rest into priority order. */
  settle(): void {
    this.bids = this.bids.filter((bid) => bid.quantity > 0n).toSorted(byPriority('buy'))
    this.asks = this.asks.filter((ask) => ask.quantity > 0n).toSorted(byPriority('sell'))
  }

  /** Summed by price, best first. */
  levels(): Levels {
    return { bids: sumLevels(this.bids), asks: sumLevels(this.asks) }
  }
}

/** The best price first, then the earliest. */
function byPriority(side: Side): (a: Resting, b: Resting) => number {
  return (a, b) => {
    if (a.price === b.price) return a.seq - b.seq
    const better = side === 'buy' ? a.price > b.price : a.price < b.price
    return better ? -1 : 1
  }
}

function sumLevels(restings: readonly Resting[]): Level[] {
  const levels: Level[] = []
  for (const { price, quantity } of restings) {
    const last = levels.at(-1)
    if (last?.price === price) last.quantity += quantity
    else levels.push({ price, quantity })
  }
  return levels
}
