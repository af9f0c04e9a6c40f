import assert from 'node:assert/strict'
import { it } from 'node:test'
import { payableOf } from './settlement-states.ts'

it('cuts what is less than the smallest unit of an asset', () => {
  assert.equal(payableOf('6041.5474', 2), '6041.54')
  assert.equal(payableOf('0.0074', 0), '0')
  assert.equal(payableOf('7', 2), '7')
  assert.equal(payableOf('0.123456789', undefined), '0.123456789')
})
