/**
 * The database of each earlier release, filled by that release itself, brought to this one: the
 * books are whole, and every list can be read. `npm run export` wrote the rows.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { pino } from 'pino'
import { openApp } from './app.ts'
import { endpointsOf, serverOf } from './server.ts'
import { manualClock } from './core/clock.ts'
import type { WorkspaceId } from './core/ids.ts'
import { verifyBooks } from './ledger/index.ts'
import { migrate } from './store/migrate.ts'
import { exportRows, importRows } from './store/row-archive.ts'
import { sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'
import type { TestDatabase } from './store/testing.ts'

const FOLDER = new URL('../releases/', import.meta.url)
const LOGIN = { email: 'admin@kontor.local', password: 'correct horse battery staple' }
const DAY_MILLISECONDS = 86_400_000

const releases = (await readdir(FOLDER)).map((name) => name.replace('.rows.gz', ''))

/** An empty database of its own. */
async function empty(): Promise<TestDatabase> {
  const database = await testDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('drop schema public cascade; create schema public')
  await client.end()
  return database
}

/** Answers what cannot be read. */
async function readEveryList(url: string, last: number): Promise<string[]> {
  const app = await openApp({
    url,
    role: 'kontor',
    clock: manualClock(last + DAY_MILLISECONDS),
    log: pino({ level: 'silent' }),
  })
  const server = await serverOf(app)
  const { data } = (
    await server.inject({ method: 'POST', url: '/api/auth/login', payload: LOGIN })
  ).json<{ data: { access_token: string } }>()
  const headers = { authorization: `Bearer ${data.access_token}` }
  const failed: string[] = []
  for (const { effect, path } of endpointsOf(app)) {
    if (effect !== 'list' || path.includes(':')) continue
    const answer = await server.inject({ url: `/api${path}?limit=100`, headers })
    if (answer.statusCode !== 200) failed.push(`${path}: ${answer.body}`)
  }
  await server.close()
  await app.close()
  return failed
}

describe('the database of an earlier release', () => {
  it('is kept of each release', async () => {
    const text = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
    const [, ...earlier] = text.matchAll(/^## (\S+)$/gm)
    assert.deepEqual(releases.toSorted(), earlier.map(([, release]) => release).toSorted())
  })

  for (const release of releases)
    it(`${release}: books are whole and lists can be read after the migration`, async () => {
      const [database, copy] = [await empty(), await empty()]
      const folder = await mkdtemp(join(tmpdir(), 'kontor-rows-'))
      try {
        await importRows(database.url, fileURLToPath(new URL(`${release}.rows.gz`, FOLDER)))
        await migrate(database.url)
        const books = await booksOf(database)
        assert.deepEqual(books.faults, [])
        assert.ok(books.bookings > 20, `${books.bookings} bookings`)
        assert.deepEqual(await readEveryList(database.url, books.last), [])

        const file = join(folder, 'rows.gz')
        await exportRows(database.url, file)
        await importRows(copy.url, file)
        await migrate(copy.url)
        await exportRows(copy.url, join(folder, 'again.gz'))
        const [first, again] = await Promise.all([file, join(folder, 'again.gz')].map(textOf))
        assert.ok(first === again, 'every row of every table')
        assert.deepEqual(await booksOf(copy), books)
        await assert.rejects(importRows(copy.url, file), /the database is not empty/)
        await assert.rejects(exportRows(copy.url, file), { code: 'EEXIST' })
      } finally {
        await database.drop()
        await copy.drop()
        await rm(folder, { recursive: true })
      }
    })
})

const textOf = async (path: string): Promise<string> => gunzipSync(await readFile(path)).toString()

async function booksOf({ db }: TestDatabase) {
  const [row] = await db.query<{ id: WorkspaceId; last: number }>(sql`
    select workspace as id, max(committed_at) as last
    from batches
    group by workspace
    limit 1`)
  assert.ok(row !== undefined, 'it has books')
  const { faults, bookings, last_hash } = await verifyBooks(db, row.id)
  const events = await db.query(sql`
    select type, count(*) as count
    from events
    group by type
    order by type`)
  return { ...row, faults, bookings, last_hash, events }
}
