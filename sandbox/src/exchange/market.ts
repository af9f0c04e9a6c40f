/**
 * The seeded market: a maker that quotes a ladder around a mid price, and the mid price that walks. The walk is a function
 * of the pair's seed and step number, one step per STEP_MILLISECONDS of world time, pulled gently back to its anchor, so that
 * prices stay sane for as long as the world runs. ETH/BTC follows the other two pairs until it is given a price of its own.
 * Quotes live in memory; price and statistics are stored every few seconds and after each trade of the client.
 */
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import { figure, floored, plain, product, quotient, smaller, stepOf } from './figures.ts'
import type { Figure } from './figures.ts'
import type { Level, Matching, Print } from './matching.ts'
import type { Pair, Rules } from './rules.ts'

const STEP_MILLISECONDS = 500
const SAVE_MILLISECONDS = 5_000
const HOUR_MILLISECONDS = 3_600_000
const PARTS = 1_000_000n
/** Of the distance to the anchor, per step. */
const PULL_PARTS = 400n
/** The maker prints a trade of its own on one step in so many. */
const PRINT_EVERY = 4

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

export type Statistics = {
  last: Figure
  volume: Figure
  vwap: Figure
  low: Figure
  high: Figure
  open: Figure
  trades: number
}

export type Market = {
  settings(pair: Pair): MarketSettings
  change(pair: Pair, settings: Partial<MarketSettings>): void
  /** Over the last 24 hours. */
  statistics(pair: Pair): Statistics
}

type Hour = {
  hour: number
  open: Figure
  high: Figure
  low: Figure
  volume: Figure
  turnover: Figure
  trades: number
}
type State = {
  pair: Pair
  anchor: Figure
  own: boolean
  steps: number
  last: Figure
  hours: Hour[]
  savedAt: number
  stepAt: number
} & MarketSettings

/** Uniform in [0, 2^32) from three integers: the same walk for the same seed. */
function noise(seed: number, step: number, salt: number): number {
  let x = (seed ^ Math.imul(step, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)) >>> 0
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad) >>> 0
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97) >>> 0
  return (x ^ (x >>> 15)) >>> 0
}

export function openMarket(
  world: World,
  rules: Rules,
  accounts: Accounts,
  matching: Matching,
): Market {
  const table = `${rules.tables}_markets`
  world.db.exec(`create table if not exists ${table} (
    pair text primary key, price text not null, anchor text not null, own integer not null, frozen integer not null, volatility_ppm integer not null,
    spread_ppm integer not null, depth integer not null, steps integer not null, last text not null, hours text not null)`)
  const upsert = world.db
    .prepare(`insert or replace into ${table} (pair, price, anchor, own, frozen, volatility_ppm, spread_ppm, depth, steps, last, hours)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const states = rules.pairs.map((pair) => load(world, table, pair))

  const save = (state: State) => {
    const hours = state.hours.map((hour) => [
      hour.hour,
      plain(hour.open),
      plain(hour.high),
      plain(hour.low),
      plain(hour.volume),
      plain(hour.turnover),
      hour.trades,
    ])
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
      JSON.stringify(hours),
    )
    state.savedAt = world.now()
  }

  const stateOf = (pair: Pair): State => states.find((state) => state.pair.id === pair.id) as State
  const [first, second] = rules.pairs as readonly [Pair, Pair]
  const follows = (state: State) =>
    state.pair.symbol === `${second.base.common}/${first.base.common}` && !state.own
  const cross = () => quotient(stateOf(second).price, stateOf(first).price, 8)

  const quote = (state: State) => {
    const { pair } = state
    const tick = stepOf(pair.pair_decimals)
    const half = (state.price * BigInt(state.spread_ppm)) / (2n * PARTS)
    const gap =
      (state.price * 80n) / PARTS > tick
        ? floored((state.price * 80n) / PARTS, pair.pair_decimals)
        : tick
    const bestBid = floored(state.price - half, pair.pair_decimals)
    const bestAsk = bestBid + (2n * half > tick ? floored(2n * half, pair.pair_decimals) : tick)
    const ladder = (first: Figure, direction: bigint, inventory: Figure): Level[] => {
      const levels: Level[] = []
      let left = inventory
      for (let level = 0; level < state.depth; level += 1) {
        const price = first + direction * gap * BigInt(level)
        if (price <= 0n) break
        // Between half and one and a half lots, growing with the distance; stable while the price level stays.
        const chance = BigInt(
          noise(Number((price / tick) % 2_147_483_647n), level, direction > 0n ? 1 : 2) % 1000,
        )
        const wanted = floored(
          (pair.lot * (500n + chance) * BigInt(4 + level)) / 4000n,
          pair.lot_decimals,
        )
        const quantity = smaller(wanted, floored(left, pair.lot_decimals))
        if (quantity < pair.ordermin) break
        levels.push({ price, quantity })
        left -= quantity
      }
      return levels
    }
    // A third of the inventory for each of the up to three pairs of an asset; a tenth of a bid stays for the fee.
    const base = accounts.free('maker', pair.base.id) / 3n
    const quoteFunds = (accounts.free('maker', pair.quote.id) * 9n) / 30n
    matching.quote(
      pair,
      ladder(
        bestBid,
        -1n,
        quotient(quoteFunds > 0n ? quoteFunds : 1n, state.price, pair.lot_decimals),
      ),
      ladder(bestAsk, 1n, base),
    )
  }

  const observe = (state: State, print: Print) => {
    const hour = Math.floor(world.now() / HOUR_MILLISECONDS)
    let current = state.hours.at(-1)
    if (current?.hour !== hour) {
      current = {
        hour,
        open: state.last,
        high: print.price,
        low: print.price,
        volume: 0n,
        turnover: 0n,
        trades: 0,
      }
      state.hours.push(current)
      state.hours = state.hours.filter((each) => each.hour > hour - 24)
    }
    if (print.price > current.high) current.high = print.price
    if (print.price < current.low) current.low = print.price
    current.volume += print.quantity
    current.turnover += product(print.price, print.quantity, 18)
    current.trades += 1
    state.last = print.price
  }

  const walk = (state: State) => {
    const { pair } = state
    state.steps += 1
    if (!state.frozen) {
      if (follows(state)) state.price = cross()
      else {
        const seed = [...`${rules.part} ${pair.id}`].reduce(
          (sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0),
          7,
        )
        // The sum of two uniforms: a triangle between −1 and 1, in millionths.
        const draw = BigInt(
          Math.floor(
            ((noise(seed, state.steps, 3) + noise(seed, state.steps, 4)) / 4_294_967_296 - 1) *
              1_000_000,
          ),
        )
        const move = (state.price * BigInt(state.volatility_ppm) * draw) / (PARTS * PARTS)
        const pull = ((state.anchor - state.price) * PULL_PARTS) / PARTS
        const next = state.price + move + pull
        if (next > stepOf(pair.pair_decimals)) state.price = next
      }
      if (state.steps % PRINT_EVERY === 0) {
        const side = noise(state.steps, 7, 5) % 2 === 0 ? 'buy' : 'sell'
        const best = side === 'buy' ? matching.book(pair).asks[0] : matching.book(pair).bids[0]
        if (best !== undefined) {
          observe(state, {
            price: best.price,
            quantity: floored(
              (pair.lot * BigInt(1 + (noise(state.steps, 9, 6) % 20))) / 100n,
              pair.lot_decimals,
            ),
            side,
          })
        }
      }
    }
    quote(state)
  }

  matching.onPrint((pair, print) => {
    const state = stateOf(pair)
    observe(state, print)
    save(state)
  })
  world.onTick((now) => {
    for (const state of states) {
      if (now - state.stepAt < STEP_MILLISECONDS && now >= state.stepAt) continue
      state.stepAt = now
      walk(state)
    }
    const due = states.filter(
      (state) => Math.abs(now - state.savedAt) >= SAVE_MILLISECONDS * Math.max(1, world.pace()),
    )
    if (due.length > 0)
      world.commit(() => {
        for (const state of due) save(state)
      })
  })
  world.commit(() => {
    for (const state of states) {
      save(state)
      quote(state)
    }
  })

  return {
    settings: (pair) => {
      const { price, frozen, volatility_ppm, spread_ppm, depth } = stateOf(pair)
      return { price, frozen, volatility_ppm, spread_ppm, depth }
    },
    change(pair, settings) {
      const state = stateOf(pair)
      Object.assign(state, settings)
      if (settings.price !== undefined) {
        state.anchor = settings.price
        state.own = true
      }
      if (settings.frozen === false && settings.price === undefined) state.own = false
      quote(state)
      save(state)
    },
    statistics(pair) {
      const state = stateOf(pair)
      const hours = state.hours.filter(
        (hour) => hour.hour > Math.floor(world.now() / HOUR_MILLISECONDS) - 24,
      )
      const volume = hours.reduce((sum, hour) => sum + hour.volume, 0n)
      const turnover = hours.reduce((sum, hour) => sum + hour.turnover, 0n)
      return {
        last: state.last,
        volume,
        vwap: volume === 0n ? state.last : quotient(turnover, volume, pair.pair_decimals),
        low: hours.reduce((least, hour) => smaller(least, hour.low), hours[0]?.low ?? state.last),
        high: hours.reduce(
          (greatest, hour) => (hour.high > greatest ? hour.high : greatest),
          hours[0]?.high ?? state.last,
        ),
        open: hours[0]?.open ?? state.last,
        trades: hours.reduce((sum, hour) => sum + hour.trades, 0),
      }
    },
  }
}

function load(world: World, table: string, pair: Pair): State {
  const row = world.db
    .prepare(
      `select price, anchor, own, frozen, volatility_ppm, spread_ppm, depth, steps, last, hours from ${table} where pair = ?`,
    )
    .get(pair.id) as
    | {
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
    | undefined
  if (row === undefined) {
    return {
      pair,
      price: pair.opening,
      anchor: pair.opening,
      own: false,
      frozen: false,
      volatility_ppm: 120,
      spread_ppm: 160,
      depth: 30,
      steps: 0,
      last: pair.opening,
      hours: [],
      savedAt: 0,
      stepAt: 0,
    }
  }
  const hours = (
    JSON.parse(row.hours) as [number, string, string, string, string, string, number][]
  ).map(([hour, open, high, low, volume, turnover, trades]) => ({
    hour,
    open: figure(open),
    high: figure(high),
    low: figure(low),
    volume: figure(volume),
    turnover: figure(turnover),
    trades,
  }))
  return {
    pair,
    price: figure(row.price),
    anchor: figure(row.anchor),
    own: row.own === 1,
    frozen: row.frozen === 1,
    volatility_ppm: row.volatility_ppm,
    spread_ppm: row.spread_ppm,
    depth: row.depth,
    steps: row.steps,
    last: figure(row.last),
    hours,
    savedAt: 0,
    stepAt: 0,
  }
}
