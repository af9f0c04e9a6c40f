import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { WITH_FAILPOINTS } from './testing.ts'

const FAILPOINT = new URL('failpoint.ts', import.meta.url).href
const PROGRAM = `
  import { withFailpoints } from '${FAILPOINT}'
  for (const subject of ['first', 'second'])
    console.log(await withFailpoints('step', subject, async () => subject))`

function run(flags: readonly string[], env: Record<string, string>) {
  const { stdout, signal } = spawnSync(
    process.execPath,
    [...flags, '--input-type=module-typescript', '--eval', PROGRAM],
    { env: { ...process.env, ...env }, encoding: 'utf8' },
  )
  return { done: stdout.trim().split('\n').filter(Boolean), signal }
}

const ALL_DONE = { done: ['first', 'second'], signal: null }

test('a program that a test starts dies at the point that the environment names', () => {
  const cases: [Record<string, string>, string[]][] = [
    [{ KONTOR_FAILPOINT: 'step.before' }, []],
    [{ KONTOR_FAILPOINT: 'step.after:2' }, ['first']],
    [{ KONTOR_FAILPOINT: 'step.before', KONTOR_FAILPOINT_SUBJECT: 'second' }, ['first']],
  ]
  for (const [env, done] of cases)
    assert.deepEqual(run(WITH_FAILPOINTS, env), { done, signal: 'SIGKILL' })
  assert.deepEqual(run(WITH_FAILPOINTS, { KONTOR_FAILPOINT: 'elsewhere' }), ALL_DONE)
})

test('no environment variable of ours ends a program that is started as in production', () => {
  const env = { KONTOR_FAILPOINT: 'step.before', KONTOR_FAILPOINTS: '/' }
  assert.deepEqual(run([], env), ALL_DONE)
})
