/** Executions, their orders and fills: in our books, and in those of the exchanges. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { until } from './patience.ts'
import type { World } from './world.ts'

const EXCHANGES = ['kraken', 'bitstamp', 'okx', 'prime'] as const
type Exchange = (typeof EXCHANGES)[number]

/** Their tables in the sandbox, and the operation that sends an order. */
export const BOOKS: Readonly<Record<Exchange, { tables: string; send: string; cancel: string }>> = {
  kraken: { tables: 'exchange', send: 'AddOrder', cancel: 'CancelOrder' },
  bitstamp: { tables: 'bitstamp', send: 'order', cancel: 'cancel_order' },
  okx: { tables: 'okx', send: 'order', cancel: 'cancel-order' },
  prime: { tables: 'prime', send: 'AddOrder', cancel: 'CancelOrder' },
}
export type ExecutionRow = {
  id: string
  state: string
  reason_code: string | null
  side: 'BUY' | 'SELL'
  base_asset: string
  quote_asset: string
  filled_amount: string
  filled_volume: string
}
export type OrderRow = {
  id: string
  venue_id: string
  state: string
  hop_no: number
  client_order_id: string
}
export type Fill = {
  order_id: string
  hop_no: number
  base_asset: string
  quantity: string
  volume: string
  busted: boolean
}
export type VenueOrder = { id: string; status: string; executed: string }
type Traded = { id: string; volume: string; cost: string; busted_at: number | null }

export const executionOf = async ({ db, workspace }: World, id: string): Promise<ExecutionRow> =>
  mustExist(
    (
      await db.query<ExecutionRow>(sql`
        select id, state, reason_code, side, base_asset, quote_asset, filled_amount, filled_volume
        from executions
        where workspace = ${workspace}
          and id = ${id}`)
    )[0],
    `execution ${id}`,
  )

export const ordersOf = ({ db, workspace }: World, id: string) =>
  db.query<OrderRow>(
    sql`
      select id, venue_id, state, hop_no, client_order_id
      from execution_orders
      where workspace = ${workspace}
        and execution_id = ${id}
      order by id`,
  )

export const fillsOf = ({ db, workspace }: World, id: string) =>
  db.query<Fill>(sql`
    select order_id, hop_no, base_asset, quantity, volume, busted
    from fills
    where workspace = ${workspace}
      and execution_id = ${id}
    order by id`)

const exchangeOf = (world: World, venue_id: string): Exchange =>
  mustExist(
    EXCHANGES.find((exchange) => world.venues[exchange] === venue_id),
    'an order is at an exchange',
  )

/** Our reference as the exchange keeps it. */
const spelled = (exchange: Exchange, reference: string): string =>
  exchange === 'okx' ? reference.replaceAll('-', '') : reference

/** The exchange's own orders and trades of one of ours. */
export function atExchange(
  world: World,
  { client_order_id, venue_id }: OrderRow,
): { placed: VenueOrder[]; traded: Traded[] } {
  const exchange = exchangeOf(world, venue_id)
  const { tables } = BOOKS[exchange]
  const placed = world.outside<VenueOrder>(
    `
      select id, status, executed
      from ${tables}_orders
      where cl_ord_id = ?`,
    spelled(exchange, client_order_id),
  )
  return {
    placed,
    traded: placed.flatMap((placed) =>
      world.outside<Traded>(
        `
          select id, volume, cost, busted_at
          from ${tables}_trades
          where order_id = ?
          order by trade_id`,
        placed.id,
      ),
    ),
  }
}

/** Of all the orders of an execution, or of several. */
export async function askedOf(world: World, orders: readonly OrderRow[]): Promise<number> {
  const counts = await world.sandbox.control<
    { venue: string; operation: string; reference: string; count: number }[]
  >('GET', 'counts')
  return counts
    .filter((count) =>
      orders.some(
        (order) =>
          count.reference === spelled(exchangeOf(world, order.venue_id), order.client_order_id) &&
          count.operation === BOOKS[exchangeOf(world, order.venue_id)].send,
      ),
    )
    .reduce((total, count) => total + count.count, 0)
}

export const observeTrades = ({ db, workspace }: World): Promise<unknown> =>
  db.query(
    sql`
      update tasks
      set due_at = 0
      where workspace = ${workspace}
        and kind = 'observe_trades'
        and leased_until is null`,
  )

/**
 * Trades that were taken back are looked for each quarter of an hour, unless they are among the
 * newest of their venue: as though that had passed.
 */
export const lookBack = ({ db, workspace }: World): Promise<unknown> =>
  db.query(
    sql`
      update trade_cursors
      set cursor = jsonb_set(cursor::jsonb, '{looked_back_at}', '0')::text
      where workspace = ${workspace}
        and cursor is not null`,
  )

const priceRoutes = new WeakMap<World, Promise<Map<string, string>>>()

async function routeId(world: World, label: string): Promise<string> {
  const known =
    priceRoutes.get(world) ??
    world
      .call<{ id: string; label: string }[]>('GET', '/price-stream/routes')
      .then((all) => new Map(all.map((route) => [route.label, route.id])))
  priceRoutes.set(world, known)
  return mustExist((await known).get(label), `price-stream route ${label}`)
}

type ExecutionRequest = { route: string; order: object; customers: readonly object[] }

/** A client who is refused for want of a fresh price asks again, with the same key. */
export async function execute(
  world: World,
  { route, order, customers }: ExecutionRequest,
  key: string,
): Promise<string> {
  const body = { route_id: await routeId(world, route), ...order, customers }
  return until(`a price for ${route}`, async () => {
    try {
      return (await world.call<{ id: string }>('POST', '/executions', body, key)).id
    } catch (error) {
      if (String(error).includes('STALE_PRICE') || String(error).includes('NO_LIQUIDITY'))
        return undefined
      throw error
    }
  })
}
