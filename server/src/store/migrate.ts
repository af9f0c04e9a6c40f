import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

const FOLDER = new URL('../../migrations/', import.meta.url)
const MIGRATION_LOCK = 4_711_000_001

type Migration = { name: string; text: string; hash: string }

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), 'utf8')
      return { name, text, hash: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** The role that owns nothing and that the service takes on, where this login may. */
export async function serviceRole(url: string): Promise<'kontor' | undefined> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query('set role kontor').then(
      () => 'kontor' as const,
      () => undefined,
    )
  } finally {
    await client.end()
  }
}

/**
 * Brings the database to the newest schema: each file once, in order, in a transaction of its own,
 * by one process at a time. Throws when a file that was applied has changed since.
 */
export async function migrate(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('set client_min_messages = warning')
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(`
      create table if not exists schema_migrations (
        name text primary key,
        hash text not null,
        applied_at timestamptz not null default now()
      )`)
    const { rows } = await client.query<{ name: string; hash: string }>(
      'select name, hash from schema_migrations',
    )
    const applied = new Map(rows.map((row) => [row.name, row.hash]))
    for (const migration of await readMigrations()) {
      const hash = applied.get(migration.name)
      if (hash === migration.hash) continue
      if (hash !== undefined)
        throw new Error(`migration ${migration.name} was changed after it had been applied`)
      await client.query('begin')
      await client.query(migration.text)
      await client.query('insert into schema_migrations (name, hash) values ($1, $2)', [
        migration.name,
        migration.hash,
      ])
      await client.query('commit')
    }
  } finally {
    await client.end()
  }
}
