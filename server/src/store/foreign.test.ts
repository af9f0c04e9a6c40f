/** Whose database it is, before anything is made in it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { UsageError } from '../core/usage.ts'
import { migrate } from './migrate.ts'
import { testDatabase } from './testing.ts'

/** Every object of the database that is not PostgreSQL's. */
const OBJECTS = `
  select relname::text as name
  from pg_class
  join pg_namespace on pg_namespace.oid = relnamespace
  where nspname !~ '^(pg_|information_schema$)'
  order by 1`

/** An empty database in which `sql` was run, and what may be asked of it. */
async function withDatabase(
  sql: string,
  work: (url: string, names: () => Promise<string[]>, client: pg.Client) => Promise<void>,
): Promise<void> {
  const database = await testDatabase({ maximumConnections: 1 })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query(`drop schema public cascade; create schema public; ${sql}`)
    const names = async () => (await client.query<{ name: string }>(OBJECTS)).rows.map(nameOf)
    await work(database.url, names, client)
  } finally {
    await client.end()
    await database.drop()
  }
}

const nameOf = ({ name }: { name: string }): string => name

const OTHERS: Readonly<Record<string, string>> = {
  'tables of another program':
    'create table invoices (id int); create table people (id int); insert into people values (1)',
  "another program's list of migrations":
    'create table schema_migrations (version text primary key); create table posts (id int)',
  'tables in a schema of their own': 'create schema shop; create table shop.orders (id int)',
  'a view alone': 'create view numbers as select 1 as one',
}

const REFUSAL = new RegExp(
  "^KONTOR_OWNER_DATABASE_URL: the database test_\\S+ is not Kontor's: it holds " +
    '(a table|2 tables) of another program \\((\\w+\\.\\w+(, )?)+\\); nothing was changed\\.',
)

for (const [what, sql] of Object.entries(OTHERS))
  it(`${what}: refused by name, and nothing is made`, () =>
    withDatabase(sql, async (url, names) => {
      const before = await names()
      await assert.rejects(migrate(url, { variable: 'KONTOR_OWNER_DATABASE_URL' }), (error) => {
        assert.ok(error instanceof UsageError)
        assert.match(error.message, REFUSAL)
        return true
      })
      assert.deepEqual(await names(), before)
    }))

it('an empty list of migrations, which a start left that was killed, is ours', () =>
  withDatabase(
    'create table schema_migrations (name text primary key, hash text, applied_at timestamptz)',
    async (url, names) => {
      await migrate(url)
      assert.ok((await names()).includes('lanes'))
    },
  ))

it('a migration that fails undoes those before it too', () =>
  withDatabase('create sequence wallets', async (url, names, client) => {
    await assert.rejects(
      migrate(url),
      ({ message }: Error) =>
        /^the migration 0060_treasury\.sql cannot be applied, and .* stays as it was: /.test(
          message,
        ) && message.includes('"wallets" already exists'),
    )
    assert.deepEqual(await names(), ['wallets'])
    await client.query('drop sequence wallets')
    await migrate(url)
    assert.ok((await names()).includes('lanes'))
  }))
