/** OKX's private REST operations about orders and fills. */
import type { Exchange } from '../exchange.ts'
import { figure, floored, plain, product, quotient, smaller } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { NewOrder, Objection } from '../new-order.ts'
import type { Order, Side, TimeInForce } from '../orders.ts'
import { pairOf } from '../rules.ts'
import type { Pair } from '../rules.ts'
import type { Trade } from '../trades.ts'
import { clientIdIn, figureIn, needed, orderRefusal, pairIn, refusal } from './request.ts'
import type { Fields } from './request.ts'
import type { Operations } from './rest.ts'

const LISTED = 100_000
const PAGE = 100
const HOUR_MILLISECONDS = 3_600_000
const DAY_MILLISECONDS = 24 * HOUR_MILLISECONDS
/** "The incomplete orders that have been canceled are only reserved for 2 hours." */
const RESERVED_MILLISECONDS = 2 * HOUR_MILLISECONDS
const FILLS_MILLISECONDS = 3 * DAY_MILLISECONDS
const HISTORY_MILLISECONDS = 90 * DAY_MILLISECONDS

const TIMES: Readonly<Record<string, TimeInForce>> = { limit: 'GTC', ioc: 'IOC', fok: 'FOK' }

export function orderOperations(exchange: Exchange): Operations {
  return {
    'POST trade/order': (fields) => [placeOrder(exchange, fields)],
    'GET trade/order': (fields) => [orderView(exchange, findOrder(exchange, fields))],
    'POST trade/cancel-order': (fields) => [cancelOrder(exchange, fields)],
    'GET trade/fills': (fields) => fills(exchange, fields, FILLS_MILLISECONDS),
    'GET trade/fills-history': (fields) => fills(exchange, fields, HISTORY_MILLISECONDS),
  }
}

function placeOrder(exchange: Exchange, fields: Fields): object {
  const clOrdId = clientIdIn(fields, 'clOrdId')
  const refuse = (sCode: string, sMsg: string) => orderRefusal(sCode, sMsg, clOrdId ?? '')
  const pair = pairIn(fields)
  if (needed(fields, 'tdMode') !== 'cash') throw refusal('51000', 'Parameter tdMode error', 400)
  const side = needed(fields, 'side')
  if (side !== 'buy' && side !== 'sell') throw refusal('51000', 'Parameter side error', 400)
  const ordType = needed(fields, 'ordType')
  const type = ordType === 'market' ? 'market' : 'limit'
  const tif = type === 'market' ? 'GTC' : TIMES[ordType]
  if (tif === undefined) throw refusal('51000', 'Parameter ordType error', 400)
  const status = exchange.status()
  if (status === 'cancel_only' || (status === 'limit_only' && type === 'market'))
    throw refuse('51022', 'Contract suspended.')
  const size = figureIn(fields, 'sz')
  const order: NewOrder = {
    owner: 'kontor',
    pair,
    side,
    type,
    tif,
    expires_at: null,
    price: type === 'limit' ? figureIn(fields, 'px') : 0n,
    volume: type === 'limit' ? size : marketVolume(exchange, pair, { side, size, fields }),
    cl_ord_id: clOrdId,
    userref: null,
  }
  const placed = exchange.matching.place(order, false)
  if ('refused' in placed)
    throw refuse(...codeOf(placed.refused, side === 'buy' ? pair.quote : pair.base))
  if (placed.order === undefined) throw new Error('a placed order was not stored')
  return {
    clOrdId: clOrdId ?? '',
    ordId: placed.order.id,
    sCode: '0',
    sMsg: '',
    tag: '',
    ts: String(placed.order.opened_at),
  }
}

/**
 * `tgtCcy`: "Default is quote_ccy for buy, base_ccy for sell". `banAmend`: unless it is true, the
 * size of a market order is cut to what the client has.
 */
function marketVolume(
  exchange: Exchange,
  pair: Pair,
  { side, size, fields }: { side: Side; size: Figure; fields: Fields },
): Figure {
  const { accounts } = exchange
  const { tgtCcy = side === 'buy' ? 'quote_ccy' : 'base_ccy', banAmend } = fields
  const wanted = tgtCcy === 'quote_ccy' ? volumeFor(exchange, pair, side, size) : size
  if (banAmend === 'true') return wanted
  const affordable =
    side === 'sell'
      ? floored(accounts.free('kontor', pair.base.id), pair.lot_decimals)
      : volumeFor(exchange, pair, side, accounts.free('kontor', pair.quote.id))
  return affordable === 0n ? wanted : smaller(wanted, affordable)
}

/** What this money buys, or is got for, from the levels of the book. */
function volumeFor({ matching }: Exchange, pair: Pair, side: Side, money: Figure): Figure {
  let left = money
  let volume = 0n
  const { asks, bids } = matching.book(pair)
  for (const { price, quantity } of side === 'buy' ? asks : bids) {
    const cost = product(price, quantity, 18)
    volume += cost <= left ? quantity : floored((left * 10n ** 18n) / price, pair.lot_decimals)
    left -= cost
    if (left <= 0n) break
  }
  return volume
}

function codeOf(objection: Objection, asset: { id: string }): [sCode: string, sMsg: string] {
  if (objection === 'FUNDS')
    return ['51008', `Order failed. Insufficient ${asset.id} balance in account`]
  if (objection === 'REFERENCE') return ['51016', 'Client order ID already exists.']
  if (objection === 'STEP') return ['51121', 'Order quantity must be a multiple of the lot size.']
  if (objection === 'TICK') return ['51000', 'Parameter px error']
  return ['51020', 'Your order should meet or exceed the minimum order amount.']
}

/** By OKX's id or else the client's, of which the latest order is meant. */
function findOrder({ orders, world }: Exchange, fields: Fields): Order {
  const pair = pairIn(fields)
  const { ordId = '', clOrdId = '' } = fields
  if (ordId === '' && clOrdId === '')
    throw refusal('51003', 'Either client order ID or order ID is required.')
  const [closed] =
    clOrdId === '' ? [] : orders.closed({ cl_ord_id: clOrdId, offset: 0, limit: 1 }).orders
  const found =
    ordId === '' ? (orders.open({ cl_ord_id: clOrdId })[0] ?? closed) : orders.byId(ordId)
  const isForgotten =
    found?.status !== 'open' &&
    found?.executed === '0' &&
    world.now() - (found.closed_at ?? 0) > RESERVED_MILLISECONDS
  if (found === undefined || found.pair !== pair.id || isForgotten)
    throw refusal('51603', 'Order does not exist.')
  return found
}

function cancelOrder(exchange: Exchange, fields: Fields): object {
  const { clOrdId = '' } = fields
  const gone = orderRefusal(
    '51400',
    'Order cancellation failed as the order has been filled, canceled or does not exist.',
    clOrdId,
  )
  let order: Order
  try {
    order = findOrder(exchange, fields)
  } catch {
    throw gone
  }
  if (!exchange.matching.cancel(order.id)) throw gone
  const { cl_ord_id, id } = order
  return { clOrdId: cl_ord_id ?? '', ordId: id, sCode: '0', sMsg: '', ts: String(Date.now()) }
}

function stateOf(order: Order): string {
  if (order.status === 'closed') return 'filled'
  if (order.status !== 'open') return 'canceled'
  return order.executed === '0' ? 'live' : 'partially_filled'
}

const ORD_TYPES: Readonly<Record<TimeInForce, string>> = {
  GTC: 'limit',
  GTD: 'limit',
  IOC: 'ioc',
  FOK: 'fok',
}

export function orderView({ rules }: Exchange, order: Order): object {
  const pair = pairOf(rules, order.pair)
  const executed = figure(order.executed)
  return {
    instType: 'SPOT',
    instId: order.pair,
    ordId: order.id,
    clOrdId: order.cl_ord_id ?? '',
    tag: '',
    side: order.side,
    ordType: order.type === 'market' ? 'market' : ORD_TYPES[order.tif],
    px: order.type === 'market' ? '' : order.price,
    sz: order.volume,
    tgtCcy: order.type === 'market' ? 'base_ccy' : '',
    tdMode: 'cash',
    state: stateOf(order),
    accFillSz: order.executed,
    avgPx: executed === 0n ? '' : plain(quotient(figure(order.cost), executed, 8)),
    fee: plain(-figure(order.fee)),
    feeCcy: order.side === 'buy' ? pair.base.id : pair.quote.id,
    cancelSource: order.status === 'canceled' ? '1' : '',
    cancelSourceReason: '',
    cTime: String(order.opened_at),
    uTime: String(order.closed_at ?? order.opened_at),
  }
}

/** Newest first; `after` is a `billId`. */
function fills(exchange: Exchange, fields: Fields, age: number): object[] {
  const { orders, world, rules } = exchange
  const { ordId = '', instId = '', after = '', begin = '', limit = String(PAGE) } = fields
  const from = Math.max(world.now() - age, begin === '' ? 0 : Number(begin) - 1)
  return orders
    .trades({ from, offset: 0, limit: LISTED })
    .trades.filter(
      (trade) =>
        (ordId === '' || trade.order_id === ordId) &&
        (instId === '' || trade.pair === instId) &&
        (after === '' || BigInt(trade.id) < BigInt(after)),
    )
    .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
    .slice(0, Math.min(Number(limit), PAGE))
    .map((trade) =>
      fillView(trade, pairOf(rules, trade.pair), orders.byId(trade.order_id)?.cl_ord_id ?? ''),
    )
}

/** "fee": negative is a charge, positive a rebate. */
export function fillView(trade: Trade, pair: Pair, clOrdId: string) {
  return {
    instType: 'SPOT',
    instId: trade.pair,
    tradeId: String(trade.trade_id),
    ordId: trade.order_id,
    clOrdId,
    billId: trade.id,
    subType: trade.side === 'buy' ? '1' : '2',
    tag: '',
    side: trade.side,
    fillPx: trade.price,
    fillSz: trade.volume,
    fee: plain(-figure(trade.fee)),
    feeCcy: trade.side === 'buy' ? pair.base.id : pair.quote.id,
    execType: trade.maker === 1 ? 'M' : 'T',
    ts: String(trade.at),
    fillTime: String(trade.at),
  }
}
