import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amount, cut, fits, over, plain, raise, times, tryAmount } from './amount.ts'

test('plain decimals are read and written to the last digit, anything else is refused', () => {
  for (const text of [
    '0',
    '1',
    '0.1',
    '-0.000000000000000001',
    '99999999999999999999.999999999999999999',
  ])
    assert.equal(plain(amount(text)), text)
  assert.equal(plain(amount('1.500')), '1.5')
  for (const text of [
    '',
    '1e3',
    '+1',
    '.5',
    '1.',
    '0x10',
    'NaN',
    ' 1',
    '1.0000000000000000001',
    '100000000000000000000',
  ])
    assert.equal(tryAmount(text), undefined, text)
  assert.throws(() => amount('one'), RangeError)
})

test('rounding names its direction', () => {
  assert.equal(plain(cut(amount('1.239'), 2)), '1.23')
  assert.equal(plain(raise(amount('1.231'), 2)), '1.24')
  assert.equal(plain(raise(amount('-1.231'), 2)), '-1.24')
  assert.ok(fits(amount('1.23'), 2) && !fits(amount('1.234'), 2))
  assert.equal(plain(amount('1.5'), 8), '1.50000000')
  assert.throws(() => plain(amount('1.234'), 2), RangeError)
  assert.equal(plain(times(amount('1.5'), amount('0.3'))), '0.45')
  assert.equal(plain(over(amount('1'), amount('3'))), '0.333333333333333333')
})
