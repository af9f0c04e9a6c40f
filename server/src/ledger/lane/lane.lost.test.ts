/** The answer to a COMMIT is lost, and meanwhile other processes go on writing the same books. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { manualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Db } from '../../store/db.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { balancesOf } from '../accounts/balances.ts'
import type { Change } from '../changes.ts'
import { bookingChange, openTestBooks } from './books.testing.ts'
import type { TestBooks } from './books.testing.ts'
import { openLane } from './lane.ts'
import { verifyBooks } from '../reports/verify.ts'

describe('the lane whose COMMIT is lost while others write', () => {
  let database: TestDatabase
  let owner: pg.Client
  const clock = manualClock(1_800_000_000_000)
  before(async () => {
    database = await testDatabase({ maximumConnections: 4 })
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
  })
  after(async () => {
    await owner.end()
    await database.drop()
  })

  const books = () => openTestBooks(database.db, clock)

  const paid = ({ workspace, house, customer }: TestBooks, quantity: string): Change => {
    const events = [{ type: 'account.overdrawn' as const, resource_id: newId(), data: {} }]
    return bookingChange(workspace, { from: house, to: customer, quantity }, { events })
  }

  /**
   * The first COMMIT is done and its answer never arrives; the next connection is only made after
   * `meanwhile`.
   */
  const losing = (meanwhile: () => Promise<unknown>): Db => {
    let lost = false
    let waited: Promise<unknown> | undefined
    return {
      ...database.db,
      async connect(options) {
        if (lost) await (waited ??= meanwhile())
        const client = await database.db.connect(options)
        const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
        client.query = ((...given: unknown[]) => {
          const text =
            typeof given[0] === 'string' ? given[0] : (given[0] as { text?: string }).text
          if (text !== 'commit' || lost) return query(...given)
          lost = true
          return query(...given).then(() => {
            ;(
              client as unknown as { connection: { stream: { destroy(): void } } }
            ).connection.stream.destroy()
            return new Promise((_resolve, reject) => {
              client.once('end', () => {
                reject(new Error('Connection terminated unexpectedly'))
              })
            })
          })
        }) as typeof client.query
        return client
      },
    }
  }

  it('tells its callers the truth although another process has committed since', async () => {
    const place = await books()
    const other = openLane(database.db, clock)
    const lane = openLane(
      losing(async () => {
        for (let count = 0; count < 3; count += 1) await other.commit(paid(place, '1'))
      }),
      clock,
    )
    const told = await Promise.allSettled([
      lane.commit(paid(place, '10')),
      lane.commit(paid(place, '100')),
    ])
    await Promise.all([lane.close(), other.close()])
    assert.deepEqual(
      told.map((result) =>
        result.status === 'fulfilled' ? result.value.verdict : String(result.reason),
      ),
      ['accepted', 'accepted'],
    )
    assert.equal(
      (await balancesOf(database.db, place.workspace, place.customer))[0]?.total,
      decimal('113'),
    )
    const { rows } = await owner.query(
      'select count(*)::int as count from events where workspace = $1',
      [place.workspace],
    )
    assert.equal(rows[0].count, 5)
    assert.deepEqual((await verifyBooks(database.db, place.workspace)).faults, [])
  })

  it('keeps asking when the first look at the books fails', async () => {
    const place = await books()
    let looks = 0
    const watched: Db = {
      ...database.db,
      async connect(options) {
        const client = await losingOnce.connect(options)
        if (looks++ !== 1) return client
        // The second connection is the one that looks: its wait for the lane row is broken off.
        await owner.query('begin')
        await owner.query('select 1 from lanes where workspace = $1 for update', [place.workspace])
        const pid = (
          (await client.query('select pg_backend_pid() as pid')).rows[0] as { pid: number }
        ).pid
        void (async () => {
          for (;;) {
            const { rows } = await owner.query(
              'select 1 from pg_locks where pid = $1 and not granted',
              [pid],
            )
            if (rows.length > 0) break
          }
          await owner.query('select pg_cancel_backend($1)', [pid])
          await owner.query('rollback')
        })()
        return client
      },
    }
    const losingOnce = losing(async () => undefined)
    const lane = openLane(watched, clock)
    const told = await Promise.allSettled([
      lane.commit(paid(place, '10')),
      lane.commit(paid(place, '100')),
    ])
    await lane.close()
    assert.deepEqual(
      told.map((result) =>
        result.status === 'fulfilled' ? result.value.verdict : String(result.reason),
      ),
      ['accepted', 'accepted'],
    )
    assert.equal(
      (await balancesOf(database.db, place.workspace, place.customer))[0]?.total,
      decimal('110'),
    )
    assert.deepEqual((await verifyBooks(database.db, place.workspace)).faults, [])
  })

  it('does not wait for ever for a server that has gone silent', { timeout: 120_000 }, async () => {
    const place = await books()
    let silent = false
    const db: Db = {
      ...database.db,
      async connect(options) {
        const client = await database.db.connect(options)
        const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
        client.query = ((...given: unknown[]) => {
          if ((given[0] as { text?: string }).text === 'commit' && !silent) {
            silent = true
            // Whatever the server answers from now on does not arrive; nothing tells that the
            // connection is lost.
            ;(
              client as unknown as { connection: { stream: { pause(): void } } }
            ).connection.stream.pause()
          }
          return query(...given)
        }) as typeof client.query
        return client
      },
    }
    const lane = openLane(db, clock, { silence_ms: 500 })
    const results = await Promise.all([
      lane.commit(paid(place, '10')),
      lane.commit(paid(place, '100')),
    ])
    assert.deepEqual(
      results.map(({ verdict }) => verdict),
      ['accepted', 'accepted'],
    )
    assert.ok(silent)
    await lane.close()
    assert.equal(
      (await balancesOf(database.db, place.workspace, place.customer))[0]?.total,
      decimal('110'),
    )
    assert.deepEqual((await verifyBooks(database.db, place.workspace)).faults, [])
  })
})
