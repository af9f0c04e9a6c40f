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
import type { Orders, OrderIdentity } from '../trading.ts'
import type { Act } from './calls.ts'
import type { BitstampMoney } from './money.ts'
import { bitstampTrades, isBusted } from './trades.ts'
import { FAILURES, NOT_FOUND, milliseconds, orderState } from './vocabulary.ts'

type Parts = {
  money: BitstampMoney
  act: Act
  ready(): Promise<void>
  sendWithin: number
}

export function bitstampOrders({ money, act, ready, sendWithin }: Parts): Orders {
  const lookUp: Orders['lookUp'] = async (identity) => {
    const { foreign_id, client_order_id } = identity
    await ready()
    try {
      const order = row(
        await money.privatePostOrderStatus(
          foreign_id === null ? { client_order_id } : { id: foreign_id },
        ),
      )
      if (order['client_order_id'] !== client_order_id)
        return { lookup: 'unknown', reason: 'bitstamp answered with another order' }
      return describe(order, identity)
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
    async cancel(identity) {
      const found = identity.foreign_id === null ? await lookUp(identity) : undefined
      const id =
        identity.foreign_id ?? (found?.lookup === 'found' ? found.report.foreign_id : undefined)
      if (id === undefined) throw new Error('the order to cancel is not known')
      await ready()
      await act(sendWithin, () => money.cancelOrder(id, undefined, {}))
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

/** The order as Bitstamp shows it; `unknown` while it is final but not all trades are listed. */
function describe(order: Row, identity: OrderIdentity): Lookup<OrderReport> {
  const remaining = exact(order, 'amount_remaining')
  const fills = fillsOf(order, identity)
  const state = orderState(order, remaining, identity.quantity)
  const filled = sum(fills.map((fill) => fill.quantity))
  if (FINAL.includes(state) && filled !== identity.quantity - remaining)
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

function fillsOf(order: Row, { base_asset, quote_asset }: OrderIdentity): VenueFill[] {
  // A trade may be listed twice.
  const trades = new Map(rows(order['transactions']).map((trade) => [word(trade, 'tid'), trade]))
  return [...trades].map(([foreign_id, trade]) => ({
    foreign_id,
    price: exact(trade, 'price'),
    quantity: exact(trade, base_asset.toLowerCase()),
    volume: exact(trade, quote_asset.toLowerCase()),
    fee: exact(trade, 'fee'),
    fee_asset: quote_asset,
    liquidity: 'UNKNOWN',
    executed_at: milliseconds(trade, 'datetime'),
    busted: isBusted(trade),
  }))
}
