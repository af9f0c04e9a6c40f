import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { erasedValue } from '../core/erased.ts'
import { newId } from '../core/ids.ts'
import { openDb } from '../store/db.ts'
import { exportRows, importRows } from '../store/row-archive.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import { readFolder } from './exported.ts'
import { makeHeads } from './heads.ts'
import type { Head } from './heads.schema.ts'
import { DAYS, openThreeDays, verifyAll, verifyKept } from './heads.testing.ts'
import type { HeadsWorld } from './heads.testing.ts'
import { openKey, verifyHeads } from './index.ts'
import { rehashBookings, rehashEvents, rehashLog } from './rewriting.testing.ts'

let world: HeadsWorld
before(async () => {
  world = await openThreeDays()
})
after(() => world.close())

/** Changes something of the second day. */
const REWRITES = [
  {
    what: 'bookings',
    change: sql`
      update bookings
      set description = 'thirty'
      where description = 'three'`,
    rehash: rehashBookings,
    changed: /^batch 3 \(bookings 3 to 3\) does not match its hash$/,
  },
  {
    what: 'events',
    change: sql`
      update events
      set data = '{"asset": "thirty", "more": 1}'
      where data ->> 'asset' = 'three'`,
    rehash: rehashEvents,
    changed: /^batch 2 \(5 to 6\) does not match its hash of the chain of events$/,
  },
  {
    what: 'security log',
    change: sql`
      update security_log
      set details = '{"name": "thirty"}'
      where details ->> 'name' = 'three'`,
    rehash: rehashLog,
    changed: /^batch 2 \(3 to 3\) does not match its hash of the chain of the security log$/,
  },
] as const

describe('heads', () => {
  it('say of each day where the chains end, and follow each other', async () => {
    assert.deepEqual(await verifyAll(world), { rows: [], heads: [] })
    const { kept } = await readFolder(world.folder)
    assert.deepEqual(
      kept.map(({ head }) => [
        head.number,
        head.day,
        head.previous?.day,
        head.bookings.sequence,
        head.events.sequence,
        head.security_log.sequence,
      ]),
      [
        [1, DAYS[0], undefined, 2, 4, 2],
        [2, DAYS[1], DAYS[0], 3, 6, 3],
        [3, DAYS[2], DAYS[1], 5, 10, 5],
      ],
    )
    const { heads, last_day, faults } = await verifyKept(world)
    assert.deepEqual({ heads, last_day, faults }, { heads: 3, last_day: DAYS[2], faults: [] })
  })

  for (const { what, change, rehash, changed } of REWRITES) {
    it(`${what} that were changed are found in their chain`, () =>
      world.asOwner(async (owner) => {
        await owner.query(change)
        const { rows } = await verifyAll(world, owner)
        assert.equal(rows.length, 1)
        assert.match(rows[0] ?? '', changed)
      }))

    it(`${what} that were rewritten with all hashes are found by the heads`, () =>
      world.asOwner(async (owner) => {
        await owner.query(change)
        await rehash(world, owner)
        const { rows, heads } = await verifyAll(world, owner)
        assert.deepEqual(rows, [], 'the rows agree with each other')
        assert.deepEqual(
          heads.map(({ day }) => day),
          [DAYS[1], DAYS[2]],
        )
        assert.match(heads[0]?.text ?? '', new RegExp(`^the ${what} up to \\d+ were rewritten`))
      }))

    it(`${what} that were rewritten with the heads are found by heads kept elsewhere`, () =>
      world.asOwner(async (owner) => {
        await owner.query(change)
        await rehash(world, owner)
        await owner.query(sql`
          delete from heads
          where number > 1`)
        assert.deepEqual(await verifyAll(world, owner), { rows: [], heads: [] })
        const { faults } = await verifyKept(world, owner)
        assert.equal(faults[0]?.day, DAYS[1])
        assert.ok(faults.some(({ text }) => text.startsWith(`the ${what} up to`)))
      }))
  }

  it('an entry that was taken out, put in or hidden from the chain is found', async () => {
    const [one] = await world.db.query<{ id: string }>(sql`
      select id
      from security_log
      where details ->> 'name' = 'two'`)
    const cases = [
      sql`
        delete from security_log
        where id = ${one?.id ?? ''}`,
      sql`
        insert into security_log (workspace, id, kind, occurred_at, count, details)
        values (${world.workspace}, ${newId()}, 'SIGNED_IN', 1, 1, '{}')`,
      sql`
        insert into security_log_places (workspace, id, sequence)
        values (${world.workspace}, ${newId()}, 99)`,
      sql`
        insert into events (workspace, sequence, id, type, resource_id, occurred_at, data)
        values (${world.workspace}, 3, ${newId()}, 'halt.set', ${newId()}, 1, '{}')`,
    ]
    for (const change of cases)
      await world.asOwner(async (owner) => {
        await owner.query(change)
        assert.notDeepEqual((await verifyAll(world, owner)).rows, [])
      })
  })

  it('what was erased leaves its digest, and the chains stay whole', () =>
    world.asOwner(async (owner) => {
      const [event] = await owner.query<{ id: string }>(sql`
        select id
        from events
        where data ->> 'asset' = 'two'`)
      const left = JSON.stringify(erasedValue(event?.id ?? '', 'asset', 'two'))
      await owner.query(sql`
        update events
        set data = jsonb_set(data, '{asset}', ${left}::jsonb)
        where id = ${event?.id ?? ''}`)
      assert.deepEqual(await verifyAll(world, owner), { rows: [], heads: [] })
      await owner.query(sql`
        update events
        set data = jsonb_set(data, '{more}', '2')
        where id = ${event?.id ?? ''}`)
      assert.equal((await verifyAll(world, owner)).rows.length, 1)
    }))

  it('a head that is missing is named by its day, in the database and in the folder', async () => {
    await world.asOwner(async (owner) => {
      await owner.query(sql`
        delete from heads
        where number = 2`)
      const { heads } = await verifyAll(world, owner)
      assert.deepEqual(heads, [{ day: DAYS[1], text: 'the head is missing in the database' }])
    })
    const { kept } = await readFolder(world.folder)
    const keys = world.key.known
    const [first, , last] = kept
    assert.ok(first && last)
    const { faults } = await verifyHeads(world.db, world.workspace, { keys, kept: [first, last] })
    assert.deepEqual(faults, [
      {
        day: DAYS[1],
        text: 'the head in the database is missing among those that were kept',
      },
    ])
  })

  it('all holds in the rows that were exported and imported', async () => {
    const copy = await testDatabase()
    try {
      const client = new pg.Client({ connectionString: copy.url })
      await client.connect()
      await client.query('drop schema public cascade; create schema public')
      await client.end()
      const file = join(dirname(world.folder), 'rows.gz')
      await exportRows(world.url, file)
      await importRows(copy.url, file)
      const db = openDb({ url: copy.url, maximumConnections: 1 })
      assert.deepEqual(await verifyAll(world, db), { rows: [], heads: [] })
      assert.deepEqual((await verifyKept(world, db)).faults, [])
      await db.close()
    } finally {
      await copy.drop()
    }
  })

  it('a head that another key has signed, or whose text was changed, is refused', async () => {
    const other = await openKey(join(dirname(world.folder), 'other.key'))
    await assert.rejects(makeHeads(world.app, other, []), /was signed with the key .* this process/)
    const [row] = await world.db.query<{ signed: string }>(sql`
      select signed
      from heads
      where number = 3`)
    const head = JSON.parse(row?.signed ?? '') as Head
    const forge = async (change: Partial<Head>, text: RegExp) =>
      world.asOwner(async (owner) => {
        const signed = JSON.stringify({ ...head, ...change })
        const hash = createHash('sha256').update(signed).digest('hex')
        await owner.query(sql`
          update heads
          set signed = ${signed}, signature = ${other.sign(signed)}, hash = ${hash}
          where number = 3`)
        const { heads } = await verifyAll(world, owner)
        assert.equal(heads[0]?.day, DAYS[2])
        assert.match(heads.map((fault) => fault.text).join(), text)
      })
    await forge({ public_key: other.publicKey }, /signed with an unknown key/)
    await forge({}, /the signature of the head is wrong/)
    await forge({ day: '2026-11-23' }, /does not match what was signed/)
  })
})
