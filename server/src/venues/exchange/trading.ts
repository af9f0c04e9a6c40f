/**
 * Orders at an exchange, as far as all exchanges are alike: what is not in the capability table or
 * would be rounded is refused before it is sent, an accepted order is read back, and what an
 * exception means is decided once. `absent` needs time: until then an earlier request may still be
 * accepted, or what was accepted is not listed yet.
 */
import { format, multiply } from '../../core/decimal.ts'
import type { Lookup, OrderLookup, OrderReport, Outcome, Trading, VenueOrder } from '../contract.ts'
import { exact, row } from './answers.ts'
import type { Market, Money } from './ccxt.ts'
import { tradesSince } from './trades.ts'
import type { TradeSource } from './trades.ts'
import type { Calls, Failures } from './wire.ts'

export type Wanted = Pick<
  OrderLookup,
  'client_order_id' | 'foreign_id' | 'base_asset' | 'quote_asset' | 'quantity'
>

/** What an exchange has of its own. */
export type Orders = {
  name: string
  /**
   * What it really has, each proven on the wire; ccxt would also take kinds that the exchange then
   * executes as plain market orders.
   */
  capabilities: Record<VenueOrder['type'], readonly VenueOrder['tif_mode'][]>
  /** What goes along with the order for ccxt. */
  parameters(order: VenueOrder): Record<string, string>
  /** Undefined when the exchange knows no such order of ours. */
  lookUp(wanted: Wanted): Promise<Lookup<OrderReport> | undefined>
  cancel(wanted: Wanted): Promise<void>
  /** The exchange's text when the order to cancel is not open. */
  notOpen: RegExp
  trades: TradeSource
}

/**
 * `sendWithin`: whoever had to wait longer is not sent any more. `absentAfter`: both in
 * milliseconds.
 */
export type Patience = { sendWithin: number; absentAfter: number }
export type TradingParts = {
  money: Money
  calls: Calls
  ready(): Promise<void>
  patience: Patience
  failures: Failures
  orders: Orders
}

export function openTrading({
  money,
  calls,
  ready,
  patience,
  failures,
  orders,
}: TradingParts): Trading {
  const { name } = orders
  const supports: Trading['supports'] = ({ type, tif_mode }) =>
    orders.capabilities[type]?.includes(tif_mode) ?? false

  const send = async (order: VenueOrder): Promise<Outcome<OrderReport>> => {
    const refused = (reason: string): Outcome<OrderReport> => ({
      outcome: 'refused',
      reason,
      native: null,
    })
    if (!supports(order))
      return refused(`${name} has no ${order.type} order with ${order.tif_mode}`)
    if ((order.tif_mode === 'GTD') !== (order.expires_at !== null))
      return refused('expires_at goes with GTD and with nothing else')
    const symbol = `${order.base_asset}/${order.quote_asset}`
    const started = Date.now()
    let id: string | undefined
    try {
      const placed = await calls(async () => {
        await ready()
        const market: Market | undefined = money.markets?.[symbol]
        const objection =
          market === undefined
            ? `${name} does not trade ${symbol}`
            : objectionTo(name, order, market)
        if (objection !== undefined) return { objection }
        // Who has waited this long may have been given up: by now another may have been told
        // `absent`.
        if (Date.now() - started > patience.sendWithin) return { late: true as const }
        const price =
          order.type === 'LIMIT' && order.price !== null ? format(order.price) : undefined
        const parameters = { clientOrderId: order.client_order_id, ...orders.parameters(order) }
        return {
          id: (
            await money.createOrder(
              symbol,
              order.type.toLowerCase(),
              order.side.toLowerCase(),
              format(order.quantity),
              price,
              parameters,
            )
          ).id,
        }
      })
      if ('objection' in placed) return refused(placed.objection)
      if ('late' in placed)
        return { outcome: 'unknown', reason: `not sent: earlier calls to ${name} took too long` }
      id = placed.id
    } catch (error) {
      return failures.outcomeOf(error)
    }
    if (typeof id !== 'string' || id === '')
      return { outcome: 'unknown', reason: `${name} named no order` }
    return {
      outcome: 'accepted',
      report: await stateAfter({ ...order, foreign_id: id }, 'PENDING_NEW'),
    }
  }

  /**
   * After an accepted act the order's state is a courtesy: when it cannot be read, the caller's
   * next look tells.
   */
  const stateAfter = async (
    wanted: Wanted,
    meanwhile: OrderReport['state'],
  ): Promise<OrderReport> => {
    const bare: OrderReport = {
      foreign_id: wanted.foreign_id ?? '',
      state: meanwhile,
      reason: null,
      filled_quantity: 0n,
      fills: [],
    }
    try {
      const found = await orders.lookUp(wanted)
      return found?.lookup === 'found' ? found.report : bare
    } catch {
      return bare
    }
  }

  return {
    supports,
    send,
    trades: (cursor, from) => failures.reading(() => tradesSince(orders.trades, cursor, from)),
    async find(lookup) {
      const found = await failures.reading(() => orders.lookUp(lookup))
      if (found !== undefined) return found
      if (Date.now() - lookup.sent_at < patience.absentAfter)
        return { lookup: 'unknown', reason: 'too early to say' }
      return { lookup: 'absent' }
    },
    async cancel(lookup) {
      try {
        await orders.cancel(lookup)
      } catch (error) {
        const failure = failures.failureOf(error)
        if (failure.native !== null && orders.notOpen.test(failure.native))
          return { outcome: 'refused', reason: 'the order is not open', native: failure.native }
        return failures.outcomeOf(error)
      }
      return { outcome: 'accepted', report: await stateAfter(lookup, 'PENDING_CANCEL') }
    },
  }
}

/**
 * ccxt cuts quantities and prices to the step without a word; what does not fit is refused before.
 */
function objectionTo(name: string, order: VenueOrder, market: Market): string | undefined {
  if (!market.active) return `${name} has closed ${market.symbol}`
  const [steps, amount, cost] = [
    row(market.precision),
    row(market.limits.amount),
    row(market.limits.cost),
  ]
  if (order.quantity <= 0n || order.quantity % exact(steps, 'amount') !== 0n)
    return `quantity is not a multiple of ${market.precision.amount}`
  if (amount['min'] !== undefined && order.quantity < exact(amount, 'min'))
    return `quantity is below ${String(amount['min'])}`
  if (order.type !== 'LIMIT') return undefined
  if (order.price === null || order.price <= 0n || order.price % exact(steps, 'price') !== 0n)
    return `price is not a multiple of ${market.precision.price}`
  if (
    cost['min'] !== undefined &&
    multiply(order.price, order.quantity, 18, 'down') < exact(cost, 'min')
  )
    return `price × quantity is below ${String(cost['min'])}`
  return undefined
}
