import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import pg from 'pg'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { constraintOf, only, openDb, sqlState } from './db.ts'
import { migrate, readMigrations } from './migrate.ts'
import { join, raw, sql, statement, where } from './sql.ts'
import { testDatabase } from './testing.ts'

const { db, url, drop } = await testDatabase()
after(drop)

async function asOwner(...texts: string[]): Promise<void> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  try {
    for (const text of texts) await owner.query(text)
  } finally {
    await owner.end()
  }
}
await asOwner(
  'create table notes (id uuid primary key, label text constraint notes_label unique)',
  'grant select, insert on notes to kontor',
)

const insertNote = (id: string, label: string) => sql`
  insert into notes
  values (${id}, ${label})`

const LABELS = sql`
  select label
  from notes`

test('values become parameters, fragments are spliced in, equal texts share one name', () => {
  const filter = where([sql`a = ${1}`, sql`b = any(${['x', 'y']})`])
  const query = statement(sql`
    select ${raw('c')}
    from t
    ${filter}
    order by ${raw('c')}
    limit ${5}`)
  assert.deepEqual(
    [query.text.trim().split(/\n */), query.values],
    [
      ['select c', 'from t', 'where a = $1 and b = any($2)', 'order by c', 'limit $3'],
      [1, ['x', 'y'], 5],
    ],
  )
  assert.equal(statement(sql`select ${2}::int`).name, statement(sql`select ${3}::int`).name)
  assert.notEqual(statement(sql`select ${2}::int`).name, statement(sql`select ${2}::bigint`).name)
  assert.equal(statement(where([])).text, '')
  assert.equal(statement(join([sql`${1}`, sql`${2}`, sql`${3}`], ', ')).text, '$1, $2, $3')
})

test('a statement is not planned to read all of a table because the table is empty', async () => {
  const plan = await db.query(sql`
    explain (costs off)
    select label
    from notes
    where label = 'x'`)
  assert.match(JSON.stringify(plan), /Index Cond/)
})

test('a transaction tells listeners after its commit, and not when it is rolled back', async () => {
  const listener = await db.connect()
  const heard: string[] = []
  listener.on('notification', ({ payload = '' }) => {
    heard.push(payload)
  })
  await listener.query('listen notes')
  const hint = (payload: string) => ({ channel: 'notes', payload })
  await assert.rejects(
    db.tx(async (tx) => {
      tx.hint(hint('rolled back'))
      throw new Error('no')
    }),
  )
  await db.tx(async (tx) => {
    tx.hint(hint('committed'))
    tx.hint(hint('committed'))
  })
  db.hint(hint('at once'))
  await until('both are heard', () => heard.length === 2)
  assert.deepEqual(heard, ['committed', 'at once'])
  await listener.end()
})

test('input is never part of the text', async () => {
  const evil = "'; drop table notes; --"
  assert.deepEqual(await db.query(sql`select ${evil}::text as label`), [{ label: evil }])
})

test('money arrives as text without padding, times as numbers', async () => {
  const [row] = await db.query(sql`
    select
      1.50::numeric(38,18) as a,
      100::numeric as b,
      0::numeric(38,18) as c,
      -0.000000000000000001::numeric(38,18) as d,
      99999999999999999999.999999999999999999::numeric(38,18) as e,
      1800000000000::bigint as f,
      '{"x": 1}'::jsonb as g,
      array[1.10, 2]::numeric[] as h`)
  assert.deepEqual(
    { ...(row as object), h: undefined },
    {
      a: '1.5',
      b: '100',
      c: '0',
      d: '-0.000000000000000001',
      e: '99999999999999999999.999999999999999999',
      f: 1_800_000_000_000,
      g: { x: 1 },
      h: undefined,
    },
  )
})

test('a transaction is kept whole or not at all, and its connection is good again', async () => {
  const [one, two] = [newId(), newId()]
  await db.tx(async (tx) => {
    await tx.query(insertNote(one, 'one'))
  })
  await assert.rejects(
    db.tx(async (tx) => {
      await tx.query(insertNote(two, 'two'))
      throw new Error('changed my mind')
    }),
    /changed my mind/,
  )
  const refusal = await db
    .tx((tx) => tx.query(insertNote(two, 'one')))
    .catch((error: unknown) => error)
  assert.deepEqual(
    [sqlState(refusal), constraintOf(refusal), sqlState(new Error('x'))],
    ['23505', 'notes_label', undefined],
  )
  // An error that the work swallowed must not look like a commit.
  await assert.rejects(
    db.tx(async (tx) => {
      await tx.query(insertNote(two, 'two'))
      await tx.query(insertNote(two, 'two')).catch(() => undefined)
    }),
    /transaction is aborted/,
  )
  assert.deepEqual(await db.query(LABELS), [{ label: 'one' }])
})

test('a connection killed inside a transaction fails that transaction alone', async () => {
  await assert.rejects(
    db.tx(async (tx) => {
      const [own] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      await tx.query(insertNote(newId(), 'lost'))
      await asOwner(`select pg_terminate_backend(${own?.pid})`)
      await tx.query(sql`select 1`)
    }),
  )
  assert.deepEqual(await db.query(LABELS), [{ label: 'one' }])
})

test('the service owns nothing and cannot change the schema', async () => {
  await assert.rejects(db.query(sql`alter table tasks add column mine int`), { code: '42501' })
  await assert.rejects(db.query(sql`create table mine (id int)`), { code: '42501' })
})

test('migrations run once, even when many start together; a changed one is refused', async () => {
  await Promise.all([migrate(url), migrate(url), migrate(url)])
  const name = (await readMigrations())[0]?.name ?? ''
  await asOwner(`
    update schema_migrations
    set hash = 'other'
    where name = '${name}'`)
  await assert.rejects(migrate(url), new RegExp(`${name} was changed`))
  await asOwner(`
    delete from schema_migrations
    where name = '${name}'`)
  await db.tx(() =>
    assert.rejects(
      migrate(url, { others_ms: 0 }),
      /another process of Kontor is connected to the database/,
    ),
  )
})

test('only() tells one row from none and refuses more', () => {
  assert.equal(only([]), undefined)
  assert.equal(only([1]), 1)
  assert.throws(() => only([1, 2]), /expected one row/)
})

test('who finds no connection in time is told so, and nothing was begun', async () => {
  const small = openDb({ url, role: 'kontor', maximumConnections: 1, waitMilliseconds: 100 })
  // A busy machine may need longer for the connection itself.
  const connected = () =>
    small.query(sql`select 1`).then(
      () => true,
      () => false,
    )
  try {
    while (!(await connected()));
    await small.tx(async () => {
      await assert.rejects(small.query(sql`select 1`), { name: 'NoConnection' })
      await assert.rejects(
        small.tx(async () => 1),
        { name: 'NoConnection' },
      )
    })
  } finally {
    await small.close()
  }
})

test('a statement that takes too long is ended, a commit is not', async () => {
  await asOwner(`
    create table slow_rows (id integer);
    grant insert on slow_rows to kontor;
    create function slow_commit() returns trigger language plpgsql as
      'begin perform pg_sleep(0.3); return null; end';
    create constraint trigger slow_commit after insert on slow_rows
      deferrable initially deferred for each row execute function slow_commit()`)
  const hasty = openDb({ url, role: 'kontor', statementMilliseconds: 100 })
  try {
    await assert.rejects(hasty.query(sql`select pg_sleep(5)`), { code: '57014' })
    await hasty.tx((tx) =>
      tx.query(sql`
        insert into slow_rows
        values (1)`),
    )
  } finally {
    await hasty.close()
  }
})

test('a server that is not there is an error, not a hang', async () => {
  const nowhere = openDb({ url: 'postgres://x:y@127.0.0.1:1/none' })
  await assert.rejects(nowhere.query(sql`select 1`))
  await nowhere.close()
})

test('a connection that dies the moment it is there is no uncaught event', async () => {
  const message = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const dying = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.end(
        Buffer.concat([
          message('R', Buffer.alloc(4)),
          message('Z', Buffer.from('I')),
          message(
            'E',
            Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
          ),
        ]),
      )
    })
  })
  await new Promise<void>((resolve) => {
    dying.listen(0, '127.0.0.1', resolve)
  })
  const { port } = dying.address() as AddressInfo
  const elsewhere = openDb({ url: `postgres://x:y@127.0.0.1:${port}/none` })
  const client = await elsewhere.connect()
  await assert.rejects(client.query('select 1'))
  await assert.rejects(elsewhere.query(sql`select 1`))
  await elsewhere.close()
  dying.close()
})
