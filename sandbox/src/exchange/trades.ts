/** The trades of the client's orders as stored rows. */
import type { DatabaseSync } from 'node:sqlite'
import type { World } from '../world.ts'
import type { Side } from './orders.ts'
import { addColumn, matchesPeriod, periodValues } from './tables.ts'
import type { Period } from './tables.ts'

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

export type Trades = {
  insertTrade(trade: Omit<Trade, 'trade_id' | 'busted_at'>): void
  bust(tradeId: string): void
  /** All, also those that are not visible yet. */
  allTrades(limit: number): Trade[]
  /** The following show only what is visible by now. */
  tradesOf(orderId: string): Trade[]
  trade(id: string): Trade | undefined
  /** Newest first. */
  trades(filter: Period & { offset: number; limit: number }): { trades: Trade[]; count: number }
}

const FIELDS = `order_id, pair, side, ordertype, price, volume, cost, fee, maker, at, visible_at`
const COLUMNS = `id, trade_id, ${FIELDS}, busted_at`

function createTable(db: DatabaseSync, table: string): void {
  db.exec(`
    create table if not exists ${table} (
      trade_id integer primary key autoincrement,
      id text not null unique,
      order_id text not null,
      pair text not null,
      side text not null,
      ordertype text not null,
      price text not null,
      volume text not null,
      cost text not null,
      fee text not null,
      maker integer not null,
      at integer not null,
      visible_at integer not null default 0,
      busted_at integer
    );
    create index if not exists ${table}_order on ${table} (order_id);
  `)
  addColumn(db, table, 'visible_at integer not null default 0')
  addColumn(db, table, 'busted_at integer')
}

export function openTrades(world: World, table: string): Trades {
  const { db } = world
  createTable(db, table)
  const insert = db.prepare(`
    insert into ${table} (id, ${FIELDS})
    values (:id, :order_id, :pair, :side, :ordertype, :price, :volume, :cost, :fee, :maker, :at,
      :visible_at)`)
  const bust = db.prepare(`
    update ${table}
    set busted_at = ?
    where id = ?`)
  const all = db.prepare(`
    select ${COLUMNS}
    from ${table}
    order by trade_id desc
    limit ?`)
  const ofOrder = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where order_id = ?
      and visible_at <= ?
    order by trade_id`)
  const one = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where id = ?
      and visible_at <= ?`)
  const isListed = `visible_at <= ? and ${matchesPeriod('at')}`
  const list = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where ${isListed}
    order by trade_id desc
    limit ?
    offset ?`)
  const listCount = db.prepare(`
    select count(*) as count
    from ${table}
    where ${isListed}`)

  return {
    insertTrade: (trade) => {
      insert.run(trade)
    },
    bust: (tradeId) => {
      bust.run(world.now(), tradeId)
    },
    allTrades: (limit) => all.all(limit) as Trade[],
    tradesOf: (orderId) => ofOrder.all(orderId, world.now()) as Trade[],
    trade: (id) => one.get(id, world.now()) as Trade | undefined,
    trades(filter) {
      const period = periodValues(filter)
      const { count } = listCount.get(world.now(), ...period) as { count: number }
      const rows = list.all(world.now(), ...period, filter.limit, filter.offset)
      return { trades: rows as Trade[], count }
    },
  }
}
