/**
 * What the channel `orders` says ("Order channel"): one message for each fill, with its `tradeId`,
 * and one for each other change. "For market orders, it's likely the orders channel will show order
 * state as filled while showing the last filled quantity (fillSz) as 0": such a message comes last.
 */
import type { Exchange } from '../exchange.ts'
import { figure, plain } from '../figures.ts'
import { openOrderNews } from '../order-news.ts'
import type { Order } from '../orders.ts'
import type { Trade } from '../trades.ts'
import { fillView, orderView } from './order-operations.ts'
import { pairOf } from '../rules.ts'

const UNFILLED = {
  fillPx: '',
  fillSz: '0',
  tradeId: '',
  fillFee: '0',
  fillFeeCcy: '',
  fillTime: '',
  execType: '',
}
const REST = { amendResult: '', reqId: '', code: '0', msg: '' }

/** Answers what happened since it was called last. */
export function openOrderMessages(exchange: Exchange): () => object[] {
  const newsOfOrders = openOrderNews(exchange.orders)
  return () => {
    const { changed, trades } = newsOfOrders()
    return changed.flatMap((order) =>
      messagesOf(
        exchange,
        order,
        trades.filter((trade) => trade.order_id === order.id),
      ),
    )
  }
}

function messagesOf(exchange: Exchange, order: Order, trades: readonly Trade[]): object[] {
  const view = { ...orderView(exchange, order), ...REST }
  let filled = figure(order.executed)
  for (const trade of trades) filled -= figure(trade.volume)
  const fills = trades.map((trade, index) => {
    filled += figure(trade.volume)
    const isLast = index === trades.length - 1 && order.type === 'limit'
    return {
      ...view,
      ...(isLast ? {} : { state: 'partially_filled' }),
      accFillSz: plain(filled),
      ...fillFields(exchange, order, trade),
    }
  })
  return fills.length > 0 && order.type === 'limit' ? fills : [...fills, { ...view, ...UNFILLED }]
}

function fillFields({ rules }: Exchange, order: Order, trade: Trade): object {
  const fill = fillView(trade, pairOf(rules, trade.pair), order.cl_ord_id ?? '')
  const { fillPx, fillSz, tradeId, fee, feeCcy, fillTime, execType } = fill
  return { fillPx, fillSz, tradeId, fillFee: fee, fillFeeCcy: feeCcy, fillTime, execType }
}
