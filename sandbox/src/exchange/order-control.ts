/**
 * Control routes for orders and trades: place, fill and cancel orders, take trades back, list them
 * late.
 */
import type { FastifyInstance } from 'fastify'
import { bad } from './bad-request.ts'
import type { Exchange } from './exchange.ts'
import { plain, tryFigure } from './figures.ts'
import type { NewOrder } from './new-order.ts'
import type { Order, TimeInForce } from './orders.ts'
import type { Pair } from './rules.ts'

type Fields = Record<string, unknown>
type ById = { Params: { id: string }; Body: Fields }
type FindPair = (name: string) => Pair | undefined

export const ORDER_ROUTES = [
  'GET orders',
  'POST orders {pair, side, type, volume, price?, tif?, expires_at?, client_order_id?}',
  'POST orders/:id/fill {quantity?, price?}',
  'POST orders/:id/cancel {}',
  'GET trades',
  'POST trades/:id/bust {}',
  'POST behaviour {fill_at_most?, listing_delay_ms?}',
]

const LISTED = 1_000
const LONGEST_DELAY_MILLISECONDS = 86_400_000
const TIMES_IN_FORCE: readonly TimeInForce[] = ['GTC', 'GTD', 'IOC', 'FOK']

/** `:id` is the exchange's id or the client's; a trade's may also be its number. */
export function mountOrderControl(
  server: FastifyInstance,
  exchange: Exchange,
  root: string,
  findPair: FindPair,
): void {
  mountOrders(server, exchange, root, findPair)
  mountTrades(server, exchange, root)
  mountBehaviour(server, exchange, root)
}

function mountOrders(
  server: FastifyInstance,
  { orders, matching }: Exchange,
  root: string,
  findPair: FindPair,
): void {
  const view = (order: Order) => ({
    ...order,
    trades: orders.allTrades(LISTED).filter((trade) => trade.order_id === order.id),
  })
  const find = (id: string) =>
    orders.byId(id) ?? orders.all(LISTED).find((order) => order.cl_ord_id === id)

  server.get(`${root}/orders`, async () => orders.all(LISTED).map(view))
  server.post<{ Body: Fields }>(`${root}/orders`, async (request, reply) => {
    const order = readOrder(request.body ?? {}, findPair)
    if (order === undefined) return bad(reply, 'pair, side, type and volume are needed')
    const placed = matching.place(order, false)
    if ('refused' in placed) return bad(reply, placed.refused)
    if (placed.order === undefined) return bad(reply, 'nothing was placed')
    return view(placed.order)
  })
  server.post<ById>(`${root}/orders/:id/fill`, async (request, reply) => {
    const order = find(request.params.id)
    const read = (field: string) =>
      request.body?.[field] === undefined ? undefined : tryFigure(String(request.body[field]))
    if (order === undefined || !matching.fill(order.id, read('quantity'), read('price')))
      return bad(reply, 'there is nothing of this order to fill')
    return view(orders.byId(order.id) ?? order)
  })
  server.post<ById>(`${root}/orders/:id/cancel`, async (request, reply) => {
    const order = find(request.params.id)
    if (order === undefined || !matching.cancel(order.id))
      return bad(reply, 'there is no such open order')
    return view(orders.byId(order.id) ?? order)
  })
}

function readOrder(body: Fields, findPair: FindPair): NewOrder | undefined {
  const { side, type, price = '0', tif = 'GTC', expires_at = null, client_order_id = null } = body
  const pair = findPair(String(body['pair']))
  const [volume, limit] = [tryFigure(String(body['volume'])), tryFigure(String(price))]
  const timeInForce = TIMES_IN_FORCE.find((known) => known === tif)
  if (pair === undefined || volume === undefined || limit === undefined) return undefined
  if (timeInForce === undefined || (side !== 'buy' && side !== 'sell')) return undefined
  if (type !== 'market' && type !== 'limit') return undefined
  return {
    owner: 'kontor',
    pair,
    side,
    type,
    tif: timeInForce,
    expires_at: timeInForce === 'GTD' ? Number(expires_at) : null,
    price: limit,
    volume,
    cl_ord_id: client_order_id === null ? null : String(client_order_id),
    userref: null,
  }
}

function mountTrades(
  server: FastifyInstance,
  { orders, matching, accounts }: Exchange,
  root: string,
): void {
  server.get(`${root}/trades`, async () => orders.allTrades(LISTED))
  // At any time after the trade, as FIX does it (ExecType H, Trade Cancel, of a published fill).
  server.post<ById>(`${root}/trades/:id/bust`, async (request, reply) => {
    const { id } = request.params
    const found = orders
      .allTrades(LISTED)
      .find((trade) => trade.id === id || String(trade.trade_id) === id)
    if (found === undefined || found.busted_at !== null)
      return bad(reply, 'there is no such trade that stands')
    matching.bust(found)
    const holdings = accounts.all().filter((holding) => holding.owner === 'kontor')
    return { done: true, holdings }
  })
}

function mountBehaviour(
  server: FastifyInstance,
  { world, behaviour }: Exchange,
  root: string,
): void {
  server.post<{ Body: Fields }>(`${root}/behaviour`, async (request, reply) => {
    const { fill_at_most = null, listing_delay_ms = 0, ...unknown } = request.body ?? {}
    const size = fill_at_most === null ? null : tryFigure(String(fill_at_most))
    if (
      Object.keys(unknown).length > 0 ||
      size === undefined ||
      typeof listing_delay_ms !== 'number' ||
      listing_delay_ms < 0 ||
      listing_delay_ms > LONGEST_DELAY_MILLISECONDS
    )
      return bad(reply, 'fill_at_most is a decimal string or null, listing_delay_ms a number')
    world.commit(() => {
      behaviour.set(size === null ? null : plain(size), listing_delay_ms)
    })
    return { fill_at_most, listing_delay_ms }
  })
}
