import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decimal, format, unitOf } from '../../core/decimal.ts'
import { expectedShortfall, riskOf } from './risk.ts'

const moves = Array.from({ length: 200 }, (_, index) => BigInt(index + 1) * unitOf(6))

describe('the risk of holding a price', () => {
  it('is the mean of the worst share of moves', () => {
    // The worst 2 of 200: 0.000199 and 0.0002.
    assert.equal(format(expectedShortfall(moves, decimal('0.99')) ?? 0n), '0.0001995')
    assert.equal(format(expectedShortfall(moves.toReversed(), decimal('0.95')) ?? 0n), '0.0001955')
  })
  it('is stretched by the root of time, rounded up, and nothing for no hold time', () => {
    const shown = (duration: number) => {
      const { risk, source } = riskOf([moves], decimal('0.99'), duration, decimal('0.001'))
      return `${format(risk)} ${source}`
    }
    assert.deepEqual([0, 10_000, 30_000, 60_000].map(shown), [
      '0 NONE',
      '0.0001995 OBSERVED',
      '0.00034555 OBSERVED',
      '0.00048868 OBSERVED',
    ])
  })
  it('is the configured one while there are too few moves', () => {
    assert.deepEqual(riskOf([moves.slice(0, 59)], decimal('0.9'), 10_000, 5n), {
      risk: 5n,
      source: 'CONFIGURED',
    })
    assert.deepEqual(riskOf([moves.slice(0, 99)], decimal('0.99'), 10_000, 5n), {
      risk: 5n,
      source: 'CONFIGURED',
    })
    assert.equal(riskOf([moves.slice(0, 100)], decimal('0.99'), 10_000, 5n).source, 'OBSERVED')
  })
})
