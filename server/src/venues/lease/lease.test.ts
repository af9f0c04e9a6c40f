/** Processes that contend for the lease of the venues, each over a connection of its own. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, afterEach, before, describe, it } from 'node:test'
import { mustExist } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { openDb } from '../../store/db.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { NotHeld } from './credential.ts'
import { traceOf } from './holding-process.ts'
import { openVenueLease } from './lease.ts'
import type { VenueLease } from './lease.ts'

const TERM_MILLISECONDS = 1_500

describe('the lease of the venues', () => {
  let database: TestDatabase
  const opened: VenueLease[] = []
  before(async () => {
    database = await testDatabase()
  })
  afterEach(async () => {
    for (const lease of opened.splice(0)) await lease.close()
  })
  after(() => database.drop())

  const open = async (db: Db = database.db, contends = true) => {
    const lease = await openVenueLease({
      db,
      contends,
      term_ms: TERM_MILLISECONDS,
      log: { info: () => undefined },
    })
    opened.push(lease)
    return lease
  }
  const stored = async () => {
    const [row] = await database.db.query<{ fence: number; live: boolean }>(sql`
      select fence, expires_at > clock_timestamp() as live
      from venue_lease`)
    return row
  }

  it('is held by one of many, and only its credentials may be used', async () => {
    const leases = await Promise.all([open(), open(), open()])
    assert.equal(leases.filter(({ held }) => held).length, 1)
    const usable = await Promise.all(
      leases.map(async (lease) => {
        const credential = await lease.credential('kraken')
        try {
          credential.use()
          return credential.nonce() > 0
        } catch (error) {
          assert.ok(error instanceof NotHeld)
          assert.throws(() => credential.nonce(), NotHeld)
          return false
        }
      }),
    )
    assert.deepEqual(
      usable,
      leases.map(({ held }) => held),
    )
  })

  it('is never taken by a process that only asks', async () => {
    const lease = await open(database.db, false)
    assert.equal(lease.held, false)
  })

  it('passes at once from a process that has ended here, and from no other', async () => {
    const holder = spawn(process.execPath, ['-e', 'process.stdin.resume()'])
    await once(holder, 'spawn')
    const trace = mustExist(traceOf(mustExist(holder.pid, 'it runs')), 'Linux tells')
    const heldBy = (process: string) =>
      database.db.query(sql`
        update venue_lease
        set holder = ${newId()},
          process = ${process},
          expires_at = clock_timestamp() + interval '1 hour'`)
    const elsewhere = JSON.stringify({ ...JSON.parse(trace), among: 'another machine' })
    await heldBy(trace)
    assert.equal((await open()).held, false, 'it is alive')
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await heldBy(elsewhere)
    assert.equal((await open()).held, false, 'nothing is known of it')
    await heldBy(trace)
    assert.equal((await open()).held, true, 'nobody is there who could call')
  })

  it('passes on with a higher fence, and with nonces above all earlier ones', async () => {
    const first = await open()
    const earlier = await first.credential('passed on')
    const second = await open()
    const later = await second.credential('passed on')
    const changes: boolean[] = []
    second.onChange((held) => changes.push(held))
    const nonces = Array.from({ length: 100 }, () => earlier.nonce())
    assert.deepEqual(
      nonces,
      nonces.toSorted((a, b) => a - b),
    )
    const fence = first.fence
    await first.close()
    assert.throws(() => earlier.nonce(), NotHeld)
    await until('the second one holds it', () => second.held)
    assert.ok(second.fence > fence)
    assert.ok(later.nonce() > Math.max(...nonces))
    assert.deepEqual(changes, [true])
  })

  it('is above the nonces of a machine whose clock was ahead', async () => {
    const first = await open()
    await first.credential('ahead')
    await first.close()
    await database.db.query(sql`
      update credential_nonces
      set reserved_to = reserved_to + 3600000000
      where credential = 'ahead'`)
    const [ahead] = await database.db.query<{ reserved_to: number }>(sql`
      select reserved_to
      from credential_nonces
      where credential = 'ahead'`)
    const second = await open()
    const credential = await second.credential('ahead')
    assert.ok(credential.nonce() > (ahead?.reserved_to ?? Infinity))
  })

  it('is not used any more before another may take it, when the database is gone', async () => {
    const db = openDb({ url: database.url, role: 'kontor', maximumConnections: 1 })
    const clients: { end(): Promise<void> }[] = []
    let gone = false
    const cut: Db = {
      ...db,
      async connect(...options) {
        if (gone) throw new Error('the database is gone')
        const client = await db.connect(...options)
        clients.push(client)
        return client
      },
    }
    const first = await open(cut)
    assert.ok(first.held)
    const credential = await first.credential('cut')
    const losses: Promise<unknown>[] = []
    first.onChange((held) => {
      assert.equal(held, false)
      losses.push(stored())
    })
    gone = true
    for (const client of clients) await client.end()
    const second = await open()
    assert.equal(second.held, false)
    await until('the first one has noticed', () => losses.length > 0)
    assert.equal(first.held, false)
    assert.throws(() => credential.use(), NotHeld)
    assert.deepEqual(await losses[0], { fence: first.fence, live: true })
    await until('the second one holds it', () => second.held)
    assert.equal(second.fence, first.fence + 1)
    await db.close()
  })
})
