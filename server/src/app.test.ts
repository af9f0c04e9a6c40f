import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { firstStart, openApp } from './app.ts'
import type { App } from './app.ts'
import { systemClock } from './core/clock.ts'
import { until } from './core/testing.ts'
import { sql } from './store/sql.ts'
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
