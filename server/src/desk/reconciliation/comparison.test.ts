import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { CONFIRM_MILLISECONDS, explainGap, judge } from './comparison.ts'
import type { EarlierDifference } from './comparison.ts'

const part = (low: string, high = low) => ({ low: decimal(low), high: decimal(high) })

describe('what is in flight', () => {
  const cases: [string, string, ReturnType<typeof part>[], string][] = [
    ['explains nothing where nothing is', '1', [], '0'],
    ['has not arrived', '0', [part('1')], '0'],
    ['has arrived', '1', [part('1')], '1'],
    ['has arrived in part', '3', [part('1'), part('2'), part('4')], '3'],
    ['has left, its fee with it', '-1.0003', [part('-1.0004', '-1')], '-1.0003'],
    ['has left, and more is missing', '-1.5', [part('-1.0004', '-1')], '-1.0004'],
    ['goes both ways', '-0.5', [part('-1'), part('0.5')], '-0.5'],
    ['explains the nearest', '2.9', [part('1'), part('2')], '3'],
    ['does not hide what it cannot be', '0.3', [part('-1')], '0'],
  ]
  for (const [name, gap, parts, expected] of cases)
    it(name, () => {
      assert.equal(format(explainGap(decimal(gap), parts)), expected)
    })

  it('is not tried in every combination when there is much of it', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      part(`-${index + 1}.${'0'.repeat(index % 6)}${index + 1}`),
    )
    assert.equal(format(explainGap(decimal('1'), many)), '0')
    assert.equal(
      format(
        explainGap(
          -decimal('7.3'),
          Array.from({ length: 900 }, () => part('-1')),
        ),
      ),
      '-7.3',
    )
  })
})

describe('a difference', () => {
  const NOW = 1_800_000_000_000
  const known = (
    difference: string,
    ago: number,
    more: Partial<EarlierDifference> = {},
  ): EarlierDifference => ({
    difference: decimal(difference),
    since: NOW - ago,
    accepted: 0n,
    open: false,
    ...more,
  })
  const OLD = CONFIRM_MILLISECONDS
  const cases: [string, EarlierDifference | undefined, [string, string], string, number][] = [
    ['that is none', undefined, ['0', '0'], 'BALANCED', 0],
    ['seen for the first time', undefined, ['1', '0'], 'CHECKING', 0],
    ['seen again too early', known('1', OLD - 1), ['1', '0'], 'CHECKING', OLD - 1],
    ['seen again', known('1', OLD), ['1', '0'], 'OPENS', OLD],
    ['that has changed', known('1', OLD), ['2', '0'], 'CHECKING', 0],
    ['that is a break', known('1', OLD, { open: true }), ['1', '0'], 'STAYS', OLD],
    ['that is a break and has changed', known('1', OLD, { open: true }), ['2', '0'], 'STAYS', 0],
    ['that was a break and is gone', known('1', OLD, { open: true }), ['0', '0'], 'VANISHED', 0],
    [
      'that was a break and may only be covered',
      known('1', OLD, { open: true }),
      ['0', '1'],
      'STAYS',
      0,
    ],
    [
      'that was a break and is covered for a while',
      known('0', OLD, { open: true }),
      ['0', '1'],
      'VANISHED',
      OLD,
    ],
    [
      'that somebody has accepted',
      known('1', OLD, { accepted: decimal('1') }),
      ['1', '0'],
      'ACCEPTED',
      OLD,
    ],
    [
      'other than the accepted one',
      known('2', OLD, { accepted: decimal('1') }),
      ['2', '0'],
      'OPENS',
      OLD,
    ],
  ]
  for (const [name, before, [difference, on_the_way], verdict, age] of cases) {
    it(`${name}: ${verdict}`, () => {
      const judged = judge(
        before,
        { difference: decimal(difference), on_the_way: decimal(on_the_way) },
        NOW,
      )
      assert.deepEqual({ verdict: judged.verdict, age: NOW - judged.since }, { verdict, age })
    })
  }

  it('that was accepted and is gone is accepted no more', () => {
    assert.equal(
      judge(known('1', OLD, { accepted: decimal('1') }), { difference: 0n, on_the_way: 0n }, NOW)
        .accepted,
      0n,
    )
  })
})
