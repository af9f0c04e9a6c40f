/**
 * Two processes write the same books; one is killed, the other ended, both in the middle: what was
 * acknowledged is there, exactly once.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { mustExist } from '../../core/assert.ts'
import { systemClock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { houseAccounts, openAccount } from '../accounts/accounts.ts'
import { balancesOf } from '../accounts/balances.ts'
import { putAsset } from '../assets.ts'
import { prepareDatabase } from '../../core/service.testing.ts'
import { ADMIN, startService } from './processes.fixture.ts'
import type { Service } from './processes.fixture.ts'
import { verifyBooks } from '../reports/verify.ts'

const CALLERS = 12
/** A cut connection, a database that was not reached in time, a first request still running. */
const NOT_KNOWN: ReadonlySet<number | undefined> = new Set([2001, 2004, 4092])

describe('two processes on one database', () => {
  let database: TestDatabase
  const services: Service[] = []
  let token: string
  let workspace: WorkspaceId
  let house: string
  let customer: string
  /** Tags that were answered 200, with the booking's id. */
  const acknowledged = new Map<string, string>()
  /** Tags whose answer never came and that were not tried again. */
  const unknown = new Set<string>()

  before(async () => {
    database = await testDatabase()
    // At once, on an empty database.
    await Promise.all([1, 2].map(() => prepareDatabase(database.url, ADMIN)))
    const starts = await Promise.allSettled([
      startService(database.url),
      startService(database.url),
    ])
    for (const start of starts) {
      if (start.status === 'fulfilled') services.push(start.value)
    }
    assert.deepEqual(
      starts.map((start) => start.status),
      ['fulfilled', 'fulfilled'],
    )
    const [row] = await database.db.query<{ id: WorkspaceId }>(sql`
      select id
      from workspaces`)
    workspace = mustExist(row, 'the first start').id
    await putAsset(database.db, workspace, {
      code: 'TST',
      label: 'Test',
      kind: 'FIAT',
      scale: 2,
      circulating_supply: null,
    })
    house = (await houseAccounts(database.db, workspace)).HOUSE
    customer = (
      await database.db.tx((tx) =>
        openAccount(
          { workspace, by: 'test' },
          { tx, clock: systemClock },
          { type: 'CUSTOMER', label: 'Alice', customer_id: newId() },
        ),
      )
    ).id
    const login = await service(0).call('POST', '/auth/login', { body: ADMIN })
    assert.equal(login.status, 200, JSON.stringify(login.body))
    token = String(login.body.data['access_token'])
  })
  after(async () => {
    for (const service of services) service.signal('SIGKILL')
    await Promise.all(services.map((service) => service.ended))
    await database.drop()
  })

  const service = (index: number) => {
    const found = services[index]
    assert.ok(found)
    return found
  }
  const book = async (at: Service, tag: string, key?: string) => {
    const reply = await at.call('POST', '/bookings', {
      token,
      ...(key === undefined ? {} : { key }),
      body: {
        asset: 'TST',
        description: tag,
        legs: [
          { account_id: house, type: 'DEBIT', quantity: '1' },
          { account_id: customer, type: 'CREDIT', quantity: '1' },
        ],
      },
    })
    if (reply.status === 200) acknowledged.set(tag, String(reply.body.data['id']))
    return reply
  }
  const booked = async () => {
    const rows = await database.db.query<{ id: string; description: string }>(
      sql`
        select id, description
        from bookings
        where workspace = ${workspace}`,
    )
    return Map.groupBy(rows, (row) => row.description)
  }
  /** What callers were told is what the books hold. */
  const check = async () => {
    const rows = await booked()
    for (const [tag, id] of acknowledged)
      assert.deepEqual(
        rows.get(tag)?.map((row) => row.id),
        [id],
        `${tag} was acknowledged`,
      )
    for (const [tag, ids] of rows) {
      assert.equal(ids.length, 1, `${tag} is there once`)
      assert.ok(acknowledged.has(tag) || unknown.has(tag), `${tag} is there and nobody was told`)
    }
    const [balance] = await balancesOf(database.db, workspace, customer)
    assert.equal(balance?.total, BigInt(rows.size) * 10n ** 18n)
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  }
  const callers = (work: (caller: number) => Promise<void>) =>
    Promise.all(Array.from({ length: CALLERS }, (_, caller) => work(caller)))

  it('start at once on an empty database as one workspace with one first user', async () => {
    const [row] = await database.db.query<{ workspaces: number; users: number }>(
      sql`
        select (select count(*) from workspaces) as workspaces,
          (select count(*) from users) as users`,
    )
    assert.deepEqual(row, { workspaces: 1, users: 1 })
  })

  it('take turns, and a key sent to both at once books once', async () => {
    await callers(async (caller) => {
      for (let round = 0; round < 9; round += 1) {
        const tag = `turn ${caller} ${round}`
        if (round % 3 === 0) {
          const replies = await Promise.all([
            book(service(0), tag, `key-${caller}-${round}`),
            book(service(1), tag, `key-${caller}-${round}`),
          ])
          const ids = new Set(
            replies.map((reply) =>
              reply.status === 200 ? reply.body.data['id'] : reply.body.error_code,
            ),
          )
          assert.ok(
            (replies.some((reply) => reply.status === 200) && ids.size === 1) ||
              replies.some((reply) => reply.body.error_code === 4092),
            JSON.stringify(replies),
          )
        } else {
          assert.equal((await book(service(caller % 2), tag)).status, 200)
        }
      }
    })
    assert.equal(acknowledged.size, CALLERS * 9)
    await check()
  })

  it('tell the truth while all their database connections are cut again and again', async () => {
    const owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    let cutting = true
    let cuts = 0
    const cutter = (async () => {
      while (cutting) {
        const { rowCount } = await owner.query(
          `
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database()
          and pid <> pg_backend_pid()`,
        )
        cuts += rowCount ?? 0
        await owner.query('select pg_sleep(0.03)')
      }
    })()
    const calls = callers(async (caller) => {
      for (let round = 0; round < 9; round += 1) {
        const tag = `cut ${caller} ${round}`
        const key = round % 3 === 0 ? undefined : tag.replaceAll(' ', '-')
        for (;;) {
          const { status, body } = await book(service(caller % 2), tag, key)
          if (status === 200) break
          assert.ok(NOT_KNOWN.has(body.error_code), JSON.stringify(body))
          if (key === undefined) {
            unknown.add(tag)
            break
          }
        }
      }
    })
    await calls.finally(async () => {
      cutting = false
      await cutter
      await owner.end()
    })
    assert.ok(cuts > 0)
    await check()
  })

  it('keep what was acknowledged when one is killed, and the other continues', async () => {
    let answered = 0
    let retried = 0
    await callers(async (caller) => {
      let at = service(caller % 2)
      for (let round = 0; round < 25; round += 1) {
        const tag = `kill ${caller} ${round}`
        const key = round % 2 === 0 ? tag.replaceAll(' ', '-') : undefined
        try {
          assert.equal((await book(at, tag, key)).status, 200)
        } catch (error) {
          if (at !== service(0) || error instanceof assert.AssertionError) throw error
          retried += 1
          at = service(1)
          if (key === undefined) unknown.add(tag)
          else assert.equal((await book(at, tag, key)).status, 200)
        }
        answered += 1
        if (answered === CALLERS * 6) service(0).signal('SIGKILL')
      }
    })
    assert.equal(await service(0).ended, 'SIGKILL')
    assert.ok(retried > 0, 'somebody was waiting when it was killed')
    await check()
  })

  it('answer everything they took when they are ended', async () => {
    const last = service(1)
    let answered = 0
    await callers(async (caller) => {
      for (let round = 0; ; round += 1) {
        const tag = `end ${caller} ${round}`
        try {
          const { status, body } = await book(last, tag)
          assert.equal(status, 200, JSON.stringify(body))
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error
          return
        }
        answered += 1
        if (answered === CALLERS * 5) last.signal('SIGTERM')
      }
    })
    assert.equal(await last.ended, 0)
    // No tag of these is unknown: what was booked was answered.
    await check()
  })

  it('a third one finds the books as they were left', async () => {
    const third = await startService(database.url)
    services.push(third)
    assert.equal((await book(third, 'afterwards')).status, 200)
    await check()
  })
})
