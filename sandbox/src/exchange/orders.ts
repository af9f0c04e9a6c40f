/**
 * The client's orders as stored rows, with their trades. `matching.ts` decides; this file
 * remembers.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { World } from '../world.ts'
import type { Owner } from './accounts.ts'
import { addColumn, matchesPeriod, periodValues } from './tables.ts'
import type { Period } from './tables.ts'
import { openTrades } from './trades.ts'
import type { Trades } from './trades.ts'

export type Side = 'buy' | 'sell'
/** GTD: until `expires_at`. IOC: at once or not. FOK: all of it at once or nothing. */
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

export type OrderReference = { cl_ord_id?: string; userref?: number }

type OrderTable = {
  insert(order: Omit<Order, 'seq'>): Order
  update(order: Order): void
  byId(id: string): Order | undefined
  /** Open ones whose time is over. */
  due(now: number): Order[]
  open(filter?: OrderReference): Order[]
  /** Newest first. */
  closed(filter: OrderReference & Period & { offset: number; limit: number }): {
    orders: Order[]
    count: number
  }
  all(limit: number): Order[]
  /** Those that were placed or changed since it was called last. For one caller, the stream. */
  takeChanged(): Order[]
}

export type Orders = OrderTable & Trades

export function openOrders(world: World, tables: string): Orders {
  return {
    ...openOrderTable(world.db, `${tables}_orders`),
    ...openTrades(world, `${tables}_trades`),
  }
}

const FIELDS = `owner, pair, side, type, tif, expires_at, price, volume, executed, cost, fee, held,
  status, reason, cl_ord_id, userref, opened_at, closed_at`
const COLUMNS = `id, seq, ${FIELDS}`
const MATCHES_REFERENCE = '(? is null or cl_ord_id = ?) and (? is null or userref = ?)'

function createTable(db: DatabaseSync, table: string): void {
  db.exec(`
    create table if not exists ${table} (
      seq integer primary key autoincrement,
      id text not null unique,
      owner text not null,
      pair text not null,
      side text not null,
      type text not null,
      tif text not null,
      expires_at integer,
      price text not null,
      volume text not null,
      executed text not null,
      cost text not null,
      fee text not null,
      held text not null,
      status text not null,
      reason text,
      cl_ord_id text,
      userref integer,
      opened_at integer not null,
      closed_at integer
    );
    create index if not exists ${table}_status on ${table} (status, closed_at);
    create index if not exists ${table}_cl_ord_id on ${table} (cl_ord_id);
  `)
  addColumn(db, table, 'expires_at integer')
}

function openOrderTable(db: DatabaseSync, table: string): OrderTable {
  createTable(db, table)
  const insert = db.prepare(`
    insert into ${table} (id, ${FIELDS})
    values (:id, :owner, :pair, :side, :type, :tif, :expires_at, :price, :volume, :executed, :cost,
      :fee, :held, :status, :reason, :cl_ord_id, :userref, :opened_at, :closed_at)`)
  const update = db.prepare(`
    update ${table}
    set executed = ?, cost = ?, fee = ?, held = ?, status = ?, reason = ?, closed_at = ?
    where id = ?`)
  const byId = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where id = ?`)
  const due = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where status = 'open'
      and expires_at <= ?
    order by seq`)
  const open = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where status = 'open'
      and ${MATCHES_REFERENCE}
    order by seq desc`)
  const isClosed = `status in ('closed', 'canceled', 'expired')
      and ${MATCHES_REFERENCE}
      and ${matchesPeriod('closed_at')}`
  const closed = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where ${isClosed}
    order by closed_at desc, seq desc
    limit ?
    offset ?`)
  const closedCount = db.prepare(`
    select count(*) as count
    from ${table}
    where ${isClosed}`)
  const all = db.prepare(`
    select ${COLUMNS}
    from ${table}
    order by seq desc
    limit ?`)

  const changes = openChanges((id) => byId.get(id) as Order | undefined)

  return {
    insert(order) {
      const { lastInsertRowid } = insert.run(order)
      changes.note(order.id)
      return { ...order, seq: Number(lastInsertRowid) }
    },
    update: ({ executed, cost, fee, held, status, reason, closed_at, id }) => {
      update.run(executed, cost, fee, held, status, reason, closed_at, id)
      changes.note(id)
    },
    byId: (id) => byId.get(id) as Order | undefined,
    due: (now) => due.all(now) as Order[],
    open: (filter = {}) => open.all(...referenceValues(filter)) as Order[],
    closed(filter) {
      const values = [...referenceValues(filter), ...periodValues(filter)]
      const { count } = closedCount.get(...values) as { count: number }
      return { orders: closed.all(...values, filter.limit, filter.offset) as Order[], count }
    },
    all: (limit) => all.all(limit) as Order[],
    takeChanged: changes.take,
  }
}

/** A commit may still be undone, so what changed is read when it is taken. */
function openChanges(find: (id: string) => Order | undefined) {
  const changed = new Set<string>()
  return {
    note(id: string) {
      changed.add(id)
    },
    take() {
      const orders = [...changed].map(find).filter((order) => order !== undefined)
      changed.clear()
      return orders
    },
  }
}

function referenceValues({ cl_ord_id, userref }: OrderReference): (string | number | null)[] {
  const [reference, number] = [cl_ord_id ?? null, userref ?? null]
  return [reference, reference, number, number]
}
