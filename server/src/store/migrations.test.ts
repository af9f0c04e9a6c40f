/** Migrations that change stored rows, over rows that are there; and what a release refuses. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import pg from 'pg'
import { idAt, newId } from '../core/ids.ts'
import { VERSION } from '../core/version.ts'
import { migrate, readMigrations, schemaFault } from './migrate.ts'
import { testDatabase } from './testing.ts'

/** Rows made before the migration, and what is read after it. */
async function migrateFrom(
  prefix: string,
  before: (client: pg.Client) => Promise<unknown>,
  after: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const database = await testDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query('drop schema public cascade; create schema public')
    const all = await readMigrations()
    const at = all.findIndex(({ name }) => name.startsWith(prefix))
    for (const { text } of all.slice(0, at)) await client.query(text)
    await before(client)
    for (const { text } of all.slice(at)) await client.query(`begin; ${text}; commit`)
    await after(client)
  } finally {
    await client.end()
    await database.drop()
  }
}

it('0232: an APPROVER becomes a READER, or keeps the other roles', () =>
  migrateFrom(
    '0232',
    async (client) => {
      for (const roles of [['APPROVER'], ['APPROVER', 'TRADER'], ['ADMIN']])
        await client.query(
          `insert into users (
             workspace, id, email, name, password_hash, roles, state, must_change_password,
             system_created_at, system_updated_at
           )
           values ($1, $2, $3, 'n', 'h', $4, 'ACTIVE', false, 1, 1)`,
          [newId(), newId(), `${roles.join('-')}@example.com`, roles],
        )
    },
    async (client) => {
      const { rows } = await client.query('select roles from users order by email')
      assert.deepEqual(
        rows.map((row: { roles: string[] }) => row.roles),
        [['ADMIN'], ['TRADER'], ['READER']],
      )
    },
  ))

it('0233: stored events and mails get the names of today, and stay immutable', () =>
  migrateFrom(
    '0233',
    async (client) => {
      const workspace = newId()
      for (const [index, type] of ['brake.set', 'withdrawal.held', 'deposit.seen'].entries())
        await client.query(
          `insert into events (workspace, sequence, id, type, resource_id, occurred_at, data)
           values ($1, $2, $3, $4, $5, 1, '{}')`,
          [workspace, index + 1, newId(), type, newId()],
        )
      await client.query(
        `insert into mails (
           workspace, id, state, event_sequence, event_type, resource_id, customer_id, recipient,
           subject, body, system_created_at, system_updated_at
         )
         values (
           $1, $2, 'SENT', 1, 'withdrawal.unobserved', $3, $4, 'a@b.example', 's', 'b', 1, 1
         )`,
        [workspace, newId(), newId(), newId()],
      )
    },
    async (client) => {
      const events = await client.query('select type from events order by sequence')
      assert.deepEqual(
        events.rows.map((row: { type: string }) => row.type),
        ['halt.set', 'withdrawal.review_started', 'deposit.seen'],
      )
      const mails = await client.query('select event_type from mails')
      assert.deepEqual(mails.rows, [{ event_type: 'withdrawal.outcome_unknown' }])
      await assert.rejects(client.query("update events set type = 'x'"))
    },
  ))

it('0440: quotes become the first partition, taken ones are copied, later ones apart', () => {
  const [workspace, route, execution] = [newId(), newId(), newId()]
  const day = 86_400_000
  const times = { taken: -40 * day, open: 0, ahead: 3 * day, further: 9 * day }
  const ids = Object.values(times).map((after) => idAt(Date.now() + after))
  return migrateFrom(
    '0440',
    async (client) => {
      await client.query(
        `insert into price_stream_routes (
           workspace, id, key, label, symbol, base_asset, quote_asset, hops, risk_quantile, active,
           min_amount, max_amount, amount_step, price_step, system_created_at, system_updated_at
         )
         values ($1, $2, 'k', 'l', 'BTC/EUR', 'BTC', 'EUR', '[]', 0.99, true, 1, 1, 1, 1, 1, 1)`,
        [workspace, route],
      )
      for (const [index, id] of ids.entries())
        await client.query(
          `insert into quotes (
             workspace, id, state, route_id, symbol, customer_id, firm, request_asset,
             request_quantity, risk_duration_ms, margin, risk, risk_source, taker_fee, created_at,
             expires_at, buy, sell, execution_id, system_created_at, system_updated_at
           )
           values (
             $1, $2, $3, $4, 'BTC/EUR', $1, true, 'BTC', 1, 10000, 0, 0, 'NONE', 0, 1, 2, '{}',
             '{}', $5, 1, 1
           )`,
          [
            workspace,
            id,
            ...(index === 0 ? ['ACCEPTED', route, execution] : ['ACTIVE', route, null]),
          ],
        )
      await client.query(
        `insert into executions (
           workspace, id, state, internal_ref, route_id, symbol, base_asset, quote_asset, side,
           execution_type, mode, amount, quote_id, firm, taker_fee, hops, system_created_at,
           system_updated_at
         )
         values (
           $1, $2, 'DONE', 'r', $3, 'BTC/EUR', 'BTC', 'EUR', 'BUY', 'MARKET', 'AMOUNT', 1, $4,
           true, 0, '[]', 1, 1
         )`,
        [workspace, execution, route, ids[0]],
      )
    },
    async (client) => {
      const { rows } = await client.query<{ part: string; id: string; state: string }>(
        'select tableoid::regclass::text as part, id, state from quotes order by id',
      )
      assert.deepEqual(
        rows.map(({ id }) => id),
        ids.slice(1),
      )
      const [open, ahead, further] = rows.map(({ part }) => part)
      assert.equal(open, 'quotes_first')
      assert.ok(ahead !== open && further !== open && ahead !== further)
      const taken = await client.query('select id, execution_id from all_quotes where state = $1', [
        'ACCEPTED',
      ])
      assert.deepEqual(taken.rows, [{ id: ids[0], execution_id: execution }])
      await assert.rejects(client.query('delete from taken_quotes'), { code: '23503' })
    },
  )
})

it('this release refuses a schema that a newer one made, and names both', async () => {
  const { db, url, drop } = await testDatabase()
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const refusal =
    /^the database belongs to Kontor 9\.1\.0 \(it has the migration 9001_b\.sql\); this is Kontor/
  try {
    assert.equal(await schemaFault(db), undefined)
    await owner.query(
      `insert into schema_migrations (name, hash, release)
       values ('9001_b.sql', 'b', '9.1.0'), ('9000_a.sql', 'a', '9.0.0')`,
    )
    const before = await owner.query('select * from schema_migrations')
    await assert.rejects(migrate(url), ({ message }: Error) => refusal.test(message))
    assert.deepEqual((await owner.query('select * from schema_migrations')).rows, before.rows)
    assert.match(
      (await schemaFault(db)) ?? '',
      /^the database belongs to Kontor 9\.\d\.0 .* must not run on it$/,
    )
    await owner.query("delete from schema_migrations where name > '9'")
    await owner.query('revoke select on schema_migrations from kontor')
    assert.match((await schemaFault(db)) ?? '', /of an older Kontor: npm run migrate brings it to/)
  } finally {
    await owner.end()
    await drop()
  }
})

it('a migration that cannot be applied is an error, and leaves nothing', async () => {
  const { url, drop } = await testDatabase()
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  try {
    const { rows } = await owner.query<{ name: string; release: string }>(
      'delete from schema_migrations where name = $1 returning name, release',
      [(await readMigrations())[0]?.name],
    )
    assert.deepEqual(rows, [{ name: '0001_store.sql', release: VERSION }])
    await assert.rejects(migrate(url), /already exists/)
    const left = await owner.query("select from schema_migrations where name = '0001_store.sql'")
    assert.equal(left.rowCount, 0)
  } finally {
    await owner.end()
    await drop()
  }
})

it('the release is the one of package.json', async () => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8')
  assert.equal((JSON.parse(text) as { version: string }).version, VERSION)
})
