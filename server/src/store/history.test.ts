/** A database that was set back is noticed by what the operator's folder knows of it. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { manualClock } from '../core/clock.ts'
import { until } from '../core/testing.ts'
import { createFile, readMarks } from './history-files.ts'
import type { History } from './history.ts'
import { testHistory } from './history.testing.ts'
import { insertMadeUp } from './made-up-rows.testing.ts'
import { sql } from './sql.ts'
import type { Query } from './sql.ts'
import { testDatabase } from './testing.ts'
import type { TestDatabase } from './testing.ts'

describe('the history', () => {
  let database: TestDatabase
  let folder: string
  const clock = manualClock(1_000_000)
  const noticed: string[] = []
  const open: History[] = []
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.drop())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'history-'))
    noticed.length = 0
    await database.db.query(sql`
      update history
      set id = gen_random_uuid(), counter = 0, earlier = '{}', set_back_at = null,
        work_since = null, worked_at = null, work_server = null, unwatched_until = null`)
    clock.advance(1_000)
  })
  afterEach(async () => {
    await stop()
    await rm(folder, { recursive: true })
  })

  /** A process; it sends as often as it seals. */
  async function start(place: string | null = folder, db = database.db): Promise<History> {
    const history = testHistory(db, clock, {
      ...(place === null ? {} : { folder: place }),
      onSetBack: async (_tx, reason) => {
        noticed.push(reason)
      },
    })
    open.push(history)
    await history.start()
    return history
  }
  async function stop(): Promise<void> {
    for (const history of open.splice(0)) await history.close()
  }
  const counter = async (): Promise<number> => {
    const [row] = await database.db.query<{ counter: number }>(sql`
      select counter
      from history`)
    return row?.counter ?? 0
  }
  const setBackTo = (to: number) =>
    database.db.query(sql`
      update history
      set counter = ${to}`)

  it('is the same after a process was killed, however far it came', async () => {
    const killed = await start()
    await killed.seal()
    // It died before the file had it.
    await setBackTo((await counter()) + 1)
    await start()
    assert.deepEqual(noticed, [])
  })

  it('is the same for a process that starts while another one sends', async () => {
    const sending = await start()
    const { db } = database
    await start(folder, {
      ...db,
      async query<Row>(asked: Query) {
        const rows = await db.query<Row>(asked)
        await sending.seal()
        return rows
      },
    })
    assert.deepEqual(noticed, [])
  })

  it('is another one when the database lacks a single sending, once', async () => {
    const history = await start()
    await history.seal()
    await history.seal()
    await setBackTo((await counter()) - 1)
    const restored = await start()
    assert.equal(noticed.length, 1)
    assert.match(
      noticed[0] ?? '',
      /^The database may have been set back: .* Run npm run after-restore/,
    )
    assert.equal(await restored.lookUpBefore(), clock.now())
    await start()
    assert.equal(noticed.length, 1)
  })

  it('stops a running process under which the database is set back', async () => {
    const history = await start()
    await history.seal()
    await history.seal()
    await setBackTo((await counter()) - 1)
    await assert.rejects(history.seal(), /set back/)
    await until('it is noticed', () => noticed.length === 1)
    await history.seal()
    const [{ holds } = { holds: false }] = await database.db.query<{ holds: boolean }>(
      sql`select ${history.stands()} as holds`,
    )
    assert.equal(holds, true)
  })

  it('is another one on another server or timeline', async () => {
    const history = await start()
    await history.seal()
    const [own] = await readMarks(folder)
    assert.ok(own?.mark)
    const mark = { ...own.mark, server: `${own.mark.server.slice(0, -1)}9` }
    await (await createFile(folder, mark)).close()
    await start()
    assert.match(noticed[0] ?? '', /another timeline/)
  })

  it('is another one on a machine that does not know it, or from a copied folder', async () => {
    await (await start()).seal()
    const [name = ''] = await readdir(folder)
    const copy = join(folder, 'copy')
    await cp(join(folder, name), join(copy, name))
    await start(copy)
    await start(join(folder, 'empty'))
    assert.equal(noticed.length, 2)
    assert.match(noticed[0] ?? '', /is a copy/)
    assert.match(noticed[1] ?? '', /knows nothing of this database/)
  })

  it('is that of a new database from the first start on', async () => {
    await (await createFile(folder, { id: newId(), counter: 7, server: 'another' })).close()
    await (await start()).seal()
    await start()
    assert.deepEqual(noticed, [])
  })

  it('is another one when the backup is from before the first sending', async () => {
    await (await start()).seal()
    await setBackTo(0)
    await start()
    assert.equal(noticed.length, 1)
  })

  it('is another one when the folder is lost with it, and the backup had been used', async () => {
    const used = await testDatabase()
    try {
      await start(join(folder, 'of a new one'), used.db)
      assert.equal(noticed.length, 0)
      await stop()
      await insertMadeUp(used.url, newId(), [['execution_orders', {}]])
      await start(join(folder, 'new'), used.db)
      assert.equal(noticed.length, 1)
    } finally {
      await stop()
      await used.drop()
    }
  })

  it('goes on in a new file when somebody has removed the one of a process', async () => {
    const history = await start()
    await rm(folder, { recursive: true })
    await history.seal()
    await setBackTo((await counter()) - 1)
    await start()
    assert.equal(noticed.length, 1)
  })

  it('tells others what is in doubt: everything while no worker is at work', async () => {
    const api = testHistory(database.db, clock)
    assert.equal(await api.lookUpBefore(), 0)
    // A release whose workers did not say so has sent.
    await setBackTo(1)
    assert.equal(await api.lookUpBefore(), Number.MAX_SAFE_INTEGER)
    await setBackTo(0)
    const first_start = clock.now()
    await start()
    clock.advance(1_000)
    await start()
    assert.equal(await api.lookUpBefore(), first_start)
    await stop()
    await database.db.query(sql`
      update history
      set worked_at = worked_at - interval '1 minute'`)
    assert.equal(await api.lookUpBefore(), Number.MAX_SAFE_INTEGER)
    await start()
    assert.equal(await api.lookUpBefore(), clock.now())
    await stop()
    await database.db.query(sql`
      update history
      set work_server = 'another/00000002'`)
    assert.equal(await api.lookUpBefore(), Number.MAX_SAFE_INTEGER)
  })

  it('may be another one since each start of a worker that has no folder', async () => {
    const api = testHistory(database.db, clock)
    const watching = await start()
    assert.deepEqual([await watching.setBackAt(), await api.setBackAt()], [0, 0])
    const first = await start(null)
    const unwatched_until = clock.now()
    clock.advance(1_000)
    assert.equal(await first.setBackAt(), unwatched_until)
    assert.equal(await api.setBackAt(), unwatched_until)
    await until('the other worker knows', async () => {
      return (await watching.setBackAt()) === unwatched_until
    })
    await start(null)
    assert.equal(await api.setBackAt(), clock.now())
    assert.equal(await api.noticedAt(), 0)
    assert.deepEqual(noticed, [])
  })

  it('is sealed once for all who come meanwhile', async () => {
    const history = await start()
    const before = await counter()
    await Promise.all(Array.from({ length: 50 }, () => history.seal()))
    assert.ok((await counter()) - before <= 2)
    const marks = await readMarks(folder)
    assert.deepEqual(
      marks.map(({ mark }) => mark?.counter),
      [await counter()],
    )
  })
})
