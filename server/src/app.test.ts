import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { firstStart, openApp } from './app.ts'
import type { App } from './app.ts'
import { systemClock } from './core/clock.ts'
import { sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'
import type { TestDatabase } from './store/testing.ts'

describe('the first start', () => {
  let database: TestDatabase
  const apps: App[] = []
  before(async () => {
    database = await testDatabase()
    for (let count = 0; count < 4; count += 1) apps.push(await openApp({ url: database.url, role: 'kontor', clock: systemClock, log: pino({ level: 'silent' }), maximumConnections: 2 }))
  })
  after(async () => {
    for (const app of apps) await app.close()
    await database.drop()
  })

  it('makes one workspace, one user and one set of books, however many processes start at once', async () => {
    const made = await Promise.all(apps.map((app) => firstStart(app, { email: 'admin@kontor.test', password: 'correct horse battery staple' })))
    assert.equal(made.filter((each) => each !== undefined).length, 1)
    const [counted] = await database.db.query<Record<'workspaces' | 'users' | 'lanes', number>>(sql`
      select (select count(*) from workspaces) as workspaces, (select count(*) from users) as users, (select count(*) from lanes) as lanes`)
    assert.deepEqual(counted, { workspaces: 1, users: 1, lanes: 1 })
  })
})
