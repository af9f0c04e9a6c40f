import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import pg from 'pg'
import { isAlive, type Identity } from '../server/src/core/file-lock.mjs'
import { startEmbedded } from '../server/src/store/embedded.ts'
import { freePort } from '../server/src/store/ports.ts'
import { leaveNothing, npmStart, partsOf, processesOf, slowness, superUrlOf, until, type StartOptions, type Started } from './running.ts'
import { ROOT } from './setup.mjs'

/** What a start after the install may take on an idle machine, and each later one. */
const FIRST_LIMIT_MS = 10_000
const LATER_LIMIT_MS = 5_000
/** Where the time is not what is shown: other tests run beside this one. */
const PATIENT_MS = 180_000
const END_LIMIT_MS = 90_000

const isRoot = process.getuid?.() === 0
let folder: string
let dataDir: string
let port: number
const dataDirs: string[] = []

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kontor-start-')) // 0700, as mkdtemp makes it: for root the closed folder is the rule here
  dataDir = newDataDir('main')
  port = await freePort()
})
afterEach(async () => {
  for (const dir of dataDirs) await leaveNothing(dir) // after a good test there is nothing
})
after(async () => {
  await rm(folder, { recursive: true })
})

function newDataDir(name: string, parent = folder): string {
  const dir = join(parent, name)
  dataDirs.push(dir)
  return dir
}

function start(options: Partial<StartOptions> = {}): Started {
  return npmStart({ root: ROOT, dataDir, port, ...options })
}

async function startReady(limitMs: number, options: Partial<StartOptions> = {}): Promise<Started> {
  const before = slowness()
  const startedAt = Date.now()
  const started = start(options)
  const line = await started.ready
  const took = Date.now() - startedAt
  const allowed = limitMs * Math.max(before, slowness())
  assert.ok(took < allowed, `ready after ${took} ms, allowed are ${allowed}`)
  assert.equal(await statusOf(line), 200)
  return started
}

/** What the service answers to the question whether it is ready. */
async function statusOf(line: string): Promise<number> {
  const address = /http:\/\/\S+/.exec(line)?.[0]
  assert.ok(address, line)
  return (await fetch(`${address}/readyz`)).status
}

async function endInOrder(started: Started, dir = dataDir, signal: () => void = () => process.kill(started.npm.pid, 'SIGTERM')): Promise<void> {
  signal()
  const { code } = await started.exited
  assert.equal(code, 0, started.said())
  await until('every process is gone', END_LIMIT_MS, () => processesOf(dir).length === 0)
}

function kill9(who: Identity): void {
  process.kill(who.pid, 'SIGKILL')
}

async function inDatabase(text: string): Promise<number> {
  const client = new pg.Client({ connectionString: superUrlOf(dataDir) })
  await client.connect()
  try {
    return Number((await client.query<{ n: unknown }>(text)).rows[0]?.n)
  } finally {
    await client.end()
  }
}

let written = 0
async function writeOne(): Promise<void> {
  await inDatabase('create table if not exists start_test (id int)')
  await inDatabase('insert into start_test values (1)')
  written += 1
}
async function nothingLost(): Promise<void> {
  assert.equal(await inDatabase('select count(*) as n from start_test'), written)
}

test('the first start, from another directory, tells address and password; a second one beside it is refused', async () => {
  const first = await startReady(FIRST_LIMIT_MS, { cwd: tmpdir() })
  assert.match(await first.ready, /log in as \S+ with the password \S{12,}/)
  const second = start({ port: await freePort() })
  assert.equal((await second.exited).code, 1)
  assert.match(second.said(), /Kontor already runs on .* Stop that one first/)
  assert.equal(await statusOf(await first.ready), 200)
  await writeOne()
  await endInOrder(first)
  assert.equal(existsSync(join(dataDir, 'kontor.lock')), false)
})

test('the next start is quick and does not tell the password again; Ctrl-C on the whole group ends it', async () => {
  const started = await startReady(LATER_LIMIT_MS)
  assert.match(await started.ready, /the password was shown at the first start/)
  await nothingLost()
  await endInOrder(started, dataDir, () => {
    process.kill(-started.npm.pid, 'SIGINT')
    process.kill(-started.npm.pid, 'SIGINT')
  })
})

test('SIGTERM in the middle of a start ends it as well', async () => {
  const started = start()
  await until('the supervisor holds its lock', END_LIMIT_MS, () => existsSync(join(dataDir, 'kontor.lock')))
  await endInOrder(started)
})

test('kill -9 of the service, the sandbox, the postmaster, a backend: each comes back by itself', async () => {
  const started = await startReady(PATIENT_MS)
  const line = await started.ready
  for (const name of ['service', 'sandbox', 'postmaster', 'backend'] as const) {
    const before = partsOf(dataDir)
    await writeOne()
    kill9(before[name])
    await until(`${name} is gone`, END_LIMIT_MS, () => !isAlive(before[name]))
    await until(`all runs again after kill -9 of ${name}`, END_LIMIT_MS, async () => {
      const now = partsOf(dataDir)
      return now[name].pid !== before[name].pid && isAlive(now[name]) && (await statusOf(line)) === 200 && (await inDatabase('select 1 as n')) === 1
    })
    await nothingLost()
  }
  await endInOrder(started)
})

test('kill -9 of npm: the rest ends in order, and a start at once waits for it', async () => {
  const killed = await startReady(PATIENT_MS)
  const before = partsOf(dataDir)
  kill9(killed.npm)
  const next = await startReady(PATIENT_MS)
  assert.deepEqual([before.supervisor, before.service, before.sandbox, before.postmaster].filter(isAlive), [])
  await nothingLost()
  await endInOrder(next)
})

test('kill -9 of the supervisor: its children end, the next start adopts the running PostgreSQL', async () => {
  await startReady(PATIENT_MS)
  const before = partsOf(dataDir)
  await writeOne()
  kill9(before.supervisor)
  const next = await startReady(PATIENT_MS)
  const now = partsOf(dataDir)
  assert.deepEqual([isAlive(before.service), isAlive(before.sandbox), now.postmaster], [false, false, before.postmaster])
  await nothingLost()
  await endInOrder(next)
})

test('kill -9 of every process at once: the next start recovers', async () => {
  await startReady(PATIENT_MS)
  await writeOne()
  assert.equal(await leaveNothing(dataDir), false)
  const next = await startReady(PATIENT_MS)
  await nothingLost()
  await endInOrder(next)
})

test('a taken port is refused with a sentence, and nothing stays behind', async () => {
  const other = createServer().listen(0)
  try {
    await until('it listens', END_LIMIT_MS, () => other.listening)
    const address = other.address()
    assert.ok(typeof address === 'object' && address !== null)
    const started = start({ port: address.port })
    assert.equal((await started.exited).code, 1)
    assert.match(started.said(), /Port \d+ is taken by another program\. Set PORT to a free one\./)
    await until('every process is gone', END_LIMIT_MS, () => processesOf(dataDir).length === 0)
  } finally {
    other.close()
  }
})

for (const name of ['service', 'sandbox'] as const) {
  test(`a ${name} that cannot start ends the start with a sentence`, async () => {
    const started = start({ env: { [`KONTOR_TEST_${name.toUpperCase()}`]: join(folder, 'missing.ts') } })
    assert.equal((await started.exited).code, 1)
    assert.match(started.said(), new RegExp(`the ${name} could not start \\(exit code 1\\)`))
    await until('every process is gone', END_LIMIT_MS, () => processesOf(dataDir).length === 0)
  })
}

test('with DATABASE_URL it runs on that server and starts none of its own', async () => {
  const server = await startEmbedded({ dir: join(newDataDir('elsewhere'), 'postgres'), durable: false })
  const dir = newDataDir('guest')
  try {
    const started = await startReady(PATIENT_MS, { dataDir: dir, env: { DATABASE_URL: server.ownerUrl, SANDBOX: 'off' } })
    assert.deepEqual([existsSync(join(dir, 'postgres')), existsSync(join(dir, 'sandbox'))], [false, false])
    await endInOrder(started, dir)
  } finally {
    await server.stop()
  }
})

test('an ordinary user starts it', { skip: isRoot ? false : 'every other test here already does' }, async () => {
  const user = { uid: 65534, gid: 65534 }
  const home = await mkdtemp(join(tmpdir(), 'kontor-user-'))
  try {
    await chown(home, user.uid, user.gid)
    const dir = newDataDir('data', home)
    await endInOrder(await startReady(PATIENT_MS, { dataDir: dir, user, env: { HOME: home, npm_config_cache: join(home, 'npm') } }), dir)
  } finally {
    await rm(home, { recursive: true })
  }
})

test('root starts it where another user reaches the data, which is then that user’s', { skip: isRoot ? false : 'needs root' }, async () => {
  const open = await mkdtemp(join(tmpdir(), 'kontor-open-'))
  try {
    await chmod(open, 0o755)
    const dir = newDataDir('data', open)
    await mkdir(dir)
    await endInOrder(await startReady(PATIENT_MS, { dataDir: dir }), dir)
  } finally {
    await rm(open, { recursive: true })
  }
})
