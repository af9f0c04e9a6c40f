import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal } from 'decimal.js'
import fc from 'fast-check'
import {
  addAmounts,
  compareAmounts,
  groupsOf,
  isZero,
  multiplyAmounts,
  negated,
  roundAmount,
  subtractAmounts,
} from './decimal.ts'

Decimal.set({ precision: 90 })
const amounts = fc
  .tuple(fc.boolean(), fc.bigInt(0n, 10n ** 38n - 1n), fc.integer({ min: 0, max: 18 }))
  .map(([negative, units, scale]) =>
    new Decimal(units.toString()).div(new Decimal(10).pow(scale)).mul(negative ? -1 : 1),
  )
  .filter((decimal) => decimal.abs().lt('1e20'))
  .map((decimal) => decimal.toFixed())

const rounded = (amount: string, places: number, mode: Decimal.Rounding): string =>
  new Decimal(amount).toDecimalPlaces(places, mode).plus(0).toFixed()

test('sums, order and signs are those of exact arithmetic', () => {
  fc.assert(
    fc.property(amounts, amounts, (a, b) => {
      assert.equal(addAmounts(a, b), new Decimal(a).add(b).toFixed())
      assert.equal(
        multiplyAmounts(a, b),
        new Decimal(a).mul(b).toDecimalPlaces(18, Decimal.ROUND_DOWN).plus(0).toFixed(),
      )
      assert.equal(Math.sign(compareAmounts(a, b)), new Decimal(a).cmp(b))
      assert.equal(addAmounts(a, negated(a)), '0')
      assert.equal(subtractAmounts(a, b), new Decimal(a).sub(b).toFixed())
      const places = a.length % 19
      assert.equal(roundAmount(a, places, 'DOWN'), rounded(a, places, Decimal.ROUND_DOWN))
      assert.equal(roundAmount(a, places, 'HALF_UP'), rounded(a, places, Decimal.ROUND_HALF_UP))
      assert.equal(isZero(a), new Decimal(a).isZero())
    }),
    {
      examples: [
        ['-0.36', '-0.36'],
        ['-0', '0'],
      ],
    },
  )
})

test('groups hold the very digits', () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      const { sign, groups, fraction } = groupsOf(amount)
      const digits = fraction === '' ? groups.join('') : `${groups.join('')}.${fraction}`
      assert.equal(sign === '' ? digits : `-${digits}`, amount)
      assert.ok(groups.slice(1).every((group) => group.length === 3))
    }),
  )
})
