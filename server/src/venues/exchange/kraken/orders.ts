/**
 * Orders at Kraken. The client order id is ours and Kraken finds orders by it, open or closed.
 * Nonces only grow, so after an answered lookup an earlier request can no longer be accepted, and
 * what was accepted is listed within the grace time.
 */
import { sum } from '../../../core/decimal.ts'
import type { Lookup, OrderReport, VenueFill, VenueOrder } from '../../contract.ts'
import { exact, optionalText, row } from '../answers.ts'
import type { Row } from '../answers.ts'
import { FINAL } from '../order-states.ts'
import type { Orders } from '../trading.ts'
import type { Calls } from '../wire.ts'
import type { KrakenMoney, RawReply } from './money.ts'
import { krakenTrades, fillOf } from './trades.ts'
import { orderState } from './vocabulary.ts'

const TRADES_PER_QUERY = 20

type Parts = { money: KrakenMoney; serially: Calls; ready(): Promise<void> }

export function krakenOrders({ money, serially, ready }: Parts): Orders {
  const call = (work: () => Promise<RawReply>): Promise<Row> =>
    serially(async () => {
      await ready()
      return row((await work()).result)
    })

  const fillsOf = async (ids: string[], quote: string): Promise<VenueFill[]> => {
    const fills: VenueFill[] = []
    for (let start = 0; start < ids.length; start += TRADES_PER_QUERY) {
      const batch = ids.slice(start, start + TRADES_PER_QUERY)
      const trades = await call(() => money.privatePostQueryTrades({ txid: batch.join(',') }))
      for (const id of batch) {
        fills.push(fillOf(id, row(trades[id]), quote))
      }
    }
    return fills
  }

  /**
   * The order as Kraken shows it; `unknown` while it is final but not all of its trades are listed.
   */
  const described = async (id: string, order: Row, quote: string): Promise<Lookup<OrderReport>> => {
    const filled = exact(order, 'vol_exec')
    const state = orderState(order, filled, exact(order, 'vol'))
    // A trade may be named twice.
    const ids = [
      ...new Set(
        Array.isArray(order['trades'])
          ? order['trades'].filter((each): each is string => typeof each === 'string')
          : [],
      ),
    ]
    const fills = await fillsOf(ids, quote)
    if (FINAL.includes(state) && sum(fills.map((fill) => fill.quantity)) !== filled)
      return { lookup: 'unknown', reason: 'kraken does not list all trades of the order yet' }
    return {
      lookup: 'found',
      report: {
        foreign_id: id,
        state,
        reason: optionalText(order, 'reason'),
        filled_quantity: sum(fills.filter((fill) => !fill.busted).map((fill) => fill.quantity)),
        fills,
      },
    }
  }

  const lookUp: Orders['lookUp'] = async (wanted) => {
    const { foreign_id, client_order_id, quote_asset } = wanted
    if (foreign_id !== null) {
      const orders = await call(() =>
        money.privatePostQueryOrders({ txid: foreign_id, trades: true }),
      )
      return await described(foreign_id, row(orders[foreign_id]), quote_asset)
    }
    // Open first: an order that is closed between the two questions is seen by the second.
    const open = row(
      (await call(() => money.privatePostOpenOrders({ cl_ord_id: client_order_id, trades: true })))[
        'open'
      ],
    )
    const closed = row(
      (
        await call(() =>
          money.privatePostClosedOrders({ cl_ord_id: client_order_id, trades: true }),
        )
      )['closed'],
    )
    const found = Object.entries({ ...open, ...closed }).filter(
      ([, each]) => row(each)['cl_ord_id'] === client_order_id,
    )
    const [only] = found
    if (only === undefined) return undefined
    if (found.length > 1)
      return {
        lookup: 'unknown',
        reason: `kraken lists ${found.length} orders with this client order id`,
      }
    return await described(only[0], row(only[1]), quote_asset)
  }

  return {
    name: 'kraken',
    capabilities: { MARKET: ['IOC', 'GTC'], LIMIT: ['GTC', 'GTD', 'IOC'] },
    parameters,
    lookUp,
    trades: krakenTrades(money, call),
    cancel: (wanted) =>
      serially(async () => {
        await ready()
        await money.cancelOrder(
          wanted.foreign_id ?? '',
          undefined,
          wanted.foreign_id === null ? { clientOrderId: wanted.client_order_id } : {},
        )
      }),
    notOpen: /^EOrder:Unknown order$/,
  }
}

/**
 * The fee in the quote asset, whatever the account prefers. Kraken takes whole seconds; an order
 * never lives longer than asked.
 */
function parameters({ type, tif_mode, expires_at }: VenueOrder): Record<string, string> {
  return {
    oflags: 'fciq',
    ...(type === 'LIMIT' ? { timeInForce: tif_mode } : {}),
    ...(expires_at === null ? {} : { expiretm: String(Math.floor(expires_at / 1000)) }),
  }
}
