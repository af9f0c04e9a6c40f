import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenBuckets } from './token-buckets.ts'

test('a bucket gives what it holds and what flows in, each key its own', () => {
  let now = 0
  const buckets = new TokenBuckets({ burst: 100, per_second: 10 }, () => now)
  assert.equal(buckets.waitFor('a', 100), 0)
  buckets.take('a', 100)
  assert.deepEqual([buckets.waitFor('a', 1), buckets.waitFor('b', 1)], [100, 0])
  now = 5_000
  assert.deepEqual([buckets.waitFor('a', 50), buckets.waitFor('a', 51)], [0, 100])
})

test('a debt is never more than a full bucket', () => {
  let now = 0
  const buckets = new TokenBuckets({ burst: 100, per_second: 10 }, () => now)
  buckets.take('a', 1_000_000)
  assert.equal(buckets.waitFor('a', 1), 10_100)
  now = 60_000
  assert.equal(buckets.waitFor('a', 100), 0)
})
