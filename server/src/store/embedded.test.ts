import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded, type Embedded } from './embedded.ts'

const folder = await mkdtemp(join(tmpdir(), 'kontor-embedded-'))
const dir = join(folder, 'postgres')
let last: Embedded | undefined
after(async () => {
  await last?.stop()
  await rm(folder, { recursive: true })
})

const start = async (): Promise<Embedded> => (last = await startEmbedded({ dir, durable: false }))

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // the server is killed under some of these
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

test('a new cluster has its roles, checksums, locale, statistics and closed secrets', async () => {
  const db = await start()
  assert.equal(db.adopted, false)
  await ask(
    db.ownerUrl,
    'create table kept (id int); insert into kept values (1); grant select on kept to kontor',
  )
  assert.deepEqual(await ask(db.serviceUrl, 'select current_user as who, id from kept'), [
    { who: 'kontor', id: 1 },
  ])
  await assert.rejects(ask(db.serviceUrl, 'create table mine (id int)'), /permission denied/)
  const [row] = await ask(
    db.superUrl,
    `select
      current_setting('data_checksums') as sums,
      current_setting('autovacuum_naptime') as analysed_every,
      current_setting('default_statistics_target') as of,
      datcollate
    from pg_database
    where datname = 'kontor'`,
  )
  assert.deepEqual(row, { sums: 'on', analysed_every: '10s', of: '20', datcollate: 'C' })
  assert.equal((await stat(join(dir, 'secrets.json'))).mode & 0o777, 0o600)
})

test('it is asked through its own socket, and with a path too long for one over TCP', async () => {
  const question = 'select inet_server_addr() is null as socket'
  assert.deepEqual(await ask(last?.serviceUrl ?? '', question), [{ socket: true }])
  const far = await startEmbedded({ dir: join(folder, 'far'.repeat(30)), durable: false })
  try {
    assert.deepEqual(await ask(far.serviceUrl, question), [{ socket: false }])
  } finally {
    await far.stop()
  }
})

test('a server that answers a login with nothing, or not in time, is asked again', async () => {
  const slow = join(folder, 'slow'.repeat(30))
  const secrets = join(slow, 'secrets.json')
  const server = await startEmbedded({ dir: slow, durable: false })
  let refusals = 0
  const between = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      refusals += 1
      if (refusals <= 2) {
        socket.destroy()
        return
      }
      const real = connect(server.port, '127.0.0.1')
      real.on('error', () => undefined).write(data)
      socket.pipe(real).pipe(socket)
    })
  }).listen(0, '127.0.0.1')
  try {
    await once(between, 'listening')
    const { port } = between.address() as AddressInfo
    await writeFile(
      secrets,
      JSON.stringify({ ...(JSON.parse(await readFile(secrets, 'utf8')) as object), port }),
    )
    const adopted = await startEmbedded({ dir: slow, durable: false })
    assert.equal(adopted.adopted, true)
    assert.equal(adopted.pid, server.pid)
    assert.ok(refusals > 2)
  } finally {
    between.close()
    await server.stop()
  }
})

test('a running server is adopted, by two starters at once too', async () => {
  const pid = last?.pid
  const [a, b] = await Promise.all([start(), start()])
  for (const starter of [a, b]) {
    assert.equal(starter.adopted, true)
    assert.equal(starter.pid, pid)
  }
})

test('after kill -9 of the postmaster beside a busy backend the next start recovers', async () => {
  const before = await start()
  const busy = ask(before.serviceUrl, 'select pg_sleep(60)').catch((error: Error) => error)
  for (;;) {
    const [row] = await ask<{ n: number }>(
      before.superUrl,
      "select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep%'",
    )
    if (row?.n === 1) break
    await pause(10)
  }
  process.kill(before.pid, 'SIGKILL')
  await before.exited
  const now = await start()
  assert.notEqual(now.pid, before.pid)
  assert.equal(now.serviceUrl, before.serviceUrl)
  assert.ok((await busy) instanceof Error)
  assert.deepEqual(await ask(now.serviceUrl, 'select id from kept'), [{ id: 1 }])
})

test('stop ends it and the next start is a new server with the same data', async () => {
  const before = await start()
  await before.stop()
  await before.exited
  const now = await start()
  assert.equal(now.adopted, false)
  assert.deepEqual(await ask(now.serviceUrl, 'select id from kept'), [{ id: 1 }])
})

test('data of another major version of PostgreSQL are refused, with what to do', async () => {
  await last?.stop()
  const file = join(dir, 'cluster/PG_VERSION')
  const own = await readFile(file, 'utf8')
  await writeFile(file, '17\n')
  await assert.rejects(
    start(),
    new RegExp(`are of PostgreSQL 17, .* brings PostgreSQL ${own.trim()}: .* npm run export`),
  )
  await writeFile(file, own)
})

test('a shared server ends with its last user', async () => {
  await last?.stop()
  const first = await startEmbedded({ dir, durable: false, shared: true })
  const second = (last = await startEmbedded({ dir, durable: false, shared: true }))
  await first.stop()
  assert.deepEqual(await ask(second.serviceUrl, 'select id from kept'), [{ id: 1 }])
  await second.stop()
  await second.exited
})

test('a new durable cluster has small log segments, and enough of them ready', async () => {
  const durable = await startEmbedded({ dir: join(folder, 'durable') })
  try {
    const [row] = await ask<{ size: string; ready: number }>(
      durable.superUrl,
      `select current_setting('wal_segment_size') as size, count(*)::int as ready
      from pg_ls_waldir()
      where name > pg_walfile_name(pg_current_wal_lsn()) and name ~ '^[0-9A-F]{24}$'`,
    )
    assert.equal(row?.size, '1MB')
    assert.ok(row.ready >= 100, `${row.ready} segments are ready`)
  } finally {
    await durable.stop()
  }
})

const skip =
  process.getuid?.() === 0 && process.platform === 'linux' ? false : 'needs root on Linux'
test(
  'as root it runs as another user, in a user namespace, or with a kept right',
  { skip },
  async () => {
    await last?.stop()
    const path = process.env['PATH']
    const tools = join(folder, 'tools')
    await mkdir(tools)
    await symlink(
      (path ?? '')
        .split(':')
        .map((part) => join(part, 'setpriv'))
        .find(existsSync) ?? '',
      join(tools, 'setpriv'),
    )
    const ownerAfterStart = async (): Promise<number> => {
      const db = await start()
      assert.deepEqual(await ask(db.serviceUrl, 'select id from kept'), [{ id: 1 }])
      await db.stop()
      return (await stat(join(dir, 'cluster/PG_VERSION'))).uid
    }
    try {
      assert.equal(await ownerAfterStart(), 0, 'mkdtemp made the folder 0700')
      process.env['PATH'] = tools
      assert.notEqual(await ownerAfterStart(), 0)
      process.env['PATH'] = join(folder, 'nothing')
      await assert.rejects(start(), /PostgreSQL does not run as root/)
      await chmod(folder, 0o755)
      assert.notEqual(await ownerAfterStart(), 0)
    } finally {
      if (path !== undefined) process.env['PATH'] = path
    }
  },
)
