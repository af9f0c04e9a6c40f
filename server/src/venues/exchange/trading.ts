/**
 * Orders at Kraken. The client order id is ours and Kraken finds orders by it, open or closed. `absent` needs the grace time:
 * nonces only grow, so after an answered lookup an earlier request can no longer be accepted, and what was accepted is listed by then.
 */
import { format, sum } from '../../core/decimal.ts'
import type { Lookup, OrderLookup, OrderReport, Outcome, Trading, VenueFill, VenueOrder } from '../contract.ts'
import type { Market, Money, RawReply } from './ccxt.ts'
import { exact, milliseconds, optionalText, orderState, row } from './kraken.ts'
import type { Row } from './kraken.ts'
import { failureOf, outcomeOf, reading } from './wire.ts'
import type { Serial } from './wire.ts'

const TRADES_PER_QUERY = 20
const FINAL = ['FILLED', 'CANCELED', 'EXPIRED', 'REJECTED']

/** What Kraken really has, each proven on the wire; ccxt would also take kinds that Kraken then executes as plain market orders. */
const CAPABILITIES: Record<VenueOrder['type'], readonly VenueOrder['tif_mode'][]> = { MARKET: ['IOC', 'GTC'], LIMIT: ['GTC', 'IOC'] }

type Parts = { money: Money; serially: Serial; ready(): Promise<void>; listingGrace: number }

export function openTrading({ money, serially, ready, listingGrace }: Parts): Trading {
  const call = (work: () => Promise<RawReply>): Promise<Row> => serially(async () => { await ready(); return row((await work()).result) })
  const supports: Trading['supports'] = ({ type, tif_mode }) => CAPABILITIES[type]?.includes(tif_mode) ?? false

  const fillsOf = async (ids: string[], quote: string): Promise<VenueFill[]> => {
    const fills: VenueFill[] = []
    for (let start = 0; start < ids.length; start += TRADES_PER_QUERY) {
      const batch = ids.slice(start, start + TRADES_PER_QUERY)
      const trades = await call(() => money.privatePostQueryTrades({ txid: batch.join(',') }))
      for (const id of batch) {
        const trade = row(trades[id])
        fills.push({
          foreign_id: id, price: exact(trade, 'price'), quantity: exact(trade, 'vol'), volume: exact(trade, 'cost'), fee: exact(trade, 'fee'), fee_asset: quote,
          liquidity: trade['maker'] === true ? 'MAKER' : trade['maker'] === false ? 'TAKER' : 'UNKNOWN', executed_at: milliseconds(trade, 'time'),
        })
      }
    }
    return fills
  }

  /** The order as Kraken shows it; `unknown` while it is final but not all of its trades are listed. */
  const described = async (id: string, order: Row, quote: string): Promise<Lookup<OrderReport>> => {
    const filled = exact(order, 'vol_exec')
    const state = orderState(order, filled, exact(order, 'vol'))
    const ids = Array.isArray(order['trades']) ? order['trades'].filter((each): each is string => typeof each === 'string') : []
    const fills = await fillsOf(ids, quote)
    if (FINAL.includes(state) && sum(fills.map((each) => each.quantity)) !== filled) return { lookup: 'unknown', reason: 'kraken does not list all trades of the order yet' }
    return { lookup: 'found', report: { foreign_id: id, state, reason: optionalText(order, 'reason'), filled_quantity: filled, fills } }
  }

  const lookUp = async (lookup: Pick<OrderLookup, 'client_order_id' | 'foreign_id' | 'quote_asset'>): Promise<Lookup<OrderReport> | undefined> => {
    const { foreign_id, client_order_id, quote_asset } = lookup
    if (foreign_id !== null) {
      const orders = await call(() => money.privatePostQueryOrders({ txid: foreign_id, trades: true }))
      return await described(foreign_id, row(orders[foreign_id]), quote_asset)
    }
    // Open first: an order that is closed between the two questions is seen by the second.
    const open = row((await call(() => money.privatePostOpenOrders({ cl_ord_id: client_order_id, trades: true })))['open'])
    const closed = row((await call(() => money.privatePostClosedOrders({ cl_ord_id: client_order_id, trades: true })))['closed'])
    const found = Object.entries({ ...open, ...closed }).filter(([, each]) => row(each)['cl_ord_id'] === client_order_id)
    const [only] = found
    if (only === undefined) return undefined
    if (found.length > 1) return { lookup: 'unknown', reason: `kraken lists ${found.length} orders with this client order id` }
    return await described(only[0], row(only[1]), quote_asset)
  }

  const send = async (order: VenueOrder): Promise<Outcome<OrderReport>> => {
    const refused = (reason: string): Outcome<OrderReport> => ({ outcome: 'refused', reason, native: null })
    if (!supports(order)) return refused(`kraken has no ${order.type} order with ${order.tif_mode}`)
    const symbol = `${order.base_asset}/${order.quote_asset}`
    const started = Date.now()
    let id: string | undefined
    try {
      const placed = await serially(async () => {
        await ready()
        const market: Market | undefined = money.markets?.[symbol]
        const objection = market === undefined ? `kraken does not trade ${symbol}` : objectionTo(order, market)
        if (objection !== undefined) return { objection }
        // Who has waited this long may have been given up: by now another may have been told `absent`.
        if (Date.now() - started > listingGrace) return { late: true as const }
        const price = order.type === 'LIMIT' && order.price !== null ? format(order.price) : undefined
        const parameters: Record<string, string> = { clientOrderId: order.client_order_id, ...(order.type === 'LIMIT' ? { timeInForce: order.tif_mode } : {}) }
        return { id: (await money.createOrder(symbol, order.type.toLowerCase(), order.side.toLowerCase(), format(order.quantity), price, parameters)).id }
      })
      if ('objection' in placed) return refused(placed.objection)
      if ('late' in placed) return { outcome: 'unknown', reason: 'not sent: earlier calls to kraken took too long' }
      id = placed.id
    } catch (error) {
      return outcomeOf(error)
    }
    if (typeof id !== 'string' || id === '') return { outcome: 'unknown', reason: 'kraken named no order' }
    return { outcome: 'accepted', report: await stateAfter(id, order) }
  }

  /** After an accepted act the order's state is a courtesy: when it cannot be read, the caller's next look tells. */
  const stateAfter = async (id: string, order: VenueOrder): Promise<OrderReport> => {
    const bare: OrderReport = { foreign_id: id, state: 'PENDING_NEW', reason: null, filled_quantity: 0n, fills: [] }
    try {
      const found = await lookUp({ ...order, foreign_id: id })
      return found?.lookup === 'found' ? found.report : bare
    } catch {
      return bare
    }
  }

  return {
    supports,
    send,
    async find(lookup) {
      const found = await reading(() => lookUp(lookup))
      if (found !== undefined) return found
      if (Date.now() - lookup.sent_at < listingGrace) return { lookup: 'unknown', reason: 'too early to say' }
      return { lookup: 'absent' }
    },
    async cancel(lookup) {
      try {
        await serially(async () => {
          await ready()
          await money.cancelOrder(lookup.foreign_id ?? '', undefined, lookup.foreign_id === null ? { clientOrderId: lookup.client_order_id } : {})
        })
      } catch (error) {
        const failure = failureOf(error)
        if (failure.native === 'EOrder:Unknown order') return { outcome: 'refused', reason: 'the order is not open', native: failure.native }
        return outcomeOf(error)
      }
      const pending: OrderReport = { foreign_id: lookup.foreign_id ?? '', state: 'PENDING_CANCEL', reason: null, filled_quantity: 0n, fills: [] }
      try {
        const found = await lookUp(lookup)
        return { outcome: 'accepted', report: found?.lookup === 'found' ? found.report : pending }
      } catch {
        return { outcome: 'accepted', report: pending }
      }
    },
  }
}

/** ccxt cuts quantities and prices to the step without a word; what does not fit is refused before. */
function objectionTo(order: VenueOrder, market: Market): string | undefined {
  if (!market.active) return `kraken has closed ${market.symbol}`
  const steps = { amount: row(market.precision), minimum: row(market.limits.amount) }
  if (order.quantity <= 0n || order.quantity % exact(steps.amount, 'amount') !== 0n) return `quantity is not a multiple of ${market.precision.amount}`
  if (steps.minimum['min'] !== undefined && order.quantity < exact(steps.minimum, 'min')) return `quantity is below ${String(steps.minimum['min'])}`
  if (order.type !== 'LIMIT') return undefined
  if (order.price === null || order.price <= 0n || order.price % exact(steps.amount, 'price') !== 0n) return `price is not a multiple of ${market.precision.price}`
  return undefined
}
