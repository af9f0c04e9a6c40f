import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LIMITS, limitsFrom } from './limits.ts'

test('limits come from the environment, and a value that is none is refused by name', () => {
  assert.equal(limitsFrom({}).streams_per_user, LIMITS.streams_per_user.by_default)
  assert.equal(limitsFrom({ KONTOR_STREAMS_PER_USER: '3' }).streams_per_user, 3)
  assert.equal(limitsFrom({ KONTOR_STREAMS: '' }).streams, LIMITS.streams.by_default)
  for (const value of ['0', '-1', '1.5', 'many'])
    assert.throws(() => limitsFrom({ KONTOR_STREAMS: value }), /KONTOR_STREAMS must be a whole/)
})

test('docs/operations.md has every limit with its default', () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const [section = ''] = /^## Limits\n[^]*?(?=^## )/m.exec(page) ?? []
  const documented = Object.fromEntries(
    [...section.matchAll(/^\| `(KONTOR_[A-Z_]+)` +\|[^|]+\| ([0-9]+) +\|/gm)].map(
      ([, variable, by_default]) => [variable, Number(by_default)],
    ),
  )
  const limits = Object.values(LIMITS).map(({ variable, by_default }) => [variable, by_default])
  assert.deepEqual(documented, Object.fromEntries(limits))
})
