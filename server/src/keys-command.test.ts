import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { wrappingKeysOf } from './access/index.ts'
import { openTokens } from './access/tokens.ts'
import type { App } from './app.ts'
import { manualClock } from './core/clock.ts'
import { UsageError } from './core/usage.ts'
import { KEYS } from './keys-command.ts'
import { testDatabase } from './store/testing.ts'

const { db, drop } = await testDatabase({ maximumConnections: 2 })
const folder = await mkdtemp(join(tmpdir(), 'kontor-keys-command-'))
const key_file = join(folder, 'kontor.key')
const clock = manualClock(Date.now())
after(async () => {
  await drop()
  await rm(folder, { recursive: true })
})

/** Answers what it says, with ids and times left out. */
async function run(args: readonly string[], file: string | undefined = key_file) {
  const lines: string[] = []
  await KEYS.run({
    db,
    clock,
    args,
    env: {},
    key_file: file,
    say: (line) => void lines.push(line),
    open: async () => Promise.reject<App>(new Error('nothing is opened')),
    ask: async () => undefined,
  })
  return lines.map((line) => line.replace(/^[0-9a-f-]{36} signs from \S+, /, 'a key '))
}

test('npm run keys lists the signing keys and makes the next one', async () => {
  const tokens = await openTokens(db, clock, { key_file })
  tokens.close()
  const [id] = await wrappingKeysOf(db)
  const wrapped = `a key wrapped by ${id}`
  const where = `the wrapping key is in ${key_file}: keep a copy elsewhere`
  assert.deepEqual(await run([]), [wrapped, where])
  assert.deepEqual(await run(['rotate']), [wrapped, wrapped, where])
  assert.deepEqual(await run(['rotate', '--at-once']), [wrapped, where])
  for (const args of [['dance'], ['rotate', 'twice'], ['--at-once'], ['--soon']])
    await assert.rejects(run(args), UsageError)
})
