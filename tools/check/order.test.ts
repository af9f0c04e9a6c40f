import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurns } from './order.mjs'

test('browsers take turns with what mostly waits; what is short comes last', () => {
  const processes = [
    'tools/quality/chaos.test.ts',
    'tools/setup/fresh-machine.test.ts',
    'server/quality/fuzz.test.ts',
    'server/src/settlements/settlements.faults.test.ts',
    'server/src/venues/bank/bank.sandbox.test.ts',
  ]
  const browsers = ['console/testing/away.test.ts', 'console/testing/looks.test.ts']
  const short = [
    'console/src/floors.test.ts',
    '/tmp/shared/server/src/core/core+6.mjs',
    'server/src/main.test.ts',
  ]
  const [chaos, fresh, fuzz, faults, sandbox] = processes
  const [away, looks] = browsers
  assert.deepEqual(inTurns([...short, ...browsers, ...processes]), [
    chaos,
    away,
    fresh,
    fuzz,
    looks,
    faults,
    sandbox,
    ...short,
  ])
  assert.deepEqual(inTurns([]), [])
})
