import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal as Oracle } from 'decimal.js'
import fc from 'fast-check'
import {
  absolute,
  decimal,
  divide,
  format,
  FRACTION_DIGITS,
  greatest,
  least,
  multiply,
  ONE,
  round,
  scaleOf,
  sum,
  tryDecimal,
  unitOf,
} from './decimal.ts'
import type { Rounding } from './decimal.ts'

Oracle.set({ precision: 200, toExpNeg: -100, toExpPos: 100 })
const MODES: Readonly<Record<Rounding, Oracle.Rounding>> = {
  up: Oracle.ROUND_UP,
  down: Oracle.ROUND_DOWN,
  half_even: Oracle.ROUND_HALF_EVEN,
}

const digits = (maximum: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: maximum })
const plain = fc
  .tuple(fc.boolean(), digits(20), fc.option(digits(18)))
  .map(([negative, whole, fraction]) => {
    const sign = negative ? '-' : ''
    const tail = fraction === null ? '' : `.${fraction}`
    return `${sign}${whole.replace(/^0+(?=.)/, '')}${tail}`
  })
const scale = fc.integer({ min: 0, max: FRACTION_DIGITS })
const rounding = fc.constantFrom<Rounding>('up', 'down', 'half_even')
const text = (value: Oracle) => (value.isZero() ? '0' : value.toFixed())

test('reading and writing keep every digit', () => {
  fc.assert(
    fc.property(plain, (a) => {
      assert.equal(format(decimal(a)), text(new Oracle(a)))
      assert.equal(decimal(format(decimal(a))), decimal(a))
    }),
  )
})

test('sums, differences and order agree with decimal.js', () => {
  fc.assert(
    fc.property(plain, plain, (a, b) => {
      const [x, y] = [decimal(a), decimal(b)]
      const [p, q] = [new Oracle(a), new Oracle(b)]
      assert.equal(format(x + y), text(p.plus(q)))
      assert.equal(format(x - y), text(p.minus(q)))
      assert.equal(format(sum([x, y, x])), text(p.times(2).plus(q)))
      assert.equal(x < y, p.lessThan(q))
      assert.equal(format(least(x, y)), text(Oracle.min(p, q)))
      assert.equal(format(greatest(x, y)), text(Oracle.max(p, q)))
      assert.equal(format(absolute(x)), text(p.abs()))
    }),
  )
})

test('products, quotients and roundings agree with decimal.js at every scale', () => {
  fc.assert(
    fc.property(plain, plain, scale, rounding, (a, b, digit, direction) => {
      const [p, q] = [new Oracle(a), new Oracle(b)]
      const mode = MODES[direction]
      assert.equal(
        format(round(decimal(a), digit, direction)),
        text(p.toDecimalPlaces(digit, mode)),
      )
      assert.equal(
        format(multiply(decimal(a), decimal(b), digit, direction)),
        text(p.times(q).toDecimalPlaces(digit, mode)),
      )
      // The oracle's quotient has 200 digits: a tie is exact there or it is none.
      if (!q.isZero())
        assert.equal(
          format(divide(decimal(a), decimal(b), digit, direction)),
          text(p.dividedBy(q).toDecimalPlaces(digit, mode)),
        )
    }),
    { numRuns: 2000 },
  )
})

test('ties go to the even neighbour, up goes away from zero, down toward it', () => {
  const table: [string, number, Rounding, string][] = [
    ['0.5', 0, 'half_even', '0'],
    ['1.5', 0, 'half_even', '2'],
    ['2.5', 0, 'half_even', '2'],
    ['-0.5', 0, 'half_even', '0'],
    ['-1.5', 0, 'half_even', '-2'],
    ['-2.5', 0, 'half_even', '-2'],
    ['2.500000000000000001', 0, 'half_even', '3'],
    ['0.1', 0, 'up', '1'],
    ['-0.1', 0, 'up', '-1'],
    ['0.9', 0, 'down', '0'],
    ['-0.9', 0, 'down', '0'],
    ['1.005', 2, 'half_even', '1'],
    ['1.015', 2, 'half_even', '1.02'],
  ]
  for (const [value, digit, direction, expected] of table)
    assert.equal(
      format(round(decimal(value), digit, direction)),
      expected,
      `${value} ${digit} ${direction}`,
    )
})

test('scaleOf and unitOf', () => {
  fc.assert(
    fc.property(plain, (a) => {
      assert.equal(scaleOf(decimal(a)), new Oracle(a).decimalPlaces())
    }),
  )
  assert.deepEqual([unitOf(0), unitOf(2), unitOf(18)], [ONE, ONE / 100n, 1n])
  for (const wrong of [-1, 19, 1.5]) assert.throws(() => unitOf(wrong), RangeError)
})

test('anything but plain notation is no decimal', () => {
  for (const wrong of [
    '',
    ' ',
    '1 ',
    '+1',
    '01',
    '00',
    '-',
    '.',
    '.5',
    '5.',
    '1e3',
    '1E-3',
    '0x1',
    'NaN',
    'Infinity',
    '1_0',
    '1,0',
    '١',
    '1\n',
    '--1',
    '1.2.3',
    `1${'0'.repeat(20)}`,
    `0.${'0'.repeat(18)}1`,
  ]) {
    assert.equal(tryDecimal(wrong), undefined, wrong)
    assert.throws(() => decimal(wrong), RangeError)
  }
  assert.equal(tryDecimal('-0'), 0n)
})
