/** A database that hangs instead of dying, and one that has become another server. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../core/testing.ts'
import { openDb } from './db.ts'
import { addressWith, between, standby } from './lost-servers.testing.ts'
import { sql } from './sql.ts'
import { testDatabase } from './testing.ts'

const { db, url, drop } = await testDatabase()
after(drop)

const ONE = sql`select 1 as one`
const local = ({ port }: { port: number }): string => `127.0.0.1:${port}`
const LIMITS = {
  role: 'kontor',
  maximumConnections: 2,
  statementMilliseconds: 300,
  graceMilliseconds: 200,
  waitMilliseconds: 500,
}

test('a query that is not answered is given up, and the next one is answered', async () => {
  const way = await between(url)
  const hasty = openDb({ ...LIMITS, url: addressWith(url, [local(way)]) })
  try {
    await until('it is connected', async () => {
      await hasty.query(ONE)
      return true
    })
    way.swallow()
    await assert.rejects(hasty.query(ONE), { name: 'NoAnswer' })
    await assert.rejects(hasty.query(ONE), { name: 'NoConnection' }, 'no new connection either')
    way.letThrough()
    assert.deepEqual(await hasty.query(ONE), [{ one: 1 }])
  } finally {
    await way.close()
    await hasty.close()
  }
})

test('of a commit without an answer nobody is told that it failed or succeeded', async () => {
  const way = await between(url)
  const hasty = openDb({ ...LIMITS, url: addressWith(url, [local(way)]) })
  const key = crypto.randomUUID()
  try {
    const began = performance.now()
    await assert.rejects(
      hasty.tx(async (tx) => {
        await tx.query(sql`
          insert into idempotency_keys (workspace, key, request_hash, state)
          values (${key}, 'commit', ''::bytea, 'DONE')`)
        way.swallow()
      }),
      { name: 'NoAnswer' },
    )
    assert.ok(performance.now() - began < 5_000, 'the rollback is not waited for as well')
    way.letThrough()
    // The server hears of the end of the connection, and nothing is left half done.
    assert.deepEqual(await hasty.query(ONE), [{ one: 1 }])
  } finally {
    await way.close()
    await hasty.close()
  }
  assert.deepEqual(
    await db.query(sql`
      select key
      from idempotency_keys
      where workspace = ${key}`),
    [],
  )
})

test('of several servers the first is used that takes writes', async () => {
  const [replica, one, other] = [await standby(), await between(url), await between(url)]
  const address = addressWith(
    url,
    [replica, one, other].map(local),
    '?target_session_attrs=read-write',
  )
  const ring = openDb({ ...LIMITS, url: address })
  const portNow = async () => {
    const client = await ring.connect()
    await client.end()
    return (client as unknown as { port: number }).port
  }
  try {
    assert.deepEqual(await ring.query(ONE), [{ one: 1 }])
    assert.equal(await portNow(), one.port)
    await one.close()
    await until('the next one is used', () =>
      ring.query(ONE).then(
        () => true,
        () => false,
      ),
    )
    assert.equal(await portNow(), other.port)
  } finally {
    for (const server of [replica, other]) await server.close()
    await ring.close()
  }
})

test('a standby that is promoted is found without a restart', async () => {
  const replica = await standby()
  const address = addressWith(url, [local(replica)], '?target_session_attrs=read-write')
  const waiting = openDb({ ...LIMITS, url: address })
  try {
    await assert.rejects(waiting.query(ONE), /no server that DATABASE_URL names takes writes/)
    await replica.close()
    const promoted = await between(url, replica.port)
    assert.deepEqual(await waiting.query(ONE), [{ one: 1 }])
    await waiting.close()
    await promoted.close()
  } finally {
    await waiting.close().catch(() => undefined)
  }
})

test('what Kontor cannot do with a server is refused at the start', () => {
  assert.throws(
    () => openDb({ url: 'postgres://a@b/c?target_session_attrs=standby' }),
    /target_session_attrs of DATABASE_URL must be any, read-write or primary/,
  )
})
