import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inherited } from './inherited.mjs'

test('a program is told what any needs, and what is named for it', () => {
  const before = { ...process.env }
  try {
    Object.assign(process.env, { KEY_OF_A_VENUE: 'secret', SANDBOX_TIER: 'pro', TZ: 'UTC' })
    const names = Object.keys(inherited(['SANDBOX_TIER', 'NOT_SET']))
    assert.deepEqual(
      ['PATH', 'TZ', 'SANDBOX_TIER', 'KEY_OF_A_VENUE', 'NOT_SET'].map((name) =>
        names.includes(name),
      ),
      [true, true, true, false, false],
    )
  } finally {
    for (const name of ['KEY_OF_A_VENUE', 'SANDBOX_TIER', 'TZ'])
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
  }
})
