import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded } from '../../server/src/store/embedded.ts'
import { freePort } from '../../server/src/store/ports.ts'
import { environmentOf, ownerOf, processesOf, supervisedOf, until } from './running.ts'
import { END_LIMIT_MS, openStarts, PATIENT_MS, statusOf } from './start.fixture.ts'

/** What a start after the install may take on an idle machine, and each later one. */
const FIRST_LIMIT_MS = 10_000
const LATER_LIMIT_MS = 5_000

const isRoot = process.getuid?.() === 0
const starts = await openStarts()
const FIRST_PASSWORD = 'chosen by the operator'

/** The embedded database's other logins, and what the operator's environment has for others. */
function knowsNoSecret(password: string): void {
  const { service, sandbox } = supervisedOf(starts.dataDir)
  const { owner, superuser } = JSON.parse(
    readFileSync(join(starts.dataDir, 'postgres/secrets.json'), 'utf8'),
  ) as { owner: string; superuser: string }
  assert.ok(password !== '' && owner !== '' && superuser !== '')
  const texts = JSON.stringify([service, sandbox].map(environmentOf))
  assert.deepEqual(
    [password, owner, superuser].map((secret) => texts.includes(secret)),
    [false, false, false],
  )
  const names = Object.keys(environmentOf(sandbox))
  assert.deepEqual(
    names.filter((name) => !/^(SANDBOX|NODE|LC)_|^(PATH|HOME|TZ|LANG|TMPDIR)$/.test(name)),
    ['KONTOR_PARENT'],
  )
  assert.ok('KEY_OF_A_VENUE' in environmentOf(service))
}

test('the first start shows address and password; a second one beside it is refused', async () => {
  const first = await starts.startReady(FIRST_LIMIT_MS, {
    cwd: tmpdir(),
    env: { KEY_OF_A_VENUE: 'known to the service alone' },
  })
  const [, password = ''] =
    /log in as \S+ with the password (\S{12,})/.exec(await first.ready) ?? []
  knowsNoSecret(password)
  const second = starts.start({ port: await freePort() })
  assert.equal((await second.exited).code, 1)
  assert.match(second.said(), /Kontor already runs on .* Stop that one first/)
  assert.equal(await statusOf(await first.ready), 200)
  await starts.writeOne()
  await starts.endInOrder(first)
  assert.equal(existsSync(join(starts.dataDir, 'kontor.lock')), false)
})

test('the next start is quick and shows no password; Ctrl-C on the group ends it', async () => {
  const started = await starts.startReady(LATER_LIMIT_MS)
  assert.match(await started.ready, /the password was shown at the first start/)
  await starts.nothingLost()
  await starts.endInOrder(started, starts.dataDir, () => {
    process.kill(-started.npm.pid, 'SIGINT')
    process.kill(-started.npm.pid, 'SIGINT')
  })
})

test('SIGTERM in the middle of a start ends it as well', async () => {
  const started = starts.start()
  await until('the supervisor holds its lock', END_LIMIT_MS, () =>
    existsSync(join(starts.dataDir, 'kontor.lock')),
  )
  await starts.endInOrder(started)
})

test('a taken port is refused with a sentence, and nothing stays behind', async () => {
  const other = createServer().listen(0)
  try {
    await until('it listens', END_LIMIT_MS, () => other.listening)
    const address = other.address()
    assert.ok(typeof address === 'object' && address !== null)
    const started = starts.start({ port: address.port })
    assert.equal((await started.exited).code, 1)
    assert.match(started.said(), /Port \d+ is taken by another program\. Set PORT to a free one\./)
    await until(
      'every process is gone',
      END_LIMIT_MS,
      () => processesOf(starts.dataDir).length === 0,
    )
  } finally {
    other.close()
  }
})

test('what the system refuses is told in a line, without a stack', async () => {
  const started = starts.start({ env: { DATA_DIR: process.execPath } })
  assert.equal((await started.exited).code, 1)
  assert.match(started.said(), /^kontor: EEXIST: file already exists, mkdir .*$/m)
  assert.doesNotMatch(started.said(), /^ +at /m)
})

for (const name of ['service', 'sandbox'] as const) {
  test(`a ${name} that cannot start ends the start with a sentence`, async () => {
    const started = starts.start({
      env: { [`KONTOR_TEST_${name.toUpperCase()}`]: join(starts.folder, 'missing.ts') },
    })
    assert.equal((await started.exited).code, 1)
    assert.match(started.said(), new RegExp(`the ${name} could not start \\(exit code 1\\)`))
    await until(
      'every process is gone',
      END_LIMIT_MS,
      () => processesOf(starts.dataDir).length === 0,
    )
  })
}

test('with DATABASE_URL it runs on that server and starts none of its own', async () => {
  const server = await startEmbedded({
    dir: join(starts.newDataDir('elsewhere'), 'postgres'),
    durable: false,
  })
  const dir = starts.newDataDir('guest')
  try {
    const started = await starts.startReady(PATIENT_MS, {
      dataDir: dir,
      env: {
        DATABASE_URL: server.serviceUrl,
        KONTOR_OWNER_DATABASE_URL: server.ownerUrl,
        KONTOR_ADMIN_PASSWORD: FIRST_PASSWORD,
      },
    })
    const { service } = ownerOf(dir).children
    const environment = Object.values(environmentOf(service ?? assert.fail()))
    assert.deepEqual(
      [server.serviceUrl, server.ownerUrl, FIRST_PASSWORD].map((text) =>
        environment.includes(text),
      ),
      [true, false, false],
    )
    assert.match(await started.ready, /with KONTOR_ADMIN_PASSWORD$/)
    assert.ok(!started.said().includes(FIRST_PASSWORD))
    assert.deepEqual(
      [existsSync(join(dir, 'postgres')), existsSync(join(dir, 'sandbox'))],
      [false, false],
    )
    await starts.endInOrder(started, dir)
  } finally {
    await server.stop()
  }
})

test(
  'an ordinary user starts it',
  { skip: isRoot ? false : 'every other test here already does' },
  async () => {
    const user = { uid: 65534, gid: 65534 }
    const home = await mkdtemp(join(tmpdir(), 'kontor-user-'))
    try {
      await chown(home, user.uid, user.gid)
      const dir = starts.newDataDir('data', home)
      await starts.endInOrder(
        await starts.startReady(PATIENT_MS, {
          dataDir: dir,
          user,
          env: { HOME: home, npm_config_cache: join(home, 'npm') },
        }),
        dir,
      )
    } finally {
      await rm(home, { recursive: true })
    }
  },
)

test(
  'root starts it where another user reaches the data, which is then that user’s',
  { skip: isRoot ? false : 'needs root' },
  async () => {
    const open = await mkdtemp(join(tmpdir(), 'kontor-open-'))
    try {
      await chmod(open, 0o755)
      const dir = starts.newDataDir('data', open)
      await mkdir(dir)
      await starts.endInOrder(await starts.startReady(PATIENT_MS, { dataDir: dir }), dir)
    } finally {
      await rm(open, { recursive: true })
    }
  },
)
