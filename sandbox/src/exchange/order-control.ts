/** The experimenter's hand on orders and trades: placed by hand in the client's account, filled, canceled, taken back, listed late. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Exchange } from './exchange.ts'
import { plain, tryFigure } from './figures.ts'
import type { NewOrder } from './matching.ts'
import type { Order } from './orders.ts'
import type { Pair } from './rules.ts'

type Fields = Record<string, unknown>

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

/** `:id` is the exchange's or the client's; a trade's may be its number too. */
export function mountOrderControl(
  server: FastifyInstance,
  { orders, matching, behaviour, accounts, world }: Exchange,
  root: string,
  findPair: (name: string) => Pair | undefined,
): void {
  const bad = (reply: FastifyReply, message: string) => reply.code(400).send({ error: message })
  const trades = () => orders.allTrades(LISTED)
  const view = (order: Order) => ({
    ...order,
    trades: trades().filter((trade) => trade.order_id === order.id),
  })
  const find = (id: string) =>
    orders.byId(id) ?? orders.all(LISTED).find((order) => order.cl_ord_id === id)

  server.get(`${root}/orders`, async () => orders.all(LISTED).map(view))
  server.get(`${root}/trades`, async () => trades())
  server.post<{ Body: Fields }>(`${root}/orders`, async (request, reply) => {
    const {
      pair: name,
      side,
      type,
      volume,
      price = '0',
      tif = 'GTC',
      expires_at = null,
      client_order_id = null,
    } = request.body ?? {}
    const pair = findPair(String(name))
    const [amount, limit] = [tryFigure(String(volume)), tryFigure(String(price))]
    const kind = (['GTC', 'GTD', 'IOC', 'FOK'] as const).find((each) => each === tif)
    if (
      pair === undefined ||
      amount === undefined ||
      limit === undefined ||
      kind === undefined ||
      (side !== 'buy' && side !== 'sell') ||
      (type !== 'market' && type !== 'limit')
    ) {
      return bad(reply, 'pair, side, type and volume are needed')
    }
    const order: NewOrder = {
      owner: 'kontor',
      pair,
      side,
      type,
      tif: kind,
      expires_at: kind === 'GTD' ? Number(expires_at) : null,
      price: limit,
      volume: amount,
      cl_ord_id: client_order_id === null ? null : String(client_order_id),
      userref: null,
    }
    const placed = matching.place(order, false)
    if ('refused' in placed || placed.order === undefined)
      return bad(reply, 'refused' in placed ? placed.refused : 'nothing was placed')
    return view(placed.order)
  })
  server.post<{ Params: { id: string }; Body: Fields }>(
    `${root}/orders/:id/fill`,
    async (request, reply) => {
      const order = find(request.params.id)
      const read = (field: string) =>
        request.body?.[field] === undefined ? undefined : tryFigure(String(request.body[field]))
      if (order === undefined || !matching.fill(order.id, read('quantity'), read('price')))
        return bad(reply, 'there is nothing of this order to fill')
      return view(orders.byId(order.id) ?? order)
    },
  )
  server.post<{ Params: { id: string } }>(`${root}/orders/:id/cancel`, async (request, reply) => {
    const order = find(request.params.id)
    if (order === undefined || !matching.cancel(order.id))
      return bad(reply, 'there is no such open order')
    return view(orders.byId(order.id) ?? order)
  })
  server.post<{ Params: { id: string } }>(`${root}/trades/:id/bust`, async (request, reply) => {
    const found = trades().find(
      (trade) => trade.id === request.params.id || String(trade.trade_id) === request.params.id,
    )
    if (found === undefined || found.busted_at !== null)
      return bad(reply, 'there is no such trade that stands')
    matching.bust(found)
    return { done: true, holdings: accounts.all().filter((each) => each.owner === 'kontor') }
  })
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
