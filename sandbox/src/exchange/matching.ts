/**
 * Price-time priority matching. Orders of the client are stored and survive; the maker's quotes live in memory and are
 * laid again after a start. A fill moves base and quote between two owners and the fees to the house, in one commit;
 * costs and fees are cut off at the quote asset's last digit, holds are rounded up, so a hold always covers its fills.
 */
import type { World } from '../world.ts'
import type { Accounts, Owner } from './accounts.ts'
import { figure, floored, plain, product, productUp, smaller } from './figures.ts'
import type { Figure } from './figures.ts'
import type { Behaviour } from './behaviour.ts'
import type { Order, Orders, OrderStatus, Side, TimeInForce, Trade } from './orders.ts'
import { pairOf } from './rules.ts'
import type { Pair, Rules } from './rules.ts'

export type Level = { price: Figure; quantity: Figure }

export type NewOrder = {
  owner: Owner
  pair: Pair
  side: Side
  type: 'market' | 'limit'
  tif: TimeInForce
  expires_at: number | null
  price: Figure
  volume: Figure
  cl_ord_id: string | null
  userref: number | null
}

export type Print = { price: Figure; quantity: Figure; side: Side }

/** TICK: the price is no multiple of the step; STEP: the volume; MINIMUM, COST: too small; REFERENCE: an open order has it; FUNDS: more than is free. */
export type Objection = 'TICK' | 'STEP' | 'MINIMUM' | 'COST' | 'REFERENCE' | 'FUNDS'

export type Matching = {
  /** Why not, or the new order. */
  place(
    order: NewOrder,
    validateOnly: boolean,
  ): { refused: Objection } | { order: Order | undefined }
  /** False when the order is not open. */
  cancel(id: string): boolean
  /** Ends open orders whose time is over. */
  expire(now: number): void
  /** The maker fills this order now, at its limit unless a price is given, wherever the market is; also one that was canceled. Throws when somebody cannot pay. */
  fill(id: string, quantity: Figure | undefined, price: Figure | undefined): boolean
  /** Takes a trade of the client back: coins, money and its fee return. Throws when somebody does not have them any more. */
  bust(trade: Trade): void
  /** Replaces the maker's quotes; resting orders of the client that they cross are filled. */
  quote(pair: Pair, bids: Level[], asks: Level[]): void
  /** Levels summed by price, best first. */
  book(pair: Pair): { bids: Level[]; asks: Level[] }
  /** Pairs whose book changed since the last call. */
  changed(): Set<string>
  onPrint(report: (pair: Pair, print: Print) => void): void
}

type Resting = { seq: number; price: Figure; quantity: Figure; order: Order | undefined }
type Sides = { bids: Resting[]; asks: Resting[] }
type Fill = { resting: Resting; quantity: Figure }

export function openMatching(
  world: World,
  rules: Rules,
  accounts: Accounts,
  orders: Orders,
  behaviour: Behaviour,
): Matching {
  const books = new Map<string, Sides>(rules.pairs.map((pair) => [pair.id, { bids: [], asks: [] }]))
  const sides = (pair: Pair) => books.get(pair.id) as Sides
  let changed = new Set<string>()
  let quoteSeq = 0
  const reports: ((pair: Pair, print: Print) => void)[] = []

  // The maker's quotes count their own sequence from far above the stored orders of this run's start.
  for (const order of orders.open()) {
    const book = sides(pairOf(rules, order.pair))
    const resting = {
      seq: order.seq,
      price: figure(order.price),
      quantity: figure(order.volume) - figure(order.executed),
      order,
    }
    ;(order.side === 'buy' ? book.bids : book.asks).push(resting)
    quoteSeq = Math.max(quoteSeq, order.seq)
  }

  const sort = (pair: Pair) => {
    const book = sides(pair)
    book.bids.sort((a, b) => (a.price === b.price ? a.seq - b.seq : a.price > b.price ? -1 : 1))
    book.asks.sort((a, b) => (a.price === b.price ? a.seq - b.seq : a.price < b.price ? -1 : 1))
    changed.add(pair.id)
  }

  const holdOf = (
    pair: Pair,
    side: Side,
    price: Figure,
    remaining: Figure,
  ): { asset: string; quantity: Figure } => {
    if (side === 'sell') return { asset: pair.base.id, quantity: remaining }
    const cost = productUp(price, remaining, pair.quote.decimals)
    return {
      asset: pair.quote.id,
      quantity: cost + productUp(cost, rules.taker_fee, pair.quote.decimals),
    }
  }

  /** Moves the hold of an order to what it now needs. */
  const rehold = (pair: Pair, order: Order, needed: Figure) => {
    const asset = order.side === 'sell' ? pair.base.id : pair.quote.id
    accounts.hold(order.owner, asset, needed - figure(order.held))
    order.held = plain(needed)
  }

  const record = (
    pair: Pair,
    order: Order,
    fill: {
      price: Figure
      quantity: Figure
      cost: Figure
      fee: Figure
      maker: boolean
      at: number
    },
  ) => {
    order.executed = plain(figure(order.executed) + fill.quantity)
    order.cost = plain(figure(order.cost) + fill.cost)
    order.fee = plain(figure(order.fee) + fill.fee)
    orders.insertTrade({
      id: rules.trade_id(),
      order_id: order.id,
      pair: pair.id,
      side: order.side,
      ordertype: order.type,
      price: plain(fill.price),
      volume: plain(fill.quantity),
      cost: plain(fill.cost),
      fee: plain(fill.fee),
      maker: fill.maker ? 1 : 0,
      at: fill.at,
      visible_at: fill.at + behaviour.get().listing_delay_ms,
    })
  }

  /** One trade between a taker and what rests in the book, at the resting price. */
  const trade = (
    pair: Pair,
    taker: { owner: Owner; side: Side; order: Order | undefined },
    { resting, quantity }: Fill,
  ) => {
    const digits = pair.quote.decimals
    const cost = product(resting.price, quantity, digits)
    const takerFee = product(cost, rules.taker_fee, digits)
    const makerFee = product(cost, rules.maker_fee, digits)
    const restingOwner = resting.order?.owner ?? 'maker'
    resting.quantity -= quantity
    if (resting.order?.status === 'open') {
      const { quantity: needed } = holdOf(pair, resting.order.side, resting.price, resting.quantity)
      rehold(pair, resting.order, needed)
    }
    const [buyer, seller] =
      taker.side === 'buy' ? [taker.owner, restingOwner] : [restingOwner, taker.owner]
    accounts.move(seller, buyer, pair.base.id, quantity)
    accounts.move(buyer, seller, pair.quote.id, cost)
    accounts.move(taker.owner, 'house', pair.quote.id, takerFee)
    accounts.move(restingOwner, 'house', pair.quote.id, makerFee)
    const at = world.now()
    if (taker.order !== undefined)
      record(pair, taker.order, {
        price: resting.price,
        quantity,
        cost,
        fee: takerFee,
        maker: false,
        at,
      })
    if (resting.order !== undefined) {
      record(pair, resting.order, {
        price: resting.price,
        quantity,
        cost,
        fee: makerFee,
        maker: true,
        at,
      })
      if (resting.quantity === 0n && resting.order.status === 'open')
        close(resting.order, 'closed', null)
      orders.update(resting.order)
    }
    for (const report of reports) report(pair, { price: resting.price, quantity, side: taker.side })
  }

  const close = (order: Order, status: Exclude<OrderStatus, 'open'>, reason: string | null) => {
    order.status = status
    order.reason = reason
    order.closed_at = world.now()
  }

  /** What would fill now, best price first; an order of the same owner ends it (cancel newest). */
  const plan = (order: NewOrder): { fills: Fill[]; selfTrade: boolean } => {
    const opposite = order.side === 'buy' ? sides(order.pair).asks : sides(order.pair).bids
    const fills: Fill[] = []
    let remaining = smaller(order.volume, behaviour.get().fill_at_most ?? order.volume)
    for (const resting of opposite) {
      if (remaining === 0n) break
      const within =
        order.type === 'market' ||
        (order.side === 'buy' ? resting.price <= order.price : resting.price >= order.price)
      if (!within) break
      if (resting.order?.owner === order.owner) return { fills, selfTrade: true }
      const quantity = smaller(remaining, resting.quantity)
      fills.push({ resting, quantity })
      remaining -= quantity
    }
    return { fills, selfTrade: false }
  }

  const affordable = (order: NewOrder, fills: Fill[]): boolean => {
    const { pair, owner } = order
    if (order.side === 'sell') return accounts.free(owner, pair.base.id) >= order.volume
    const digits = pair.quote.decimals
    let needed = 0n
    if (order.type === 'limit') needed = holdOf(pair, 'buy', order.price, order.volume).quantity
    else {
      for (const { resting, quantity } of fills) {
        const cost = product(resting.price, quantity, digits)
        needed += cost + product(cost, rules.taker_fee, digits)
      }
    }
    return accounts.free(owner, pair.quote.id) >= needed
  }

  const removeFilled = (pair: Pair) => {
    const book = sides(pair)
    book.bids = book.bids.filter((bid) => bid.quantity > 0n)
    book.asks = book.asks.filter((ask) => ask.quantity > 0n)
    sort(pair)
  }

  const place: Matching['place'] = (order, validateOnly) => {
    const { pair } = order
    if (order.type === 'limit' && floored(order.price, pair.pair_decimals) !== order.price)
      return { refused: 'TICK' }
    if (floored(order.volume, pair.lot_decimals) !== order.volume) return { refused: 'STEP' }
    if (order.volume < pair.ordermin) return { refused: 'MINIMUM' }
    const { fills, selfTrade } = plan(order)
    const reference = order.type === 'limit' ? order.price : fills[0]?.resting.price
    if (reference !== undefined && product(reference, order.volume, 18) < pair.costmin)
      return { refused: 'COST' }
    if (
      rules.unique_references &&
      order.cl_ord_id !== null &&
      orders.open({ cl_ord_id: order.cl_ord_id }).length > 0
    )
      return { refused: 'REFERENCE' }
    if (!affordable(order, fills)) return { refused: 'FUNDS' }
    if (validateOnly) return { order: undefined }

    const stored = orders.insert({
      id: rules.order_id(),
      owner: order.owner,
      pair: pair.id,
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
      opened_at: world.now(),
      closed_at: null,
    })
    const killed =
      order.tif === 'FOK' && fills.reduce((sum, fill) => sum + fill.quantity, 0n) < order.volume
    if (!killed)
      for (const fill of fills)
        trade(pair, { owner: order.owner, side: order.side, order: stored }, fill)
    const remaining = order.volume - figure(stored.executed)
    if (remaining === 0n) close(stored, 'closed', null)
    else if (selfTrade) close(stored, 'canceled', 'Self trade prevention')
    else if (order.type === 'market' || order.tif === 'IOC' || killed)
      close(stored, 'canceled', 'Insufficient liquidity')
    else {
      rehold(pair, stored, holdOf(pair, order.side, order.price, remaining).quantity)
      const book = sides(pair)
      ;(order.side === 'buy' ? book.bids : book.asks).push({
        seq: ++quoteSeq,
        price: order.price,
        quantity: remaining,
        order: stored,
      })
    }
    orders.update(stored)
    removeFilled(pair)
    return { order: stored }
  }

  /** Takes an open order out of the book and ends it. */
  const withdraw = (order: Order, status: 'canceled' | 'expired', reason: string) => {
    const pair = pairOf(rules, order.pair)
    const book = sides(pair)
    world.commit(() => {
      const resting = [...book.bids, ...book.asks].find((bid) => bid.order?.id === order.id)
      if (resting?.order === undefined) throw new Error(`open order ${order.id} is not in the book`)
      resting.quantity = 0n
      rehold(pair, resting.order, 0n)
      close(resting.order, status, reason)
      orders.update(resting.order)
      removeFilled(pair)
    })
  }

  return {
    place: (order, validateOnly) => world.commit(() => place(order, validateOnly)),
    cancel(id) {
      const order = orders.byId(id)
      if (order === undefined || order.status !== 'open') return false
      withdraw(order, 'canceled', 'User requested')
      return true
    },
    expire(now) {
      for (const order of orders.due(now)) withdraw(order, 'expired', 'Order expired')
    },
    fill(id, wanted, price) {
      const stored = orders.byId(id)
      if (stored === undefined) return false
      const pair = pairOf(rules, stored.pair)
      const book = sides(pair)
      const inBook = [...book.bids, ...book.asks].find((bid) => bid.order?.id === id)
      const order = inBook?.order ?? stored
      const left = figure(order.volume) - figure(order.executed)
      const quantity = smaller(wanted ?? left, left)
      if (quantity === 0n) return false
      const at =
        price ??
        (order.type === 'limit'
          ? figure(order.price)
          : (order.side === 'buy' ? book.asks : book.bids)[0]?.price)
      if (at === undefined) return false
      const resting: Resting = { seq: 0, price: at, quantity: left, order }
      world.commit(() => {
        trade(
          pair,
          { owner: 'maker', side: order.side === 'buy' ? 'sell' : 'buy', order: undefined },
          { resting, quantity },
        )
        if (inBook !== undefined) inBook.quantity = resting.quantity
        removeFilled(pair)
      })
      return true
    },
    bust(taken) {
      const order = orders.byId(taken.order_id)
      if (order === undefined || taken.busted_at !== null) return
      const pair = pairOf(rules, taken.pair)
      const [gave, got] =
        taken.side === 'buy' ? (['maker', order.owner] as const) : ([order.owner, 'maker'] as const)
      world.commit(() => {
        accounts.move(got, gave, pair.base.id, figure(taken.volume))
        accounts.move(gave, got, pair.quote.id, figure(taken.cost))
        accounts.move('house', order.owner, pair.quote.id, figure(taken.fee))
        orders.bust(taken.id)
      })
    },
    quote(pair, bids, asks) {
      // A market that is closed stands still.
      if (behaviour.closed()) return
      const book = sides(pair)
      const earlier = new Map(
        [...book.bids, ...book.asks]
          .filter((bid) => bid.order === undefined)
          .map((bid) => [bid.price, bid.seq]),
      )
      const laid = (levels: Level[]) =>
        levels.map((level): Resting => ({
          seq: earlier.get(level.price) ?? ++quoteSeq,
          price: level.price,
          quantity: level.quantity,
          order: undefined,
        }))
      const newBids = laid(bids)
      const newAsks = laid(asks)
      book.bids = book.bids.filter((bid) => bid.order !== undefined)
      book.asks = book.asks.filter((ask) => ask.order !== undefined)
      cross(newAsks, book.bids, 'sell', (ask, bid) => ask.price <= bid.price)
      cross(newBids, book.asks, 'buy', (bid, ask) => bid.price >= ask.price)
      book.bids.push(...newBids)
      book.asks.push(...newAsks)
      removeFilled(pair)

      function cross(
        quotes: Resting[],
        clients: Resting[],
        side: Side,
        crosses: (quote: Resting, client: Resting) => boolean,
      ) {
        for (const client of clients) {
          let allowed = behaviour.get().fill_at_most ?? client.quantity
          for (const quote of quotes) {
            if (client.quantity === 0n || !crosses(quote, client)) break
            const quantity = smaller(smaller(quote.quantity, client.quantity), allowed)
            if (quantity === 0n) continue
            quote.quantity -= quantity
            allowed -= quantity
            world.commit(() => {
              trade(pair, { owner: 'maker', side, order: undefined }, { resting: client, quantity })
            })
          }
        }
      }
    },
    book(pair) {
      const summed = (restings: Resting[]): Level[] => {
        const levels: Level[] = []
        for (const { price, quantity } of restings) {
          const last = levels.at(-1)
          if (last?.price === price) last.quantity += quantity
          else levels.push({ price, quantity })
        }
        return levels
      }
      const { bids, asks } = sides(pair)
      return { bids: summed(bids), asks: summed(asks) }
    },
    changed() {
      const result = changed
      changed = new Set()
      return result
    },
    onPrint: (report) => {
      reports.push(report)
    },
  }
}
