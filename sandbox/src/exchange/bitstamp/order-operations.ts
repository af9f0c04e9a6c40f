/** Bitstamp's private REST operations, version 2, about orders. */
import type { Exchange, Status } from '../exchange.ts'
import { figure, fixed, floored, plain, product, productUp } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Objection } from '../new-order.ts'
import type { Order, Side, TimeInForce } from '../orders.ts'
import type { Pair } from '../rules.ts'
import {
  Refusal,
  amountOf,
  assetNamed,
  formRefusal,
  pairNamed,
  tooManyDecimals,
} from './request.ts'
import type { Fields, Operation } from './request.ts'
import { insufficientFunds, orderView, time, tradeView } from './views.ts'

type OrderType = 'market' | 'limit'

const STATUS = {
  open: 'Open',
  closed: 'Finished',
  canceled: 'Canceled',
  expired: 'Expired',
} as const
const TYPE = { buy: 0, sell: 1 } as const
const OPTIONS: readonly (readonly [string, TimeInForce])[] = [
  ['ioc_order', 'IOC'],
  ['fok_order', 'FOK'],
  ['gtd_order', 'GTD'],
]

const DISABLED = 'Trading for specified currency pair is disabled.'
/** What a halted market refuses, by type of order. */
const REFUSED_BY_STATUS: Partial<Record<Status, Partial<Record<OrderType, string>>>> = {
  cancel_only: { market: DISABLED, limit: DISABLED },
  limit_only: { market: 'Market and instant orders for specified currency pair are disabled.' },
}

export function orderOperations(exchange: Exchange): Record<string, Operation> {
  const place =
    (side: Side, type: OrderType): Operation =>
    (fields, word) => {
      const pair = pairNamed(word)
      const volume = amountOf(fields, 'amount', pair.lot_decimals)
      return placeOrder(exchange, { side, type, pair, volume }, fields)
    }
  return {
    buy: place('buy', 'limit'),
    sell: place('sell', 'limit'),
    'buy/market': place('buy', 'market'),
    'sell/market': place('sell', 'market'),
    'buy/instant': (fields, word) => {
      const pair = pairNamed(word)
      const money = amountOf(fields, 'amount', pair.quote.transfer_decimals)
      const volume = volumeFor(exchange, pair, money)
      return placeOrder(exchange, { side: 'buy', type: 'market', pair, volume }, fields)
    },
    'sell/instant': place('sell', 'market'),
    order_status: (fields) => orderStatus(exchange, fields),
    cancel_order: (fields) => cancelOrder(exchange, fields),
  }
}

function placeOrder(
  exchange: Exchange,
  order: { side: Side; type: OrderType; pair: Pair; volume: Figure },
  fields: Fields,
): object {
  const { side, type, pair, volume } = order
  const price = type === 'limit' ? amountOf(fields, 'price', pair.pair_decimals) : 0n
  const refused = REFUSED_BY_STATUS[exchange.status()]?.[type]
  if (refused !== undefined) throw formRefusal('__all__', refused)
  const placed = exchange.matching.place(
    {
      ...order,
      ...timeInForce(type, fields, exchange.world.now()),
      owner: 'kontor',
      price,
      cl_ord_id: fields['client_order_id'] ?? null,
      userref: null,
    },
    false,
  )
  if ('refused' in placed) throw refusalOf(exchange, placed.refused, side, pair)
  if (placed.order === undefined) throw new Error('a placed order was not stored')
  return {
    ...orderView(placed.order),
    datetime: time(placed.order.opened_at),
    price: fixed(type === 'limit' ? price : averagePrice(placed.order), pair.pair_decimals),
    amount: fixed(volume, pair.lot_decimals),
  }
}

function refusalOf(exchange: Exchange, objection: Objection, side: Side, pair: Pair): Refusal {
  const asset = assetNamed(side === 'buy' ? pair.quote.id : pair.base.id)
  if (objection === 'FUNDS') return formRefusal('__all__', insufficientFunds(exchange, asset))
  if (objection === 'TICK') return tooManyDecimals('price', pair.pair_decimals)
  if (objection === 'STEP') return tooManyDecimals('amount', pair.lot_decimals)
  const minimum = `${plain(pair.costmin)} ${pair.quote.common}`
  return formRefusal('__all__', `Minimum order size is ${minimum}.`)
}

/**
 * At most one of the options; the time of a GTD order is in milliseconds. Market orders have none.
 */
function timeInForce(
  type: OrderType,
  fields: Fields,
  now: number,
): { tif: TimeInForce; expires_at: number | null } {
  const chosen = OPTIONS.filter(([name]) => fields[name]?.toLowerCase() === 'true')
  const [first] = chosen
  if (first === undefined) return { tif: 'GTC', expires_at: null }
  if (chosen.length > 1 || type === 'market')
    throw formRefusal('__all__', 'Only one of the order options can be used.')
  const [, tif] = first
  if (tif !== 'GTD') return { tif, expires_at: null }
  const expires_at = Number(fields['expire_time'])
  if (!Number.isSafeInteger(expires_at) || expires_at <= now)
    throw formRefusal('expire_time', 'Expire time must be in the future.')
  return { tif, expires_at }
}

/** What the client's money buys from the levels of the book, fee included. */
function volumeFor({ matching, rules }: Exchange, pair: Pair, money: Figure): Figure {
  let left = money
  let volume = 0n
  for (const { price, quantity } of matching.book(pair).asks) {
    const cost = product(price, quantity, 18)
    const whole = cost + productUp(cost, rules.taker_fee, 18)
    volume += whole <= left ? quantity : floored((quantity * left) / whole, pair.lot_decimals)
    left -= whole
    if (left <= 0n) break
  }
  return volume
}

function averagePrice(order: Order): Figure {
  const executed = figure(order.executed)
  return executed === 0n ? 0n : (figure(order.cost) * 10n ** 18n) / executed
}

/** By the exchange's id or else the client's. */
function findOrder({ orders }: Exchange, { id, client_order_id: cl_ord_id }: Fields): Order {
  let found: Order | undefined
  if (id !== undefined) found = orders.byId(id)
  else if (cl_ord_id !== undefined) {
    const [closed] = orders.closed({ cl_ord_id, offset: 0, limit: 1 }).orders
    found = orders.open({ cl_ord_id })[0] ?? closed
  }
  if (found === undefined) throw notFound()
  return found
}

function notFound(): Refusal {
  return new Refusal(404, { status: 'error', reason: 'Order not found.', code: '404.002' })
}

function orderStatus(exchange: Exchange, fields: Fields): object {
  const order = findOrder(exchange, fields)
  const pair = pairNamed(order.pair)
  const trades = exchange.orders.tradesOf(order.id)
  return {
    ...orderView(order),
    datetime: time(order.opened_at),
    status: STATUS[order.status],
    amount_remaining: fixed(figure(order.volume) - figure(order.executed), pair.lot_decimals),
    ...(fields['omit_transactions'] === 'true'
      ? {}
      : { transactions: trades.map((trade) => tradeView(trade, pair)) }),
  }
}

function cancelOrder(exchange: Exchange, fields: Fields): object {
  const order = findOrder(exchange, fields)
  if (!exchange.matching.cancel(order.id)) throw notFound()
  return {
    id: Number(order.id),
    amount: Number(order.volume),
    price: Number(order.price),
    type: TYPE[order.side],
    market: pairNamed(order.pair).symbol,
  }
}
