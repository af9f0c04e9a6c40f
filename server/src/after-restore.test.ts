/** From a database that was set back to halts that a person releases. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { afterRestore } from './after-restore.ts'
import { openApp } from './app.ts'
import type { App } from './app.ts'
import { systemClock } from './core/clock.ts'
import { putHalt } from './ledger/index.ts'
import type { Halt } from './ledger/index.ts'
import type { WorkspaceId } from './core/ids.ts'
import { firstStart } from './first-start.ts'
import { sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'
import type { TestDatabase } from './store/testing.ts'

describe('after a restore', () => {
  let database: TestDatabase
  let historyFolder: string
  const said: string[] = []
  before(async () => {
    database = await testDatabase()
    historyFolder = await mkdtemp(join(tmpdir(), 'restored-'))
  })
  after(async () => {
    await database.drop()
    await rm(historyFolder, { recursive: true })
  })

  async function withApp<T>(work: (app: App) => Promise<T>): Promise<T> {
    const app = await openApp({
      url: database.url,
      role: 'kontor',
      clock: systemClock,
      log: pino({ level: 'silent' }),
      historyFolder,
    })
    try {
      return await work(app)
    } finally {
      await app.close()
    }
  }
  const asked: boolean[] = []
  const run = (agrees: boolean): Promise<number> =>
    withApp((app) =>
      afterRestore({
        app,
        say: (line) => void said.push(line),
        agree: async (_question, whole) => {
          asked.push(whole)
          return agrees
        },
      }),
    )
  const halts = async () => {
    const rows = await database.db.query<Pick<Halt, 'action' | 'reason'>>(sql`
      select action, reason
      from brakes
      where state = 'SET'
      order by action`)
    return rows.map(({ action, reason }) => `${action}: ${reason}`)
  }

  it('is nothing to do while nothing is lost', async () => {
    await withApp(async (app) => {
      await firstStart(app, { email: 'admin@example.com', password: 'a long password' })
      await app.history.start()
      await app.history.seal()
      await app.history.seal()
    })
    assert.equal(await run(true), 0)
    assert.match(said.at(-1) ?? '', /has not been set back/)
    assert.deepEqual(await halts(), [])
  })

  it('everything is halted until a person agrees, whose own halts stay', async () => {
    await withApp((app) =>
      app.db.tx(async (tx) => {
        const [row] = await tx.query<{ id: WorkspaceId }>(sql`
          select id
          from workspaces`)
        assert.ok(row)
        const halt = { action: 'TRADING', halted: true, reason: 'a holiday' } as const
        await putHalt({ workspace: row.id, by: 'a person' }, { tx, clock: systemClock }, halt)
      }),
    )
    await database.db.query(sql`
      update history
      set counter = counter - 1`)
    assert.equal(await run(false), 1)
    const [trading = '', withdrawals = '', ...more] = await halts()
    assert.deepEqual(more, [])
    assert.match(trading, /^TRADING: The database may have been set back: .* before: a holiday$/)
    assert.match(withdrawals, /^WITHDRAWALS: The database may .* Run npm run after-restore/)
    assert.equal(await run(true), 0)
    assert.equal(said.at(-1), '2 halts released')
    assert.deepEqual(asked, [true, true])
    assert.deepEqual(await halts(), ['TRADING: a holiday'])
    const [kept] = await database.db.query(sql`
      select set_by, system_updated_by
      from brakes
      where state = 'SET'`)
    assert.deepEqual(kept, { set_by: 'a person', system_updated_by: 'a person' })
  })
})
