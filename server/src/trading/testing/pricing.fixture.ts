/**
 * For tests of pricing: books written as `price×quantity`, random ones, and decimal.js as the
 * oracle.
 */
import { Decimal as Oracle } from 'decimal.js'
import fc from 'fast-check'
import { decimal, format, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { depthOf } from '../pricing/pricing.ts'
import type { Level, PriceParts, Side, Terms } from '../pricing/pricing.ts'

Oracle.set({ precision: 120 })
export { Oracle }

/** `60000×1 60100×2` */
export const levels = (text: string): Level[] =>
  text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => {
      const [price, quantity] = part.split('×')
      return { price: decimal(price ?? ''), quantity: decimal(quantity ?? '') }
    })

/** Notional, fee, risk, margin, total. */
export const shown = (priced: PriceParts | undefined): string =>
  priced === undefined
    ? 'none'
    : [priced.notional, priced.fee, priced.risk, priced.margin, priced.total].map(format).join(' ')
export const terms = (taker_fee: string, risk: string, margin: string): Terms => ({
  taker_fee: decimal(taker_fee),
  risk: decimal(risk),
  margin: decimal(margin),
})
export const oracle = (value: Decimal): Oracle => new Oracle(format(value))

const anyLevel = fc.record({
  price: fc.bigInt({ min: 1n, max: 10n ** 9n }),
  quantity: fc.bigInt({ min: 1n, max: 10n ** 12n }),
})
export const anyBook = (side: Side): fc.Arbitrary<Level[]> =>
  fc.array(anyLevel, { minLength: 1, maxLength: 12 }).map((given) =>
    given
      .map(({ price, quantity }) => ({
        price: price * 10n ** 14n,
        quantity: quantity * 10n ** 10n,
      }))
      .toSorted((a, b) => (side === 'BUY' ? Number(a.price - b.price) : Number(b.price - a.price))),
  )
export const anyTerms: fc.Arbitrary<Terms> = fc
  .record({
    taker_fee: fc.bigInt({ min: 0n, max: 10n ** 4n }),
    risk: fc.bigInt({ min: 0n, max: 10n ** 5n }),
    margin: fc.bigInt({ min: 0n, max: 10n ** 5n }),
  })
  .map(({ taker_fee, risk, margin }) => ({
    taker_fee: taker_fee * 10n ** 12n,
    risk: risk * 10n ** 12n,
    margin: margin * 10n ** 12n,
  }))
export const anySide = fc.constantFrom<Side>('BUY', 'SELL')

type Case = {
  side: Side
  book: Level[]
  given: Terms
  scale: number
  share: bigint
  amount: Decimal
}
/** An amount that the book holds. */
export const anyCase: fc.Arbitrary<Case> = anySide
  .chain((side) =>
    fc.record({
      side: fc.constant(side),
      book: anyBook(side),
      given: anyTerms,
      scale: fc.integer({ min: 0, max: 8 }),
      share: fc.bigInt({ min: 1n, max: 1000n }),
    }),
  )
  .map((drawn) => {
    const depth = depthOf(drawn.book)
    const step = unitOf(8)
    const amount = ((depth * drawn.share) / 1000n / step) * step
    return { ...drawn, amount: amount === 0n ? step : amount }
  })

/** What the amount takes of the levels, exactly; undefined when they do not hold it. */
export function walked(book: readonly Level[], amount: Oracle): Oracle | undefined {
  let left = amount
  let exact = new Oracle(0)
  for (const level of book) {
    const taken = Oracle.min(left, oracle(level.quantity))
    exact = exact.plus(taken.times(oracle(level.price)))
    left = left.minus(taken)
  }
  return left.gt(0) ? undefined : exact
}
