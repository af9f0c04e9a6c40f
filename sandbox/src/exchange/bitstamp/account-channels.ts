/**
 * The private channels `private-my_orders_<pair>-<user>` and `private-my_trades_<pair>-<user>`, and
 * the token that a subscription needs ("Websockets token", `valid_sec` 60). Messages as recorded:
 * thrasher-corp/gocryptotrader, `exchanges/bitstamp/testdata/wsMyOrders.json`, and
 * hummingbot/hummingbot, `test_bitstamp_exchange.py`. Nothing is told again to who was away.
 * Assumed: a subscription outlives its token.
 */
import { randomBytes } from 'node:crypto'
import type { Exchange } from '../exchange.ts'
import { figure, fixed, plain } from '../figures.ts'
import type { Figure } from '../figures.ts'
import { openOrderNews } from '../order-news.ts'
import type { Order } from '../orders.ts'
import { pairOf } from '../rules.ts'
import type { Trade } from '../trades.ts'
import type { Operation } from './request.ts'

const TOKEN_SECONDS = 60

type AccountChannels = {
  operations: Record<string, Operation>
  /** Whether this is one of the account's channels, and the token opens it. */
  admits(channel: string, auth: string): 'YES' | 'NO' | 'NOT_PRIVATE'
  /** What happened since it was called last: each message with its channel. */
  news(): Message[]
}

type Message = { channel: string; event: string; data: object }

export function openAccountChannels({ world, rules, orders }: Exchange): AccountChannels {
  const user = rules.client_tag
  const tokens = new Map<string, number>()
  const pairs = rules.pairs.map(({ id }) => id)
  /** What was told of each open order: how much of it was executed. */
  const told = new Map<string, Figure>()
  const newsOfOrders = openOrderNews(orders)
  const channelOf = (kind: string, pair: string) => `private-${kind}_${pair}-${user}`
  return {
    operations: {
      websockets_token: () => {
        const token = randomBytes(24).toString('base64url')
        const isShort = world.faults.takeNamed(rules.part, 'token') !== undefined
        tokens.set(token, isShort ? 0 : Date.now() + TOKEN_SECONDS * 1000)
        return { token, valid_sec: TOKEN_SECONDS, user_id: Number(user) }
      },
    },
    admits(channel, auth) {
      if (!channel.startsWith('private-')) return 'NOT_PRIVATE'
      const isOurs = pairs.some((pair) =>
        ['my_orders', 'my_trades'].some((kind) => channelOf(kind, pair) === channel),
      )
      return isOurs && Date.now() < (tokens.get(auth) ?? 0) ? 'YES' : 'NO'
    },
    news() {
      const { changed, trades } = newsOfOrders()
      const references = new Map(changed.map((order) => [order.id, order.cl_ord_id]))
      return [
        ...changed.flatMap((order) =>
          orderEvents(order, told).map(({ event, traded }) => ({
            channel: channelOf('my_orders', order.pair),
            event,
            data: orderData(order, event, traded, pairOf(rules, order.pair).lot_decimals),
          })),
        ),
        ...trades.map((trade) => ({
          channel: channelOf('my_trades', trade.pair),
          event: 'trade',
          data: tradeData(trade, references.get(trade.order_id) ?? null),
        })),
      ]
    },
  }
}

type OrderEvent = { event: 'order_created' | 'order_changed' | 'order_deleted'; traded: Figure }

/** A limit order that is filled is deleted at once; a market order changes first, as recorded. */
function orderEvents(order: Order, told: Map<string, Figure>): OrderEvent[] {
  const before = told.get(order.id)
  const executed = figure(order.executed)
  const traded = executed - (before ?? 0n)
  const events: OrderEvent[] = before === undefined ? [{ event: 'order_created', traded: 0n }] : []
  if (order.status === 'open') {
    told.set(order.id, executed)
    return traded === 0n ? events : [...events, { event: 'order_changed', traded }]
  }
  told.delete(order.id)
  return order.type === 'market' && traded > 0n
    ? [...events, { event: 'order_changed', traded }, { event: 'order_deleted', traded: 0n }]
    : [...events, { event: 'order_deleted', traded }]
}

function orderData(
  order: Order,
  event: OrderEvent['event'],
  traded: Figure,
  decimals: number,
): object {
  const isNew = event === 'order_created'
  const isUnsized = isNew && order.type === 'market'
  const left = figure(order.volume) - (isNew ? 0n : figure(order.executed))
  const amount = isUnsized ? '0' : fixed(left, decimals)
  const at = order.opened_at
  return {
    id: Number(order.id),
    id_str: order.id,
    order_type: order.side === 'buy' ? 0 : 1,
    datetime: String(Math.floor(at / 1000)),
    microtimestamp: String(at * 1000),
    amount: Number(amount),
    amount_str: amount,
    amount_traded: traded === 0n ? '0' : fixed(traded, decimals),
    amount_at_create: isUnsized ? '0' : fixed(figure(order.volume), decimals),
    price: Number(order.price),
    price_str: order.price,
    trade_account_id: 0,
    ...(order.cl_ord_id === null ? {} : { client_order_id: order.cl_ord_id }),
  }
}

function tradeData(trade: Trade, client_order_id: string | null): object {
  return {
    id: trade.trade_id,
    amount: plain(figure(trade.volume)),
    price: plain(figure(trade.price)),
    microtimestamp: String(trade.at * 1000),
    fee: plain(figure(trade.fee)),
    order_id: Number(trade.order_id),
    ...(client_order_id === null ? {} : { client_order_id }),
    trade_account_id: 0,
    side: trade.side,
  }
}
