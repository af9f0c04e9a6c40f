import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../../server/src/store/ports.ts'
import {
  leaveNothing,
  npmStart,
  processesOf,
  slowness,
  until,
  watchStalls,
} from '../supervise/running.ts'
import { ROOT } from './setup.mjs'

/** The install is the registry's and the line's business; what follows it is ours. */
const INSTALL_LIMIT_MS = 300_000
/** On an idle machine. */
const READY_AFTER_INSTALL_MS = 10_000

/*
 * A clone of what is committed, below a folder only its owner may enter, with an empty npm cache:
 * what a newcomer has.
 * It needs the package registry; without one this fails, as the newcomer's start would.
 */
test(
  'git clone, npm start: installs, runs, lets the administrator in, ends',
  { timeout: 3 * INSTALL_LIMIT_MS },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kontor-fresh-'))
    const root = join(folder, 'kontor')
    const dataDir = join(folder, 'data')
    try {
      execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, root])
      const started = npmStart({
        root,
        dataDir,
        port: await freePort(),
        env: { npm_config_cache: join(folder, 'npm-cache') },
      })
      await until(
        'it is installed',
        INSTALL_LIMIT_MS,
        () => started.process.exitCode !== null || started.said().includes('kontor: installed in'),
      )
      const before = slowness()
      const stalls = watchStalls()
      const installedAt = performance.now()
      const line = await started.ready
      const took = performance.now() - installedAt - stalls()
      const allowed = READY_AFTER_INSTALL_MS * Math.max(before, slowness())
      assert.ok(took < allowed, `ready ${took} ms after the install, allowed are ${allowed}`)
      assert.match(started.said(), /installing dependencies/)
      const [, address, email, password] =
        /: (http:\S+) · log in as (\S+) with the password (\S+)/.exec(line) ?? []
      assert.ok(address && email && password, line)
      const reply = await fetch(`${address}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      })
      assert.equal(reply.status, 200, await reply.text())
      process.kill(started.npm.pid, 'SIGTERM')
      assert.equal((await started.exited).code, 0, started.said())
      await until(
        'every process is gone',
        INSTALL_LIMIT_MS,
        () => processesOf(dataDir).length === 0,
      )
    } finally {
      await leaveNothing(dataDir)
      await rm(folder, { recursive: true })
    }
  },
)
