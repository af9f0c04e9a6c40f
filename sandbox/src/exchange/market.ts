/**
 * The seeded market: a maker that quotes a ladder around a price, and the price that walks. It
 * makes one step per STEP_MILLISECONDS, pulled gently back to its anchor, so prices stay sane for
 * as long as the world runs. A clock that is fast makes no more of them: who follows the books
 * lives in real time. ETH/BTC follows the other two pairs until it is given
 * a price of its own. Quotes live in memory; price and statistics are stored every few seconds
 * and after each trade of the client.
 */
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import { product, quotient, smaller } from './figures.ts'
import type { Figure } from './figures.ts'
import { nextPrice, ownPrint, quotesFor } from './market-maker.ts'
import { openMarkets } from './markets.ts'
import type { Hour, MarketSettings, MarketState, Markets } from './markets.ts'
import type { Matching, Print } from './matching.ts'
import type { Pair, Rules } from './rules.ts'

const STEP_MILLISECONDS = 500
const SAVE_MILLISECONDS = 5_000
const HOUR_MILLISECONDS = 3_600_000
const DAY_HOURS = 24

type Statistics = {
  last: Figure
  volume: Figure
  vwap: Figure
  low: Figure
  high: Figure
  open: Figure
  trades: number
}

type Parts = { world: World; rules: Rules; accounts: Accounts; matching: Matching }

export class Market {
  readonly #parts: Parts
  readonly #markets: Markets

  constructor(parts: Parts) {
    this.#parts = parts
    this.#markets = openMarkets(parts.world, parts.rules)
    parts.matching.onPrint((pair, print) => {
      const state = this.#stateOf(pair)
      this.#observe(state, print)
      this.#markets.save(state)
    })
    parts.world.onTick((now) => {
      this.#tick(now)
    })
    parts.world.commit(() => {
      for (const state of this.#markets.states) {
        this.#markets.save(state)
        this.#quote(state)
      }
    })
  }

  settings(pair: Pair): MarketSettings {
    const { price, frozen, volatility_ppm, spread_ppm, depth } = this.#stateOf(pair)
    return { price, frozen, volatility_ppm, spread_ppm, depth }
  }

  change(pair: Pair, settings: Partial<MarketSettings>): void {
    const state = this.#stateOf(pair)
    Object.assign(state, settings)
    if (settings.price !== undefined) {
      state.anchor = settings.price
      state.own = true
    }
    if (settings.frozen === false && settings.price === undefined) state.own = false
    this.#quote(state)
    this.#markets.save(state)
  }

  /** Over the last 24 hours. */
  statistics(pair: Pair): Statistics {
    const state = this.#stateOf(pair)
    const hours = state.hours.filter((hour) => hour.hour > this.#hour() - DAY_HOURS)
    return statisticsOf(hours, state.last, pair)
  }

  #stateOf(pair: Pair): MarketState {
    return this.#markets.states.find((state) => state.pair.id === pair.id) as MarketState
  }

  #hour(): number {
    return Math.floor(this.#parts.world.now() / HOUR_MILLISECONDS)
  }

  #tick(now: number): void {
    const { world } = this.#parts
    const pace = Math.max(1, world.pace())
    for (const state of this.#markets.states) {
      if (now - state.stepAt < STEP_MILLISECONDS * pace && now >= state.stepAt) continue
      state.stepAt = now
      this.#step(state)
    }
    const interval = SAVE_MILLISECONDS * pace
    const due = this.#markets.states.filter((state) => Math.abs(now - state.savedAt) >= interval)
    if (due.length === 0) return
    world.commit(() => {
      for (const state of due) this.#markets.save(state)
    })
  }

  #step(state: MarketState): void {
    state.steps += 1
    if (!state.frozen) {
      state.price = this.#crossPrice(state) ?? nextPrice(this.#parts.rules.part, state)
      this.#printOwnTrade(state)
    }
    this.#quote(state)
  }

  /** The price that follows from the first two pairs, for the pair of their bases. */
  #crossPrice({ pair, own }: MarketState): Figure | undefined {
    const [first, second] = this.#parts.rules.pairs as readonly [Pair, Pair]
    if (own || pair.symbol !== `${second.base.common}/${first.base.common}`) return undefined
    return quotient(this.#stateOf(second).price, this.#stateOf(first).price, 8)
  }

  #printOwnTrade(state: MarketState): void {
    const print = ownPrint(state)
    if (print === undefined) return
    const { bids, asks } = this.#parts.matching.book(state.pair)
    const best = print.side === 'buy' ? asks[0] : bids[0]
    if (best !== undefined) this.#observe(state, { ...print, price: best.price })
  }

  #quote(state: MarketState): void {
    const { bids, asks } = quotesFor(state, this.#parts.accounts)
    this.#parts.matching.quote(state.pair, bids, asks)
  }

  /** Adds a trade to the statistics of its hour. */
  #observe(state: MarketState, { price, quantity }: Print): void {
    const hour = this.#hour()
    let current = state.hours.at(-1)
    if (current?.hour !== hour) {
      const nothing = { volume: 0n, turnover: 0n, trades: 0 }
      current = { hour, open: state.last, high: price, low: price, ...nothing }
      state.hours.push(current)
      state.hours = state.hours.filter((earlier) => earlier.hour > hour - DAY_HOURS)
    }
    if (price > current.high) current.high = price
    if (price < current.low) current.low = price
    current.volume += quantity
    current.turnover += product(price, quantity, 18)
    current.trades += 1
    state.last = price
  }
}

function statisticsOf(hours: readonly Hour[], last: Figure, pair: Pair): Statistics {
  const volume = hours.reduce((sum, hour) => sum + hour.volume, 0n)
  const turnover = hours.reduce((sum, hour) => sum + hour.turnover, 0n)
  const [first] = hours
  return {
    last,
    volume,
    vwap: volume === 0n ? last : quotient(turnover, volume, pair.pair_decimals),
    low: hours.reduce((least, hour) => smaller(least, hour.low), first?.low ?? last),
    high: hours.reduce(
      (greatest, hour) => (hour.high > greatest ? hour.high : greatest),
      first?.high ?? last,
    ),
    open: first?.open ?? last,
    trades: hours.reduce((sum, hour) => sum + hour.trades, 0),
  }
}
