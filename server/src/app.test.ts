import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { openApp } from './app.ts'
import { serverOf } from './server.ts'
import type { App } from './app.ts'
import { systemClock } from './core/clock.ts'
import { until } from './core/testing.ts'
import { firstStart } from './first-start.ts'
import { bookingChange, openTestBooks } from './ledger/lane/books.testing.ts'
import { sql } from './store/sql.ts'
import { putTasks } from './store/tasks.ts'
import { testDatabase } from './store/testing.ts'
import type { TestDatabase } from './store/testing.ts'
import { startWorker } from './worker.ts'

describe('the first start', () => {
  let database: TestDatabase
  const apps: App[] = []
  before(async () => {
    database = await testDatabase()
    for (let count = 0; count < 4; count += 1)
      apps.push(
        await openApp({
          url: database.url,
          role: 'kontor',
          clock: systemClock,
          log: pino({ level: 'silent' }),
          maximumConnections: 2,
        }),
      )
  })
  after(async () => {
    for (const app of apps) await app.close()
    await database.drop()
  })

  it('makes one workspace, one user and one set of books, by many processes at once', async () => {
    const made = await Promise.all(
      apps.map((app) =>
        firstStart(app, { email: 'admin@kontor.test', password: 'correct horse battery staple' }),
      ),
    )
    assert.equal(made.filter((first) => first !== undefined).length, 1)
    const [counted] = await database.db.query<Record<'workspaces' | 'users' | 'lanes', number>>(sql`
      select
        (select count(*) from workspaces) as workspaces,
        (select count(*) from users) as users,
        (select count(*) from lanes) as lanes`)
    assert.deepEqual(counted, { workspaces: 1, users: 1, lanes: 1 })
  })
})

const HOUR_MILLISECONDS = 3_600_000

describe('requests and background work', () => {
  let database: TestDatabase
  let app: App
  before(async () => {
    database = await testDatabase()
    app = await openApp({
      url: database.url,
      role: 'kontor',
      clock: systemClock,
      log: pino({ level: 'silent' }),
      maximumConnections: 1,
    })
  })
  after(async () => {
    await app.close()
    await database.drop()
  })

  it('do not wait for each other’s connections', async () => {
    const dueAt = async () =>
      (
        await database.db.query<{ due_at: number }>(
          sql`
            select due_at
            from tasks
            where kind = 'expire_quotes'`,
        )
      )[0]?.due_at ?? 0
    const { promise: over, resolve: release } = Promise.withResolvers<void>()
    const request = app.db.tx(() => over)
    const worker = await startWorker(app)
    try {
      const first = await dueAt()
      await until(
        'what is due is done while the connection for requests is taken',
        async () => (await dueAt()) > first,
      )
      await until('quotes have partitions for the next hours', async () => {
        const [last] = await database.db.query<{ until: number }>(sql`
          select max(until) as until
          from quote_partitions()`)
        return (last?.until ?? 0) > Date.now() + 12 * HOUR_MILLISECONDS
      })
    } finally {
      release()
      await Promise.all([request, worker.stop()])
    }
    const ended = Promise.withResolvers<void>()
    const work = app.background.tx(() => ended.promise)
    try {
      assert.deepEqual(await app.db.query(sql`select 1 as one`), [{ one: 1 }])
    } finally {
      ended.resolve()
      await work
    }
  })
})

describe('a process whose clock differs from the database’s', () => {
  let database: TestDatabase
  let app: App
  let ahead = 0
  const clock = { now: () => Date.now() + ahead }
  const open = () =>
    openApp({
      url: database.url,
      role: 'kontor',
      clock,
      steady: () => performance.now(),
      log: pino({ level: 'silent' }),
      maximumConnections: 2,
    })
  before(async () => {
    database = await testDatabase()
    app = await open()
  })
  after(async () => {
    await app.close()
    await database.drop()
  })

  it('does not start', async () => {
    ahead = -20_000
    await assert.rejects(open(), /clock of this process is (19|20)\.\d s behind the database's/)
    ahead = 0
  })

  it('claims no work, changes nothing and is not ready until it agrees again', async () => {
    const server = await serverOf(app)
    const answers = async () => {
      const [ready, login] = await Promise.all([
        server.inject('/readyz'),
        server.inject({ method: 'POST', url: '/api/auth/login', payload: {} }),
      ])
      return [ready.statusCode, login.statusCode]
    }
    const books = await openTestBooks(database.db, clock)
    const commit = () =>
      app.lane.commit(
        bookingChange(books.workspace, { from: books.house, to: books.customer, quantity: '1' }),
      )
    assert.deepEqual(await answers(), [200, 400])
    await commit()
    ahead = 86_400_000
    assert.deepEqual(await answers(), [503, 503])
    await assert.rejects(commit(), /is 86(399|400)\.\d s ahead of the database's/)
    assert.equal(app.clockWatch?.mayClaim(), false)
    const worker = await startWorker(app)
    ahead = 3_000
    assert.deepEqual(await answers(), [200, 400], 'a little is left to the next minute')
    assert.equal(app.clockWatch?.mayClaim(), false)
    ahead = 0
    await commit()
    const due = () =>
      database.db.query<{ due_at: number }>(sql`
        select due_at
        from tasks
        where kind in ('expire_quotes', 'reconcile')`)
    // The start with the wrong clock has made it due tomorrow.
    assert.ok((await due()).every(({ due_at }) => due_at > Date.now() + 80_000_000))
    await worker.stop()
    await putTasks(database.db, [
      { ...books, kind: 'reconcile', subject_id: books.workspace, due_at: Date.now() + 86_400_000 },
    ])
    const restarted = await startWorker(app)
    await until('it is worked on', async () =>
      (await due()).every(({ due_at }) => due_at < Date.now() + 61_000),
    )
    await restarted.stop()
    await server.close()
  })
})
