/**
 * Orders at Kraken. The client order id is ours and Kraken finds orders by it, open or closed. It
 * refuses a second one with this id only while the first is open, so nothing rests on that. Nonces
 * only grow, so after an answered lookup an earlier request can no longer be accepted, and what was
 * accepted is listed within the grace time.
 */
import { sum } from '../../../core/decimal.ts'
import type { Lookup, OrderReport, VenueFill, VenueOrder } from '../../contract.ts'
import { exact, optionalText, row } from '../answers.ts'
import type { Row } from '../answers.ts'
import { FINAL } from '../order-states.ts'
import type { Orders, OrderIdentity } from '../trading.ts'
import type { Asking, KrakenCalls } from './calls.ts'
import type { ReadOperation } from './money.ts'
import { lateRequests } from './nonce.ts'
import { krakenTrades, fillOf } from './trades.ts'
import { orderState } from './vocabulary.ts'

const TRADES_PER_QUERY = 20

type AskRow = (
  operation: ReadOperation,
  parameters: Record<string, string | boolean>,
) => Promise<Row>

export function krakenOrders(calls: KrakenCalls, sendWithin: number): Orders {
  const askRow =
    (asking: Asking): AskRow =>
    async (operation, parameters) =>
      row(await calls.ask(operation, parameters, { urgency: 'lookup', ...asking }))
  return {
    name: 'kraken',
    capabilities: { MARKET: ['IOC', 'GTC'], LIMIT: ['GTC', 'GTD', 'IOC'] },
    parameters,
    lookUp: (identity, asking = {}) => lookUp(askRow(asking), identity),
    whyNotAbsent: () => lateRequests(calls),
    trades: krakenTrades(calls),
    quiet: calls.quiet,
    cancel: (identity) =>
      calls.act('CancelOrder', sendWithin, async () => {
        await calls.ready()
        await calls.money.cancelOrder(
          identity.foreign_id ?? '',
          undefined,
          identity.foreign_id === null ? { clientOrderId: identity.client_order_id } : {},
        )
      }),
    notOpen: /^EOrder:Unknown order$/,
  }
}

async function lookUp(
  ask: AskRow,
  { foreign_id, client_order_id, quote_asset }: OrderIdentity,
): Promise<Lookup<OrderReport> | undefined> {
  const reportOn = (id: string, order: Row): Promise<Lookup<OrderReport>> =>
    describe(id, order, (trades) => readFills(ask, trades, quote_asset))
  if (foreign_id !== null) {
    const orders = await ask('QueryOrders', { txid: foreign_id, trades: true })
    return reportOn(foreign_id, row(orders[foreign_id]))
  }
  const found = await findByClientId(ask, client_order_id)
  const [only] = found
  if (only === undefined) return undefined
  if (found.length > 1)
    return {
      lookup: 'unknown',
      reason: `kraken lists ${found.length} orders with this client order id`,
    }
  return reportOn(only[0], row(only[1]))
}

/** Open first: an order that is closed between the two questions is seen by the second. */
async function findByClientId(
  ask: AskRow,
  cl_ord_id: string,
): Promise<[id: string, order: unknown][]> {
  const { open } = await ask('OpenOrders', { cl_ord_id, trades: true })
  const opened = row(open)
  const { closed } = await ask('ClosedOrders', { cl_ord_id, trades: true })
  return Object.entries({ ...opened, ...row(closed) }).filter(
    ([, order]) => row(order)['cl_ord_id'] === cl_ord_id,
  )
}

/** A trade may be named twice. */
function tradesOf({ trades }: Row): string[] {
  if (!Array.isArray(trades)) return []
  return [...new Set(trades.filter((trade): trade is string => typeof trade === 'string'))]
}

async function readFills(ask: AskRow, ids: readonly string[], quote: string): Promise<VenueFill[]> {
  const fills: VenueFill[] = []
  for (let start = 0; start < ids.length; start += TRADES_PER_QUERY) {
    const batch = ids.slice(start, start + TRADES_PER_QUERY)
    const trades = await ask('QueryTrades', { txid: batch.join(',') })
    for (const id of batch) fills.push(fillOf(id, row(trades[id]), quote))
  }
  return fills
}

/**
 * The order as Kraken shows it; `unknown` while it is final but not all of its trades are listed.
 */
async function describe(
  id: string,
  order: Row,
  fillsOf: (trades: readonly string[]) => Promise<VenueFill[]>,
): Promise<Lookup<OrderReport>> {
  const filled = exact(order, 'vol_exec')
  const state = orderState(order, filled, exact(order, 'vol'))
  const fills = await fillsOf(tradesOf(order))
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
