/**
 * All rows of a database in one file, apart from how PostgreSQL stores them: the way to another
 * major version of it. Each row is written as PostgreSQL writes it and is read the same again,
 * whatever types its columns have.
 *
 * Lines of JSON, packed: which migrations the database has, then tables with some of their rows,
 * then how many there were.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import pg from 'pg'
import { readMigrations } from './migrate.ts'

const ROWS_IN_A_LINE = 500
const MIGRATIONS = 'schema_migrations'

type Applied = { name: string; hash: string; release: string | null }
type Line = { migrations: Applied[] } | { table: string; rows: string[] } | { total: number }

/** As of one moment, while a service may be writing. Throws when there is such a file. */
export async function exportRows(url: string, path: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('begin transaction isolation level repeatable read read only')
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
    try {
      await pipeline(linesOf(client), createGzip(), file)
    } catch (error) {
      // Not what was there before.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true })
      throw error
    }
  })
}

async function* linesOf(client: pg.Client): AsyncGenerator<string> {
  const { rows: migrations } = await client.query<Applied>(
    `select m.name, m.hash, to_jsonb(m) ->> 'release' as release
    from ${MIGRATIONS} m
    order by name`,
  )
  yield lineOf({ migrations })
  let total = 0
  for (const table of await tablesOf(client)) {
    const name = client.escapeIdentifier(table)
    await client.query(
      `declare archived no scroll cursor for select r::text as text from ${name} r`,
    )
    for (;;) {
      const { rows } = await client.query<{ text: string }>(`fetch ${ROWS_IN_A_LINE} from archived`)
      if (rows.length === 0) break
      total += rows.length
      yield lineOf({ table, rows: rows.map(({ text }) => text) })
    }
    await client.query('close archived')
  }
  yield lineOf({ total })
}

const lineOf = (line: Line): string => `${JSON.stringify(line)}\n`

/**
 * Into an empty database, wholly or not at all; then it is as it was, of the release that wrote it.
 * The login must be a superuser. Answers how many rows there are.
 */
export async function importRows(url: string, path: string): Promise<number> {
  return withClient(url, async (client) => {
    await client.query('begin')
    const { rows } = await client.query<{ there: boolean; owner: string }>(
      `select to_regclass('${MIGRATIONS}') is not null as there, pg_get_userbyid(datdba) as owner
      from pg_database
      where datname = current_database()`,
    )
    if (rows[0]?.there !== false) throw new Error('the database is not empty: nothing was imported')
    const [{ owner }] = rows
    let total: number | undefined
    let read = 0
    await pipeline(createReadStream(path), createGunzip(), async (chunks) => {
      for await (const line of linesIn(chunks))
        if ('migrations' in line) await makeTables(client, line.migrations, owner)
        else if ('table' in line) {
          await insertLines(client, line)
          read += line.rows.length
        } else total = line.total
    })
    if (total !== read) throw new Error(`${path} is not whole: nothing was imported`)
    await client.query('commit')
    return read
  })
}

async function* linesIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Line
  }
}

/** The schema as the archive's migrations make it, and nothing in it. */
async function makeTables(
  client: pg.Client,
  applied: readonly Applied[],
  owner: string,
): Promise<void> {
  const known = new Map((await readMigrations()).map((migration) => [migration.name, migration]))
  await client.query(`set local role ${client.escapeIdentifier(owner)}`)
  await client.query(
    `create table ${MIGRATIONS} (
      name text primary key,
      hash text not null,
      applied_at timestamptz not null default now(),
      release text
    )`,
  )
  for (const { name, hash, release } of applied) {
    const migration = known.get(name)
    if (migration === undefined)
      throw new Error(`the file is of a newer Kontor: it has the migration ${name}`)
    await client.query(migration.text)
    await client.query(
      `insert into ${MIGRATIONS} (name, hash, release)
      values ($1, $2, $3)`,
      [name, hash, release],
    )
  }
  await client.query('reset role')
  // Rows come table by table, whatever refers to what; nothing is made of them a second time.
  await client.query('set local session_replication_role = replica')
  const tables = (await tablesOf(client)).map((table) => client.escapeIdentifier(table))
  await client.query(`truncate ${tables.join()}`)
}

async function insertLines(
  client: pg.Client,
  { table, rows }: { table: string; rows: string[] },
): Promise<void> {
  const name = client.escapeIdentifier(table)
  const parts = PARTS[table]
  if (parts !== undefined && (await isDivided(client, table))) await client.query(parts, [rows])
  await client.query(
    `insert into ${name}
    select (r::${name}).*
    from unnest($1::text[]) as r`,
    [rows],
  )
}

/** Of tables that are divided: makes the partitions of rows, by the day. */
const PARTS: Readonly<Record<string, string>> = {
  quotes: `
    select make_quote_partitions(day, day + 1, 86400000)
    from (
      select distinct time_of_id((r::quotes).id) / 86400000 * 86400000 as day
      from unnest($1::text[]) as r
    ) as days`,
}

/** An earlier release has none. */
async function isDivided(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ divided: boolean }>(
    `select relkind = 'p' as divided
    from pg_class
    where oid = to_regclass($1)`,
    [table],
  )
  return rows[0]?.divided === true
}

/** Except that of the migrations. The rows of partitions are those of the table they belong to. */
async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p')
      and not relispartition
      and relname <> '${MIGRATIONS}'
    order by relname`,
  )
  return rows.map(({ name }) => name)
}

/** What it did not commit is undone with its connection. */
async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, options: WRITTEN_ALIKE })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** However the server is configured. */
const WRITTEN_ALIKE = [
  '-c DateStyle=ISO',
  '-c IntervalStyle=postgres',
  '-c TimeZone=UTC',
  '-c extra_float_digits=3',
  '-c bytea_output=hex',
].join(' ')
