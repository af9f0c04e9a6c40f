/** The client's orders and trades as stored rows; matching.ts decides, this file remembers. */
import type { World } from '../world.ts'
import type { Owner } from './accounts.ts'

export type Side = 'buy' | 'sell'
/** GTD: until `expires_at`; IOC: at once or not; FOK: all of it at once or nothing. */
export type TimeInForce = 'GTC' | 'GTD' | 'IOC' | 'FOK'
export type OrderStatus = 'open' | 'closed' | 'canceled' | 'expired'

export type Order = {
  id: string
  /** Arrival order: time priority. */
  seq: number
  owner: Owner
  pair: string
  side: Side
  type: 'market' | 'limit'
  tif: TimeInForce
  /** World time; null unless GTD. */
  expires_at: number | null
  /** 0 for a market order. */
  price: string
  volume: string
  executed: string
  cost: string
  fee: string
  held: string
  status: OrderStatus
  reason: string | null
  cl_ord_id: string | null
  userref: number | null
  opened_at: number
  closed_at: number | null
}

export type Trade = {
  id: string
  trade_id: number
  order_id: string
  pair: string
  side: Side
  ordertype: 'market' | 'limit'
  price: string
  volume: string
  cost: string
  fee: string
  maker: number
  at: number
  /** From when on the client's lists show it. */
  visible_at: number
  /** When it was taken back. */
  busted_at: number | null
}

export type Orders = {
  insert(order: Omit<Order, 'seq'>): Order
  update(order: Order): void
  insertTrade(trade: Omit<Trade, 'trade_id' | 'busted_at'>): void
  bust(tradeId: string): void
  byId(id: string): Order | undefined
  /** Open ones whose time is over. */
  due(now: number): Order[]
  open(filter?: { cl_ord_id?: string; userref?: number }): Order[]
  /** Newest first. */
  closed(filter: {
    cl_ord_id?: string
    userref?: number
    from?: number
    to?: number
    offset: number
    limit: number
  }): { orders: Order[]; count: number }
  all(limit: number): Order[]
  /** All, whether shown yet or not. */
  allTrades(limit: number): Trade[]
  /** The following show only what is visible by now. */
  tradesOf(orderId: string): Trade[]
  trade(id: string): Trade | undefined
  /** Newest first. */
  trades(filter: { from?: number; to?: number; offset: number; limit: number }): {
    trades: Trade[]
    count: number
  }
}

const ORDER =
  'id, seq, owner, pair, side, type, tif, expires_at, price, volume, executed, cost, fee, held, status, reason, cl_ord_id, userref, opened_at, closed_at'
const TRADE =
  'id, trade_id, order_id, pair, side, ordertype, price, volume, cost, fee, maker, at, visible_at, busted_at'

export function openOrders(world: World, tables: string): Orders {
  const { db } = world
  const [ORDERS, TRADES] = [`${tables}_orders`, `${tables}_trades`]
  db.exec(`
    create table if not exists ${ORDERS} (
      seq integer primary key autoincrement, id text not null unique, owner text not null, pair text not null, side text not null, type text not null,
      tif text not null, expires_at integer, price text not null, volume text not null, executed text not null, cost text not null, fee text not null, held text not null,
      status text not null, reason text, cl_ord_id text, userref integer, opened_at integer not null, closed_at integer);
    create index if not exists ${ORDERS}_status on ${ORDERS} (status, closed_at);
    create index if not exists ${ORDERS}_cl_ord_id on ${ORDERS} (cl_ord_id);
    create table if not exists ${TRADES} (
      trade_id integer primary key autoincrement, id text not null unique, order_id text not null, pair text not null, side text not null, ordertype text not null,
      price text not null, volume text not null, cost text not null, fee text not null, maker integer not null, at integer not null,
      visible_at integer not null default 0, busted_at integer);
    create index if not exists ${TRADES}_order on ${TRADES} (order_id);
  `)
  added(db, ORDERS, 'expires_at integer')
  added(db, TRADES, 'visible_at integer not null default 0')
  added(db, TRADES, 'busted_at integer')
  const insert =
    db.prepare(`insert into ${ORDERS} (id, owner, pair, side, type, tif, expires_at, price, volume, executed, cost, fee, held, status, reason, cl_ord_id, userref, opened_at, closed_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const update = db.prepare(
    `update ${ORDERS} set executed = ?, cost = ?, fee = ?, held = ?, status = ?, reason = ?, closed_at = ? where id = ?`,
  )
  const insertTrade = db.prepare(
    `insert into ${TRADES} (id, order_id, pair, side, ordertype, price, volume, cost, fee, maker, at, visible_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const byId = db.prepare(`select ${ORDER} from ${ORDERS} where id = ?`)
  const tradesOf = db.prepare(
    `select ${TRADE} from ${TRADES} where order_id = ? and visible_at <= ? order by trade_id`,
  )
  const trade = db.prepare(`select ${TRADE} from ${TRADES} where id = ? and visible_at <= ?`)
  const allTrades = db.prepare(`select ${TRADE} from ${TRADES} order by trade_id desc limit ?`)
  const bust = db.prepare(`update ${TRADES} set busted_at = ? where id = ?`)
  const due = db.prepare(
    `select ${ORDER} from ${ORDERS} where status = 'open' and expires_at <= ? order by seq`,
  )
  const MATCHES = '(? is null or cl_ord_id = ?) and (? is null or userref = ?)'
  const WITHIN = '(? is null or %s > ?) and (? is null or %s <= ?)'
  const open = db.prepare(
    `select ${ORDER} from ${ORDERS} where status = 'open' and ${MATCHES} order by seq desc`,
  )
  const closedWhere = `status in ('closed', 'canceled', 'expired') and ${MATCHES} and ${WITHIN.replaceAll('%s', 'closed_at')}`
  const closed = db.prepare(
    `select ${ORDER} from ${ORDERS} where ${closedWhere} order by closed_at desc, seq desc limit ? offset ?`,
  )
  const closedCount = db.prepare(`select count(*) as count from ${ORDERS} where ${closedWhere}`)
  const tradesWhere = `visible_at <= ? and ${WITHIN.replaceAll('%s', 'at')}`
  const trades = db.prepare(
    `select ${TRADE} from ${TRADES} where ${tradesWhere} order by trade_id desc limit ? offset ?`,
  )
  const tradesCount = db.prepare(`select count(*) as count from ${TRADES} where ${tradesWhere}`)
  const all = db.prepare(`select ${ORDER} from ${ORDERS} order by seq desc limit ?`)

  const matching = (filter: { cl_ord_id?: string; userref?: number }) => {
    const reference = filter.cl_ord_id ?? null
    const userref = filter.userref ?? null
    return [reference, reference, userref, userref]
  }
  const within = (filter: { from?: number; to?: number }) => {
    const from = filter.from ?? null
    const to = filter.to ?? null
    return [from, from, to, to]
  }
  return {
    insert(o) {
      const { lastInsertRowid } = insert.run(
        o.id,
        o.owner,
        o.pair,
        o.side,
        o.type,
        o.tif,
        o.expires_at,
        o.price,
        o.volume,
        o.executed,
        o.cost,
        o.fee,
        o.held,
        o.status,
        o.reason,
        o.cl_ord_id,
        o.userref,
        o.opened_at,
        o.closed_at,
      )
      return { ...o, seq: Number(lastInsertRowid) }
    },
    update: (o) => {
      update.run(o.executed, o.cost, o.fee, o.held, o.status, o.reason, o.closed_at, o.id)
    },
    insertTrade: (t) => {
      insertTrade.run(
        t.id,
        t.order_id,
        t.pair,
        t.side,
        t.ordertype,
        t.price,
        t.volume,
        t.cost,
        t.fee,
        t.maker,
        t.at,
        t.visible_at,
      )
    },
    bust: (id) => {
      bust.run(world.now(), id)
    },
    due: (now) => due.all(now) as Order[],
    allTrades: (limit) => allTrades.all(limit) as Trade[],
    byId: (id) => byId.get(id) as Order | undefined,
    open: (filter = {}) => open.all(...matching(filter)) as Order[],
    closed: (filter) => ({
      orders: closed.all(
        ...matching(filter),
        ...within(filter),
        filter.limit,
        filter.offset,
      ) as Order[],
      count: (closedCount.get(...matching(filter), ...within(filter)) as { count: number }).count,
    }),
    all: (limit) => all.all(limit) as Order[],
    tradesOf: (orderId) => tradesOf.all(orderId, world.now()) as Trade[],
    trade: (id) => trade.get(id, world.now()) as Trade | undefined,
    trades: (filter) => ({
      trades: trades.all(world.now(), ...within(filter), filter.limit, filter.offset) as Trade[],
      count: (tradesCount.get(world.now(), ...within(filter)) as { count: number }).count,
    }),
  }
}

/** A world that was made before has its tables already. */
function added(db: World['db'], table: string, column: string): void {
  const [name] = column.split(' ')
  const columns = db.prepare(`select name from pragma_table_info('${table}')`).all() as {
    name: string
  }[]
  if (!columns.some((column) => column.name === name))
    db.exec(`alter table ${table} add column ${column}`)
}
