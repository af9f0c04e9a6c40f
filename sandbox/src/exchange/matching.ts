/**
 * Price-time priority matching. Orders of the client are stored and survive a restart. The
 * maker's quotes live in memory and are laid again after a start. An order is placed in phases:
 * plan what would fill, check it, store it, settle its fills, then let the rest wait in the book
 * or end it.
 */
import { figure, plain, smaller } from './figures.ts'
import type { Figure } from './figures.ts'
import { objectionTo } from './new-order.ts'
import type { NewOrder, Objection } from './new-order.ts'
import { OrderBook } from './order-book.ts'
import type { Level, Levels, Resting } from './order-book.ts'
import type { Order, Side } from './orders.ts'
import { pairOf } from './rules.ts'
import type { Pair } from './rules.ts'
import { endOrder, requiredHold, reverseTrade, setHold, settleTrade } from './settlement.ts'
import type { Books, Fill, Taker } from './settlement.ts'
import type { Trade } from './trades.ts'

export type Print = { price: Figure; quantity: Figure; side: Side }

/** An order that was only validated has no stored order. */
type Placement = { refused: Objection } | { order: Order | undefined }

type Plan = { fills: Fill[]; selfTrade: boolean }

export class Matching {
  readonly #parts: Books
  readonly #books: ReadonlyMap<string, OrderBook>
  readonly #reports: ((pair: Pair, print: Print) => void)[] = []
  #changed = new Set<string>()
  /** Continues from the stored orders, so what rests since before the start comes first. */
  #seq = 0

  constructor(parts: Books) {
    this.#parts = parts
    this.#books = new Map(parts.rules.pairs.map((pair) => [pair.id, new OrderBook()]))
    for (const order of parts.orders.open()) {
      this.#book(pairOf(parts.rules, order.pair))
        .side(order.side)
        .push({
          seq: order.seq,
          price: figure(order.price),
          quantity: figure(order.volume) - figure(order.executed),
          order,
        })
      this.#seq = Math.max(this.#seq, order.seq)
    }
  }

  place(order: NewOrder, validateOnly: boolean): Placement {
    return this.#parts.world.commit(() => {
      const plan = this.#plan(order)
      const refused = objectionTo(this.#parts, order, plan.fills)
      if (refused !== undefined) return { refused }
      if (validateOnly) return { order: undefined }
      const stored = this.#store(order)
      this.#execute(order, stored, plan)
      this.#parts.orders.update(stored)
      this.#settleBook(order.pair)
      return { order: stored }
    })
  }

  /** False when the order is not open. */
  cancel(id: string): boolean {
    const order = this.#parts.orders.byId(id)
    if (order === undefined || order.status !== 'open') return false
    this.#withdraw(order, 'canceled', 'User requested')
    return true
  }

  /** Ends open orders whose time is over. */
  expire(now: number): void {
    for (const order of this.#parts.orders.due(now))
      this.#withdraw(order, 'expired', 'Order expired')
  }

  /**
   * The maker fills this order now, wherever the market is, at its limit unless a price is given.
   * It also fills a canceled order. Throws when somebody cannot pay.
   */
  fill(id: string, wanted: Figure | undefined, price: Figure | undefined): boolean {
    const stored = this.#parts.orders.byId(id)
    if (stored === undefined) return false
    const pair = pairOf(this.#parts.rules, stored.pair)
    const book = this.#book(pair)
    const inBook = book.find(id)
    const order = inBook?.order ?? stored
    const remaining = figure(order.volume) - figure(order.executed)
    const quantity = smaller(wanted ?? remaining, remaining)
    if (quantity === 0n) return false
    const own = order.type === 'limit' ? figure(order.price) : book.opposite(order.side)[0]?.price
    const at = price ?? own
    if (at === undefined) return false
    const resting: Resting = { seq: 0, price: at, quantity: remaining, order }
    const maker = { owner: 'maker', side: opposite(order.side), order: undefined } as const
    this.#parts.world.commit(() => {
      this.#trade(pair, maker, { resting, quantity })
      if (inBook !== undefined) inBook.quantity = resting.quantity
      this.#settleBook(pair)
    })
    return true
  }

  /**
   * Takes a trade of the client back. Throws when somebody no longer has the coins or the money.
   */
  bust(trade: Trade): void {
    const order = this.#parts.orders.byId(trade.order_id)
    if (order === undefined || trade.busted_at !== null) return
    this.#parts.world.commit(() => {
      reverseTrade(this.#parts, order, trade)
    })
  }

  /** Replaces the maker's quotes. They fill the client's resting orders that they cross. */
  quote(pair: Pair, bids: Level[], asks: Level[]): void {
    // A closed market stands still.
    if (this.#parts.behaviour.closed()) return
    const book = this.#book(pair)
    const earlier = new Map(
      book
        .all()
        .filter((resting) => resting.order === undefined)
        .map((resting) => [resting.price, resting.seq]),
    )
    const restingQuote = ({ price, quantity }: Level): Resting => ({
      seq: earlier.get(price) ?? ++this.#seq,
      price,
      quantity,
      order: undefined,
    })
    const newBids = bids.map(restingQuote)
    const newAsks = asks.map(restingQuote)
    book.removeQuotes()
    this.#cross(pair, 'sell', newAsks)
    this.#cross(pair, 'buy', newBids)
    book.bids.push(...newBids)
    book.asks.push(...newAsks)
    this.#settleBook(pair)
  }

  /** Levels summed by price, best first. */
  book(pair: Pair): Levels {
    return this.#book(pair).levels()
  }

  /** Pairs whose book changed since the last call. */
  changed(): Set<string> {
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }

  onPrint(report: (pair: Pair, print: Print) => void): void {
    this.#reports.push(report)
  }

  #book(pair: Pair): OrderBook {
    return this.#books.get(pair.id) as OrderBook
  }

  #settleBook(pair: Pair): void {
    this.#book(pair).settle()
    this.#changed.add(pair.id)
  }

  /** What would fill now, best price first. An order of the same owner ends it (cancel newest). */
  #plan(order: NewOrder): Plan {
    const fills: Fill[] = []
    const atMost = this.#parts.behaviour.get().fill_at_most ?? order.volume
    let remaining = smaller(order.volume, atMost)
    for (const resting of this.#book(order.pair).opposite(order.side)) {
      if (remaining === 0n) break
      if (order.type === 'limit' && !crosses(order.side, order.price, resting.price)) break
      if (resting.order?.owner === order.owner) return { fills, selfTrade: true }
      const quantity = smaller(remaining, resting.quantity)
      fills.push({ resting, quantity })
      remaining -= quantity
    }
    return { fills, selfTrade: false }
  }

  #store(order: NewOrder): Order {
    return this.#parts.orders.insert({
      id: this.#parts.rules.order_id(),
      owner: order.owner,
      pair: order.pair.id,
      side: order.side,
      type: order.type,
      tif: order.tif,
      expires_at: order.expires_at,
      price: plain(order.price),
      volume: plain(order.volume),
      executed: '0',
      cost: '0',
      fee: '0',
      held: '0',
      status: 'open',
      reason: null,
      cl_ord_id: order.cl_ord_id,
      userref: order.userref,
      opened_at: this.#parts.world.now(),
      closed_at: null,
    })
  }

  /** Settles the planned fills, then ends the order or lets the rest wait in the book. */
  #execute(order: NewOrder, stored: Order, { fills, selfTrade }: Plan): void {
    const { pair, owner, side, price } = order
    const planned = fills.reduce((sum, fill) => sum + fill.quantity, 0n)
    const killed = order.tif === 'FOK' && planned < order.volume
    if (!killed) for (const fill of fills) this.#trade(pair, { owner, side, order: stored }, fill)
    const remaining = order.volume - figure(stored.executed)
    if (remaining === 0n) return endOrder(this.#parts, stored, 'closed', null)
    if (selfTrade) return endOrder(this.#parts, stored, 'canceled', 'Self trade prevention')
    if (order.type === 'market' || order.tif === 'IOC' || killed)
      return endOrder(this.#parts, stored, 'canceled', 'Insufficient liquidity')
    setHold(this.#parts, stored, requiredHold(this.#parts.rules, pair, { side, price, remaining }))
    const resting = { seq: ++this.#seq, price, quantity: remaining, order: stored }
    this.#book(pair).side(side).push(resting)
  }

  #trade(pair: Pair, taker: Taker, fill: Fill): void {
    settleTrade(this.#parts, pair, taker, fill)
    const print = { price: fill.resting.price, quantity: fill.quantity, side: taker.side }
    for (const report of this.#reports) report(pair, print)
  }

  /** New quotes of the maker take the client's orders that they cross. */
  #cross(pair: Pair, side: Side, quotes: readonly Resting[]): void {
    const { world, behaviour } = this.#parts
    for (const resting of this.#book(pair).opposite(side)) {
      let allowed = behaviour.get().fill_at_most ?? resting.quantity
      for (const quote of quotes) {
        if (resting.quantity === 0n || !crosses(side, quote.price, resting.price)) break
        const quantity = smaller(smaller(quote.quantity, resting.quantity), allowed)
        if (quantity === 0n) continue
        quote.quantity -= quantity
        allowed -= quantity
        world.commit(() => {
          this.#trade(pair, { owner: 'maker', side, order: undefined }, { resting, quantity })
        })
      }
    }
  }

  /** Takes an open order out of the book and ends it. */
  #withdraw(order: Order, status: 'canceled' | 'expired', reason: string): void {
    const pair = pairOf(this.#parts.rules, order.pair)
    this.#parts.world.commit(() => {
      const resting = this.#book(pair).find(order.id)
      if (resting?.order === undefined) throw new Error(`open order ${order.id} is not in the book`)
      resting.quantity = 0n
      setHold(this.#parts, resting.order, 0n)
      endOrder(this.#parts, resting.order, status, reason)
      this.#parts.orders.update(resting.order)
      this.#settleBook(pair)
    })
  }
}

function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy'
}

/** Whether an order at `price` trades with what rests at `restingPrice`. */
function crosses(side: Side, price: Figure, restingPrice: Figure): boolean {
  return side === 'buy' ? restingPrice <= price : restingPrice >= price
}
