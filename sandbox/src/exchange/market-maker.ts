/**
 * What the market maker computes: the next price of the walk, the ladder of its quotes, and the
 * trades it prints itself. All of it is a function of the state and of seeded noise, so the same
 * world walks the same way.
 */
import type { Accounts } from './accounts.ts'
import { floored, quotient, smaller, stepOf } from './figures.ts'
import type { Figure } from './figures.ts'
import type { MarketState } from './markets.ts'
import type { Level } from './order-book.ts'
import type { Side } from './orders.ts'
import type { Pair } from './rules.ts'

const MILLION = 1_000_000n
/** The pull to the anchor per step, in millionths of the distance. */
const PULL_PPM = 400n
/** Between two levels of the ladder, in millionths of the price. */
const GAP_PPM = 80n
/** The maker prints a trade of its own on one step in this many. */
const PRINT_EVERY = 4

/** Different draws of the same step use different salts. */
const SALT = { askSize: 1, bidSize: 2, firstUniform: 3, secondUniform: 4, side: 5, size: 6 }

/** Uniform in [0, 2^32) from three integers: the same walk for the same seed. */
function noise(seed: number, step: number, salt: number): number {
  let x = (seed ^ Math.imul(step, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)) >>> 0
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad) >>> 0
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97) >>> 0
  return (x ^ (x >>> 15)) >>> 0
}

/** A random move within the volatility, and a gentle pull to the anchor. Never below one step. */
export function nextPrice(part: string, state: MarketState): Figure {
  const { pair, price, anchor, steps } = state
  const seed = [...`${part} ${pair.id}`].reduce(
    (sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0),
    7,
  )
  // The sum of two uniforms: a triangle between −1 and 1, in millionths.
  const uniforms = noise(seed, steps, SALT.firstUniform) + noise(seed, steps, SALT.secondUniform)
  const draw = BigInt(Math.floor((uniforms / 4_294_967_296 - 1) * 1_000_000))
  const move = (price * BigInt(state.volatility_ppm) * draw) / (MILLION * MILLION)
  const pull = ((anchor - price) * PULL_PPM) / MILLION
  const next = price + move + pull
  return next > stepOf(pair.pair_decimals) ? next : price
}

/** The maker's own trade of this step: which side takes, and how much. */
export function ownPrint({
  pair,
  steps,
}: MarketState): { side: Side; quantity: Figure } | undefined {
  if (steps % PRINT_EVERY !== 0) return undefined
  const hundredths = BigInt(1 + (noise(steps, 9, SALT.size) % 20))
  return {
    side: noise(steps, 7, SALT.side) % 2 === 0 ? 'buy' : 'sell',
    quantity: floored((pair.lot * hundredths) / 100n, pair.lot_decimals),
  }
}

/** The ladders on both sides of the price, as far as the maker's inventory goes. */
export function quotesFor(
  state: MarketState,
  accounts: Accounts,
): { bids: Level[]; asks: Level[] } {
  const { pair, price } = state
  const tick = stepOf(pair.pair_decimals)
  const half = (price * BigInt(state.spread_ppm)) / (2n * MILLION)
  const bestBid = floored(price - half, pair.pair_decimals)
  const bestAsk = bestBid + atLeastOneTick(2n * half, pair)
  const gap = atLeastOneTick((price * GAP_PPM) / MILLION, pair)
  // A third of the inventory for each of the up to three pairs of an asset; a tenth of a bid
  // stays for the fee.
  const base = accounts.free('maker', pair.base.id) / 3n
  const money = (accounts.free('maker', pair.quote.id) * 9n) / 30n
  const affordable = quotient(money > 0n ? money : 1n, price, pair.lot_decimals)
  const shared = { pair, tick, depth: state.depth }
  return {
    bids: ladder({
      ...shared,
      best: bestBid,
      gap: -gap,
      inventory: affordable,
      salt: SALT.bidSize,
    }),
    asks: ladder({ ...shared, best: bestAsk, gap, inventory: base, salt: SALT.askSize }),
  }
}

function atLeastOneTick(distance: Figure, pair: Pair): Figure {
  const tick = stepOf(pair.pair_decimals)
  return distance > tick ? floored(distance, pair.pair_decimals) : tick
}

function ladder({
  pair,
  tick,
  depth,
  best,
  gap,
  inventory,
  salt,
}: {
  pair: Pair
  tick: Figure
  depth: number
  best: Figure
  gap: Figure
  inventory: Figure
  salt: number
}): Level[] {
  const levels: Level[] = []
  let left = inventory
  for (let level = 0; level < depth; level += 1) {
    const price = best + gap * BigInt(level)
    if (price <= 0n) break
    // Between half and one and a half lots, growing with the distance; stable while the price
    // level stays.
    const chance = BigInt(noise(Number((price / tick) % 2_147_483_647n), level, salt) % 1000)
    const lots = (pair.lot * (500n + chance) * BigInt(4 + level)) / 4000n
    const quantity = smaller(floored(lots, pair.lot_decimals), floored(left, pair.lot_decimals))
    if (quantity < pair.ordermin) break
    levels.push({ price, quantity })
    left -= quantity
  }
  return levels
}
