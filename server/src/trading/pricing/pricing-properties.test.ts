import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, multiply, ONE, unitOf } from '../../core/decimal.ts'
import {
  composeBook,
  depthOf,
  priceAmount,
  priceNotional,
  sideForAmount,
  sideForVolume,
  walk,
} from './pricing.ts'
import {
  anyBook,
  anyCase,
  anySide,
  anyTerms,
  levels,
  Oracle,
  oracle,
  shown,
  terms,
  walked,
} from '../testing/pricing.fixture.ts'
import type { Level, Side } from './pricing.ts'
import { expectedShortfall, riskOf } from '../quotes/risk.ts'

const written = (book: readonly Level[]) =>
  book.map(({ price, quantity }) => `${format(price)}×${format(quantity)}`).join(' ')

describe('books of several hops seen as one', () => {
  const table: [Side, string[], string][] = [
    ['BUY', ['0.04×10 0.05×10', '60000×0.5 61000×1'], '2400×10 3000×2 3050×8'],
    [
      'SELL',
      ['0.04×10 0.03×10', '60000×0.5 59000×1'],
      '2400×10 1800×3.333333333333333333 1770×6.666666666666666667',
    ],
    ['BUY', ['0.04×10', '60000×0.4'], '2400×10'],
    ['BUY', ['0.04×10', '60000×0.1'], '2400×2.5'],
    ['BUY', ['2×1', '3×10', '5×4'], '30×0.666666666666666666'],
    ['BUY', ['0.04×10', ''], ''],
    ['BUY', ['60000×1 60100×2'], '60000×1 60100×2'],
  ]
  for (const [side, books, expected] of table) {
    it(`${side} over ${books.join(' | ')}`, () => {
      assert.equal(written(composeBook(side, books.map(levels))), expected)
    })
  }

  it('12 ETH cost 0.5 BTC, which cost 30500 EUR, and the fees of both hops', () => {
    const asks = composeBook('BUY', [levels('0.04×10 0.05×10'), levels('60000×0.5 61000×1')])
    assert.equal(
      shown(
        priceAmount('BUY', asks, decimal('12'), {
          terms: terms('0.0052', '0.001', '0.005'),
          scale: 2,
        }),
      ),
      '30000 156 30.16 150.78 30336.94',
    )
  })

  const anyRoute = anySide.chain((side) =>
    fc.record({
      side: fc.constant(side),
      books: fc.array(anyBook(side), { minLength: 2, maxLength: 3 }),
      given: anyTerms,
      scale: fc.integer({ min: 0, max: 8 }),
      share: fc.bigInt({ min: 1n, max: 1000n }),
    }),
  )

  it('agree with decimal.js hop by hop, and no rounding favours the customer', () => {
    let walks = 0
    fc.assert(
      fc.property(anyRoute, ({ side, books, given, scale, share }) => {
        const composed = composeBook(side, books)
        for (const [index, level] of composed.entries()) {
          assert.ok(level.quantity > 0n && level.price > 0n)
          const before = composed[index - 1]
          if (before !== undefined)
            assert.ok(side === 'BUY' ? before.price <= level.price : before.price >= level.price)
        }
        const amount = ((depthOf(composed) * share) / 1000n / unitOf(8)) * unitOf(8)
        const priced = priceAmount(side, composed, amount, { terms: given, scale })
        if (amount === 0n || priced === undefined) return
        walks += 1
        const exact = books.reduce<Oracle | undefined>(
          (quantity, book) => (quantity === undefined ? undefined : walked(book, quantity)),
          oracle(amount),
        )
        assert.ok(exact !== undefined, 'what the composed book holds, every hop holds')
        // Per level the last digit of a quantity at the dearest price, and the last digit of a
        // price for the whole amount, at each hop.
        const dearest = books.reduce(
          (product, book) =>
            product.times(Oracle.max(1, ...book.map((level) => oracle(level.price)))),
          new Oracle(1),
        )
        const error = new Oracle(10)
          .pow(-18)
          .times(books.length * (composed.length + 1))
          .times(dearest.plus(dearest.times(oracle(amount))).plus(1))
        const notional = oracle(priced.notional)
        const rounded = exact.toDecimalPlaces(
          scale,
          side === 'BUY' ? Oracle.ROUND_UP : Oracle.ROUND_DOWN,
        )
        if (side === 'BUY')
          assert.ok(
            notional.gte(rounded) && notional.minus(exact).lte(oracle(unitOf(scale)).plus(error)),
          )
        else
          assert.ok(
            notional.lte(rounded) && exact.minus(notional).lte(oracle(unitOf(scale)).plus(error)),
          )
        assert.equal(
          shown(priced),
          shown(priceNotional(side, amount, priced.notional, { terms: given, scale })),
        )
      }),
      { numRuns: 300 },
    )
    assert.ok(walks > 100)
  })

  it('agree digit by digit where no quantity has more digits than there are', () => {
    const outer = fc.array(
      fc.record({
        price: fc.constantFrom(
          '0.01',
          '0.02',
          '0.04',
          '0.05',
          '0.08',
          '0.1',
          '0.2',
          '0.25',
          '0.5',
          '1',
          '2',
        ),
        quantity: fc.bigInt({ min: 1n, max: 10n ** 10n }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    const inner = fc.array(
      fc.record({
        price: fc.bigInt({ min: 1n, max: 10n ** 7n }),
        quantity: fc.bigInt({ min: 1n, max: 10n ** 10n }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    const sorted = (side: Side, book: Level[]) =>
      book.toSorted((a, b) =>
        side === 'BUY' ? Number(a.price - b.price) : Number(b.price - a.price),
      )
    fc.assert(
      fc.property(
        anySide,
        outer,
        inner,
        fc.bigInt({ min: 1n, max: 1000n }),
        (side, one, two, share) => {
          const books = [
            one.map((level) => ({
              price: decimal(level.price),
              quantity: level.quantity * unitOf(8),
            })),
            two.map((level) => ({
              price: level.price * unitOf(2),
              quantity: level.quantity * unitOf(8),
            })),
          ].map((book) => sorted(side, book))
          const composed = composeBook(side, books)
          const amount = ((depthOf(composed) * share) / 1000n / unitOf(8)) * unitOf(8)
          const exact = walked(
            books[1] ?? [],
            walked(books[0] ?? [], oracle(amount)) ?? new Oracle(-1),
          )
          assert.equal(
            format(walk(side, composed, amount, 2) ?? -1n),
            exact
              ?.toDecimalPlaces(2, side === 'BUY' ? Oracle.ROUND_UP : Oracle.ROUND_DOWN)
              .toFixed(),
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('sell for no more than they buy for', () => {
    const anyTwoSided = fc.record({
      books: fc.array(anyBook('BUY'), { minLength: 1, maxLength: 3 }),
      given: anyTerms,
      share: fc.bigInt({ min: 1n, max: 1000n }),
      spread: fc.bigInt({ min: 0n, max: 1000n }),
    })
    fc.assert(
      fc.property(anyTwoSided, ({ books, given, share, spread }) => {
        const bids = books.map((book) =>
          book
            .map((level) => ({ ...level, price: (level.price * (1000n - spread)) / 1000n }))
            .filter((level) => level.price > 0n),
        )
        // The same prices, a spread lower: never above the best ask.
        const [asks, below] = [
          composeBook('BUY', books),
          composeBook(
            'SELL',
            bids.map((side) =>
              side.map((level) => ({ ...level, price: side[0]?.price ?? level.price })),
            ),
          ),
        ]
        const amount = ((depthOf(asks) * share) / 1000n / unitOf(8)) * unitOf(8)
        const [buy, sell] = [
          priceAmount('BUY', asks, amount, { terms: given, scale: 2 }),
          priceAmount('SELL', below, amount, { terms: given, scale: 2 }),
        ]
        if (buy !== undefined && sell !== undefined) assert.ok(sell.total <= buy.total)
      }),
    )
  })
})

describe('terms', () => {
  it('more of any of them never costs less, and never brings more', () => {
    fc.assert(
      fc.property(
        anyCase,
        fc.constantFrom('taker_fee' as const, 'risk' as const, 'margin' as const),
        fc.bigInt({ min: 0n, max: 10n ** 16n }),
        ({ side, book, given, scale, amount }, term, more) => {
          const [less, dearer] = [
            priceAmount(side, book, amount, { terms: given, scale }),
            priceAmount(side, book, amount, {
              terms: { ...given, [term]: given[term] + more },
              scale,
            }),
          ]
          assert.ok(less !== undefined && dearer !== undefined)
          // A higher fee lowers what the other two are taken of when selling: at most a cent each,
          // and less than it takes.
          if (side === 'BUY') assert.ok(less.total <= dearer.total)
          else assert.ok(dearer.total <= less.total + 2n * unitOf(scale))
        },
      ),
    )
  })

  it('risk grows with quantile and hold time, several hops are never less than one', () => {
    const anyMoves = fc.array(fc.bigInt({ min: 0n, max: 10n ** 16n }), {
      minLength: 200,
      maxLength: 400,
    })
    const anyQuantile = fc
      .bigInt({ min: 50n, max: 995n })
      .map((thousandths) => thousandths * unitOf(3))
    fc.assert(
      fc.property(anyMoves, anyMoves, anyQuantile, anyQuantile, (moves, other, one, two) => {
        const [low, high] = one < two ? [one, two] : [two, one]
        assert.ok((expectedShortfall(moves, low) ?? 0n) <= (expectedShortfall(moves, high) ?? 0n))
        const [none = 0n, ten = 0n, thirty = 0n, sixty = 0n] = [0, 10_000, 30_000, 60_000].map(
          (duration) => riskOf([moves], high, duration, 0n).risk,
        )
        assert.ok(none === 0n && ten <= thirty && thirty <= sixty && sixty <= 3n * ten)
        const both = riskOf([moves, other], high, 10_000, 0n)
        assert.ok(both.risk >= ten && both.risk >= riskOf([other], high, 10_000, 0n).risk)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a side, asked for an amount or a volume', () => {
  it('is the same either way: the volume of an amount gets at least that amount back', () => {
    fc.assert(
      fc.property(anyCase, ({ side, book, given, scale, amount }) => {
        const free = { ...given, risk: 0n }
        const limits = { scale, amount_step: unitOf(8), max_amount: depthOf(book) + ONE }
        const { priced } = sideForAmount(side, book, amount, { terms: free, limits })
        if (priced.total <= 0n) return
        const back = sideForVolume(side, book, priced.total, { terms: free, limits })
        // BUY: what is paid for the amount buys it, save the cents that ⌊V ÷ (1 + margin)⌋ and the
        // parts are rounded by. SELL: no more is needed.
        if (side === 'SELL') assert.ok(back.complete && back.priced.amount <= priced.amount)
        else
          assert.ok(
            (walk('BUY', book, priced.amount, 18) ?? 0n) -
              (walk('BUY', book, back.priced.amount, 18) ?? 0n) <=
              4n * unitOf(scale) + multiply(book.at(-1)?.price ?? 0n, unitOf(8), 18, 'up'),
          )
      }),
      { numRuns: 60 },
    )
  })
})
