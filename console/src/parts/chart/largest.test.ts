import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { largest } from './largest.ts'

describe('the largest of many series', () => {
  const series = [
    { name: 'small', totals: ['1', '2', null] },
    { name: 'was large', totals: ['1000000000000000000001', '0', '0'] },
    { name: 'nothing', totals: [null, '0', '0.00'] },
    { name: 'owed', totals: ['-90', '-100', '-99.5'] },
    { name: 'nearly', totals: ['1000000000000000000000.9', '0', '0'] },
  ]
  const named = (most: number) =>
    largest(series, most, ({ totals }) => totals).map(({ name }) => name)

  it('are chosen by what is furthest from zero, exactly, and keep their order', () => {
    assert.deepEqual(named(1), ['was large'])
    assert.deepEqual(named(3), ['was large', 'owed', 'nearly'])
    assert.deepEqual(named(4), ['small', 'was large', 'owed', 'nearly'])
  })

  it('are all of them where there is room', () => {
    assert.deepEqual(named(9).length, series.length)
    assert.deepEqual(
      largest([], 8, () => []),
      [],
    )
  })
})
