import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { unknownVariables, VARIABLES } from './variables.ts'

test('every variable stands in a table of the operations, and nothing else does', async () => {
  const text = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| `[A-Z]/.test(line))
  const named = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([A-Z][A-Z_0-9]+)`/g)].map(([, name]) => name),
  )
  // Failed states of movements have tables too.
  const told = named.filter((name) => /^(KONTOR_|OTEL_)/.test(name ?? '') || isShort(name))
  assert.deepEqual([...new Set(told)].toSorted(), VARIABLES.toSorted())
})

const isShort = (name: string | undefined): boolean =>
  ['PORT', 'HOST', 'DATA_DIR', 'DATABASE_URL', 'SANDBOX', 'LOG_LEVEL'].includes(name ?? '')

test('a slip of the pen is found, and what is meant for tests is none', () => {
  const env = { KONTOR_TRUSTED_PROXY: '', KONTOR_ROLE: 'api', KONTOR_FAILPOINT: '', HOME: '' }
  assert.deepEqual(unknownVariables(env), ['KONTOR_TRUSTED_PROXY'])
})
