import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
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
  readAmount,
} from './decimal.ts'

Decimal.set({ precision: 90 })
const amounts = fc
  .tuple(fc.boolean(), fc.bigInt(0n, 10n ** 38n - 1n), fc.integer({ min: 0, max: 18 }))
  .map(([negative, units, scale]) =>
    new Decimal(units.toString()).div(new Decimal(10).pow(scale)).mul(negative ? -1 : 1),
  )
  .filter((decimal) => decimal.abs().lt('1e20'))
  .map((decimal) => decimal.toFixed())

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
      assert.equal(
        `${sign === '' ? '' : '-'}${groups.join('')}${fraction === '' ? '' : `.${fraction}`}`,
        amount,
      )
      assert.ok(groups.slice(1).every((group) => group.length === 3))
    }),
  )
})

for (const [typed, amount] of [
  ['1250.5', '1250.5'],
  [" 1'250.50 ", '1250.50'],
  ['1 250,5', '1250.5'],
  ['1,250.5', '1250.5'],
  ['1,250,000', '1250000'],
  ['.5', '0.5'],
  ['007', '7'],
  ['0', '0'],
  ['', undefined],
  ['1e3', undefined],
  ['-1', undefined],
  ['abc', undefined],
  ['1.2.3', undefined],
  ['1.1234567890123456789', undefined],
  ['123456789012345678901', undefined],
] as const) {
  test(`typed "${typed}" is ${amount ?? 'no amount'}`, () => {
    assert.equal(readAmount(typed), amount)
  })
}

test('no amount goes through a number: only times, counts and places on the screen do', async () => {
  const source = new URL('..', import.meta.url)
  const numbers = (await readdir(source, { recursive: true }))
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
    .flatMap((name) =>
      [
        ...readFileSync(new URL(name, source), 'utf8').matchAll(
          /\b(Number\((\w+)|parseFloat|parseInt|valueAsNumber|InputNumber|toFixed)/g,
        ),
      ].map(([, all, of]) => `${name}: ${of ?? all}`),
    )
  assert.deepEqual([...new Set(numbers)].toSorted(), [
    'action/action.tsx: part',
    'list/columns.tsx: value',
    'list/filters.tsx: value',
    'pages/books/trial-balance.tsx: at',
    'pages/desk/events.tsx: id',
    'pages/search.tsx: MAXIMUM_HITS',
    'pages/trading/chart.tsx: price',
    'pages/trading/market.tsx: toFixed',
    'pages/trading/settlement-actions.tsx: timerange_from',
    'pages/trading/settlement-actions.tsx: timerange_to',
    'pages/treasury/job-form.tsx: interval',
  ])
})
