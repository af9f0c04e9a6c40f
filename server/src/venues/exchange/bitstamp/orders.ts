/**
 * Orders at Bitstamp. The client order id is ours and Bitstamp finds orders by it, but does not
 * promise to refuse a second one: that nothing is sent twice is up to us. A signed request may be
 * accepted until its time is 150 seconds old.
 */
import { sum } from '../../../core/decimal.ts'
import type { Lookup, OrderReport, VenueFill, VenueOrder } from '../../contract.ts'
import { exact, row, rows, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import { FINAL } from '../order-states.ts'
import type { Orders, Wanted } from '../trading.ts'
import type { BitstampMoney } from './money.ts'
import { bitstampTrades, isBusted } from './trades.ts'
import { FAILURES, NOT_FOUND, milliseconds, orderState } from './vocabulary.ts'

export function bitstampOrders(money: BitstampMoney, ready: () => Promise<void>): Orders {
  const described = (
    order: Row,
    { base_asset, quote_asset, quantity }: Wanted,
  ): Lookup<OrderReport> => {
    const remaining = exact(order, 'amount_remaining')
    // A trade may be told twice.
    const fills = [
      ...new Map(rows(order['transactions']).map((row) => [word(row, 'tid'), row])).values(),
    ].map((row): VenueFill => ({
      foreign_id: word(row, 'tid'),
      price: exact(row, 'price'),
      quantity: exact(row, base_asset.toLowerCase()),
      volume: exact(row, quote_asset.toLowerCase()),
      fee: exact(row, 'fee'),
      fee_asset: quote_asset,
      liquidity: 'UNKNOWN',
      executed_at: milliseconds(row, 'datetime'),
      busted: isBusted(row),
    }))
    const state = orderState(order, remaining, quantity)
    const filled = sum(fills.map((fill) => fill.quantity))
    if (FINAL.includes(state) && filled !== quantity - remaining)
      return { lookup: 'unknown', reason: 'bitstamp does not list all trades of the order yet' }
    return {
      lookup: 'found',
      report: {
        foreign_id: word(order, 'id'),
        state,
        reason: null,
        filled_quantity: sum(fills.filter((fill) => !fill.busted).map((fill) => fill.quantity)),
        fills,
      },
    }
  }

  const lookUp: Orders['lookUp'] = async (wanted) => {
    const { foreign_id, client_order_id } = wanted
    await ready()
    try {
      const order = row(
        await money.privatePostOrderStatus(
          foreign_id === null ? { client_order_id } : { id: foreign_id },
        ),
      )
      if (order['client_order_id'] !== client_order_id)
        return { lookup: 'unknown', reason: 'bitstamp answered with another order' }
      return described(order, wanted)
    } catch (error) {
      const { native } = FAILURES.failureOf(error)
      if (native === null || !NOT_FOUND.test(native)) throw error
      // Bitstamp forgets orders after a month; one that it had given a number is not absent.
      return foreign_id === null
        ? undefined
        : { lookup: 'unknown', reason: `bitstamp does not know ${foreign_id}` }
    }
  }

  return {
    name: 'bitstamp',
    capabilities: { MARKET: ['IOC', 'GTC'], LIMIT: ['GTC', 'GTD', 'IOC', 'FOK'] },
    parameters,
    trades: bitstampTrades(money, ready),
    lookUp,
    async cancel(wanted) {
      const found = wanted.foreign_id === null ? await lookUp(wanted) : undefined
      const id =
        wanted.foreign_id ?? (found?.lookup === 'found' ? found.report.foreign_id : undefined)
      if (id === undefined) throw new Error('the order to cancel is not known')
      await ready()
      await money.cancelOrder(id, undefined, {})
    },
    notOpen: NOT_FOUND,
  }
}

function parameters({ type, tif_mode, expires_at }: VenueOrder): Record<string, string> {
  if (type === 'MARKET' || tif_mode === 'GTC') return {}
  if (tif_mode === 'IOC') return { ioc_order: 'True' }
  return tif_mode === 'FOK'
    ? { fok_order: 'True' }
    : { gtd_order: 'True', expire_time: String(expires_at) }
}
