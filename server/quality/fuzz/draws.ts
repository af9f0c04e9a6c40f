/** What is drawn by chance: with the same seed the same values in the same order. */
import fc from 'fast-check'

export type Draws = {
  draw<T>(arbitrary: fc.Arbitrary<T>): T
  /** 0 … limit − 1 */
  below(limit: number): number
  /** True once in this many times. */
  once(inSoMany: number): boolean
  pick<T>(list: readonly T[]): T
}

export function drawsOf(seed: number): Draws {
  const random = new fc.Random(mulberry32(seed))
  const below = (limit: number) => random.nextInt(0, limit - 1)
  return {
    draw: (arbitrary) => arbitrary.generate(random, undefined).value,
    below,
    once: (inSoMany) => below(inSoMany) === 0,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('nothing to pick from')
      return list[below(list.length)] as T
    },
  }
}

type Generator = { clone(): Generator; next(): number; getState(): readonly number[] }

/** Of 32 bits, in the form that fast-check takes; it exports none of its own. */
function mulberry32(seed: number): Generator {
  let state = seed >>> 0
  return {
    clone: () => mulberry32(state),
    getState: () => [state],
    next: () => {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return (mixed ^ (mixed >>> 14)) | 0
    },
  }
}
