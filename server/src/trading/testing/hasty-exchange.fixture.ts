/** For tests: an exchange of one order, which answers late, or not, by numbers that seem random. */
import { format, sum, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { OrderReport, Outcome, Trading, VenueFill } from '../../venues/index.ts'
import { fillFor, report } from './trading.fixture.ts'

/** The same numbers in every run. */
export function numbersOf(seed: number) {
  let state = seed
  const below = (end: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * end)
  }
  return {
    below,
    often: (percent: number) => below(100) < percent,
    pick: <T>(of: readonly [T, ...T[]]): T => of[below(of.length)] ?? of[0],
  }
}
export type Numbers = ReturnType<typeof numbersOf>

/** An exchange with one order, which it may answer late or not at all. */
export class HastyExchange {
  sent = 0
  canceled = false
  quantity = 0n
  readonly fills: VenueFill[] = []
  readonly #numbers: Numbers

  readonly trading: Pick<Trading, 'send' | 'find' | 'cancel'> = {
    send: async ({ quantity, tif_mode }) => {
      this.sent += 1
      await this.#moment()
      this.quantity = quantity
      if (tif_mode === 'IOC' && this.#numbers.often(70)) this.fill()
      this.canceled = tif_mode === 'IOC'
      return this.#answer(20)
    },
    find: async () => {
      const answer =
        this.quantity > 0n
          ? { lookup: 'found' as const, report: this.#report() }
          : { lookup: 'absent' as const }
      await this.#moment()
      return answer
    },
    cancel: async () => {
      await this.#moment()
      if (this.#filled() >= this.quantity || this.#numbers.often(20))
        return { outcome: 'refused', reason: 'not now', native: null }
      this.canceled = true
      return this.#answer(30)
    },
  }

  constructor(numbers: Numbers) {
    this.#numbers = numbers
  }

  /** The fills as of now, with those that were taken back. */
  listed(): VenueFill[] {
    return this.fills.map((fill) => ({ ...fill }))
  }

  standing(): VenueFill[] {
    return this.fills.filter((fill) => !fill.busted)
  }

  fill(): void {
    const { below, pick } = this.#numbers
    const left = this.quantity - this.#filled()
    if (left <= 0n) return
    const part = ((this.quantity * BigInt(below(60) + 1)) / 100n / unitOf(8)) * unitOf(8)
    const quantity = part === 0n || part > left ? left : part
    this.fills.push(fillFor(newId(), pick(['60000', '59990.1', '60010.3']), format(quantity)))
  }

  bust(): void {
    const [one] = this.fills
    if (one !== undefined && this.#numbers.often(30))
      this.#numbers.pick([one, ...this.fills]).busted = true
  }

  #filled(): Decimal {
    return sum(this.fills.map((fill) => fill.quantity))
  }

  #state(): OrderReport['state'] {
    if (this.#filled() >= this.quantity) return 'FILLED'
    if (this.canceled) return 'CANCELED'
    return this.fills.length > 0 ? 'PARTIALLY_FILLED' : 'NEW'
  }

  #report(): OrderReport {
    const filled = sum(this.standing().map((fill) => fill.quantity))
    return report(this.#state(), this.listed(), format(filled))
  }

  /** In `lost` cases of a hundred nobody hears it. */
  #answer(lost: number): Outcome<OrderReport> {
    return this.#numbers.often(lost)
      ? { outcome: 'unknown', reason: 'no answer' }
      : { outcome: 'accepted', report: this.#report() }
  }

  async #moment(): Promise<void> {
    for (let turns = this.#numbers.below(20); turns > 0; turns -= 1)
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
  }
}
