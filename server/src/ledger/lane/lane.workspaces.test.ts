/**
 * Many workspaces at once: none waits for another's trouble, and all together stay within a few
 * connections.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { manualClock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Db } from '../../store/db.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { houseAccounts, openBooks } from '../accounts/accounts.ts'
import type { Change } from '../changes.ts'
import { bookingChange } from './books.testing.ts'
import { openLane } from './lane.ts'

const WORKSPACES = 60

describe('the lanes of many workspaces', () => {
  let database: TestDatabase
  const clock = manualClock(1_800_000_000_000)
  const places: { workspace: WorkspaceId; HOUSE: string; MARGIN: string }[] = []
  before(async () => {
    database = await testDatabase()
    for (let count = 0; count < WORKSPACES; count += 1) {
      const workspace = newId<WorkspaceId>()
      await database.db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock }))
      places.push({ workspace, ...(await houseAccounts(database.db, workspace)) })
    }
  })
  after(() => database.drop())

  const paid = ({ workspace, HOUSE, MARGIN }: (typeof places)[number]): Change =>
    bookingChange(workspace, { from: HOUSE, to: MARGIN, quantity: '1' })

  it('share a few connections', async () => {
    let open = 0
    let most = 0
    const counted: Db = {
      ...database.db,
      async connect(options) {
        open += 1
        most = Math.max(most, open)
        const client = await database.db.connect(options)
        client.once('end', () => {
          open -= 1
        })
        return client
      },
    }
    const lane = openLane(counted, clock)
    await Promise.all(
      places.flatMap((place) => Array.from({ length: 5 }, () => lane.commit(paid(place)))),
    )
    await lane.close()
    assert.ok(most <= 8, `${most} connections at once`)
  })

  it('go on while one of them is locked', async () => {
    const owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    const lane = openLane(database.db, clock)
    const [locked, ...others] = places
    assert.ok(locked)
    await owner.query('begin')
    await owner.query('select 1 from lanes where workspace = $1 for update', [locked.workspace])
    let done = false
    const waiting = lane.commit(paid(locked)).finally(() => {
      done = true
    })
    await Promise.all(others.map((place) => lane.commit(paid(place))))
    assert.equal(done, false)
    await owner.query('rollback')
    await waiting
    await lane.close()
    await owner.end()
  })

  it('tell all who wait for a locked one together, not one after the other', async () => {
    let waits = 0
    const impatient: Db = {
      ...database.db,
      async connect(options) {
        const client = await database.db.connect(options)
        await client.query('set lock_timeout = 300')
        const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
        client.query = ((...given: unknown[]) =>
          query(...given).catch((error: unknown) => {
            if ((error as { code?: string }).code === '55P03') waits += 1
            throw error
          })) as typeof client.query
        return client
      },
    }
    const owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    const lane = openLane(impatient, clock)
    const [locked] = places
    assert.ok(locked)
    await owner.query('begin')
    await owner.query('select 1 from lanes where workspace = $1 for update', [locked.workspace])
    const told = await Promise.allSettled(
      Array.from({ length: 40 }, () => lane.commit(paid(locked))),
    )
    assert.ok(
      told.every(
        (result) =>
          result.status === 'rejected' && (result.reason as { code?: string }).code === '55P03',
      ),
    )
    assert.ok(waits > 0 && waits < 10, `${waits} waits`)
    await owner.query('rollback')
    await lane.commit(paid(locked))
    await lane.close()
    await owner.end()
  })
})
