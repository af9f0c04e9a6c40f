/** Choices that are the same for the same seed (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** From 0 to below 1. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    const state = this.#state
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** A whole number; both ends may come. */
  between(least: number, most: number): number {
    return least + Math.floor(this.roll() * (most - least + 1))
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.roll() * items.length)]
    if (item === undefined) throw new RangeError('there is nothing to pick from')
    return item
  }

  /** With choices of its own, whatever others do meanwhile. */
  another(): Dice {
    return new Dice(Math.floor(this.roll() * 4_294_967_296))
  }
}
