import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { wantsDemoCustomers, wantsSandbox } from './demo-world.ts'

test('the demo world comes to an empty folder, and elsewhere only when asked for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-demo-'))
  const wants = (name: string, env: Record<string, string> = {}, configured = false) =>
    wantsSandbox({ env, dataDir: join(folder, name), isConfigured: async () => configured })
  try {
    await mkdir(join(folder, 'own/postgres/cluster'), { recursive: true })
    await mkdir(join(folder, 'demo/postgres/cluster'), { recursive: true })
    await mkdir(join(folder, 'demo/sandbox'))
    assert.equal(await wants('new'), true)
    assert.equal(await wants('demo', {}, true), true)
    assert.equal(await wants('own', {}, false), true)
    // Configured by npm run configure, or by an earlier start.
    assert.equal(await wants('own', {}, true), false)
    for (const named of [{ DATABASE_URL: 'postgres://x' }, { KONTOR_CONFIG: 'x.json' }])
      for (const name of ['new', 'demo', 'own']) {
        assert.equal(await wants(name, named), false)
        assert.equal(await wants(name, { ...named, SANDBOX: 'on' }), true)
      }
    assert.equal(await wants('demo', { SANDBOX: 'off' }), false)
    await assert.rejects(wants('new', { SANDBOX: 'yes' }), /SANDBOX must be on or off, not yes/)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('its people come with its own configuration alone', () => {
  assert.deepEqual([{}, { KONTOR_CONFIG: 'own.json' }].map(wantsDemoCustomers), [true, false])
})
