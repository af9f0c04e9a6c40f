/** The state of each pair's market, and its stored row. */
import type { DatabaseSync } from 'node:sqlite'
import type { World } from '../world.ts'
import { figure, plain } from './figures.ts'
import type { Figure } from './figures.ts'
import type { Pair, Rules } from './rules.ts'

export type MarketSettings = {
  price: Figure
  frozen: boolean
  /** Greatest move of one step, in millionths of the price. */
  volatility_ppm: number
  /** Between best bid and best ask, in millionths of the price. */
  spread_ppm: number
  /** Levels on each side. */
  depth: number
}

/** What was traded in one hour; `hour` counts from 1970. */
export type Hour = {
  hour: number
  open: Figure
  high: Figure
  low: Figure
  volume: Figure
  turnover: Figure
  trades: number
}

export type MarketState = MarketSettings & {
  pair: Pair
  /** The price to which the walk is pulled back. */
  anchor: Figure
  /** Whether somebody has set the price, so that it follows no other pairs. */
  own: boolean
  steps: number
  last: Figure
  hours: Hour[]
  savedAt: number
  stepAt: number
}

export type Markets = {
  /** In the order of the exchange's pairs. */
  states: readonly MarketState[]
  save(state: MarketState): void
}

const FIRST_SETTINGS = { frozen: false, volatility_ppm: 120, spread_ppm: 160, depth: 30 }
const COLUMNS = `pair, price, anchor, own, frozen, volatility_ppm, spread_ppm, depth, steps, last,
  hours`

export function openMarkets(world: World, rules: Rules): Markets {
  const { db } = world
  const table = `${rules.tables}_markets`
  db.exec(`
    create table if not exists ${table} (
      pair text primary key,
      price text not null,
      anchor text not null,
      own integer not null,
      frozen integer not null,
      volatility_ppm integer not null,
      spread_ppm integer not null,
      depth integer not null,
      steps integer not null,
      last text not null,
      hours text not null
    )`)
  const upsert = db.prepare(`
    insert or replace into ${table} (${COLUMNS})
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  return {
    states: rules.pairs.map((pair) => load(db, table, pair)),
    save(state) {
      upsert.run(
        state.pair.id,
        plain(state.price),
        plain(state.anchor),
        state.own ? 1 : 0,
        state.frozen ? 1 : 0,
        state.volatility_ppm,
        state.spread_ppm,
        state.depth,
        state.steps,
        plain(state.last),
        hoursText(state.hours),
      )
      state.savedAt = world.now()
    },
  }
}

type Row = {
  price: string
  anchor: string
  own: number
  frozen: number
  volatility_ppm: number
  spread_ppm: number
  depth: number
  steps: number
  last: string
  hours: string
}

function load(db: DatabaseSync, table: string, pair: Pair): MarketState {
  const select = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where pair = ?`)
  const row = select.get(pair.id) as Row | undefined
  const unsaved = { pair, savedAt: 0, stepAt: 0 }
  if (row === undefined) {
    const { opening } = pair
    const first = { price: opening, anchor: opening, own: false, steps: 0, last: opening }
    return { ...unsaved, ...FIRST_SETTINGS, ...first, hours: [] }
  }
  return {
    ...unsaved,
    price: figure(row.price),
    anchor: figure(row.anchor),
    own: row.own === 1,
    frozen: row.frozen === 1,
    volatility_ppm: row.volatility_ppm,
    spread_ppm: row.spread_ppm,
    depth: row.depth,
    steps: row.steps,
    last: figure(row.last),
    hours: readHours(row.hours),
  }
}

type StoredHour = [number, string, string, string, string, string, number]

function hoursText(hours: readonly Hour[]): string {
  const stored = hours.map(({ hour, open, high, low, volume, turnover, trades }): StoredHour => [
    hour,
    plain(open),
    plain(high),
    plain(low),
    plain(volume),
    plain(turnover),
    trades,
  ])
  return JSON.stringify(stored)
}

function readHours(text: string): Hour[] {
  const stored = JSON.parse(text) as StoredHour[]
  return stored.map(([hour, open, high, low, volume, turnover, trades]) => ({
    hour,
    open: figure(open),
    high: figure(high),
    low: figure(low),
    volume: figure(volume),
    turnover: figure(turnover),
    trades,
  }))
}
