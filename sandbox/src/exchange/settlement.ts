/**
 * Settles trades in the exchange's books: base and quote change owners, both sides pay their fee
 * to the house (or get their rebate from it), and the orders of clients are updated. Costs and
 * fees are cut at the asset's last digit, holds are rounded up, so a hold always covers its fills.
 * Call these inside a commit.
 */
import type { World } from '../world.ts'
import type { Accounts, Owner } from './accounts.ts'
import type { Behaviour } from './behaviour.ts'
import { figure, plain, product, productUp } from './figures.ts'
import type { Figure } from './figures.ts'
import type { Resting } from './order-book.ts'
import type { Order, Orders, OrderStatus, Side } from './orders.ts'
import { pairOf } from './rules.ts'
import type { Asset, Pair, Rules } from './rules.ts'
import type { Trade } from './trades.ts'

export type Books = {
  world: World
  rules: Rules
  accounts: Accounts
  orders: Orders
  behaviour: Behaviour
}
export type Taker = { owner: Owner; side: Side; order: Order | undefined }
export type Fill = { resting: Resting; quantity: Figure }

type Execution = {
  price: Figure
  quantity: Figure
  cost: Figure
  fee: Figure
  maker: boolean
  at: number
}

/** What an order must hold for the quantity that remains: base to sell, or cost and fee to buy. */
export function requiredHold(
  rules: Rules,
  pair: Pair,
  order: { side: Side; price: Figure; remaining: Figure },
): Figure {
  if (order.side === 'sell') return order.remaining
  const cost = productUp(order.price, order.remaining, pair.quote.decimals)
  if (rules.fee_of_received === true) return cost
  return cost + productUp(cost, rules.taker_fee, pair.quote.decimals)
}

/** What the fee of this side is taken in. */
const feeAssetOf = (rules: Rules, pair: Pair, side: Side): Asset =>
  rules.fee_of_received === true && side === 'buy' ? pair.base : pair.quote

/** What this side pays for its trade. Negative is a rebate. */
function feeOf(
  rules: Rules,
  pair: Pair,
  { side, quantity, cost, rate }: { side: Side; quantity: Figure; cost: Figure; rate: Figure },
): { asset: Asset; fee: Figure } {
  const asset = feeAssetOf(rules, pair, side)
  const received = asset === pair.base ? quantity : cost
  const size = product(received, rate < 0n ? -rate : rate, asset.decimals)
  return { asset, fee: rate < 0n ? -size : size }
}

/** Changes the hold of a stored order. */
export function setHold({ rules, accounts }: Books, order: Order, needed: Figure): void {
  const pair = pairOf(rules, order.pair)
  const asset = order.side === 'sell' ? pair.base.id : pair.quote.id
  accounts.hold(order.owner, asset, needed - figure(order.held))
  order.held = plain(needed)
}

export function endOrder(
  { world }: Books,
  order: Order,
  status: Exclude<OrderStatus, 'open'>,
  reason: string | null,
): void {
  order.status = status
  order.reason = reason
  order.closed_at = world.now()
}

/** One trade between a taker and what rests in the book, at the resting price. */
export function settleTrade(books: Books, pair: Pair, taker: Taker, fill: Fill): void {
  const { resting, quantity } = fill
  const { order: restingOrder, price } = resting
  const digits = pair.quote.decimals
  const cost = product(price, quantity, digits)
  const { taker_fee, maker_fee } = books.rules
  const traded = { quantity, cost }
  const paid = feeOf(books.rules, pair, { ...traded, side: taker.side, rate: taker_fee })
  const makerSide = taker.side === 'buy' ? 'sell' : 'buy'
  const maker = feeOf(books.rules, pair, { ...traded, side: makerSide, rate: maker_fee })
  const execution = { price, quantity, cost, at: books.world.now() }
  resting.quantity -= quantity
  releaseFilledHold(books, pair, resting)
  const restingOwner = restingOrder?.owner ?? 'maker'
  const [buyer, seller] =
    taker.side === 'buy' ? [taker.owner, restingOwner] : [restingOwner, taker.owner]
  books.accounts.move(seller, buyer, pair.base.id, quantity)
  books.accounts.move(buyer, seller, pair.quote.id, cost)
  books.accounts.move(taker.owner, 'house', paid.asset.id, paid.fee)
  books.accounts.move(restingOwner, 'house', maker.asset.id, maker.fee)
  if (taker.order !== undefined)
    recordExecution(books, taker.order, { ...execution, fee: paid.fee, maker: false })
  if (restingOrder === undefined) return
  recordExecution(books, restingOrder, { ...execution, fee: maker.fee, maker: true })
  if (resting.quantity === 0n && restingOrder.status === 'open')
    endOrder(books, restingOrder, 'closed', null)
  books.orders.update(restingOrder)
}

function releaseFilledHold(books: Books, pair: Pair, resting: Resting): void {
  const { order, price, quantity: remaining } = resting
  if (order?.status !== 'open') return
  setHold(books, order, requiredHold(books.rules, pair, { side: order.side, price, remaining }))
}

function recordExecution(
  { rules, orders, behaviour }: Books,
  order: Order,
  { price, quantity, cost, fee, maker, at }: Execution,
): void {
  order.executed = plain(figure(order.executed) + quantity)
  order.cost = plain(figure(order.cost) + cost)
  order.fee = plain(figure(order.fee) + fee)
  orders.insertTrade({
    id: rules.trade_id(),
    order_id: order.id,
    pair: order.pair,
    side: order.side,
    ordertype: order.type,
    price: plain(price),
    volume: plain(quantity),
    cost: plain(cost),
    fee: plain(fee),
    maker: maker ? 1 : 0,
    at,
    visible_at: at + behaviour.get().listing_delay_ms,
  })
}

/** Takes a client's trade back: coins, money and fee return. Throws when an owner lacks them. */
export function reverseTrade({ rules, accounts, orders }: Books, order: Order, trade: Trade): void {
  const pair = pairOf(rules, trade.pair)
  const [seller, buyer] =
    trade.side === 'buy' ? (['maker', order.owner] as const) : ([order.owner, 'maker'] as const)
  accounts.move(buyer, seller, pair.base.id, figure(trade.volume))
  accounts.move(seller, buyer, pair.quote.id, figure(trade.cost))
  const asset = feeAssetOf(rules, pair, trade.side)
  accounts.move('house', order.owner, asset.id, figure(trade.fee))
  orders.bust(trade.id)
}
