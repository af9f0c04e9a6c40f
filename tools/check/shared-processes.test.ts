import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { inSharedProcesses } from './shared-processes.mjs'

const PASSES = "import { test } from 'node:test'\ntest('passes', () => undefined)\n"
const FILES: Record<string, string> = {
  'server/src/ledger/one.test.ts': PASSES,
  'server/src/ledger/lane/broken.test.ts': "import './missing.ts'\n",
  'server/src/ledger/lane/two.test.ts': PASSES,
  'server/src/ledger/hooks.test.ts': "import { after } from 'node:test'\nafter(() => undefined)\n",
  'server/src/ledger/waits.test.ts': `const { db } = await Promise.resolve({ db: 1 })\n`,
  'server/src/ledger/environment.test.ts': `  process.env['TZ'] = 'UTC'\n`,
  'server/src/ledger/clock.test.ts': `  mock.timers.enable()\n`,
  'server/src/venues/alone.test.ts': PASSES,
  'tools/check/one.test.ts': PASSES,
  'tools/check/two.test.ts': PASSES,
}

describe('test files that share a process', () => {
  let root: string
  let programs: string[]
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'kontor-shared-'))
    for (const [file, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), text)
    }
    programs = await inSharedProcesses(root, Object.keys(FILES), join(root, 'shared'))
  })
  after(() => rm(root, { recursive: true }))

  it('are modest ones of one folder; every other one runs alone', () => {
    assert.deepEqual(
      programs.map((program) => (isAbsolute(program) ? relative(root, program) : program)),
      [
        'shared/server/src/ledger/one+2.mjs',
        'server/src/ledger/hooks.test.ts',
        'server/src/ledger/waits.test.ts',
        'server/src/ledger/environment.test.ts',
        'server/src/ledger/clock.test.ts',
        'server/src/venues/alone.test.ts',
        'tools/check/one.test.ts',
        'tools/check/two.test.ts',
      ],
    )
  })

  it('all run, and one that cannot be loaded fails', async () => {
    const program = join(root, 'shared/server/src/ledger/one+2.mjs')
    assert.equal((await readFile(program, 'utf8')).match(/\.test\.ts/g)?.length, 3)
    const { NODE_TEST_CONTEXT: _ours, ...env } = process.env
    const { stdout, status } = spawnSync(process.execPath, ['--test-reporter=tap', program], {
      env,
      encoding: 'utf8',
    })
    assert.equal(status, 1)
    assert.match(stdout, /# pass 2\n# fail 1\n/)
    assert.match(stdout, /not ok \d+ - \S+broken\.test\.ts/)
  })
})
