import assert from 'node:assert/strict'
import { test } from 'node:test'
import { haltsReleasedIn } from './restore.ts'

test('a restore that nobody has noticed is told from one whose halts were released', () => {
  const walked = 'set back, noticed at 2026-11-24T04:00:00.000Z: asking every venue\n'
  assert.equal(haltsReleasedIn(`${walked}2 halts released\n`), 2)
  assert.equal(haltsReleasedIn(`${walked}2 halts released\n${walked}0 halts released\n`), 2)
  assert.equal(haltsReleasedIn(`${walked}0 halts released\n`), 0)
  assert.equal(haltsReleasedIn('this database has not been set back: there is nothing to do\n'), 0)
})
