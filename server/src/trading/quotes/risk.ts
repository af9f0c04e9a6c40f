/**
 * What it may cost to hold a price, as a factor: the expected shortfall of the market's relative
 * moves in 10 s, at the route's quantile, stretched to the hold time by the root of time. Rounded
 * up; with too little data there is none.
 */
import { divideInteger, multiply, ONE, round, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'

type RiskSource = 'NONE' | 'OBSERVED' | 'CONFIGURED'
type Risk = { risk: Decimal; source: RiskSource }

/** Ten minutes of moves at least, and enough that the tail is not empty. */
const MINIMUM_MOVES = 60
const RISK_DIGITS = 8
/** √(duration ÷ 10 s), rounded up. */
const ROOTS: Readonly<Record<number, Decimal>> = {
  10_000: ONE,
  30_000: 1_732_050_807_568_877_294n,
  60_000: 2_449_489_742_783_178_099n,
}

/**
 * Moves come as the same array until there is another: per array and quantile they are sorted once.
 */
const shortfalls = new WeakMap<readonly Decimal[], Map<Decimal, Decimal | undefined>>()

function shortfallOf(moves: readonly Decimal[], quantile: Decimal): Decimal | undefined {
  const ofMoves = shortfalls.get(moves) ?? new Map<Decimal, Decimal | undefined>()
  shortfalls.set(moves, ofMoves)
  if (!ofMoves.has(quantile)) ofMoves.set(quantile, expectedShortfall(moves, quantile))
  return ofMoves.get(quantile)
}

function descending(a: Decimal, b: Decimal): number {
  if (a === b) return 0
  return a < b ? 1 : -1
}

/** The mean of the worst share (1 − quantile) of the moves; undefined when there are too few. */
export function expectedShortfall(
  moves: readonly Decimal[],
  quantile: Decimal,
): Decimal | undefined {
  const tail = BigInt(moves.length) * (ONE - quantile)
  if (moves.length < MINIMUM_MOVES || tail < ONE) return undefined
  const worst = moves.toSorted(descending).slice(0, Number(divideInteger(tail, ONE, 'up')))
  return divideInteger(sum(worst), BigInt(worst.length), 'up')
}

/**
 * `moves` of each hop. Over several hops the shortfalls add up, as if the worst came at all of them
 * at once: the risk of the whole is never more. Observed only when every hop has enough data.
 */
export function riskOf(
  moves: readonly (readonly Decimal[])[],
  quantile: Decimal,
  duration_ms: number,
  configured: Decimal,
): Risk {
  if (duration_ms === 0) return { risk: 0n, source: 'NONE' }
  const root = ROOTS[duration_ms]
  if (root === undefined) throw new RangeError(`no hold time of ${duration_ms} ms`)
  const shortfalls = moves.map((move) => shortfallOf(move, quantile))
  if (shortfalls.includes(undefined)) return { risk: configured, source: 'CONFIGURED' }
  return {
    risk: round(
      multiply(sum(shortfalls.map((shortfall) => shortfall ?? 0n)), root, 18, 'up'),
      RISK_DIGITS,
      'up',
    ),
    source: 'OBSERVED',
  }
}
