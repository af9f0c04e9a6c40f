import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { SigningKeys } from '../access/signing-keys.ts'
import { systemClock } from '../core/clock.ts'
import { takeLock } from '../core/file-lock.mjs'
import { until } from '../core/testing.ts'
import { openTestBooks } from '../ledger/lane/books.testing.ts'
import { archiveFigures } from '../store/archive-figures.ts'
import { startEmbedded, stopEmbedded } from '../store/embedded.ts'
import { sql } from '../store/sql.ts'
import type { Head } from './backups.schema.ts'
import { Operator } from './backups.testing.ts'
import { NotOpened, readKey, seal, unseal } from './sealing.ts'

const folder = await mkdtemp(join(tmpdir(), 'kontor-backups-'))
const operator = new Operator(folder)
after(async () => {
  await operator.stop().catch(() => undefined)
  for (const name of ['postgres', 'postgres/beside'])
    await stopEmbedded(join(operator.dataDir, name))
  await rm(folder, { recursive: true, force: true })
})

test('a backup of a busy server holds what was booked before it, and verifies beside', async () => {
  await operator.start()
  operator.books = await openTestBooks(operator.db, systemClock)
  await operator.book(3)
  const before = await operator.head()
  let isBusy = true
  const busy = (async () => {
    while (isBusy) await operator.book()
  })()
  const made = await operator.backup()
  isBusy = false
  await busy
  const { code, said } = await operator.run('backup', 'verify', made)
  assert.equal(code, 0, said)
  assert.match(said, /\d+ bookings in \d+ batches, last hash [0-9a-f]{64}\n.*copy is correct$/)
  const told = JSON.parse(await readFile(join(made, 'verified.json'), 'utf8')) as { books: [Head] }
  const [held] = told.books
  const after = await operator.head()
  assert.ok(held.bookings >= (before?.bookings ?? NaN) && held.bookings <= (after?.bookings ?? NaN))
  for (const name of ['.', 'base.tar.gz', 'secrets.json', 'manifest.json', 'verified.json'])
    assert.equal((await stat(join(made, name))).mode & 0o077, 0, name)
  assert.deepEqual(await readdir(operator.backups), [made.split('/').at(-1)])
  assert.ok(!existsSync(join(operator.dataDir, 'postgres/beside')))
})

test('what is damaged, unfinished or something else is said, and never used', async () => {
  const [name = ''] = await readdir(operator.backups)
  const made = join(operator.backups, name)
  const base = join(made, 'base.tar.gz')
  const whole = await readFile(base)
  const startAgain = () =>
    startEmbedded({ dir: join(operator.dataDir, 'postgres'), durable: false })
  const flipped = Buffer.from(whole)
  flipped[1000] = (flipped[1000] ?? 0) ^ 1
  const refusal = async (path: string): Promise<string> => {
    const { code, said } = await operator.run('backup', 'verify', path)
    assert.equal(code, 1)
    return said
  }
  await writeFile(base, flipped)
  assert.match(await refusal(made), /is damaged: base.tar.gz has another SHA-256/)
  await writeFile(base, whole.subarray(0, -1))
  assert.match(await refusal(made), /is damaged: base.tar.gz has \d+ bytes instead of/)
  await writeFile(base, whole)
  const manifest = join(made, 'manifest.json')
  const text = await readFile(manifest, 'utf8')
  const told = JSON.parse(text) as { books_before: [Head] }
  told.books_before[0].hash = 'f'.repeat(64)
  await writeFile(manifest, JSON.stringify(told))
  const { pid } = operator.server
  const { code, said } = await operator.run('restore', made)
  assert.equal(code, 1)
  assert.match(said, /^nothing was restored: 1 fault\n.* has another hash than in the manifest$/)
  assert.equal((await startAgain()).pid, pid, 'the old database was not even stopped')
  await writeFile(manifest, text.replace(/"schema": "\d+/, '"schema": "9999'))
  assert.match((await operator.run('restore', made)).said, /is of a newer Kontor/)
  await writeFile(manifest, text)
  await rename(made, `${made}.part`)
  assert.match(await refusal(`${made}.part`), /begun and not ended/)
  await rm(`${made}.part`, { recursive: true })
  assert.match(await refusal(folder), /is no backup of Kontor/)
  assert.match(await refusal(made), /is no backup of Kontor/)
})

test('what is wrong with the call is said in a sentence', async () => {
  const { DATABASE_URL: outer } = process.env
  const refusals: [words: string[], says: RegExp][] = [
    [['backup', '--keep', '0'], /^--keep takes a whole number above 0, not 0$/],
    [['backup', '--everything'], /^Unknown option '--everything'/],
    [['backup', '--key', join(folder, 'nowhere')], /^there is no key /],
    [['backup', '--key', join(operator.dataDir, 'postgres/secrets.json')], /holds no key/],
    [['backup', 'key'], /^it takes the file for the key$/],
    [['restore'], /^it takes the backup$/],
  ]
  for (const [[name = '', ...args], says] of refusals)
    assert.match((await operator.run(name, ...args)).said, says)
  process.env['DATABASE_URL'] = 'postgres://elsewhere/kontor'
  assert.match((await operator.run('backup')).said, /^DATABASE_URL names a server of your own/)
  delete process.env['DATABASE_URL']
  if (outer !== undefined) process.env['DATABASE_URL'] = outer
})

test('a sealed backup opens with its key alone', async () => {
  const [key, other] = [join(folder, 'key'), join(folder, 'other')]
  for (const file of [key, other]) assert.equal((await operator.run('backup', 'key', file)).code, 0)
  assert.match((await operator.run('backup', 'key', key)).said, /never overwritten/)
  assert.equal((await stat(key)).mode & 0o777, 0o600)
  const made = await operator.backup('--key', key, '--verify')
  const names = ['base.tar.gz.enc', 'manifest.json', 'secrets.json.enc', 'verified.json']
  assert.deepEqual((await readdir(made)).toSorted(), names)
  assert.match((await operator.run('backup', 'verify', made)).said, /is sealed: name its key/)
  assert.match(
    (await operator.run('backup', 'verify', made, '--key', other)).said,
    /sealed with another key/,
  )
})

test('of a sealed file nothing can be changed, moved, left out, cut off or renamed', async () => {
  const key = await readKey(join(folder, 'key'))
  async function* of(...pieces: Buffer[]): AsyncGenerator<Buffer> {
    yield* pieces
  }
  const all = async (pieces: AsyncIterable<Buffer>): Promise<Buffer> => {
    const held: Buffer[] = []
    for await (const piece of pieces) held.push(piece)
    return Buffer.concat(held)
  }
  const chunk = 65_536
  for (const bytes of [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk]) {
    const plain = Buffer.alloc(bytes, 'money')
    const sealed = await all(seal(of(plain.subarray(0, 7), plain.subarray(7)), key, 'a'))
    assert.deepEqual(await all(unseal(of(sealed), key, 'a')), plain)
  }
  const sealed = await all(seal(of(Buffer.alloc(2 * chunk + 5, 'money')), key, 'a'))
  const part = (from: number, to?: number): Buffer => sealed.subarray(from, to)
  const [one, two] = [32 + chunk + 16, 32 + 2 * (chunk + 16)]
  const wrong: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    'without chunks': part(0, 32),
    'cut off between chunks': part(0, two),
    'cut off within one': part(0, two + 3),
    'with chunks in another order': Buffer.concat([
      part(0, 32),
      part(one, two),
      part(32, one),
      part(two),
    ]),
    'with a chunk left out': Buffer.concat([part(0, one), part(two)]),
    'with more at its end': Buffer.concat([sealed, Buffer.alloc(1)]),
  }
  for (const [how, bytes] of Object.entries(wrong))
    await assert.rejects(all(unseal(of(bytes), key, 'a')), NotOpened, how)
  await assert.rejects(all(unseal(of(sealed), key, 'b')), NotOpened, 'another name')
})

test('the newest backups stay, the newest verified one, and what is not ours', async () => {
  const folderOf = (day: number): string =>
    join(operator.backups, `kontor-2020010${day}T000000.000Z`)
  const [last = ''] = (await readdir(operator.backups)).toSorted().toReversed()
  const newest = join(operator.backups, last)
  for (const day of [1, 2, 3, 4]) {
    await cp(newest, folderOf(day), { recursive: true })
    if (day !== 2) await rm(join(folderOf(day), 'verified.json'))
  }
  const foreign = JSON.parse(await readFile(join(newest, 'manifest.json'), 'utf8')) as object
  await writeFile(
    join(folderOf(4), 'manifest.json'),
    JSON.stringify({ ...foreign, system_identifier: '1' }),
  )
  await writeFile(join(folderOf(3), 'notes.txt'), 'of the operator')
  const unverified = (await readdir(operator.backups)).filter(
    (name) => !name.startsWith('kontor-2020'),
  )
  for (const name of unverified) await rm(join(operator.backups, name, 'verified.json'))
  const made = await operator.backup('--keep', '2')
  assert.deepEqual((await readdir(operator.backups)).toSorted(), [
    'kontor-20200102T000000.000Z', // the newest that was verified
    'kontor-20200103T000000.000Z', // holds a file that is not ours
    'kontor-20200104T000000.000Z', // of another cluster
    last,
    made.split('/').at(-1),
  ])
  assert.deepEqual(await readdir(folderOf(3)), ['notes.txt'])
})

test('a full disk and a kill leave no backup, and nothing of either', async () => {
  const whole = await readdir(operator.backups)
  const full = await operator.spawn('ulimit -f 200;', 'backup', '--to', operator.backups).ended
  assert.equal(full.code, 1, full.said)
  assert.match(full.said, /^kontor: EFBIG: file too large/m)
  assert.doesNotMatch(full.said, /\n\s+at /, 'no stack')
  assert.deepEqual(await readdir(operator.backups), whole)
  const { child, ended } = operator.spawn('', 'backup', '--to', operator.backups)
  const part = async (): Promise<string | undefined> =>
    (await readdir(operator.backups)).find((name) => name.endsWith('.part'))
  await until('a backup begins', part)
  child.kill('SIGKILL')
  await ended
  assert.ok(await part(), 'it is there, under the name of an unfinished one')
  await operator.backup()
  assert.equal(await part(), undefined)
})

test('a restore brings the books back, and keeps what stood there', async () => {
  const key_file = join(operator.dataDir, 'kontor.key')
  const keys = await SigningKeys.open(operator.db, systemClock, { key_file })
  keys.close()
  await rm(key_file)
  const made = await operator.backup()
  const head = await operator.head()
  await operator.book(2)
  const lost = await operator.head()
  const timeline = async (): Promise<number | undefined> =>
    (
      await operator.db.query<{ now: number }>(sql`
        select timeline_id::int as now
        from pg_control_checkpoint()`)
    )[0]?.now
  const before = await timeline()
  const kontor = await takeLock(join(operator.dataDir, 'kontor.lock'))
  assert.match((await operator.run('restore', made)).said, /Kontor runs on .*: stop it first$/)
  await kontor.release()
  await operator.stop()

  const { child, ended } = operator.spawn('', 'restore', made)
  await until('a copy is unpacked', () =>
    existsSync(join(operator.dataDir, 'postgres/beside/cluster/PG_VERSION')),
  )
  child.kill('SIGKILL')
  await ended
  await operator.start()
  assert.deepEqual(await operator.head(), lost, 'a killed restore changes nothing')
  await operator.stop()

  const { code, said } = await operator.run('restore', made)
  assert.equal(code, 0, said)
  assert.match(said, /^before you start: .* wrapped by the key [0-9a-f]{16}, and \S+ is missing: /m)
  await operator.start()
  assert.deepEqual(await operator.head(), head)
  assert.ok(((await timeline()) ?? 0) > (before ?? 0), 'a timeline of its own')
  const kept = /is kept in (\S+)$/.exec(said)?.[1] ?? ''
  assert.ok(existsSync(join(kept, 'PG_VERSION')))
  await operator.book()
})

test('a start goes on where a restore was killed between its renames', async () => {
  const dir = join(operator.dataDir, 'postgres')
  const head = await operator.head()
  await operator.stop()
  await rename(join(dir, 'cluster'), join(dir, 'cluster.restored'))
  await operator.start()
  assert.deepEqual(await operator.head(), head)
  assert.ok(!existsSync(join(dir, 'cluster.restored')))
})

test('a log that cannot be archived is a figure', async () => {
  const failing = async (): Promise<number> => {
    const read = await archiveFigures(operator.db).read()
    return read['kontor_log_archive_failing_seconds']?.[0]?.value ?? NaN
  }
  const owner = new pg.Client({ connectionString: operator.server.superUrl })
  await owner.connect()
  const booked = async (): Promise<void> => {
    await operator.book()
    await owner.query('select pg_switch_wal()')
  }
  assert.equal(await failing(), 0)
  await rename(operator.archive, `${operator.archive}.away`)
  await booked()
  await until('it fails', async () => (await failing()) > 0)
  await rename(`${operator.archive}.away`, operator.archive)
  await booked()
  await until('it is archived again', async () => (await failing()) === 0)
  await owner.end()
})

test('with the archived log it comes back as of a moment, and as of the last one', async () => {
  const made = await operator.backup()
  await operator.book(2)
  const head = await operator.head()
  const moment = Date.now()
  await until('the moment is over', () => Date.now() > moment + 5)
  await operator.book(3)
  const time = new Date(moment).toISOString()
  const refusals: [time: string, says: RegExp][] = [
    ['2999-01-01T00:00:00Z', /is yet to come/],
    ['2020-01-01T00:00:00Z', /this backup ended at .*: take an older one/],
    ['2026-11-20 10:00', /--until takes a time like/],
  ]
  for (const [time, says] of refusals)
    assert.match((await operator.run('restore', made, '--until', time)).said, says)
  await operator.stop()
  const back = await operator.run('restore', made, '--until', time)
  assert.equal(back.code, 0, back.said)
  await operator.start()
  assert.deepEqual(await operator.head(), head)

  await operator.book()
  const last = await operator.head()
  await operator.stop()
  const latest = await operator.run('restore', made, '--until', 'latest')
  assert.equal(latest.code, 0, latest.said)
  await operator.start()
  assert.deepEqual(await operator.head(), last, 'along the timeline of the restore before')

  const [segment = ''] = (await readdir(operator.archive)).toSorted()
  for (const name of await readdir(operator.backups))
    await rm(join(operator.backups, name, 'verified.json'), { force: true })
  const kept = await operator.run('backup', '--to', operator.backups, '--keep', '1')
  assert.match(kept.said, /^removed: \d+ files of the log from before kontor-/m)
  assert.ok(!existsSync(join(operator.archive, segment)), 'the log from before it is gone')
})
