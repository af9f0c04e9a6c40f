import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, ONE, unitOf } from '../../core/decimal.ts'
import {
  availableAmount,
  depthOf,
  displayPrice,
  levelsWithin,
  NOTHING,
  priceAmount,
  priceFilled,
  shareOf,
  sideForAmount,
  sideForVolume,
  walk,
  worstPrice,
} from './pricing.ts'
import {
  anyCase,
  levels,
  Oracle,
  oracle,
  shown,
  terms,
  walked,
} from '../testing/pricing.fixture.ts'
import type { Side, Terms } from './pricing.ts'

const ASKS = '60000×1 60100×2'
const BIDS = '60000×1 59900×2'

describe('the price of an amount', () => {
  const table: [Side, string, string, Terms, string][] = [
    ['BUY', ASKS, '1.5', terms('0.001', '0.00079', '0.005'), '90050 90.05 71.22 450.71 90661.98'],
    ['SELL', BIDS, '1.5', terms('0.001', '0.00079', '0.005'), '89950 89.95 70.99 449.31 89339.75'],
    ['BUY', ASKS, '1', terms('0', '0', '0'), '60000 0 0 0 60000'],
    ['SELL', BIDS, '3', terms('0', '0', '0'), '179800 0 0 0 179800'],
    ['BUY', ASKS, '0.00000001', terms('0.0026', '0', '0.005'), '0.01 0.01 0 0.01 0.03'],
    ['SELL', BIDS, '0.00000001', terms('0.0026', '0', '0.005'), '0 0 0 0 0'],
    ['BUY', ASKS, '3.00000001', terms('0', '0', '0'), 'none'],
    ['SELL', '', '1', terms('0', '0', '0'), 'none'],
  ]
  for (const [side, book, amount, given, expected] of table) {
    it(`${side} ${amount} at ${book === '' ? 'an empty book' : book}`, () => {
      assert.equal(
        shown(priceAmount(side, levels(book), decimal(amount), { terms: given, scale: 2 })),
        expected,
      )
    })
  }

  it("shows the price per unit, rounded in the house's favour", () => {
    assert.equal(format(displayPrice('BUY', decimal('90661.98'), decimal('1.5')) ?? 0n), '60441.32')
    assert.equal(format(displayPrice('BUY', decimal('1'), decimal('3')) ?? 0n), '0.33333334')
    assert.equal(format(displayPrice('SELL', decimal('1'), decimal('3')) ?? 0n), '0.33333333')
    assert.equal(displayPrice('SELL', 0n, 0n), undefined)
  })
})

describe('guards of liquidity', () => {
  it("the worst price lies on the step, on the house's side, never better than the top", () => {
    assert.equal(
      format(worstPrice('BUY', decimal('60000.5'), decimal('0.01'), decimal('0.1'))),
      '60600.5',
    )
    assert.equal(
      format(worstPrice('BUY', decimal('60000.7'), decimal('0.01'), decimal('0.1'))),
      '60600.7',
    )
    assert.equal(
      format(worstPrice('SELL', decimal('60000.7'), decimal('0.01'), decimal('0.1'))),
      '59400.7',
    )
    assert.equal(format(worstPrice('BUY', decimal('0.5'), decimal('0.001'), decimal('0.1'))), '0.5')
    assert.equal(
      format(worstPrice('SELL', decimal('0.5'), decimal('0.001'), decimal('0.1'))),
      '0.5',
    )
  })

  it('answers what lies within depth, guard and maximum, on the step', () => {
    const within = levelsWithin('BUY', levels('100×1 101×1.555 102×5'), decimal('101'))
    const limits = { scale: 2, amount_step: decimal('0.01'), max_amount: decimal('10') }
    assert.equal(format(depthOf(within)), '2.555')
    assert.equal(format(availableAmount(within, limits)), '2.55')
    const asked = sideForAmount('BUY', within, decimal('4'), {
      terms: terms('0', '0', '0'),
      limits,
    })
    assert.deepEqual(
      [format(asked.priced.amount), format(asked.priced.total), asked.complete],
      ['2.55', '256.55', false],
    )
    const capped = sideForAmount('BUY', within, decimal('2'), {
      terms: terms('0', '0', '0'),
      limits: {
        ...limits,
        max_amount: ONE,
      },
    })
    assert.deepEqual([format(capped.priced.amount), capped.complete], ['1', false])
    assert.deepEqual(sideForAmount('SELL', [], ONE, { terms: terms('0', '0', '0'), limits }), {
      priced: NOTHING,
      complete: false,
    })
  })
})

describe('the price of a volume', () => {
  const limits = { scale: 2, amount_step: decimal('0.00000001'), max_amount: decimal('1000') }

  it('BUY: pays exactly the volume, notional and fee within ⌊V ÷ (1 + margin)⌋, no risk', () => {
    const { priced, complete } = sideForVolume('BUY', levels(ASKS), decimal('1000'), {
      terms: terms('0.001', '0.5', '0.005'),
      limits,
    })
    assert.equal(complete, true)
    assert.equal(shown(priced), '994.02 1 0 4.98 1000')
    assert.equal(format(priced.amount), '0.016567')
  })

  it('SELL: the customer gets exactly the volume from the least base that reaches it', () => {
    const { priced, complete } = sideForVolume('SELL', levels(BIDS), decimal('1000'), {
      terms: terms('0.001', '0.00079', '0.005'),
      limits,
    })
    assert.equal(complete, true)
    assert.equal(format(priced.total), '1000')
    const less = priceAmount('SELL', levels(BIDS), priced.amount - limits.amount_step, {
      terms: terms('0.001', '0.00079', '0.005'),
      scale: 2,
    })
    assert.ok(less !== undefined && less.total < decimal('1000'))
  })

  it('answers what the liquidity gives when the volume is beyond it', () => {
    const buy = sideForVolume('BUY', levels(ASKS), decimal('1000000'), {
      terms: terms('0', '0', '0'),
      limits,
    })
    assert.deepEqual(
      [format(buy.priced.amount), format(buy.priced.total), buy.complete],
      ['3', '180200', false],
    )
    const sell = sideForVolume('SELL', levels(BIDS), decimal('1000000'), {
      terms: terms('0', '0', '0'),
      limits,
    })
    assert.deepEqual(
      [format(sell.priced.amount), format(sell.priced.total), sell.complete],
      ['3', '179800', false],
    )
    const all = sideForVolume('BUY', levels(ASKS), decimal('180200'), {
      terms: terms('0', '0', '0'),
      limits,
    })
    assert.deepEqual([format(all.priced.amount), all.complete], ['3', true])
  })
})

describe('whatever the book', () => {
  it('the total is the sum of its parts and no rounding favours the customer', () => {
    fc.assert(
      fc.property(anyCase, ({ side, book, given, scale, amount }) => {
        const priced = priceAmount(side, book, amount, { terms: given, scale })
        assert.ok(priced !== undefined)
        const { notional, fee, risk, margin, total } = priced
        assert.equal(
          total,
          side === 'BUY' ? notional + fee + risk + margin : notional - fee - risk - margin,
        )
        const exact = walked(book, oracle(amount))
        assert.ok(exact !== undefined)
        const factor =
          side === 'BUY'
            ? oracle(ONE + given.taker_fee).times(oracle(ONE + given.risk + given.margin))
            : oracle(ONE - given.taker_fee).times(oracle(ONE - given.risk - given.margin))
        const fair = exact.times(factor)
        if (side === 'BUY') assert.ok(oracle(total).gte(fair))
        else assert.ok(oracle(total).lte(fair))
        // Four roundings, each less than one unit (and the later ones on the earlier ones'
        // remainder).
        assert.ok(
          oracle(total)
            .minus(fair)
            .abs()
            .lte(new Oracle(5).times(oracle(unitOf(scale)))),
        )
      }),
    )
  })

  it('agrees with decimal.js digit by digit', () => {
    fc.assert(
      fc.property(anyCase, ({ side, book, given, scale, amount }) => {
        const direction = side === 'BUY' ? Oracle.ROUND_UP : Oracle.ROUND_DOWN
        const exact = walked(book, oracle(amount))
        assert.ok(exact !== undefined)
        const up = (value: Oracle) => value.toDecimalPlaces(scale, Oracle.ROUND_UP)
        const notional = exact.toDecimalPlaces(scale, direction)
        const fee = up(notional.times(oracle(given.taker_fee)))
        const basis = side === 'BUY' ? notional.plus(fee) : Oracle.max(0, notional.minus(fee))
        const [risk, margin] = [
          up(basis.times(oracle(given.risk))),
          up(basis.times(oracle(given.margin))),
        ]
        const total =
          side === 'BUY'
            ? notional.plus(fee).plus(risk).plus(margin)
            : notional.minus(fee).minus(risk).minus(margin)
        assert.equal(
          shown(priceAmount(side, book, amount, { terms: given, scale })),
          [notional, fee, risk, margin, total].map((decimal) => decimal.toFixed()).join(' '),
        )
      }),
    )
  })

  it('more never costs less, and never brings less by more than three roundings', () => {
    fc.assert(
      fc.property(anyCase, ({ side, book, given, scale, amount, share }) => {
        const part = (amount * share) / 1000n
        const [less, more] = [
          priceAmount(side, book, part, { terms: given, scale }),
          priceAmount(side, book, amount, { terms: given, scale }),
        ]
        assert.ok(less !== undefined && more !== undefined)
        assert.ok(less.notional <= more.notional)
        if (side === 'BUY') assert.ok(less.total <= more.total)
        else assert.ok(less.total <= more.total + 3n * unitOf(scale))
      }),
    )
  })

  it('fills in any pieces add up to the whole, of a firm quote and of the market', () => {
    fc.assert(
      fc.property(
        anyCase,
        fc.array(fc.bigInt({ min: 1n, max: 999n }), { maxLength: 5 }),
        ({ side, book, given, scale, amount }, cuts) => {
          const quoted = priceAmount(side, book, amount, { terms: given, scale })
          assert.ok(quoted !== undefined)
          assert.deepEqual(shareOf(side, quoted, amount, scale), quoted)
          const volume = walk(side, book, amount, 18)
          assert.ok(volume !== undefined)
          let [booked, before] = [0n, NOTHING]
          for (const cut of [
            ...cuts.toSorted((a, b) => Number(a - b)).map((cut) => (amount * cut) / 1000n),
            amount,
          ]) {
            const cumulative = shareOf(side, quoted, cut, scale)
            if (side === 'BUY') assert.ok(cumulative.total >= before.total)
            booked += cumulative.total - before.total
            before = cumulative
          }
          assert.equal(booked, quoted.total)
          assert.equal(priceFilled(side, amount, volume, { terms: given, scale }).amount, amount)
        },
      ),
    )
  })

  it('a volume is paid exactly, or all there is is taken', () => {
    fc.assert(
      fc.property(anyCase, ({ side, book, given, scale, share }) => {
        const limits = { scale, amount_step: unitOf(8), max_amount: depthOf(book) }
        const all = priceAmount(side, book, availableAmount(book, limits), { terms: given, scale })
        assert.ok(all !== undefined)
        const volume = ((all.total * share) / 500n / unitOf(scale)) * unitOf(scale)
        if (volume <= 0n) return
        const { priced, complete } = sideForVolume(side, book, volume, { terms: given, limits })
        if (complete) assert.equal(priced.total, volume)
        else assert.equal(priced.amount, availableAmount(book, limits))
        assert.equal(
          priced.total,
          side === 'BUY'
            ? priced.notional + priced.fee + priced.risk + priced.margin
            : priced.notional - priced.fee - priced.risk - priced.margin,
        )
        assert.ok(priced.total <= volume)
      }),
      { numRuns: 60 },
    )
  })
})
