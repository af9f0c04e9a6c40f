/** The schema of the database: what makes it, and whether this release may run on it. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { UsageError } from '../core/usage.ts'
import { VERSION } from '../core/version.ts'
import { APPLICATION, sqlState } from './db.ts'
import type { Reader } from './db.ts'
import { foreignFault } from './foreign.ts'
import { connectTo } from './login.ts'
import { sql } from './sql.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)
const MIGRATION_LOCK = 4_711_000_001
const OTHERS_MILLISECONDS = 10_000
const LOOK_MILLISECONDS = 100

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
  const client = await connectTo(url)
  try {
    return await client.query('set role kontor').then(
      () => 'kontor' as const,
      () => undefined,
    )
  } finally {
    await client.end()
  }
}

/** Whether the login may alter the tables, whatever role it has taken on. */
export async function ownsTables(reader: Reader): Promise<boolean> {
  const [found] = await reader.query<{ owns: boolean }>(sql`
    select pg_has_role(session_user, relowner, 'member') as owns
    from pg_class
    where oid = to_regclass('lanes')`)
  return found?.owns === true
}

type Applied = { name: string; hash: string; release: string | null }

type MigrateOptions = {
  /** How long others may take to end before the schema is changed. */
  others_ms?: number
  /** Which variable of the environment names the login. */
  variable?: string
}

/**
 * Brings the database to the newest schema: each file once, in order, all of them in one
 * transaction, by one process at a time. Throws a UsageError, and nothing was changed, when the
 * database is somebody else's, when a file that was applied has changed since, when a newer release
 * has been here, and when another process still works on a schema that is to be changed.
 */
export async function migrate(
  ownerUrl: string,
  { others_ms = OTHERS_MILLISECONDS, variable = 'DATABASE_URL' }: MigrateOptions = {},
): Promise<void> {
  const client = await connectTo(ownerUrl, variable)
  try {
    await client.query('set client_min_messages = warning')
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    const migrations = await readMigrations()
    const foreign = await foreignFault(
      client,
      migrations.map(({ name }) => name),
    )
    if (foreign !== undefined) throw new UsageError(`${variable}: ${foreign}`)
    const applied = await appliedBefore(client)
    const missing = missingMigrations(migrations, applied)
    if (missing.length === 0) return
    if (applied.length > 0) await waitForOthers(client, others_ms)
    await client.query('begin')
    await makeList(client, variable)
    for (const migration of missing) await apply(client, migration)
    await client.query('commit')
  } finally {
    await client.end()
  }
}

/** An early release did not write which one it was. */
async function appliedBefore(client: pg.Client): Promise<Applied[]> {
  const { rows: lists } = await client.query<{ there: boolean }>(
    "select to_regclass('schema_migrations') is not null as there",
  )
  if (lists[0]?.there !== true) return []
  const { rows } = await client.query<Applied>(
    `select name, hash, to_jsonb(m) ->> 'release' as release
    from schema_migrations m`,
  )
  return rows
}

async function makeList(client: pg.Client, variable: string): Promise<void> {
  try {
    await client.query(`
      create table if not exists schema_migrations (
        name text primary key,
        hash text not null,
        applied_at timestamptz not null default now()
      )`)
    await client.query('alter table schema_migrations add column if not exists release text')
  } catch (error) {
    if (sqlState(error) !== MAY_NOT) throw error
    throw new UsageError(
      `${variable}: the login ${client.user ?? ''} may make no tables in the database ` +
        `${client.database ?? ''}: let it own the database (docs/operations.md, Database)`,
      { cause: error },
    )
  }
}

async function apply(client: pg.Client, { name, text, hash }: Migration): Promise<void> {
  try {
    await client.query(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `the migration ${name} cannot be applied, and the database stays as it was: ${reason}`,
      { cause: error },
    )
  }
  await client.query('insert into schema_migrations (name, hash, release) values ($1, $2, $3)', [
    name,
    hash,
    VERSION,
  ])
}

/** What is still to be applied. Throws when this release may not run on the schema. */
function missingMigrations(
  migrations: readonly Migration[],
  applied: readonly Applied[],
): Migration[] {
  const known = new Map(migrations.map(({ name, hash }) => [name, hash]))
  const newer = applied
    .filter(({ name }) => !known.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .at(-1)
  if (newer !== undefined) throw new UsageError(newerRelease(newer))
  for (const { name, hash } of applied)
    if (known.get(name) !== hash)
      throw new UsageError(`migration ${name} was changed after it had been applied`)
  const done = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !done.has(name))
}

const newerRelease = ({ name, release }: Pick<Applied, 'name' | 'release'>): string =>
  `the database belongs to ${release === null ? 'a newer Kontor' : `Kontor ${release}`} ` +
  `(it has the migration ${name}); this is Kontor ${VERSION}, which must not run on it`

/** A process that was killed is connected for a moment longer. */
async function waitForOthers(client: pg.Client, limit_ms: number): Promise<void> {
  const limit = Date.now() + limit_ms
  for (;;) {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count
      from pg_stat_activity
      where datname = current_database() and application_name = $1`,
      [APPLICATION],
    )
    if (rows[0]?.count === 0) return
    if (Date.now() > limit)
      throw new UsageError(
        `Kontor ${VERSION} has to change the schema, and another process of Kontor is connected ` +
          'to the database: end every process of the old version first',
      )
    await pause(LOOK_MILLISECONDS)
  }
}

const MIGRATE = 'npm run migrate'

/** Why this release may not work on the database; undefined where it may. */
export async function schemaFault(reader: Reader): Promise<string | undefined> {
  const [there] = await reader.query<{ there: boolean }>(
    sql`select to_regclass('lanes') is not null as there`,
  )
  if (there?.there !== true) return `this database holds no Kontor yet: ${MIGRATE} makes it`
  const known = (await readMigrations()).map(({ name }) => name)
  const applied = await appliedMigrations(reader)
  const newer = applied.find(({ name }) => !known.includes(name))
  if (newer !== undefined) return newerRelease(newer)
  return applied.length < known.length
    ? `this database is of an older Kontor: ${MIGRATE} brings it to ${VERSION}`
    : undefined
}

/** None where the schema is so old that the service may not read which it has. */
async function appliedMigrations(reader: Reader): Promise<Pick<Applied, 'name' | 'release'>[]> {
  try {
    return await reader.query(sql`
      select name, release
      from schema_migrations`)
  } catch (error) {
    if (OLDER_STATES.includes(sqlState(error) ?? '')) return []
    throw error
  }
}

const MAY_NOT = '42501'
/** The service may not read the table, or it has no column `release`. */
const OLDER_STATES: readonly string[] = [MAY_NOT, '42703']
