/** For tests: a migrated database of its own, made from a template in a fraction of a second. */
import { createHash, randomBytes } from 'node:crypto'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openDb } from './db.ts'
import type { Db } from './db.ts'
import { startEmbedded } from './embedded.ts'
import { migrate, readMigrations } from './migrate.ts'

export type TestDatabase = {
  db: Db
  url: string
  /** Ends all connections. */
  copy(): Promise<void>
  /** The copy takes its place. */
  putBack(): Promise<void>
  drop(): Promise<void>
}

const TEMPLATE_LOCK = 4_711_000_002

export async function testDatabase({ maximumConnections = 6 } = {}): Promise<TestDatabase> {
  const { url: serverUrl, stop } = await testServer()
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  const template = await templateDatabase(admin, serverUrl)
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await admin.query(`create database ${name} template ${template} strategy file_copy`)
  const url = databaseUrl(serverUrl, name)
  const db = openDb({ url, role: 'kontor', maximumConnections })
  return {
    db,
    url,
    async copy() {
      await admin.query(`alter database ${name} allow_connections false`)
      await admin.query(
        'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1',
        [name],
      )
      await admin.query(`create database ${name}_copy template ${name}`)
      await admin.query(`alter database ${name} allow_connections true`)
    },
    async putBack() {
      await admin.query(`drop database ${name} with (force)`)
      await admin.query(`alter database ${name}_copy rename to ${name}`)
    },
    async drop() {
      await db.close()
      await admin.query(`drop database if exists ${name}_copy`)
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
      await stop()
    },
  }
}

async function testServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const url = process.env['KONTOR_TEST_DATABASE_URL']
  if (url !== undefined) return { url, stop: async () => undefined }
  const cluster = await startEmbedded({
    dir: join(tmpdir(), `kontor-test-${userInfo().username}`),
    durable: false,
    shared: true,
  })
  return { url: cluster.superUrl, stop: () => cluster.stop() }
}

async function templateDatabase(admin: pg.Client, serverUrl: string): Promise<string> {
  const hash = createHash('sha256')
    .update((await readMigrations()).map((migration) => migration.hash).join())
    .digest('hex')
    .slice(0, 16)
  const name = `template_${hash}`
  await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
  try {
    const { rowCount } = await admin.query(
      'select 1 from pg_database where datname = $1 and datistemplate',
      [name],
    )
    if (rowCount === 0) {
      await admin.query(`drop database if exists ${name}`)
      await admin.query(`create database ${name}`)
      await migrate(databaseUrl(serverUrl, name))
      await admin.query(`alter database ${name} is_template true`)
    }
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK])
  }
  return name
}

function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
