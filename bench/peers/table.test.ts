import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Measured } from './peer.ts'
import { tableOf } from './table.ts'

const LOAD = '64 connections, random accounts'
const measured = (rate: number, more: Partial<Measured> = {}): Measured => ({
  name: LOAD,
  rate,
  failed_share: 0,
  ...more,
})

test('a ratio is the median of those of single rounds, not that of the medians', () => {
  const rounds = [
    [1000, 500],
    [4000, 400],
    [2000, 400],
  ].map(
    ([ours = 0, theirs = 0]) =>
      new Map([
        ['Kontor', [measured(ours)]],
        ['Other', [measured(theirs, { name: `${LOAD}: applied`, failed_share: 0.25 })]],
      ]),
  )
  assert.deepEqual(tableOf('Kontor', rounds).split('\n').slice(2), [
    `| Kontor | ${LOAD} | 2,000 (1,000 to 4,000) | 1.0 |  |`,
    `| Other | ${LOAD}: applied | 400 (400 to 500) | 0.20 | 25 % |`,
  ])
})

test('a load that Kontor does not have is compared with none of its own', () => {
  const rounds = [
    new Map([
      ['Kontor', [measured(2000)]],
      ['Other', [{ ...measured(50_000), name: 'batches of 64, random accounts' }]],
    ]),
  ]
  assert.match(tableOf('Kontor', rounds), /batches of 64, random accounts \| 50,000 \(.*\) \|  \|/)
})
