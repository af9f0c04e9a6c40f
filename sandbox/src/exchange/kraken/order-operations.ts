/** Kraken's private REST operations, version 0, about orders and trades. */
import type { Exchange, Status } from '../exchange.ts'
import { fixed, tryFigure } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { NewOrder, Objection } from '../new-order.ts'
import type { Order, OrderReference } from '../orders.ts'
import type { Trade } from '../trades.ts'
import type { KrakenLimits } from './limits.ts'
import { FIRST_STEP, FIRST_STEP_VOLUME } from './listing.ts'
import { findPair } from './pairs.ts'
import type { Pair } from './pairs.ts'
import { Refusal, pairsNamed, splitList, periodOf } from './request.ts'
import type { Fields, Operation } from './request.ts'
import { describe, orderView, tradeView } from './views.ts'

const PAGE = 50
const SHORTEST_LIFE_MILLISECONDS = 5_000
/** A UUID with or without hyphens, or at most 18 printable characters. */
const CL_ORD_ID =
  /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[\x21-\x7e]{1,18})$/i

/**
 * A reference is compared with those of open orders only ("Spot Client Order Identifiers",
 * docs.kraken.com/exchange/guides/general/clordid). The text of that refusal is assumed.
 */
const OBJECTIONS: Record<Objection, string> = {
  TICK: 'EOrder:Tick size check failed',
  STEP: 'EGeneral:Invalid arguments:volume',
  MINIMUM: 'EOrder:Order minimum not met',
  COST: 'EOrder:Cost minimum not met',
  REFERENCE: 'EGeneral:Invalid arguments:cl_ord_id',
  FUNDS: 'EOrder:Insufficient funds',
}

/**
 * What a halted market refuses. In maintenance every private operation is refused before it comes
 * here.
 */
const REFUSED_BY_STATUS: Partial<Record<Status, { types: NewOrder['type'][]; error: string }>> = {
  cancel_only: { types: ['market', 'limit'], error: 'EService:Market in cancel_only mode' },
  limit_only: { types: ['market'], error: 'EService:Market in limit_only mode' },
}

export function orderOperations(
  exchange: Exchange,
  limits: KrakenLimits,
): Record<string, Operation> {
  return {
    AddOrder: (fields) => addOrder(exchange, limits, fields),
    CancelOrder: (fields) => cancelOrder(exchange, limits, fields),
    TradeVolume: (fields) => tradeVolume(exchange, fields),
    QueryOrders: (fields) => queryOrders(exchange, fields),
    OpenOrders: (fields) => ({
      open: orderViews(exchange, fields, exchange.orders.open(referenceOf(fields))),
    }),
    ClosedOrders: (fields) => closedOrders(exchange, fields),
    QueryTrades: (fields) => queryTrades(exchange, fields),
    TradesHistory: (fields) => tradesHistory(exchange, fields),
  }
}

function addOrder(
  { world, matching, status }: Exchange,
  limits: KrakenLimits,
  fields: Fields,
): object {
  const order = readOrder(fields, world.now())
  limits.add(order.pair.id)
  const refused = REFUSED_BY_STATUS[status()]
  if (refused?.types.includes(order.type)) throw new Refusal(refused.error)
  const placed = matching.place(order, fields['validate'] === 'true')
  if ('refused' in placed) throw new Refusal(OBJECTIONS[placed.refused])
  const descr = { order: describe(order.pair, order) }
  return placed.order === undefined ? { descr } : { descr, txid: [placed.order.id] }
}

/** Refuses the first field that is wrong, in Kraken's order. */
function readOrder(fields: Fields, now: number): NewOrder & { pair: Pair } {
  const pair = findPair(fields['pair'] ?? '')
  if (pair === undefined) throw new Refusal('EQuery:Unknown asset pair')
  const { type: side, ordertype: type } = fields
  const tif = (fields['timeinforce'] ?? 'GTC').toUpperCase()
  if (side !== 'buy' && side !== 'sell') throw invalid('type')
  if (type !== 'market' && type !== 'limit') throw invalid('ordertype')
  if (tif !== 'GTC' && tif !== 'IOC' && tif !== 'GTD') throw invalid('timeinforce')
  const expires_at = expiry(tif, fields['expiretm'], now)
  if (fields['oflags'] !== undefined && fields['oflags'] !== 'fciq') throw invalid('oflags')
  const volume = tryFigure(fields['volume'] ?? '')
  if (volume === undefined || volume === 0n) throw invalid('volume')
  const price = type === 'limit' ? tryFigure(fields['price'] ?? '') : 0n
  if (price === undefined || (type === 'limit' && price === 0n)) throw invalid('price')
  const references = readReferences(fields)
  return { owner: 'kontor', pair, side, type, tif, expires_at, price, volume, ...references }
}

function invalid(field: string): Refusal {
  return new Refusal(`EGeneral:Invalid arguments:${field}`)
}

function readReferences(fields: Fields): { cl_ord_id: string | null; userref: number | null } {
  const cl_ord_id = fields['cl_ord_id'] ?? null
  const userref = fields['userref'] === undefined ? null : Number(fields['userref'])
  if (cl_ord_id !== null && !CL_ORD_ID.test(cl_ord_id)) throw invalid('cl_ord_id')
  if (cl_ord_id !== null && userref !== null) throw invalid('cl_ord_id and userref are exclusive')
  return { cl_ord_id, userref }
}

/**
 * A time in seconds, or `+` seconds from now, at least five of them; 0 is never. Only GTD orders
 * have one.
 */
function expiry(tif: string, expiretm: string | undefined, now: number): number | null {
  const text = expiretm ?? '0'
  if (!/^\+?[0-9]{1,12}$/.test(text)) throw invalid('expiretm')
  const base = text.startsWith('+') ? now : 0
  const at = text === '0' ? null : base + Number(text) * 1000
  if ((tif === 'GTD') !== (at !== null)) throw invalid('expiretm')
  if (at !== null && at < now + SHORTEST_LIFE_MILLISECONDS) throw invalid('expiretm')
  return at
}

function cancelOrder(
  { world, orders, matching }: Exchange,
  limits: KrakenLimits,
  { cl_ord_id, txid }: Fields,
): object {
  const found =
    cl_ord_id === undefined
      ? orders.open().filter((order) => order.id === txid || String(order.userref) === txid)
      : orders.open({ cl_ord_id })
  if (found.length === 0) throw new Refusal('EOrder:Unknown order')
  for (const order of found) {
    matching.cancel(order.id)
    limits.cancel(order.pair, world.now() - order.opened_at)
  }
  return { count: found.length }
}

function queryOrders(exchange: Exchange, fields: Fields): object {
  const ids = splitList(fields['txid'])
  if (ids.length === 0) throw new Refusal('EGeneral:Invalid arguments')
  const found = ids.map((id) => exchange.orders.byId(id)).filter((order) => order !== undefined)
  if (found.length < ids.length) throw new Refusal('EOrder:Invalid order')
  return orderViews(exchange, fields, found)
}

function closedOrders(exchange: Exchange, fields: Fields): object {
  const { orders, count } = exchange.orders.closed({
    ...referenceOf(fields),
    ...periodOf(fields),
    offset: Number(fields['ofs'] ?? '0'),
    limit: PAGE,
  })
  return { closed: orderViews(exchange, fields, orders), count }
}

function referenceOf({ cl_ord_id, userref }: Fields): OrderReference {
  return {
    ...(cl_ord_id === undefined ? {} : { cl_ord_id }),
    ...(userref === undefined ? {} : { userref: Number(userref) }),
  }
}

/** By id; with the ids of the trades when the request asks for them. */
function orderViews({ orders }: Exchange, fields: Fields, rows: readonly Order[]): object {
  const withTrades = fields['trades'] === 'true'
  return Object.fromEntries(
    rows.map((row) => [row.id, orderView(row, withTrades ? orders.tradesOf(row.id) : [])]),
  )
}

function queryTrades({ orders }: Exchange, fields: Fields): object {
  const ids = splitList(fields['txid'])
  const found = ids.map((id) => orders.trade(id)).filter((trade) => trade !== undefined)
  if (found.length === 0 || found.length < ids.length)
    throw new Refusal('EGeneral:Invalid arguments')
  return tradeViews(found)
}

/** As recorded: JKorf/Kraken.Net, Endpoints/Spot/Account/GetTradeVolume.txt. */
function tradeVolume({ rules }: Exchange, fields: Fields): object {
  const pairs = fields['pair'] === undefined ? [] : pairsNamed(fields['pair'])
  const feesAt = (fee: Figure) => {
    const percent = fixed(fee * 100n, 4)
    return Object.fromEntries(
      pairs.map((pair) => [
        pair.id,
        {
          fee: percent,
          minfee: '0.0000',
          maxfee: fixed((fee + FIRST_STEP) * 100n, 4),
          nextfee: null,
          nextvolume: null,
          tiervolume: `${FIRST_STEP_VOLUME}.0000`,
        },
      ]),
    )
  }
  return {
    currency: 'ZUSD',
    volume: `${FIRST_STEP_VOLUME}.0000`,
    fees: feesAt(rules.taker_fee),
    fees_maker: feesAt(rules.maker_fee),
  }
}

function tradesHistory({ orders }: Exchange, fields: Fields): object {
  const offset = Number(fields['ofs'] ?? '0')
  const { trades, count } = orders.trades({ ...periodOf(fields), offset, limit: PAGE })
  return { trades: tradeViews(trades), count }
}

function tradeViews(trades: readonly Trade[]): object {
  return Object.fromEntries(trades.map((trade) => [trade.id, tradeView(trade)]))
}
